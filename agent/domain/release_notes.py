"""Release notes as data: what breaks and changes since the release before, and the picks."""

from collections.abc import Mapping

from agent.domain.base import Frozen, Language
from agent.domain.evidence_id import EvidenceId
from agent.domain.upgrade import Part


class ReleaseEntry(Frozen):
    """A sentence about what differs from the previous release, and the commits that made it so."""

    part: Part
    text: Mapping[Language, str]
    commits: tuple[EvidenceId, ...] = ()
    backwards: bool = False  # It is so because this release lacks commits of the previous one


class ReleasedCommit(Frozen):
    """A commit of a release by its title."""

    id: EvidenceId
    title: str
    originals: tuple[str, ...] = ()
    """The titles of the landed commits that it copies, where its own title does not say them."""


class Advisory(Frozen):
    """A published vulnerability that commits of a release name."""

    id: str  # `CVE-2026-1234` or `GHSA-…`
    commits: tuple[EvidenceId, ...]


class ReleaseNotes(Frozen):
    """The changes in a release for users of the one before, without what was undone in between."""

    previous: str
    commits: int  # How many it has that the previous release lacks
    is_compared: bool = True  # False where files of a version are not at hand
    entries: tuple[ReleaseEntry, ...] = ()  # In the order of the parts of a guide
    more: Mapping[Part, int] = {}  # How many entries of a part are not listed
    picks: tuple[ReleasedCommit, ...] = ()
    """The commits that its branch has and the default branch lacks, the oldest first."""
    advisories: tuple[Advisory, ...] = ()
    titles: Mapping[str, str] = {}  # Of the commits that entries and advisories cite, by hash

    def entries_of(self, *parts: Part) -> list[ReleaseEntry]:
        """Return the entries of some parts."""
        return [entry for entry in self.entries if entry.part in parts]
