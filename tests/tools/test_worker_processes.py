"""Worker processes answer what they can; all else costs its caller a call, and leaves nothing behind."""

import asyncio
import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tools.worker_processes import UnansweredError, WorkerProcesses

ENOUGH = 100  # Calls for which processes are started
T = TypeVar("T")


async def value_of(workers: WorkerProcesses, function: Callable[..., T], *arguments: object) -> T:
    answered = await workers.call(function, *arguments)
    return answered.value


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_end(pid: int) -> None:
    while is_alive(pid):
        time.sleep(0.01)


async def test_functions_are_called_in_a_process_that_ends_with_its_block() -> None:
    async with WorkerProcesses(1) as workers:
        workers.expect(ENOUGH)
        pid = await value_of(workers, os.getpid)
        assert pid != os.getpid()
        assert await value_of(workers, operator.mul, "x" * 3_000_000, 2) == "x" * 6_000_000
        assert await value_of(workers, os.getpid) == pid
    wait_for_end(pid)


async def test_calls_are_shared_out_over_all_processes() -> None:
    async with WorkerProcesses(2) as workers:
        workers.expect(ENOUGH)

        pids = await asyncio.gather(*(value_of(workers, os.getpid) for _ in range(6)))
    assert len(set(pids)) == 2


async def test_calls_that_need_the_same_preparation_share_a_process() -> None:
    async with WorkerProcesses(2) as workers:
        workers.expect(ENOUGH)
        calls = [workers.call(os.getpid, preparation="slow") for _ in range(5)]
        answers = await asyncio.gather(*calls)
        assert len({answered.value for answered in answers}) == 1
        calls = [workers.call(os.getpid, preparation="slow") for _ in range(20)]
        answers = await asyncio.gather(*calls)
        assert len({answered.value for answered in answers}) == 2
        again = await workers.call(os.getpid, by=answers[-1].worker)
        assert again.value == answers[-1].value


async def test_no_process_is_started_for_a_few_calls() -> None:
    async with WorkerProcesses(1) as workers:
        workers.expect(2)
        with pytest.raises(UnansweredError):
            await value_of(workers, os.getpid)


async def test_an_error_leaves_a_call_unanswered_and_costs_no_other_one() -> None:
    async with WorkerProcesses(1) as workers:
        workers.expect(ENOUGH)
        pid = await value_of(workers, os.getpid)
        with pytest.raises(UnansweredError):
            await value_of(workers, operator.truediv, 1, 0)
        assert await value_of(workers, os.getpid) == pid


async def test_a_process_that_dies_is_replaced_until_too_many_died() -> None:
    async with WorkerProcesses(1) as workers:
        workers.expect(ENOUGH)
        first = await value_of(workers, os.getpid)
        with pytest.raises(UnansweredError):
            await value_of(workers, os._exit, 1)
        assert await value_of(workers, os.getpid) not in (first, os.getpid())
        for _ in range(3):
            with pytest.raises(UnansweredError):
                await value_of(workers, os._exit, 1)
        with pytest.raises(UnansweredError):
            await value_of(workers, os.getpid)


async def test_a_process_that_hangs_is_given_up() -> None:
    async with WorkerProcesses(1, max_seconds=1.0) as workers:
        workers.expect(ENOUGH)
        with pytest.raises(UnansweredError):
            await value_of(workers, time.sleep, 600)


async def test_after_a_cancelled_call_the_next_one_gets_its_own_answer() -> None:
    async with WorkerProcesses(1) as workers:
        workers.expect(ENOUGH)
        pid = await value_of(workers, os.getpid)
        cancelled = asyncio.create_task(value_of(workers, time.sleep, 600))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        assert await value_of(workers, operator.add, 1, 2) == 3
        wait_for_end(pid)


KILLED = """
import asyncio, os, signal
from tools.worker_processes import WorkerProcesses

# What a shell starts in the background ignores interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

async def main():
    async with WorkerProcesses(1) as workers:
        workers.expect(100)
        pid, _ = await workers.call(os.getpid)
        print(pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGINT])
def test_processes_end_with_the_one_that_started_them(signal_number: int) -> None:
    root = Path(__file__).resolve().parents[2]
    parent = subprocess.Popen(
        [sys.executable, "-c", KILLED],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.send_signal(signal_number)
    wait_for_end(pid)
