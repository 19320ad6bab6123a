"""Budgets of the models of a run, and what they have spent."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from agent.domain.account import (
    LOOKING,
    SUMMING_UP,
    WRITING_STORIES,
    Chain,
    Limit,
    Phase,
    Price,
    Spent,
    added_by_job,
    price_of,
)
from agent.model_errors import ModelError

_MAX_OUTAGES = 3  # After so many requests in a row that ended in an outage, a run asks no more
_SUBJECT_BESIDE: Mapping[Phase, str] = MappingProxyType(
    {"looking": LOOKING, "telling_stories": WRITING_STORIES}
)
"""The subjects of phases that run beside others."""
_NO_PRICES: Mapping[str, Price] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Cap:
    """The most that may be spent; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    cost: float | None = None

    def reached(self, spent: Spent, seconds: float, coming: int = 0) -> "ReachedLimit | None":
        """Return which limit is reached if `coming` more tokens are sent, or None."""
        if self.calls is not None and spent.calls >= self.calls:
            return ReachedLimit("calls", f"{self.calls} calls")
        if self.tokens is not None and spent.sent + spent.received + coming > self.tokens:
            return ReachedLimit("tokens", f"{self.tokens} tokens")
        if self.seconds is not None and seconds >= self.seconds:
            return ReachedLimit("seconds", f"{self.seconds:g} seconds")
        if self.cost is not None and spent.cost >= self.cost:
            return ReachedLimit("cost", f"a cost of {self.cost:g}")
        return None


class ReachedLimit(NamedTuple):
    """A limit that is reached."""

    limit: Limit
    text: str


class Stopwatch:
    """Measures the time in which a server works on a request, not the time in our own queue."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        listener: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Measure by a clock; the listener is called with 1 at each start and -1 at each stop."""
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
    """The time during which at least one request of an account was under way."""

    seconds: float = 0.0
    under_way: int = 0
    since: float = 0.0


class RunBudget:
    """The budget of a run and of each account in it (a repository or a question).

    Two things are counted. What is sent now counts against the limits, calls in progress included.
    What an account is charged is the cost of its answers, whether they were given now or come from
    the record of an earlier run: a report that is made again states the same cost.

    The time of the run begins with its first call. The time of an account is that in which servers
    work on its requests: while these wait behind the requests of others, it stands still.
    """

    def __init__(
        self,
        *,
        run: Cap | None = None,
        account: Cap | None = None,
        prices: Mapping[str, Price] = _NO_PRICES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._run_cap = run or Cap()
        self._account_cap = account or Cap()
        self._prices = prices
        self._clock = clock
        self._run_started: float | None = None
        self._run_spent = Spent()
        self._account_spent: dict[str, Spent] = {}
        self._busy: dict[str, _BusyTime] = {}
        self._charged: dict[str, Spent] = {}
        self._charged_by_job: dict[str, dict[str, Spent]] = {}
        self._answers_in_turn: dict[str, dict[str, int]] = {}  # By account and subject
        self._answering: dict[str, set[str]] = {}  # The models that have answered, by account
        self._outages = Counter[str]()  # In a row, by model

    # ------------------------------------------------------------ requests that are sent

    def begin_call(self, model: str, account: str, tokens: int) -> None:
        """Count a call that sends some tokens; raise ModelError if it may not be made."""
        if self._outages[model] >= _MAX_OUTAGES:
            message = f"{model} failed {_MAX_OUTAGES} times in a row and is asked no more"
            raise ModelError(message, retryable=True)
        reached = self._limit_reached(account, tokens)
        if reached is not None:
            raise ModelError(f"{model} is asked no more: {reached.text}", limit=reached.limit)
        self._spend(account, Spent(calls=1))

    def end_call(self, model: str, account: str, spent: Spent) -> None:
        """Count what an answer took."""
        self._outages[model] = 0
        tokens = spent.model_copy(update={"calls": 0})
        self._spend(account, tokens.priced(price_of(model, self._prices)))

    def fail_call(self, model: str, account: str, tokens: int, *, is_outage: bool) -> None:
        """Count a call without an answer: the server reports no cost, but tokens were sent."""
        if is_outage:
            self._outages[model] += 1
        self._spend(account, Spent(sent=tokens).priced(price_of(model, self._prices)))

    def seconds_left(self) -> float | None:
        """Return the seconds that the run may still take; None without a limit."""
        if self._run_cap.seconds is None:
            return None
        return max(0.0, self._run_cap.seconds - self._run_seconds())

    def watch(self, account: str) -> Stopwatch:
        """Return a stopwatch for one request, whose time counts for the account."""
        busy = self._busy.setdefault(account, _BusyTime())

        def count(change: int) -> None:
            now = self._clock()
            if busy.under_way:
                busy.seconds += now - busy.since
            busy.since = now
            busy.under_way += change

        return Stopwatch(self._clock, count)

    def _spend(self, account: str, spent: Spent) -> None:
        self._run_spent += spent
        self._account_spent[account] = self._account_spent.get(account, Spent()) + spent

    def _limit_reached(self, account: str, tokens: int) -> ReachedLimit | None:
        reached = self._run_cap.reached(self._run_spent, self._run_seconds(), tokens)
        if reached is not None:
            return reached._replace(text=f"the run has used its {reached.text}")
        spent = self._account_spent.get(account, Spent())
        reached = self._account_cap.reached(spent, self._account_seconds(account), tokens)
        if reached is not None:
            return reached._replace(text=f"{account} has used its {reached.text}")
        return None

    def _account_seconds(self, account: str) -> float:
        busy = self._busy.get(account, _BusyTime())
        running = self._clock() - busy.since if busy.under_way else 0.0
        return busy.seconds + running

    def _run_seconds(self) -> float:
        """Return how long ago the first call was; calling this begins the time."""
        now = self._clock()
        if self._run_started is None:
            self._run_started = now
        return now - self._run_started

    # ------------------------------------------------------------ answers, live or recorded

    def answers_before(self, account: str, subject: str) -> int:
        """Return how many answers a new question about a subject has waited for.

        What is asked about the account as a whole is asked before what is about its commits.
        """
        in_turn = self._answers_in_turn.get(account, {})
        return max(in_turn.get(account, 0), in_turn.get(subject, 0))

    def charge(
        self,
        model: str,
        account: str,
        spent: Spent,
        job: str = "",
        subject: str = "",
        answers_before: int = 0,
    ) -> None:
        """Put the cost of an answer on an account; note what it was spent on, and about what.

        `answers_before` is how many answers its question had waited for.
        """
        in_turn = self._answers_in_turn.setdefault(account, {})
        in_turn[subject] = max(in_turn.get(subject, 0), answers_before + 1)
        self._answering.setdefault(account, set()).add(model)
        priced = spent.priced(price_of(model, self._prices))
        self._charged[account] = self._charged.get(account, Spent()) + priced
        by_job = self._charged_by_job.get(account, {})
        self._charged_by_job[account] = added_by_job(by_job, {job: priced})

    def take_charges(self, account: str) -> Spent:
        """Return what an account was charged since the last call of this method."""
        return self._charged.pop(account, Spent())

    def take_charges_by_job(self, account: str) -> dict[str, Spent]:
        """Return the same by what it was spent on, since the last call of this method."""
        return self._charged_by_job.pop(account, {})

    def take_chain(self, account: str, phase: Phase) -> Chain:
        """Return how many answers of a phase followed each other since this was asked last.

        Questions about different subjects are put at the same time. What is done beside other steps
        (looking into commits, writing stories) is counted by itself.
        """
        in_turn = self._answers_in_turn.get(account, {})
        if phase in _SUBJECT_BESIDE:
            return Chain(**{phase: in_turn.pop(_SUBJECT_BESIDE[phase], 0)})
        beside: dict[str, int] = {}
        for subject in _SUBJECT_BESIDE.values():
            if subject in in_turn:
                beside[subject] = in_turn.pop(subject)
        self._answers_in_turn[account] = beside
        summing_up = in_turn.pop(SUMMING_UP, 0)
        about_commits = max(in_turn.values(), default=0)
        if phase == "explaining":
            # Writers that look into their commits only now are waited for.
            about_commits += beside.pop(LOOKING, 0)
        return Chain(**{phase: about_commits}, summing_up=summing_up)

    def models_of(self, account: str) -> frozenset[str]:
        """Return the models that have answered for an account."""
        return frozenset(self._answering.get(account, ()))

    @property
    def accounts(self) -> tuple[str, ...]:
        """The accounts that were charged."""
        return tuple(self._answering)
