"""The rows of the coverage ledger: how much each landed commit matters, and how closely it was read."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agent.domain.base import Frozen, RepoId


class Purpose(StrEnum):
    """What a change is for, as its author says."""

    REVERT = "revert"
    SECURITY = "security"
    FIX = "fix"
    FEATURE = "feature"
    PERFORMANCE = "performance"
    DEPRECATION = "deprecation"
    RELEASE = "release"
    DEPENDENCY = "dependency"
    REFACTOR = "refactor"
    DOCS = "docs"
    TESTS = "tests"
    CI = "ci"
    CHORE = "chore"


class Tier(StrEnum):
    """What a reader should do about a commit; the same meaning in every repository."""

    HIGH = "act on"
    """Act, or at least read: something that worked may stop working, or a release, revert or security fix."""
    MID = "worth knowing"  # Worth knowing: users can notice it
    LOW = "also landed"  # One line is enough; what is noise is folded together with its like


class Noise(StrEnum):
    """What is folded together."""

    BOT = "bot"
    CI = "ci"
    DOCS = "docs"
    TESTS = "tests"
    FORMATTING = "formatting"
    COMMENTS = "comments"
    CHORE = "chore"
    EMPTY = "empty"  # Changes no file at all
    LEFT_OUT = "left out"
    """Touches only paths that the configuration leaves out; see `fold` in agent/triage/collected.py."""


class Triage(Frozen):
    """One commit's weight."""

    sha: str
    score: float
    reasons: tuple[str, ...]  # What the score comes from, heaviest first; each is a name of the table
    purpose: Purpose | None
    noise: Noise | None = None
    tier: Tier = Tier.LOW


class Depth(StrEnum):
    """How closely a commit was read."""

    DEEP = "deep"
    SKIM = "skim"
    LIST = "list"
    GROUP = "group"
    FAILED = "failed"


class OwnUse(Frozen):
    """One line of the user's own code that names what a commit changes."""

    repo: RepoId
    sha: str
    name: str
    file: str
    line: int


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
    unreadable: int = 0  # Files whose content was not at hand
    places: tuple[str, ...] = ()  # The files that changed most
    pull: int | None = None
    tier: Tier | None = None  # How much it matters; None where its diff was not read
    noise: Noise | None = None
    purpose: Purpose | None = None
    weight: float = 0.0
    marks: tuple[str, ...] = ()  # What the weight comes from, heaviest first; docs/facts.md explains each


@dataclass(frozen=True)
class Owner:
    """The other report that a commit already belongs to."""

    window: str
    late: bool
