"""Evidence for claims and reports: artefacts as they were read, each under one name."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain, islice

from agent.domain.base import Frozen, RepoId
from agent.domain.commits import Change, Commit
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, FactSheet, Severity, is_changed_default
from agent.domain.ledger import Depth, Triage
from agent.domain.links import Link
from agent.domain.patch import touched_names, written_names
from agent.domain.references import pull_number
from agent.domain.revert_messages import reverts_in
from agent.domain.threads import Comment, Issue, PullRequest, Release
from agent.domain.window import Window

_LINE_NUMBER = re.compile(r"^ {0,5}[0-9]+  ", re.MULTILINE)
# How much of a commit is remembered
_MAX_MESSAGE_CHARACTERS = 6_000
_MAX_PATHS = 400
_MAX_TOUCHED_NAMES = 80
_MAX_WRITTEN_NAMES = 150
_MAX_FACTS = 80
_MAX_FACT_LINES = 12
_READ_PER_NAME = 100  # Names that are read for each one that is remembered, at most


class _Piece(Frozen):
    """The fields that every piece of evidence has."""

    @property
    def _source(self) -> Commit | Issue | PullRequest | Release:
        raise NotImplementedError

    @property
    def id(self) -> EvidenceId:
        """The name under which it is cited."""
        return self._source.id

    @property
    def repo(self) -> RepoId:
        """The repository that it belongs to."""
        return self._source.repo

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in its diff; only a commit has one."""
        return ()


class CommitEvidence(_Piece):
    """A commit with its diff and what code found in it."""

    change: Change
    sheet: FactSheet | None = None
    pull: int | None = None  # The pull request that brought it

    @property
    def _source(self) -> Commit:
        return self.change.commit

    @property
    def at(self) -> datetime:
        """The time at which it landed."""
        return self.change.commit.committed_at

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in the diff."""
        return self.sheet.facts if self.sheet else ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path the commit touches, under its old and its new name."""
        paths: list[str] = []
        for file in self.change.files:
            paths.append(file.path)
            if file.previous_path:
                paths.append(file.previous_path)
        return tuple(paths)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Everything that may be quoted or searched: the message, the paths, the patches."""
        patches = tuple(file.patch for file in self.change.files if file.patch)
        return (self.change.commit.message, "\n".join(self.paths), *patches)


class ThreadEvidence(_Piece):
    """An issue or a pull request with the comments that were read."""

    thread: Issue | PullRequest
    comments: tuple[Comment, ...] = ()

    @property
    def _source(self) -> Issue | PullRequest:
        return self.thread

    @property
    def at(self) -> datetime:
        """The time of its last change."""
        return self.thread.updated_at

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that may be quoted or searched."""
        thread = self.thread
        comments = [comment.body for comment in self.comments]
        return (thread.title, thread.body, "\n".join(thread.labels), *comments)


class ReleaseEvidence(_Piece):
    """A published release."""

    release: Release

    @property
    def _source(self) -> Release:
        return self.release

    @property
    def at(self) -> datetime:
        """The time of its publication."""
        return self.release.published_at

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that may be quoted or searched."""
        return (self.release.tag, self.release.name, self.release.body)


Evidence = CommitEvidence | ThreadEvidence | ReleaseEvidence
"""What was read of a repository."""


class PublishedEvidence(Frozen):
    """Published text about a commit: its title, the sentences and their evidence.

    A summary is held to it, and not to the diff that its writer has not seen.
    """

    id: EvidenceId
    text: str

    @property
    def repo(self) -> RepoId:
        """The repository of the commit."""
        return self.id.repo

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that may be quoted or searched."""
        return (self.text,)


class FileEvidence(Frozen):
    """Lines of a file as they are at a commit, which somebody looked up."""

    id: EvidenceId
    text: str  # As it was shown, with the numbers of the lines

    @property
    def repo(self) -> RepoId:
        """The repository of the file."""
        return self.id.repo

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that may be quoted or searched: the lines as they were shown, then bare."""
        return (self.text, without_line_numbers(self.text))


def without_line_numbers(text: str) -> str:
    """Return numbered lines of a file without their numbers; other lines stay as they are."""
    return _LINE_NUMBER.sub("", text)


Citable = Evidence | PublishedEvidence | FileEvidence
"""What a claim may rest on."""


@dataclass(frozen=True, kw_only=True)
class EvidenceSet:
    """The evidence around one claim or one report."""

    by_id: Mapping[EvidenceId, Citable]
    window: Window | None = None  # What counts as new; None if no day is claimed
    repos: frozenset[RepoId] = frozenset()  # The repositories of the report; empty means any
    seen: frozenset[EvidenceId] | None = None  # What this run has read; None means everything
    late: frozenset[EvidenceId] = frozenset()
    """Commits that landed before the window and are first seen in it: they count as new."""
    notes: Mapping[EvidenceId, str] = field(default_factory=dict)
    """Lines that code wrote, which are shown beside a piece of evidence and count as part of it."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """One commit as it was read."""

    evidence: CommitEvidence
    triage: Triage
    depth: Depth


@dataclass(frozen=True, kw_only=True)
class Material:
    """Everything that one repository's part of the report is written from."""

    repo: RepoId
    window: Window
    reads: Sequence[Read]  # Heaviest first
    links: Sequence[Link] = ()
    issues: Sequence[Issue] = ()
    pulls: Mapping[int, PullRequest] = field(default_factory=dict)  # Those read, by number
    threads: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)
    """Issues and pull requests that a model looked up, with their comments."""
    reverted: Mapping[EvidenceId, EvidenceId] = field(default_factory=dict)
    """Which commit undid which, as far as it was read."""
    background: Mapping[EvidenceId, CommitEvidence] = field(default_factory=dict)
    """Commits of earlier days that were read because today's speak of them."""
    templates: Sequence[str] = ()
    """The forms that the repository asks authors of pull requests to fill in."""


def all_dates_of(evidence: Citable) -> list[datetime]:
    """Return every moment of an artefact."""
    if isinstance(evidence, PublishedEvidence | FileEvidence):
        return []
    if isinstance(evidence, CommitEvidence):
        return [evidence.change.commit.committed_at, evidence.change.commit.authored_at]
    if isinstance(evidence, ReleaseEvidence):
        return [evidence.release.published_at]
    moments = (evidence.thread.created_at, evidence.thread.updated_at, evidence.thread.ended_at)
    return [moment for moment in moments if moment]


def state_at(thread: Issue | PullRequest, window: Window | None) -> str:
    """Return the state at the end of a window: merged, closed, not planned, open or reopened."""
    if window is not None and thread.ended_at is not None and thread.ended_at >= window.end:
        return "open"
    if isinstance(thread, PullRequest):
        return "merged" if thread.merged_at else thread.state
    if thread.state_reason in ("reopened", "not_planned"):
        return thread.state_reason
    return thread.state


class Card(Frozen, extra="ignore"):
    """A stored summary of a landed commit: questions about it need no second reading."""

    repo: RepoId
    sha: str
    at: datetime
    author: str
    title: str
    message: str  # The whole message, as far as it is worth keeping
    pull: int | None = None
    paths: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()  # Functions and classes that its hunks lie in
    written: tuple[str, ...] = ()  # Names that stand on its changed lines
    facts: tuple[Fact, ...] = ()
    route: str = "hunks"
    problem: str = ""  # Why its facts are missing; empty where they could be found

    @property
    def id(self) -> EvidenceId:
        """The name under which the commit is cited."""
        return EvidenceId.commit(self.repo, self.sha)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of the commit by its facts: commit, revert, re-land, breaking change, default."""
        fact_kinds = {fact.kind for fact in self.facts}
        kinds = {"commit"}
        if "revert" in fact_kinds or reverts_in(self.message) > 0:
            kinds.add("revert")
        if "reland" in fact_kinds:
            kinds.add("reland")
        if any(fact.severity is Severity.BREAKING for fact in self.facts):
            kinds.add("breaking")
        if any(map(is_changed_default, self.facts)):
            kinds.add("default")
        return frozenset(kinds)

    @classmethod
    def of(cls, evidence: CommitEvidence) -> "Card":
        """Return the card to store for a commit that was read."""
        commit = evidence.change.commit
        return cls(
            repo=commit.repo,
            sha=commit.sha,
            at=commit.committed_at,
            author=commit.author.name,
            title=commit.title,
            message=commit.message[:_MAX_MESSAGE_CHARACTERS],
            pull=evidence.pull or pull_number(commit.subject),
            paths=tuple(dict.fromkeys(evidence.paths))[:_MAX_PATHS],
            touched=_names(evidence.change, touched_names, _MAX_TOUCHED_NAMES),
            written=_names(evidence.change, written_names, _MAX_WRITTEN_NAMES),
            facts=tuple(_short(fact) for fact in evidence.facts[:_MAX_FACTS]),
            route=evidence.sheet.route if evidence.sheet else "hunks",
            problem=evidence.sheet.problem if evidence.sheet else "",
        )

    def evidence(self, change: Change) -> CommitEvidence:
        """Return the evidence of a change with the remembered facts whose lines it still shows."""
        patches: dict[str, str] = {}
        for file in change.files:
            if file.previous_path:
                patches[file.previous_path] = file.patch or ""
            patches[file.path] = file.patch or ""
        facts = tuple(fact for fact in self.facts if _is_shown(fact, patches))
        return CommitEvidence(
            change=change, sheet=FactSheet(facts=facts, route=self.route), pull=self.pull
        )


def _names(change: Change, read: Callable[[str], Iterator[str]], limit: int) -> tuple[str, ...]:
    names = chain.from_iterable(read(file.patch or "") for file in change.files)
    distinct = dict.fromkeys(islice(names, _READ_PER_NAME * limit))
    return tuple(islice(distinct, limit))


def _short(fact: Fact) -> Fact:
    """Return a fact with the place that proves it best, and not too many of its lines."""
    locations = []
    for location in fact.places[:1]:
        lines = location.lines[:_MAX_FACT_LINES]
        locations.append(location.model_copy(update={"lines": lines}))
    return fact.model_copy(update={"places": tuple(locations)})


def _is_shown(fact: Fact, patches: Mapping[str, str]) -> bool:
    """Return True if all lines that prove a fact are in the patches."""
    for location in fact.places:
        patch = patches.get(location.file, "")
        if not all(line in patch for line in location.lines):
            return False
    return True
