"""What models cost and a run may spend, how a judge did, and which parts the rules had to take over."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
        calls, sent, received = (
            self.calls + other.calls,
            self.sent + other.sent,
            self.received + other.received,
        )
        cost, currency = round(self.cost + other.cost, 9), self.currency or other.currency
        return Spent(calls=calls, sent=sent, received=received, cost=cost, currency=currency)

    def priced(self, price: Price | None) -> "Spent":
        """Give the same with what it costs."""
        if price is None:
            return self
        cost = (self.sent * price.input + self.received * price.output) / 1_000_000
        return self.model_copy(update={"cost": round(cost, 9), "currency": price.currency})


Part = Literal[
    "choosing",
    "reading",
    "relating",
    "summing up",
    "explaining",
    "repairing",
    "judging",
    "answering",
]


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
    kept: tuple[EvidenceId, ...] = ()  # Commits whose analysis an earlier run wrote
    kept_summaries: int = 0  # Sentences of summary or brief that an earlier run wrote

    def __add__(self, other: "Account") -> "Account":
        return Account(
            fallbacks=(*self.fallbacks, *other.fallbacks),
            judging=self.judging + other.judging,
            spent=self.spent + other.spent,
            kept=(*self.kept, *other.kept),
            kept_summaries=self.kept_summaries + other.kept_summaries,
        )


def fallback(part: Part, error: Exception, about: EvidenceId | None = None) -> Account:
    """Note that a part was done without the model, and why."""
    return Account(
        fallbacks=(Fallback(part=part, reason=" ".join(str(error).split())[:200], about=about),)
    )


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Find the price of a model by its name; servers put a maker in front of it."""
    return prices.get(model) or prices.get(model.rpartition("/")[2])


@dataclass(frozen=True, kw_only=True)
class Cap:
    """The most that may be spent; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    cost: float | None = None

    def reached(self, spent: Spent, seconds: float, coming: int = 0) -> str | None:
        """Say which limit is reached, where `coming` tokens more would be sent."""
        if self.calls is not None and spent.calls >= self.calls:
            return f"{self.calls} calls"
        if self.tokens is not None and spent.sent + spent.received + coming > self.tokens:
            return f"{self.tokens} tokens"
        if self.seconds is not None and seconds >= self.seconds:
            return f"{self.seconds:g} seconds"
        return (
            f"a cost of {self.cost:g}"
            if self.cost is not None and spent.cost >= self.cost
            else None
        )


@dataclass
class Purse:
    """What the run and each account have spent; calls in progress count."""

    run: Cap = field(default_factory=Cap)
    each: Cap = field(default_factory=Cap)
    clock: Callable[[], float] = time.monotonic
    _spent: dict[str, Spent] = field(default_factory=dict)
    _began: dict[str, float] = field(default_factory=dict)

    def refuse(self, account: str, coming: int) -> str | None:
        """Say why nothing more may be spent, or count the call and let it go."""
        for name, cap, who in (("", self.run, "the run"), (account, self.each, account)):
            if why := cap.reached(self._spent.get(name, Spent()), self._seconds(name), coming):
                return f"{who} has used its {why}"
        self.pay(account, Spent(calls=1))
        return None

    def left(self, account: str) -> float | None:
        """Give the seconds that a call may take before a limit ends it."""
        caps = {"": self.run.seconds, account: self.each.seconds}
        known = [
            seconds - self._seconds(name) for name, seconds in caps.items() if seconds is not None
        ]
        return max(0.0, min(known)) if known else None

    def pay(self, account: str, spent: Spent) -> None:
        """Count what was spent, for the run and for the account."""
        for name in ("", account):
            self._spent[name] = self._spent.get(name, Spent()) + spent

    def _seconds(self, name: str) -> float:
        """Tell how long ago the first call was."""
        now = self.clock()
        return now - self._began.setdefault(name, now)
