"""Cases of a set, divided among processes: one process uses one processor."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

from evals.harness import Bench

Part = TypeVar("Part")
Result = TypeVar("Result")
_PROGRESS_SECONDS = 20.0  # Between two lines on how far the cases are


def processor_count() -> int:
    """Return in how many parts the cases of a set are best divided."""
    return os.cpu_count() or 1


class CaseCount:
    """Says from time to time how many cases are done, and how long the others will take."""

    def __init__(
        self,
        say: Callable[[str], None],
        label: str,
        total: int,
        every_seconds: float = _PROGRESS_SECONDS,
    ) -> None:
        self._say = say
        self._label = label
        self._total = total
        self._every_seconds = every_seconds
        self._done = 0
        self._started = time.monotonic()
        self._last_said = self._started

    def add(self) -> None:
        """Count a case that is done."""
        self._done += 1
        now = time.monotonic()
        is_last = self._done == self._total
        if not is_last and now - self._last_said < self._every_seconds:
            return
        self._last_said = now
        self._say(f"{self._label}: {self._done} of {self._total} cases{self._time_left(now)}")

    def _time_left(self, now: float) -> str:
        left = self._total - self._done
        if not left:
            return ""
        seconds = (now - self._started) / self._done * left
        return f", about {seconds / 60:.0f} min left"


async def in_processes(
    work: Callable[[Bench, Part], Coroutine[Any, Any, Result]], bench: Bench, parts: Sequence[Part]
) -> list[Result]:
    """Do the work for each part in a process of its own, and return the results in this order.

    `work` is a function of a module; a single part stays in this process.
    """
    if len(parts) == 1:
        return [await work(bench, parts[0])]
    loop = asyncio.get_running_loop()
    # A set that runs in a forked process has no fork server yet; its own imports everything once.
    forkserver = get_context("forkserver")
    forkserver.set_forkserver_preload([work.__module__, type(bench.system).__module__])
    with ProcessPoolExecutor(len(parts), mp_context=forkserver) as pool:
        tasks = []
        for number, part in enumerate(parts, start=1):
            # Each process builds its worlds in a folder of its own.
            folder = bench.folder / f"process-{number}"
            say = partial(_say_as, bench.say, f"process {number} of {len(parts)}")
            part_bench = replace(bench, folder=folder, say=say)
            tasks.append(loop.run_in_executor(pool, _run, work, part_bench, part))
        return await asyncio.gather(*tasks)


def _say_as(say: Callable[[str], None], process: str, text: str) -> None:
    say(f"{process}: {text}")


def _run(
    work: Callable[[Bench, Part], Coroutine[Any, Any, Result]], bench: Bench, part: Part
) -> Result:
    bench.folder.mkdir(parents=True, exist_ok=True)
    return asyncio.run(work(bench, part))
