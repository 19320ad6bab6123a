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
    """What the judge made of sentences, and how it did on those that it had to refuse."""

    controls: int = 0  # Control sentences that were hidden among the others
    caught: int = 0  # Those of them that the judge refused; a batch with an admitted one is void
    twins: int = 0  # Those of the controls that reverse a proven fact of the same commit
    caught_twins: int = 0
    standing: int = 0  # Sentences that the judge let stand
    narrowed: int = 0  # Those that it called too wide
    refuted: int = 0  # Those that it found contradicted or not shown

    def __add__(self, other: "Judging") -> "Judging":
        return Judging(
            controls=self.controls + other.controls,
            caught=self.caught + other.caught,
            twins=self.twins + other.twins,
            caught_twins=self.caught_twins + other.caught_twins,
            standing=self.standing + other.standing,
            narrowed=self.narrowed + other.narrowed,
            refuted=self.refuted + other.refuted,
        )


class Account(Frozen):
    """Fallbacks, controls and costs; what the rules alone write has none of them."""

    fallbacks: tuple[Fallback, ...] = ()
    judging: Judging = Judging()
    spent: Spent = Spent()
    kept: tuple[EvidenceId, ...] = ()  # Commits whose analysis an earlier run wrote
    kept_summaries: int = 0  # Sentences of summary or brief that an earlier run wrote
    assumed_contexts: dict[str, int] = Field(default_factory=dict)
    """The tokens that were assumed as the context of a model whose server does not report it."""

    def __add__(self, other: "Account") -> "Account":
        return Account(
            fallbacks=(*self.fallbacks, *other.fallbacks),
            judging=self.judging + other.judging,
            spent=self.spent + other.spent,
            kept=(*self.kept, *other.kept),
            kept_summaries=self.kept_summaries + other.kept_summaries,
            assumed_contexts=self.assumed_contexts | other.assumed_contexts,
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
        if self.cost is not None and spent.cost >= self.cost:
            return f"a cost of {self.cost:g}"
        return None


class Stopwatch:
    """Measures the time in which a server works on a question, not the time in our own queue."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        listener: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Measure by a clock; the listener is told 1 at each start and -1 at each stop."""
        self.seconds = 0.0  # Of all measurements that have ended
        self._clock = clock
        self._listener = listener
        self._started: float | None = None

    def start(self) -> None:
        """Begin to measure."""
        self._started = self._clock()
        self._listener(1)

    def stop(self) -> None:
        """End the measurement."""
        assert self._started is not None, "a stopwatch is started first"
        self.seconds += self._clock() - self._started
        self._started = None
        self._listener(-1)


@dataclass
class _BusyTime:
    """How long at least one question of an account was under way."""

    seconds: float = 0.0
    under_way: int = 0
    since: float = 0.0


@dataclass
class Purse:
    """What the run and each account have spent; calls in progress count.

    The time of the run is that since its first call. The time of an account is that in which
    servers worked on its questions: while these wait for those of others, it stands still.
    """

    run: Cap = field(default_factory=Cap)
    each: Cap = field(default_factory=Cap)
    clock: Callable[[], float] = time.monotonic
    _run_spent: Spent = field(default_factory=Spent)
    _spent: dict[str, Spent] = field(default_factory=dict)
    _busy: dict[str, _BusyTime] = field(default_factory=dict)
    _began: float | None = None

    def refuse(self, account: str, coming: int) -> str | None:
        """Return why nothing more may be spent, or count the call and return None."""
        if limit := self.run.reached(self._run_spent, self._run_seconds(), coming):
            return f"the run has used its {limit}"
        spent = self._spent.get(account, Spent())
        if limit := self.each.reached(spent, self._account_seconds(account), coming):
            return f"{account} has used its {limit}"
        self.pay(account, Spent(calls=1))
        return None

    def left(self) -> float | None:
        """Return the seconds that the run may still take; None without a limit."""
        if self.run.seconds is None:
            return None
        return max(0.0, self.run.seconds - self._run_seconds())

    def pay(self, account: str, spent: Spent) -> None:
        """Count what was spent, for the run and for the account."""
        self._run_spent += spent
        self._spent[account] = self._spent.get(account, Spent()) + spent

    def watch(self, account: str) -> Stopwatch:
        """Return a stopwatch for one question, whose time counts for the account."""
        busy = self._busy.setdefault(account, _BusyTime())

        def count(change: int) -> None:
            now = self.clock()
            if busy.under_way:
                busy.seconds += now - busy.since
            busy.since = now
            busy.under_way += change

        return Stopwatch(self.clock, count)

    def _account_seconds(self, account: str) -> float:
        busy = self._busy.get(account, _BusyTime())
        running = self.clock() - busy.since if busy.under_way else 0.0
        return busy.seconds + running

    def _run_seconds(self) -> float:
        """Return how long ago the first call was; calling this begins the time."""
        now = self.clock()
        if self._began is None:
            self._began = now
        return now - self._began
