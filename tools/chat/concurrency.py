"""How many questions are under way at once: more while a server answers as fast as ever, fewer when it does not."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from agent.models import ModelError

_FIRST, _MOST = 16, 64
_WIDER = 2
"""Questions more for each answer that came as fast as ever."""
_SLOW = 3.0
"""So many times as long as the fastest answer is slow: then questions wait for one another at the other end."""
_BRISK = 15.0
"""Tokens a second that a service writes at least; what is slower is a small machine that does one thing at a time."""
_EQUAL = 1.25
"""On such a machine more are allowed only after an answer that took no longer than this times the fastest."""


class Concurrency:
    """Lets questions through in their order, as many at once as the server bears."""

    def __init__(self, *, first: int = _FIRST, most: int = _MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self.open = first
        """How many may be under way."""
        self._most = most
        self._clock = clock
        self._busy = 0
        self._fastest: float | None = None
        self._small = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    def paced(self, tokens_a_second: float | None) -> None:
        """Learn how fast a server writes, where that is known; to ask a slow one much at once makes everything late."""
        if tokens_a_second is not None and tokens_a_second < _BRISK and not self._small:
            self._small, self.open = True, 1

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[None]:
        """Wait for a turn, and learn from how the question fares."""
        await self._turn()
        began = self._clock()
        try:
            yield
            self._answered(self._clock() - began)
        except ModelError as error:
            if error.retryable:
                self.open = max(1, self.open // 2)
            raise
        finally:
            self._busy -= 1
            self._admit()

    async def _turn(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            # Its turn had come already: somebody else may have it.
            if turn.done() and not turn.cancelled():
                self._busy -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        """Let in whoever waits, as far as the limit allows; those who went away are passed over."""
        while self._waiting and self._busy < self.open:
            turn = self._waiting.popleft()
            if not turn.done():
                self._busy += 1
                turn.set_result(None)

    def _answered(self, seconds: float) -> None:
        self._fastest = seconds if self._fastest is None else min(self._fastest, seconds)
        if seconds > _SLOW * self._fastest:
            self.open = max(1, self.open - 1)
        elif not self._small:
            self.open = min(self._most, self.open + _WIDER)
        elif seconds <= _EQUAL * self._fastest:
            self.open = min(self._most, self.open + 1)
