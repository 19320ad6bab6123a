"""The rows of the coverage ledger: how much each landed commit matters, and how closely it was read."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from agent.domain.affected_versions import Affected
from agent.domain.base import Frozen, RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.placement import Importance, Placement

Purpose = (
    Literal[
        "revert",
        "security",
        "fix",
        "feature",
        "performance",
        "deprecation",
        "release",
        "dependency",
    ]
    | Literal["refactor", "docs", "tests", "ci", "chore"]
)
"""What a change is for, as its author says."""


FIXES: tuple[Purpose, ...] = ("fix", "security")
"""The purposes of which readers ask in which release it is."""


class Tier(StrEnum):
    """The advice to a reader about a commit; it means the same in every repository."""

    HIGH = "act on"
    """Act, or at least read: something that worked may stop working, or a release, revert or security fix."""
    MID = "worth knowing"  # Worth knowing: users can notice it
    LOW = "also landed"  # One line is enough; what is noise is folded together with its like


Noise = Literal[
    "bot", "ci", "docs", "tests", "formatting", "comments", "chore", "empty", "left out"
]
"""What is folded together; `empty` changes no file, `left out` only paths that the configuration leaves out."""


class Triage(Frozen):
    """One commit's weight."""

    sha: str
    score: float
    reasons: tuple[
        str, ...
    ]  # What the score comes from, heaviest first; each is a name of the table
    purpose: Purpose | None
    noise: Noise | None = None
    tier: Tier = Tier.LOW

    @property
    def importance(self) -> Importance:
        """How much the commit matters by the rules."""
        return _importance_by_rules(self.tier, self.noise)


Depth = Literal["deep", "skim", "list", "group", "failed"]  # How closely a commit was read


_IMPORTANCE_OF_TIER = {
    Tier.HIGH: Importance.MUST_KNOW,
    Tier.MID: Importance.WORTH_KNOWING,
    Tier.LOW: Importance.MINOR,
}


def _importance_by_rules(tier: Tier | None, noise: Noise | None) -> Importance:
    if noise is not None or tier is None:
        return Importance.NOISE
    return _IMPORTANCE_OF_TIER[tier]


class OwnUse(Frozen):
    """One line of the user's own code that names what a commit changes."""

    repo: RepoId
    sha: str
    name: str
    file: str
    line: int
    text: str = Field(default="", exclude=True)
    """The smallest line that breaks; it is shown here and never stored or sent."""


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
    areas: dict[str, int] = Field(default_factory=dict)
    """Changed lines by the first two folders of their files, most lines first."""
    pull: int | None = None
    tier: Tier | None = None  # How much it matters by the rules; None where its diff was not read
    noise: Noise | None = None
    purpose: Purpose | None = None
    weight: float = 0.0
    marks: tuple[str, ...] = ()
    """What the weight comes from, heaviest first; docs/facts.md explains each."""
    placement: Placement | None = None  # None in reports that were written before there was one
    affected: Affected | None = None
    """Of a fix: the versions with the fault; None where nobody knows what brought the fault."""
    first_release: str | None = None
    """Of a fix: the first final version with it, empty where there is none yet; None if unknown."""

    @property
    def main_folder(self) -> str:
        """The first folder of most of its changed lines; a dot for files in no folder."""
        return next(iter(self.areas), "").partition("/")[0]

    @property
    def importance(self) -> Importance:
        """How much the commit matters; reports without placements say it by tier and noise."""
        if self.placement is not None:
            return self.placement.importance
        return _importance_by_rules(self.tier, self.noise)

    @property
    def id(self) -> EvidenceId:
        """The name under which the commit is cited."""
        return EvidenceId.listed(self.repo, revision=self.sha)


@dataclass(frozen=True)
class Owner:
    """The other report that a commit already belongs to."""

    window: str
    late: bool
