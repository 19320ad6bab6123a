"""Threads (issues and pull requests) with their comments and closings, and releases."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from agent.domain.base import Frozen, RepoId
from agent.domain.commits import Notice
from agent.domain.evidence_id import EvidenceId


class Thread(Frozen):
    """The fields that issues and pull requests share; GitHub numbers them together."""

    repo: RepoId
    number: int
    title: str
    body: str
    state: Literal["open", "closed"]
    author: str | None  # The login; None for a deleted account
    labels: tuple[str, ...]
    created_at: datetime
    updated_at: datetime

    @property
    def id(self) -> EvidenceId:
        """The name under which the thread is cited."""
        return EvidenceId.thread(self.repo, self.number)


class Issue(Thread):
    """An issue; its comments and timeline are read only when somebody asks."""

    state_reason: str | None
    closed_at: datetime | None
    comments: int
    reactions: int

    @property
    def ended_at(self) -> datetime | None:
        """When it was closed."""
        return self.closed_at


class PullRequest(Thread):
    """A pull request and the issues that GitHub says it closes."""

    merged_at: datetime | None
    merge_commit: str | None
    base: str  # The branch it targets: closing words count only on the default branch
    closes: tuple[EvidenceId, ...] = ()
    named_by: tuple[EvidenceId, ...] = ()  # The issues whose texts name it, as GitHub records

    @property
    def ended_at(self) -> datetime | None:
        """When it was merged."""
        return self.merged_at


class Comment(Frozen):
    """One comment below a thread."""

    author: str | None
    body: str
    created_at: datetime


class Closing(Frozen):
    """GitHub's own record that an issue was closed, and by what."""

    issue: EvidenceId
    closed_at: datetime
    reason: str | None  # `completed`, `not_planned`, `duplicate`; None where GitHub does not say
    by_commit: EvidenceId | None = None
    by_pull: EvidenceId | None = None


class Release(Frozen):
    """A published release."""

    repo: RepoId
    tag: str
    name: str
    body: str
    published_at: datetime
    prerelease: bool

    @property
    def id(self) -> EvidenceId:
        """The name under which the release is cited."""
        # A server may send any text as a tag, and one odd release must not stop a run.
        return EvidenceId.listed(self.repo, revision=self.tag)


Coverage = Literal[
    "read", "partial", "not read"
]  # How much of a repository's issues and pull requests was read


class Threads(Frozen):
    """The issues and pull requests of a window."""

    coverage: Coverage
    notices: tuple[Notice, ...] = ()
    """Why not everything was read, where that was to be expected: no token, a limit of ours."""
    missing: tuple[
        str, ...
    ] = ()  # What was asked for and could not be read; the run is then incomplete
    issues: tuple[Issue, ...] = ()
    """Issues created, closed or updated since the window's start, and the open ones known so far."""
    pulls: tuple[PullRequest, ...] = ()
    closings: tuple[Closing, ...] = ()
    releases: tuple[Release, ...] = ()
    comments: dict[int, tuple[Comment, ...]] = Field(default_factory=dict)
    """The last comments of issues that name a pull request of the window."""
    pull_of: dict[str, int] = Field(default_factory=dict)
    """The number of the pull request that brought a landed commit, by hash."""
