"""What the first look at a repository found, which commits were read in depth, and how that changes their weights."""

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from agent.domain.base import Frozen
from agent.domain.commits import Change, Issue, Landed, Landing, Notice, Threads
from agent.domain.evidence import CommitEvidence, Evidence, EvidenceSet, Material, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import OwnUse, Triage
from agent.domain.links import Link, Mention
from agent.domain.report import Failure
from agent.links.issue_digest import Known
from agent.links.recorded import partners
from agent.settings.values import RepoSpec
from agent.triage.score import HIGH, rank, weigh

_NOT_HIGH = HIGH - 0.001
_IGNORED = "author ignored"
_NOREPLY = re.compile(r"(?:\d+\+)?([^@+]+)@users\.noreply\.", re.ASCII)


class Collected(Frozen):
    """What the first look found."""

    landing: Landing
    rows: tuple[Landed, ...]
    late: tuple[Landed, ...]
    threads: Threads
    table: tuple[Triage, ...] = ()  # The commits whose diffs were read, heaviest first
    links: tuple[Link, ...] = ()
    references: tuple[Mention, ...] = ()
    """What the day's commits and pull requests name, and what issues and releases say of them."""
    unread: dict[str, str] = Field(
        default_factory=dict
    )  # Commits whose diffs were not read, and why
    own_uses: tuple[OwnUse, ...] = ()  # Where the user's own code uses what these commits change
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
        known = {issue.id for issue in collected.threads.issues}
        self._closing = {
            link.change for link in collected.links if link.may_read_fixed and link.issue in known
        }
        self._labels = {pull.number: pull.labels for pull in collected.threads.pulls}
        self._pull_of = collected.threads.pull_of
        self._spec = spec

    def weigh(self, evidence: CommitEvidence) -> Triage:
        """Weigh one commit as closely as it was read."""
        change = evidence.change
        labels = self._labels.get(self._pull_of.get(change.commit.sha, 0), ())
        one = weigh(change, evidence.sheet, labels=labels, closes=evidence.id in self._closing)
        return fold(one, change, self._spec)

    def weigh_again(
        self, known: Mapping[str, CommitEvidence], undone: Mapping[EvidenceId, EvidenceId]
    ) -> tuple[Triage, ...]:
        """Rank the commits by what is known after reading: whole files show more than a patch does.

        What landed and was undone in the same window leaves nothing to act on.
        """
        weighed = {evidence.id: self.weigh(evidence) for evidence in known.values()}
        for name in weighed.keys() & {*undone, *undone.values()}:
            weighed[name] = weighed[name].model_copy(
                update={"score": min(weighed[name].score, _NOT_HIGH)}
            )
        return rank(weighed.values())


def fold(one: Triage, change: Change, spec: RepoSpec) -> Triage:
    """Mark a commit as noise where the configuration says so, whatever is in it."""
    author = change.commit.author
    # GitHub's addresses hold the login.
    login = _NOREPLY.match(author.email)
    if spec.ignores((author.name, author.email, *([login[1]] if login else ()))):
        return one.model_copy(update={"noise": "bot", "reasons": (_IGNORED, *one.reasons)})
    paths = [path for file in change.files for path in (file.path, file.previous_path) if path]
    # Where files may be missing, a commit is given the benefit.
    if (
        change.incomplete
        or any(map(spec.wants, paths))
        or not (spec.include or (spec.exclude and paths))
    ):
        return one
    return one.model_copy(update={"noise": "left out"})


def is_folded_by_settings(triaged: Triage) -> bool:
    """Return True for a commit that the configuration marks as noise."""
    return triaged.noise == "left out" or _IGNORED in triaged.reasons


def filter_notices(table: Iterable[Triage]) -> tuple[Notice, ...]:
    """Say in the report how many commits the configuration folded."""
    folded = [triaged for triaged in table if is_folded_by_settings(triaged)]
    ignored = sum(_IGNORED in triaged.reasons for triaged in folded)
    counts = {"paths-left-out": len(folded) - ignored, "authors-ignored": ignored}
    return tuple(Notice(kind=kind, about=(str(count),)) for kind, count in counts.items() if count)


def background_of(studied: Sequence[CommitEvidence], collected: Collected) -> tuple[str, ...]:
    """Return the commits of earlier days that the studied ones undo or bring back."""
    undone = {other.sha for _, _, other in partners(studied)}
    landed = {row.commit.sha for row in collected.landed}
    return tuple(sorted(undone - landed))


def known_issues(found: Collected, earlier: Known, links: Sequence[Link]) -> list[Issue]:
    """Give the issues of earlier days that something today addresses."""
    fresh, wanted = {issue.id for issue in found.threads.issues}, {link.issue for link in links}
    return [one for one in earlier.issues if one.id in wanted and one.id not in fresh]


def evidence_set_of(material: Material, found: Collected) -> EvidenceSet:
    """Give the gate everything that was read of a repository."""
    known: dict[EvidenceId, Evidence] = {read.evidence.id: read.evidence for read in material.reads}
    known |= material.background
    known |= {issue.id: ThreadEvidence(thread=issue) for issue in material.issues}
    known |= {pull.id: ThreadEvidence(thread=pull) for pull in material.pulls.values()}
    known |= material.threads
    late = frozenset(row.commit.id for row in found.late)
    return EvidenceSet(by_id=known, window=material.window, seen=frozenset(known), late=late)
