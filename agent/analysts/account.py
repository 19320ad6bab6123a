"""What became of a model's work on one repository: the parts that the rules had to take over, and the bill."""

from typing import Literal

from agent.domain.base import EvidenceId, Frozen
from agent.settings.spending import Spent

Part = Literal["choosing", "reading", "relating", "summing up", "explaining", "repairing", "judging", "answering"]


class Fallback(Frozen):
    """A part that the rules did without the model, and why."""

    part: Part
    reason: str
    about: EvidenceId | None = None


class Judging(Frozen):
    """How the judge did on sentences that it had to refuse, because they speak of another commit."""

    controls: int = 0
    """Control sentences that were hidden among the others."""
    caught: int = 0
    """Those of them that the judge refused; a batch with an admitted one is void."""

    def __add__(self, other: "Judging") -> "Judging":
        return Judging(controls=self.controls + other.controls, caught=self.caught + other.caught)


class Account(Frozen):
    """Fallbacks, controls and costs; what the rules alone write has none of them."""

    fallbacks: tuple[Fallback, ...] = ()
    judging: Judging = Judging()
    spent: Spent = Spent()

    def __add__(self, other: "Account") -> "Account":
        return Account(
            fallbacks=(*self.fallbacks, *other.fallbacks),
            judging=self.judging + other.judging,
            spent=self.spent + other.spent,
        )


def fallback(part: Part, error: Exception, about: EvidenceId | None = None) -> Account:
    """Note that a part was done without the model, and why."""
    return Account(fallbacks=(Fallback(part=part, reason=" ".join(str(error).split())[:200], about=about),))
