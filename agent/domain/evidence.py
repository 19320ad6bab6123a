"""What claims rest on and reports are written from: artefacts as they were read, each under one name."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice

from agent.domain.base import Frozen, RepoId
from agent.domain.commits import Change, Comment, Commit, Issue, PullRequest, Release, reverts_in
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, FactSheet, Severity
from agent.domain.ledger import Depth, Triage
from agent.domain.links import Link
from agent.domain.patch import touched_names, written_names
from agent.domain.references import pull_number
from agent.domain.window import Window

_LINE_NUMBER = re.compile(r"^ {0,5}[0-9]+  ", re.MULTILINE)
_MESSAGE, _PATHS, _TOUCHED, _WRITTEN, _FACTS, _LINES = 6_000, 400, 80, 150, 80, 12
"""How much of a commit is worth remembering: characters, names, facts and the lines that show them."""


class _Piece(Frozen):
    """What every piece of evidence has."""

    @property
    def _source(self) -> Commit | Issue | PullRequest | Release:
        raise NotImplementedError

    @property
    def id(self) -> EvidenceId:
        """The name under which it is cited."""
        return self._source.id

    @property
    def repo(self) -> RepoId:
        """Where it belongs."""
        return self._source.repo

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What code found in its diff; only a commit has one."""
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
        """When it landed."""
        return self.change.commit.committed_at

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What code found in the diff."""
        return self.sheet.facts if self.sheet else ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path the commit touches, under its old and its new name."""
        both = ((file.path, file.previous_path) for file in self.change.files)
        return tuple(path for pair in both for path in pair if path)

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
        """When it last changed."""
        return self.thread.updated_at

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that may be quoted or searched."""
        said = tuple(comment.body for comment in self.comments)
        return (self.thread.title, self.thread.body, "\n".join(self.thread.labels), *said)


class ReleaseEvidence(_Piece):
    """A published release."""

    release: Release

    @property
    def _source(self) -> Release:
        return self.release

    @property
    def at(self) -> datetime:
        """When it was published."""
        return self.release.published_at

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that may be quoted or searched."""
        return (self.release.tag, self.release.name, self.release.body)


Evidence = CommitEvidence | ThreadEvidence | ReleaseEvidence
"""What was read of a repository."""


class PublishedEvidence(Frozen):
    """What was published about a commit: its title, the sentences and what they rest on.

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
    pulls: Mapping[int, PullRequest] = field(
        default_factory=dict
    )  # The pull requests that were read, by number
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
    """Tell how a thread stood when a window ended: merged, closed, not planned, open or reopened."""
    if window is not None and thread.ended_at is not None and thread.ended_at >= window.end:
        return "open"
    if isinstance(thread, PullRequest):
        return "merged" if thread.merged_at else thread.state
    return (
        thread.state_reason if thread.state_reason in ("reopened", "not_planned") else thread.state
    )


class Card(Frozen, extra="ignore"):
    """What is remembered of a landed commit, so that questions about it need no second reading."""

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
        """What it is by its facts: a commit, a revert, a re-land, something that breaks."""
        kinds, severities = (
            {fact.kind for fact in self.facts},
            {fact.severity for fact in self.facts},
        )
        is_kind = {
            "commit": True,
            "revert": "revert" in kinds or reverts_in(self.message) > 0,
            "reland": "reland" in kinds,
            "breaking": Severity.BREAKING in severities,
        }
        return frozenset(kind for kind, fits in is_kind.items() if fits)

    @classmethod
    def of(cls, evidence: CommitEvidence) -> "Card":
        """Note down what is worth keeping of a commit that was read."""
        commit = evidence.change.commit
        return cls(
            repo=commit.repo,
            sha=commit.sha,
            at=commit.committed_at,
            author=commit.author.name,
            title=commit.title,
            message=commit.message[:_MESSAGE],
            pull=evidence.pull or pull_number(commit.subject),
            paths=tuple(dict.fromkeys(evidence.paths))[:_PATHS],
            touched=_names(evidence.change, touched_names, _TOUCHED),
            written=_names(evidence.change, written_names, _WRITTEN),
            facts=tuple(_short(fact) for fact in evidence.facts[:_FACTS]),
            route=evidence.sheet.route if evidence.sheet else "hunks",
            problem=evidence.sheet.problem if evidence.sheet else "",
        )

    def evidence(self, change: Change) -> CommitEvidence:
        """Put what was noted beside the change itself; a fact stands only where the change still shows its lines."""
        patches = {
            path: file.patch or ""
            for file in change.files
            for path in (file.previous_path, file.path)
            if path
        }
        facts = tuple(fact for fact in self.facts if _is_shown(fact, patches))
        return CommitEvidence(
            change=change, sheet=FactSheet(facts=facts, route=self.route), pull=self.pull
        )


def _names(change: Change, read: Callable[[str], Iterator[str]], most: int) -> tuple[str, ...]:
    found = (name for file in change.files for name in read(file.patch or ""))
    return tuple(islice(dict.fromkeys(islice(found, 100 * most)), most))


def _short(fact: Fact) -> Fact:
    """Keep the place that proves a fact best."""
    places = tuple(
        place.model_copy(update={"lines": place.lines[:_LINES]}) for place in fact.places[:1]
    )
    return fact.model_copy(update={"places": places})


def _is_shown(fact: Fact, patches: Mapping[str, str]) -> bool:
    return all(line in patches.get(place.file, "") for place in fact.places for line in place.lines)
