"""Collected commits: what the first look at a repository gave, and weights after a closer one."""

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from agent.domain.base import Frozen
from agent.domain.commits import Change, Landed, Landing, Notice
from agent.domain.evidence import CommitEvidence, Evidence, EvidenceSet, Material, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, OwnUse, Triage
from agent.domain.links import Link, Mention
from agent.domain.report import Failure
from agent.domain.threads import Issue, Threads
from agent.links.recorded_links import partners
from agent.links.searchable_issues import Known
from agent.settings.values import RepoSpec
from agent.triage.weights import HIGH, rank, weigh

_JUST_BELOW_HIGH = HIGH - 0.001
_IGNORED = "author ignored"
_NOREPLY = re.compile(r"(?:\d+\+)?([^@+]+)@users\.noreply\.", re.ASCII)


class UnreadCommit(Frozen):
    """How far a commit got whose diff was not read, and why."""

    depth: Depth
    reason: str


class Collected(Frozen):
    """The results of the first look."""

    landing: Landing
    rows: tuple[Landed, ...]
    late: tuple[Landed, ...]
    threads: Threads
    table: tuple[Triage, ...] = ()  # The commits whose diffs were read, heaviest first
    links: tuple[Link, ...] = ()
    references: tuple[Mention, ...] = ()
    """What the day's commits and pull requests name, and what issues and releases say of them."""
    unread: dict[str, UnreadCommit] = Field(default_factory=dict)
    """Commits whose diffs were not read, by their hashes."""
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
        issue_ids = {issue.id for issue in collected.threads.issues}
        self._closing_changes = set()
        for link in collected.links:
            if link.may_read_fixed and link.issue in issue_ids:
                self._closing_changes.add(link.change)
        self._labels = {pull.number: pull.labels for pull in collected.threads.pulls}
        self._pull_of = collected.threads.pull_of
        self._spec = spec

    def weigh(self, evidence: CommitEvidence) -> Triage:
        """Weigh one commit as closely as it was read."""
        change = evidence.change
        pull_number = self._pull_of.get(change.commit.sha, 0)
        labels = self._labels.get(pull_number, ())
        closes = evidence.id in self._closing_changes
        triage = weigh(change, evidence.sheet, labels=labels, closes=closes)
        return fold(triage, change, self._spec)

    def weigh_again(
        self, studied: Mapping[str, CommitEvidence], undone: Mapping[EvidenceId, EvidenceId]
    ) -> tuple[Triage, ...]:
        """Rank the commits by what was read of them: whole files show more than a patch does.

        What landed and was undone in the same window leaves nothing to act on.
        """
        without_effect = {*undone, *undone.values()}
        weighed = []
        for evidence in studied.values():
            triage = self.weigh(evidence)
            if evidence.id in without_effect:
                score = min(triage.score, _JUST_BELOW_HIGH)
                triage = triage.model_copy(update={"score": score})
            weighed.append(triage)
        return rank(weighed)


def fold(triage: Triage, change: Change, spec: RepoSpec) -> Triage:
    """Mark a commit as noise where the configuration says so, whatever is in it."""
    if spec.ignores(_author_names(change)):
        return triage.model_copy(update={"noise": "bot", "reasons": (_IGNORED, *triage.reasons)})
    if _is_left_out(change, spec):
        return triage.model_copy(update={"noise": "left out"})
    return triage


def _author_names(change: Change) -> tuple[str, ...]:
    """Return what a commit's author may be called in the configuration."""
    author = change.commit.author
    login = _NOREPLY.match(author.email)
    if login is None:
        return (author.name, author.email)
    return (author.name, author.email, login[1])


def _is_left_out(change: Change, spec: RepoSpec) -> bool:
    """Return True if the configuration wants none of the commit's paths.

    Where files may be missing, a commit gets the benefit of the doubt.
    """
    if change.incomplete:
        return False
    paths = []
    for file in change.files:
        paths.append(file.path)
        if file.previous_path:
            paths.append(file.previous_path)
    if any(spec.wants(path) for path in paths):
        return False
    return bool(spec.include or (spec.exclude and paths))


def is_folded_by_settings(triage: Triage) -> bool:
    """Return True for a commit that the configuration marks as noise."""
    return triage.noise == "left out" or _IGNORED in triage.reasons


def filter_notices(table: Iterable[Triage]) -> tuple[Notice, ...]:
    """Return notices that say how many commits the configuration folded."""
    left_out = 0
    ignored = 0
    for triage in table:
        if _IGNORED in triage.reasons:
            ignored += 1
        elif is_folded_by_settings(triage):
            left_out += 1
    notices = []
    if left_out:
        notices.append(Notice(kind="paths-left-out", about=(str(left_out),)))
    if ignored:
        notices.append(Notice(kind="authors-ignored", about=(str(ignored),)))
    return tuple(notices)


def background_of(studied: Sequence[CommitEvidence], collected: Collected) -> tuple[str, ...]:
    """Return the commits of earlier days that the studied ones undo or bring back."""
    undone = {other.sha for _, _, other in partners(studied)}
    landed = {row.commit.sha for row in collected.landed}
    return tuple(sorted(undone - landed))


def known_issues(collected: Collected, earlier: Known, links: Sequence[Link]) -> list[Issue]:
    """Return the issues of earlier days that something today addresses."""
    fresh = {issue.id for issue in collected.threads.issues}
    linked = {link.issue for link in links}
    issues: list[Issue] = []
    for issue in earlier.issues:
        if issue.id in linked and issue.id not in fresh:
            issues.append(issue)
    return issues


def evidence_set_of(material: Material, collected: Collected) -> EvidenceSet:
    """Return everything that was read of a repository, for the gate."""
    by_id: dict[EvidenceId, Evidence] = {}
    for read in material.reads:
        by_id[read.evidence.id] = read.evidence
    by_id |= material.background
    for issue in material.issues:
        by_id[issue.id] = ThreadEvidence(thread=issue)
    for pull in material.pulls.values():
        by_id[pull.id] = ThreadEvidence(thread=pull)
    by_id |= material.threads
    late = frozenset(row.commit.id for row in collected.late)
    return EvidenceSet(by_id=by_id, window=material.window, seen=frozenset(by_id), late=late)
