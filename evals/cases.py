"""A case that crashes is a result of its own, and never the end of the others."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Crash:
    """What a case ended with instead of a result."""

    error: BaseException

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {self.error}".partition("\n")[0]


async def attempt(work: Coroutine[Any, Any, T]) -> T | Crash:
    """Do the work in a task of its own; what it raises is returned."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task})
    finally:
        # Whoever stops the evaluation stops the case too.
        task.cancel()
    error = task.exception()
    return task.result() if error is None else Crash(error)
