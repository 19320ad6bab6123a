"""What the first look at a repository found, and how its commits are weighed and linked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from agent.domain import Frozen, Landed, Landing, Threads
from agent.evidence import CommitEvidence
from agent.filters import fold
from agent.ids import RepoId
from agent.linking.digest import Known
from agent.linking.undoing import Patch, carried_links, patch_partners, with_patches
from agent.links import Link, Reference
from agent.own_code import OwnUse
from agent.report import Failure
from agent.settings import RepoSpec
from agent.triage import Triage, weigh


class Collected(Frozen):
    """What the first look found."""

    landing: Landing
    rows: tuple[Landed, ...]
    late: tuple[Landed, ...]
    threads: Threads
    table: tuple[Triage, ...] = ()
    """The commits whose diffs were read, heaviest first."""
    links: tuple[Link, ...] = ()
    references: tuple[Reference, ...] = ()
    """What the day's commits and pull requests name, and what issues and releases say of them."""
    unread: dict[str, str] = Field(default_factory=dict)
    """Commits whose diffs were not read, and why."""
    patches: dict[str, Patch] = Field(default_factory=dict)
    """The names of the commits' patches, by hash."""
    own_uses: tuple[OwnUse, ...] = ()
    """Where the user's own code uses what these commits change."""
    failures: tuple[Failure, ...] = ()

    @property
    def shas(self) -> list[str]:
        """The hashes of everything that belongs to this report."""
        return [row.commit.sha for row in self.landed]

    @property
    def landed(self) -> tuple[Landed, ...]:
        """Everything that belongs to this report."""
        return (*self.rows, *self.late)


class Scales:
    """Weighs the commits of one repository by what was read of them and what their threads say."""

    def __init__(self, collected: Collected, spec: RepoSpec) -> None:
        titles = {issue.id: issue.title for issue in collected.threads.issues}
        self._fixes: dict[str, list[str]] = {}
        for link in collected.links:
            if link.may_read_fixed and link.issue in titles:
                self._fixes.setdefault(link.change, []).append(titles[link.issue])
        self._labels = {pull.number: pull.labels for pull in collected.threads.pulls}
        self._pull_of = collected.threads.pull_of
        self._spec = spec

    def weigh(self, evidence: CommitEvidence) -> Triage:
        """Weigh one commit as closely as it was read."""
        change = evidence.change
        labels = self._labels.get(self._pull_of.get(change.commit.sha, 0), ())
        one = weigh(change, evidence.sheet, labels=labels, fixes=self._fixes.get(evidence.id, ()))
        return fold(one, change, self._spec)


@dataclass
class Looked:
    """What is taken down of each diff while it is at hand."""

    patches: dict[str, Patch] = field(default_factory=dict)


def all_links(repo: RepoId, found: Sequence[Link], known: Known, patches: Mapping[str, Patch]) -> tuple[Link, ...]:
    """Add to the links that somebody made what follows from patches that take back a fix."""
    links = with_patches(found, patches)
    return carried_links(links, known.links, patch_partners(repo, patches, (*known.links, *links)))
