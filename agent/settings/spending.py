"""What models cost: the price table that a user may set, and what a run may spend."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agent.domain.accounts import Price, Spent


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
        return f"a cost of {self.cost:g}" if self.cost is not None and spent.cost >= self.cost else None


@dataclass
class Purse:
    """What a run and each of its accounts have spent, and how much is left; calls under way count already."""

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
        known = [seconds - self._seconds(name) for name, seconds in caps.items() if seconds is not None]
        return max(0.0, min(known)) if known else None

    def pay(self, account: str, spent: Spent) -> None:
        """Count what was spent, for the run and for the account."""
        for name in ("", account):
            self._spent[name] = self._spent.get(name, Spent()) + spent

    def _seconds(self, name: str) -> float:
        """Tell how long ago the first call was."""
        now = self.clock()
        return now - self._began.setdefault(name, now)
