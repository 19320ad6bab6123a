"""The placement of a commit in the report: importance, order, who decided and why."""

from enum import IntEnum
from typing import Literal

from pydantic import Field

from agent.domain.base import Frozen, Language, RepoId
from agent.domain.evidence_id import EvidenceId


class Importance(IntEnum):
    """The importance of a commit to those who depend on the repository."""

    NOISE = 0  # Listed by its title
    MINOR = 1  # One sentence is enough
    WORTH_KNOWING = 2  # Explained in full
    MUST_KNOW = 3  # Explained in full, before everything else


Decider = Literal["model", "rules", "floor"]
"""Who gave a commit its importance. `floor`: a model gave less than a certain break, a revert, a
release or a use in the reader's own code allows."""


class Placement(Frozen):
    """The place of one commit in the report."""

    importance: Importance
    order: int  # Among the commits of its repository; the first is 1
    reason: str = ""  # In the first language; empty where rules decided, whose marks say why
    reasons: dict[Language, str] = Field(default_factory=dict)
    """An editor's reason in every language of the report; empty in older reports."""
    decided_by: Decider = "rules"


class CommitGroup(Frozen):
    """Commits of one repository that belong together and share a card."""

    repo: RepoId
    commits: tuple[EvidenceId, ...]  # In the order of the report, at least two
    label: dict[Language, str]  # A short phrase for what they have in common
