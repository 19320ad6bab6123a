"""Processes beside this one that call functions for it, so that a run uses several processors.

They cost nothing but time: what no process answers, because it died, hangs or met an error, its
caller finds out itself.
"""

import asyncio
import contextlib
import os
import pickle
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple, Self, TypeVar, TypeVarTuple

A = TypeVarTuple("A")
T = TypeVar("T")

_MAX_PROCESSES = 4
_MIN_CALLS = 24  # Fewer are not worth a process: to start one takes as long as ten of them
_CALLS_OF_PREPARATION = 10
_MAX_SECONDS = 300.0  # For a call, then its process is given up
_MAX_LOST = 3  # Processes that are replaced after they were lost
_ENDING_SECONDS = 2.0
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


class WorkerProcesses:
    """Calls functions in other processes, which are started when enough calls are expected."""

    def __init__(self, count: int, *, max_seconds: float = _MAX_SECONDS) -> None:
        """Use up to `count` processes; with none, no call is answered."""
        self._workers = tuple(WorkerProcess(max_seconds) for _ in range(count))
        self._expected_calls = 0

    def expect(self, calls: int) -> None:
        """Take note of calls that are likely to follow."""
        self._expected_calls += calls

    def choose(self, preparation: str = "") -> "WorkerProcess":
        """Return the process that has the least to do; calls that need each other have to share it.

        A `preparation` is what a process does once for all calls that name it. It takes as long as
        some calls, so a process that was chosen for it before is preferred.
        """
        usable = [worker for worker in self._workers if worker.is_usable]
        if not usable or self._expected_calls < _MIN_CALLS:
            raise UnansweredError
        chosen = min(usable, key=lambda worker: worker.load(preparation))
        chosen.prepare(preparation)
        return chosen

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
        self._max_seconds = max_seconds
        self._waiting_calls = 0
        self._preparations = {""}
        self._process: Process | None = None
        self._lost_count = 0
        self._turn = asyncio.Lock()

    @property
    def is_usable(self) -> bool:
        """False after so many losses that the next process is likely to be lost, too."""
        return self._lost_count <= _MAX_LOST

    def load(self, preparation: str) -> int:
        """Return how many calls there are to answer, with one more that needs a preparation."""
        if preparation in self._preparations:
            return self._waiting_calls
        return self._waiting_calls + _CALLS_OF_PREPARATION

    def prepare(self, preparation: str) -> None:
        """Take note of a preparation that the process will have made by its next calls."""
        self._preparations.add(preparation)

    async def call(self, function: Callable[[*A], T], *arguments: *A) -> T:
        """Return what a function returns in this process; raise UnansweredError without an answer."""
        self._waiting_calls += 1
        try:
            async with self._turn:
                request = pickle.dumps(_Request(function, arguments))
                reply = await self._exchange(request)
        finally:
            self._waiting_calls -= 1
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
        self._preparations = {""}
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
