"""Processes beside this one that call functions for it, so that a run uses several processors.

They cost nothing but time: what no process answers, because it died, hangs or met an error, its
caller finds out itself.
"""

import asyncio
import contextlib
import gc
import os
import pickle
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from collections.abc import Callable
from typing import Any, BinaryIO, Generic, NamedTuple, Self, TypeVar, TypeVarTuple

A = TypeVarTuple("A")
T = TypeVar("T")

_MAX_PROCESSES = 4
_MIN_CALLS = 30  # Fewer are not worth a process: to start one takes as long as these
_CALLS_OF_PREPARATION = 10
_MAX_SECONDS = 300.0  # For a call, then its process is given up
_MAX_LOST = 3  # Processes that are replaced after they were lost
_ENDING_SECONDS = 2.0
_ALLOCATIONS_BEFORE_COLLECTION = 50_000
"""Python's default of 700 spends a tenth of the time on looking through trees that are in use."""
_PIECE = 1 << 20  # Bytes that are read from a pipe at a time
_LENGTH = struct.Struct(">Q")  # Of the bytes behind it
_START = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve()"


class UnansweredError(Exception):
    """No process answered a call: its caller has to find out itself."""


class _Request(NamedTuple):
    """A function of a module, and what to call it with."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class _Answer(NamedTuple):
    """What a function returned; nothing where it raised an error."""

    has_value: bool
    value: Any = None


class WorkerAnswer(NamedTuple, Generic[T]):
    """What a function returned, and the process in which it was called."""

    value: T
    worker: "WorkerProcess"


class WorkerProcesses:
    """Calls functions in other processes, which are started when enough calls are expected."""

    def __init__(self, count: int, *, max_seconds: float = _MAX_SECONDS) -> None:
        """Use up to `count` processes; with none, no call is answered."""
        self._workers = tuple(WorkerProcess(max_seconds) for _ in range(count))
        self._expected_calls = 0
        self._waiting: Counter[str] = Counter()  # Calls by the preparation that they need
        self._turn = asyncio.Condition()

    def expect(self, calls: int) -> None:
        """Take note of calls that are likely to follow."""
        self._expected_calls += calls

    @property
    def are_wanted(self) -> bool:
        """True if there are processes, and enough calls for them."""
        return bool(self._usable()) and self._expected_calls >= _MIN_CALLS

    async def call(
        self,
        function: Callable[[*A], T],
        *arguments: *A,
        preparation: str = "",
        by: "WorkerProcess | None" = None,
    ) -> WorkerAnswer[T]:
        """Call a function of a module in the first process that has nothing to do, or by a certain one.

        Raise UnansweredError if it gives no answer, also where the function raises an error. A
        `preparation` names what a process does once for all calls that need it: these share a
        process, unless many of them wait.
        """
        if not self.are_wanted:
            raise UnansweredError
        worker = await self._next_free(preparation, by)
        try:
            return WorkerAnswer(await worker.call(function, *arguments), worker)
        finally:
            worker.is_busy = False
            async with self._turn:
                self._turn.notify_all()

    async def _next_free(self, preparation: str, by: "WorkerProcess | None") -> "WorkerProcess":
        """Wait for a process, and make it busy."""
        self._waiting[preparation] += 1
        try:
            async with self._turn:
                while (worker := self._free_worker(preparation, by)) is None:
                    await self._turn.wait()
                worker.is_busy = True
                worker.preparations.add(preparation)
                return worker
        finally:
            self._waiting[preparation] -= 1

    def _free_worker(self, preparation: str, by: "WorkerProcess | None") -> "WorkerProcess | None":
        workers = self._usable() if by is None else [by]
        if not workers or not workers[0].is_usable:
            raise UnansweredError
        prepared = [worker for worker in workers if preparation in worker.preparations]
        if prepared and self._waiting[preparation] <= _CALLS_OF_PREPARATION:
            workers = prepared
        free = [worker for worker in (*prepared, *workers) if not worker.is_busy]
        return free[0] if free else None

    def _usable(self) -> list["WorkerProcess"]:
        return [worker for worker in self._workers if worker.is_usable]

    async def __aenter__(self) -> Self:
        """Start nothing yet."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """End all processes."""
        for worker in self._workers:
            await worker.end()


class WorkerProcess:
    """A process that answers one call after the other; it is started by the first one."""

    def __init__(self, max_seconds: float) -> None:
        self.is_busy = False
        self.preparations = {""}
        self._max_seconds = max_seconds
        self._process: Process | None = None
        self._lost_count = 0

    @property
    def is_usable(self) -> bool:
        """False after so many losses that the next process is likely to be lost, too."""
        return self._lost_count <= _MAX_LOST

    async def call(self, function: Callable[[*A], T], *arguments: *A) -> T:
        """Return what a function returns in this process; raise UnansweredError without an answer."""
        request = pickle.dumps(_Request(function, arguments))
        reply = await self._exchange(request)
        answer: _Answer = pickle.loads(reply)  # noqa: S301 -- our own process wrote it
        if not answer.has_value:
            raise UnansweredError
        value: T = answer.value
        return value

    async def _exchange(self, request: bytes) -> bytes:
        """Send a request and return the bytes of its answer."""
        try:
            async with asyncio.timeout(self._max_seconds):
                process = self._process or await self._start()
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(_LENGTH.pack(len(request)))
                process.stdin.write(request)
                await process.stdin.drain()
                (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
                return await process.stdout.readexactly(length)
        except (OSError, asyncio.IncompleteReadError) as error:  # TimeoutError is an OSError
            self._lost_count += 1
            await self._kill()
            raise UnansweredError from error
        except BaseException:
            # Half an answer would be taken for the next one.
            await self._kill()
            raise

    async def _start(self) -> Process:
        program = _START.format(path=sys.path, module=__name__)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # The folder that a user stands in may have modules of our names
            "-c",
            program,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=_PIECE,
            # An interrupt from the keyboard must not reach it; it ends with its input.
            start_new_session=True,
        )
        return self._process

    async def end(self) -> None:
        """Close the input of the process, with which it ends; kill it if it is busy."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_ENDING_SECONDS):
                await process.wait()
        except TimeoutError:
            await self._kill()
        self._process = None

    async def _kill(self) -> None:
        """End the process at once, whatever it does."""
        process = self._process
        self._process = None
        self.preparations = {""}
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        # This also closes the pipes, of which nobody reads the rest.
        await process.communicate()


def worker_count() -> int:
    """Return how many processes are worth their start: one for each processor, if there are several.

    The process that calls them mostly waits for their answers.
    """
    available = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    return min(available, _MAX_PROCESSES) if available > 1 else 0


def serve() -> None:
    """Answer the calls of the process at the other end of the pipes, until it closes them."""
    gc.set_threshold(_ALLOCATIONS_BEFORE_COLLECTION)
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not come between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while (request := _received(requests)) is not None:
        answer = pickle.dumps(_answer(request))
        answers.write(_LENGTH.pack(len(answer)))
        answers.write(answer)
        answers.flush()


def _received(requests: BinaryIO) -> bytes | None:
    """Return the next request; None at the end."""
    length = requests.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    return requests.read(*_LENGTH.unpack(length))


def _answer(request: bytes) -> _Answer:
    try:
        function, arguments = pickle.loads(request)  # noqa: S301 -- our own process wrote it
        return _Answer(True, function(*arguments))
    except Exception:  # noqa: BLE001 -- the caller meets the same error, where it is reported
        return _Answer(False)
