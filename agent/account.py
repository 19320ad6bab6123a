"""What became of a model's work on one repository: the parts that the rules had to take over, and the bill."""

from typing import Literal

from agent.domain import Frozen
from agent.evidence import EvidenceId
from agent.spending import Spent

Part = Literal["choosing", "summing up", "explaining", "repairing", "judging", "answering"]


class Fallback(Frozen):
    """A part that the rules did without the model, and why."""

    part: Part
    reason: str
    about: EvidenceId | None = None


class Account(Frozen):
    """Fallbacks and costs; what the rules alone write has neither."""

    fallbacks: tuple[Fallback, ...] = ()
    spent: Spent = Spent()

    def __add__(self, other: "Account") -> "Account":
        return Account(fallbacks=(*self.fallbacks, *other.fallbacks), spent=self.spent + other.spent)
