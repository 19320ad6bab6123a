"""The concurrency of a server: how many questions it is asked at once, by the speed of its answers."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

_FIRST_LIMIT = 16  # Questions under way at most, until answers show that more can be borne
_MAX_LIMIT = 64
_GROWTH = 2  # By which each good answer raises the limit
_READ_PER_WRITTEN = 8
"""Tokens that a server reads in the time in which it writes one: 2 on small machines, 50 on large."""
_USUAL_ANSWER = 400  # Tokens of an answer that is still to come
_USUAL_QUESTION = 8_000
_MIN_QUESTION = 400  # Tokens below which a question says nothing about the pace of others
_SLOW = 3.0  # An answer that is slower than one alone by this factor had to wait for others
_MAX_PACES = 8  # Answers to questions that were alone, whose pace is remembered
_MAX_ANSWERS = 5  # Answers in a row from which it is concluded how many are worked on at once
_MAX_BEGINNINGS = 256  # Questions whose beginnings are remembered
_MOMENT = 0.001  # Seconds: answers that came in together
_PATIENCE_SHARE = 0.8
"""The share of one answer's time that all questions under way may take one after the other."""


@dataclass(eq=False)
class Turn:
    """A question that is under way."""

    work: float  # What it is expected to take, in tokens that the server writes
    goes_on: bool = False  # Whether the server has just read the beginning of it
    company: int = 1  # How many were under way at once, itself included


class _TimedAnswer(NamedTuple):
    at: float
    work: float


def work_of(sent: int, received: int) -> float:
    """Return what a question takes, in tokens that the server writes in the same time."""
    return sent / _READ_PER_WRITTEN + received


class Concurrency:
    """Lets questions through in their order, as many at once as the server bears.

    A question that begins like one asked just before goes ahead of those that begin anew, while
    the server may still have what it read in its prefix cache.

    The first one goes alone: its answer shows the pace. After that there are never more under
    way than a server with a single slot would answer in time, one after the other, unless it
    was seen to work on several at once. Then the number grows with what it was seen to do.
    """

    def __init__(self, *, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Ask a server whose single answer may take `patience` seconds."""
        self.limit = _FIRST_LIMIT
        self._patience = patience
        self._clock = clock
        # Work a second on questions that were alone. The slowest of them counts where time is
        # estimated, the fastest where the server seems to work on several questions at once.
        self._paces: deque[float] = deque(maxlen=_MAX_PACES)
        self._answers: deque[_TimedAnswer] = deque(maxlen=_MAX_ANSWERS)
        self._parallel = 1  # Questions that the server was seen to work on at once
        self._has_had_company = False
        self._queue: deque[Turn] = deque()
        self._beginnings: deque[str] = deque(maxlen=_MAX_BEGINNINGS)
        self._under_way: list[Turn] = []
        self._changed = asyncio.Condition()

    @property
    def at_once(self) -> int | None:
        """The number of questions the server can answer at once; None while unknown."""
        if not self._paces:
            return None
        if self._has_had_company:
            return self._parallel
        usual_work = work_of(_USUAL_QUESTION, _USUAL_ANSWER)
        return None if self._in_time(2 * usual_work) else 1

    @asynccontextmanager
    async def turn(self, tokens: int, beginning: str = "") -> AsyncIterator[Turn]:
        """Wait until a question of so many tokens may be asked; `beginning` is how it begins."""
        turn = Turn(work_of(tokens, _USUAL_ANSWER), goes_on=beginning in self._beginnings)
        ahead = sum(other.goes_on for other in self._queue) if turn.goes_on else len(self._queue)
        self._queue.insert(ahead, turn)
        if beginning:
            self._beginnings.append(beginning)
        try:
            async with self._changed:
                await self._changed.wait_for(lambda: self._is_next(turn))
                self._under_way.append(turn)
        finally:
            self._queue.remove(turn)
            await self._notify()
        for other in self._under_way:
            other.company = max(other.company, len(self._under_way))
        try:
            yield turn
        finally:
            self._under_way.remove(turn)
            await self._notify()

    def answered(self, turn: Turn, sent: int, received: int, seconds: float) -> None:
        """Learn from an answer and the time that the server took for it."""
        if sent < _MIN_QUESTION or seconds <= 0:
            return
        work = work_of(sent, received)
        pace = work / seconds
        self._answers.append(_TimedAnswer(self._clock(), work))
        if turn.company == 1 or not self._paces:
            self._paces.append(pace)
            self._raise_limit()
            return
        self._has_had_company = True
        speed = self._recent_pace() / max(self._paces)
        self._parallel = max(self._parallel, min(turn.company, int(speed)))
        if pace * _SLOW >= min(self._paces):
            self._raise_limit()
        else:
            self.limit = max(1, self.limit - 1)

    def timed_out(self, turn: Turn) -> None:
        """Learn from a question that was not answered in time: ask one at a time again."""
        self._paces.append(turn.work / self._patience)
        self._parallel = 1
        self.limit = 1

    def refused(self) -> None:
        """Learn from an outage, or from a server that was asked too much at once."""
        self.limit = max(1, self.limit // 2)

    def _recent_pace(self) -> float:
        """Return the work a second that the last answers came in with, whichever were asked first.

        A server with a single slot cannot have begun with an answer before it gave the last one.
        """
        before, *answers = self._answers
        if not answers:
            return 0.0
        seconds = answers[-1].at - before.at
        work = sum(answer.work for answer in answers)
        return work / max(seconds, _MOMENT)

    def _raise_limit(self) -> None:
        self.limit = min(_MAX_LIMIT, self.limit + _GROWTH)

    def _is_next(self, turn: Turn) -> bool:
        if self._queue[0] is not turn:
            return False
        if not self._under_way:
            return True
        if not self._paces or len(self._under_way) >= self.limit:
            return False
        if self._parallel > 1 and len(self._under_way) < 2 * self._parallel:
            return True
        return self._in_time(turn.work + sum(other.work for other in self._under_way))

    def _in_time(self, work: float) -> bool:
        """Return True if a server with a single slot does this in the time of one answer."""
        return work / min(self._paces) <= _PATIENCE_SHARE * self._patience

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
