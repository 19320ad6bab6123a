"""Cases of a set, divided among processes: one process uses one processor."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any, TypeVar

from evals.harness import Bench

Part = TypeVar("Part")
Result = TypeVar("Result")


def processor_count() -> int:
    """Return in how many parts the cases of a set are best divided."""
    return os.cpu_count() or 1


async def in_processes(
    work: Callable[[Bench, Part], Coroutine[Any, Any, Result]], bench: Bench, parts: Sequence[Part]
) -> list[Result]:
    """Do the work for each part in a process of its own, and return the results in this order.

    `work` is a function of a module; a single part stays in this process.
    """
    if len(parts) == 1:
        return [await work(bench, parts[0])]
    loop = asyncio.get_running_loop()
    # Processes are forked from the server that has imported everything.
    with ProcessPoolExecutor(len(parts), mp_context=get_context("forkserver")) as pool:
        tasks = []
        for number, part in enumerate(parts):
            # Processes build the same worlds, each for itself.
            own_bench = replace(bench, folder=bench.folder / f"process-{number}")
            tasks.append(loop.run_in_executor(pool, _run, work, own_bench, part))
        return await asyncio.gather(*tasks)


def _run(
    work: Callable[[Bench, Part], Coroutine[Any, Any, Result]], bench: Bench, part: Part
) -> Result:
    bench.folder.mkdir(parents=True, exist_ok=True)
    return asyncio.run(work(bench, part))
