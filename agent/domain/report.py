"""A report as data: every landed commit in its ledger, what is said of them, and what is missing."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from agent.analysts.account import Account
from agent.domain.base import EvidenceId, Frozen, RepoId
from agent.domain.claims import Claim, Verdict
from agent.domain.commits import Coverage, Notice
from agent.domain.links import Link
from agent.domain.stories import Story
from agent.domain.window import Window
from agent.editions.own_code import OwnUse
from agent.links.standing import Standing
from agent.triage.conventions import Purpose
from agent.triage.score import Noise, Tier


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
    places: tuple[str, ...] = ()
    """The files that changed most."""
    pull: int | None = None
    tier: Tier | None = None
    """How much it matters; None where its diff was not read."""
    noise: Noise | None = None
    purpose: Purpose | None = None
    weight: float = 0.0
    marks: tuple[str, ...] = ()
    """What the weight comes from, heaviest first; docs/facts.md explains each."""


class ThreadLine(Frozen):
    """What happened to one issue inside the window."""

    number: int
    title: str
    author: str | None
    event: Literal["opened", "closed", "not planned", "active", "linked", "released", "important"]
    """`linked`: nothing but that a change addresses it; `released`: its fix; `important`: still open."""
    at: datetime
    labels: tuple[str, ...]
    standing: Standing | None = None
    """How it stands at the end of the window."""
    release: str | None = None
    """The first release that has the fix; empty where there is none yet, None where that is not known."""
    comments: int = 0
    reactions: int = 0

    @property
    def mark(self) -> str:
        """How much is said of it, by tens: while this is the same, there is no news of an important issue."""
        return f"{self.comments // 10} {self.reactions // 10} {','.join(self.labels)}"


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
    known_tip: str | None = None
    """The tip from which "late" was counted; empty where the repository was not known before."""
    first_tip: str | None = None
    """The tip when this window was reported for the first time: from there the next report counts on."""
    coverage: Coverage
    coverage_notices: tuple[Notice, ...] = ()
    issues: tuple[ThreadLine, ...] = ()
    releases: tuple[ReleaseLine, ...] = ()
    notices: tuple[Notice, ...] = ()
    account: Account = Account()
    """What a model cost here, and which parts the rules did without it."""


class Drop(Frozen):
    """A claim that the gate refused and that is therefore not in the report."""

    repo: RepoId | None
    verdict: Verdict
    check: str
    about: tuple[EvidenceId, ...] = ()
    free: bool = False
    """Whether the words were those of a model."""


class Failure(Frozen):
    """Something that was asked for and is missing from the report."""

    repo: RepoId
    stage: Literal["code", "diffs", "threads"]
    message: str
    unknown: bool = False
    """Nothing of this name is there: it was mistyped, or is gone."""


class Report(Frozen):
    """A window's report over all its repositories: the data from which every page is rendered."""

    window: Window
    repos: tuple[RepoId, ...]
    sections: tuple[RepoSection, ...]
    """One for each repository that could be read."""
    ledger: tuple[LedgerRow, ...]
    failures: tuple[Failure, ...] = ()
    claims: tuple[Claim, ...] = ()
    """What is said, in the order of weight within each repository; each has passed the gate."""
    links: tuple[Link, ...] = ()
    stories: tuple[Story, ...] = ()
    drops: tuple[Drop, ...] = ()
    uses: tuple[OwnUse, ...] = ()
    """Where the user's own code uses what the commits change."""
    analyst: str = "rules"
    account: Account = Account()
    """What the brief over all repositories cost."""

    def rows(self, repo: RepoId) -> tuple[LedgerRow, ...]:
        """List one repository's ledger."""
        return tuple(row for row in self.ledger if row.repo == repo)

    def claims_about(self, evidence: EvidenceId) -> tuple[Claim, ...]:
        """List what is said of one commit or issue, in order."""
        return tuple(claim for claim in self.claims if evidence in claim.about)
