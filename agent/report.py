"""A report as data: every landed commit in its ledger, what is said of them, and what is missing."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from agent.domain import Coverage, Frozen, Notice
from agent.ids import RepoId
from agent.window import Window


class Depth(StrEnum):
    """How closely a commit was read."""

    DEEP = "deep"
    SKIM = "skim"
    LIST = "list"
    GROUP = "group"
    FAILED = "failed"


class LedgerRow(Frozen):
    """One landed commit and what was done with it; every landed commit has exactly one."""

    repo: RepoId
    sha: str
    depth: Depth
    reason: str
    late: bool
    subject: str
    title: str
    author: str
    landed_at: datetime
    members: int | None
    files: int | None = None
    additions: int | None = None
    deletions: int | None = None
    unreadable: int = 0
    """Files whose content was not at hand."""
    pull: int | None = None


class ThreadLine(Frozen):
    """What happened to one issue inside the window."""

    number: int
    title: str
    author: str | None
    event: Literal["opened", "closed", "not planned"]
    at: datetime
    labels: tuple[str, ...]


class ReleaseLine(Frozen):
    """A release published inside the window."""

    tag: str
    name: str
    published_at: datetime
    prerelease: bool


class RepoSection(Frozen):
    """What the report says of one repository, beside its rows in the ledger."""

    repo: RepoId
    branch: str
    tip: str | None
    coverage: Coverage
    coverage_notices: tuple[Notice, ...] = ()
    issues: tuple[ThreadLine, ...] = ()
    releases: tuple[ReleaseLine, ...] = ()
    notices: tuple[Notice, ...] = ()


class Failure(Frozen):
    """Something that was asked for and is missing from the report."""

    repo: RepoId
    stage: Literal["code", "diffs", "threads"]
    message: str


class Report(Frozen):
    """A window's report over all its repositories: the data from which every page is rendered."""

    window: Window
    repos: tuple[RepoId, ...]
    sections: tuple[RepoSection, ...]
    """One for each repository that could be read."""
    ledger: tuple[LedgerRow, ...]
    failures: tuple[Failure, ...] = ()

    def rows(self, repo: RepoId) -> tuple[LedgerRow, ...]:
        """List one repository's ledger."""
        return tuple(row for row in self.ledger if row.repo == repo)
