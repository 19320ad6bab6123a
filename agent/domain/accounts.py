"""What a model cost, how its judge did, and which parts of the work the rules had to take over."""

from typing import Literal

from pydantic import Field

from agent.domain.base import EvidenceId, Frozen


class Price(Frozen):
    """What a model's tokens cost, per million."""

    input: float = Field(default=0.0, ge=0)
    output: float = Field(default=0.0, ge=0)
    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")


class Spent(Frozen):
    """Calls to models, and the tokens that went out and came back."""

    calls: int = 0
    sent: int = 0
    received: int = 0
    cost: float = 0.0  # By the price table; 0 where the model has no price
    currency: str = ""

    def __add__(self, other: "Spent") -> "Spent":
        calls, sent, received = self.calls + other.calls, self.sent + other.sent, self.received + other.received
        cost, currency = round(self.cost + other.cost, 9), self.currency or other.currency
        return Spent(calls=calls, sent=sent, received=received, cost=cost, currency=currency)

    def priced(self, price: Price | None) -> "Spent":
        """Give the same with what it costs."""
        if price is None:
            return self
        cost = (self.sent * price.input + self.received * price.output) / 1_000_000
        return self.model_copy(update={"cost": round(cost, 9), "currency": price.currency})


Part = Literal["choosing", "reading", "relating", "summing up", "explaining", "repairing", "judging", "answering"]


class Fallback(Frozen):
    """A part that the rules did without the model, and why."""

    part: Part
    reason: str
    about: EvidenceId | None = None


class Judging(Frozen):
    """How the judge did on sentences that it had to refuse, because they speak of another commit."""

    controls: int = 0  # Control sentences that were hidden among the others
    caught: int = 0  # Those of them that the judge refused; a batch with an admitted one is void

    def __add__(self, other: "Judging") -> "Judging":
        return Judging(controls=self.controls + other.controls, caught=self.caught + other.caught)


class Account(Frozen):
    """Fallbacks, controls and costs; what the rules alone write has none of them."""

    fallbacks: tuple[Fallback, ...] = ()
    judging: Judging = Judging()
    spent: Spent = Spent()

    def __add__(self, other: "Account") -> "Account":
        fallbacks = (*self.fallbacks, *other.fallbacks)
        return Account(fallbacks=fallbacks, judging=self.judging + other.judging, spent=self.spent + other.spent)


def fallback(part: Part, error: Exception, about: EvidenceId | None = None) -> Account:
    """Note that a part was done without the model, and why."""
    return Account(fallbacks=(Fallback(part=part, reason=" ".join(str(error).split())[:200], about=about),))
