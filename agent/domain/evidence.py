"""What claims rest on and reports are written from: artefacts as they were read, each under one name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from agent.domain.base import EvidenceId, Frozen, RepoId
from agent.domain.commits import Change, Comment, Commit, Issue, PullRequest, Release
from agent.domain.facts import Fact, FactSheet
from agent.domain.ledger import Depth, Triage
from agent.domain.links import Link
from agent.domain.window import Window


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


def said_evidence(one: Issue | PullRequest | Release) -> ThreadEvidence | ReleaseEvidence:
    """Make evidence of what people wrote."""
    return ReleaseEvidence(release=one) if isinstance(one, Release) else ThreadEvidence(thread=one)


def belongs(one: Evidence, window: Window | None) -> bool:
    """Tell whether a piece of evidence is of a window: a thread by the time at which it was opened or ended."""
    moments = (one.thread.created_at, one.thread.ended_at) if isinstance(one, ThreadEvidence) else (one.at,)
    return window is None or any(moment is not None and moment in window for moment in moments)


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """The evidence around one claim or one report."""

    found: Mapping[EvidenceId, Evidence]
    window: Window | None = None  # What may be told as new; None where no day is claimed
    repos: frozenset[RepoId] = frozenset()  # The repositories the report speaks of; empty means any
    seen: frozenset[EvidenceId] | None = None  # What this run has read; None where everything found counts as read
    late: frozenset[EvidenceId] = frozenset()  # Landed before the window and first seen now: they count as new


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
    pulls: Mapping[int, PullRequest] = field(default_factory=dict)  # The pull requests that were read, by number
    threads: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)
    """Issues and pull requests that a model looked up, with their comments."""
    reverted: Mapping[EvidenceId, EvidenceId] = field(default_factory=dict)
    """Which commit undid which, as far as it was read."""
    background: Mapping[EvidenceId, CommitEvidence] = field(default_factory=dict)
    """Commits of earlier days that were read because today's speak of them."""


def all_dates_of(evidence: Evidence) -> list[datetime]:
    """List every moment of an artefact."""
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
    return thread.state_reason if thread.state_reason in ("reopened", "not_planned") else thread.state
