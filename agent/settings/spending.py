"""What models cost: counted calls and tokens, the price table that a user may set, and what a run may spend."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agent.domain.accounts import Price, Spent

_LATEST = 0.3
"""How much the latest answer says of how long the next one takes."""


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Find the price of a model by its name; servers put a maker in front of it or a version behind it."""
    short = model.rpartition("/")[2]
    return prices.get(model) or prices.get(short)


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


@dataclass
class Purse:
    """What a run and each of its accounts have spent, and how much is left; calls under way count already."""

    run: Cap = field(default_factory=Cap)
    each: Cap = field(default_factory=Cap)
    clock: Callable[[], float] = time.monotonic
    _total: Spent = field(default_factory=Spent)
    _spent: dict[str, Spent] = field(default_factory=dict)
    _began: dict[str, float] = field(default_factory=dict)
    _usual: dict[str, float] = field(default_factory=dict)

    def refuse(self, account: str, coming: int) -> str | None:
        """Say why nothing more may be spent, or count the call and let it go."""
        spent = self._spent.get(account, Spent())
        whole = self.run.reached(self._total, self._seconds(""), coming)
        part = self.each.reached(spent, self._seconds(account), coming)
        if whole or part:
            return f"the run has used its {whole}" if whole else f"{account} has used its {part}"
        left, usual = self.left(account), self._usual.get(account, 0.0)
        if left is not None and usual > left:
            return f"an answer takes about {usual:.0f} seconds, and {left:.0f} are left"
        self._add(account, Spent(calls=1))
        return None

    def left(self, account: str) -> float | None:
        """Give the seconds that a call may take before a limit ends it."""
        run = None if self.run.seconds is None else self.run.seconds - self._seconds("")
        own = None if self.each.seconds is None else self.each.seconds - self._seconds(account)
        known = [seconds for seconds in (run, own) if seconds is not None]
        return max(0.0, min(known)) if known else None

    def pay(self, account: str, spent: Spent, seconds: float | None = None) -> None:
        """Count the tokens of a call that was let go, and remember how long an answer takes, where one came."""
        self._add(account, spent.model_copy(update={"calls": 0}))
        if seconds is not None:
            known = self._usual.get(account, seconds)
            self._usual[account] = known + (seconds - known) * _LATEST

    def _add(self, account: str, spent: Spent) -> None:
        self._total += spent
        self._spent[account] = self._spent.get(account, Spent()) + spent

    def _seconds(self, account: str) -> float:
        """Tell how long ago the first call was."""
        now = self.clock()
        return now - self._began.setdefault(account, now)
