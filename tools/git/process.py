"""Running git: never through a shell, never prompting, never left behind; on its own, or with a server."""

import asyncio
import base64
import contextlib
import functools
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from agent.domain.base import InputError, NotFound, UpstreamError

Result = TypeVar("Result")

CHUNK = 1 << 20  # How much is read at once; asyncio itself takes 256 KiB from a pipe at a time
_ERROR_TAIL = 16 * 1024

# Git asks nobody, writes no locks, and speaks the language that we parse.
QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
}
# Reading depends on nothing that a user or a machine has configured, and reaches no network.
LOCAL = QUIET | {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}


@dataclass(frozen=True)
class Finished:
    """What a git process left: its exit status, its output, and the end of what it said on stderr."""

    code: int
    out: bytes
    err: str

    @property
    def reason(self) -> str:
        """The line that says why it failed."""
        return reason_in(self.err, self.code)


def reason_in(said: str, status: int) -> str:
    """Find the line that says why git failed; it puts hints around it."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (told or lines or [f"git ended with status {status}"])[-1].removeprefix("fatal: ")


class Running:
    """A git process whose output is being read."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._errors = asyncio.create_task(self._collect_errors())

    async def read(self) -> bytes:
        """Read the next piece of output; empty at the end."""
        assert self._process.stdout is not None
        return await self._process.stdout.read(CHUNK)

    async def finish(self) -> Finished:
        """Wait for the end of a process whose output was read."""
        errors = await self._errors
        return Finished(await self._process.wait(), b"", errors.decode("utf-8", "replace"))

    async def stop(self) -> None:
        """Kill the process and its children, if it is still there."""
        # Once it has ended, its number may belong to somebody else.
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        # The exit is only noticed when the pipes are at their end, and a full pipe is not read by itself.
        while await self.read():
            pass
        await self._errors
        await self._process.wait()

    async def _collect_errors(self) -> bytes:
        """Keep the end of stderr, and keep the pipe empty so that git never waits for us."""
        assert self._process.stderr is not None
        tail = b""
        while piece := await self._process.stderr.read(CHUNK):
            tail = (tail + piece)[-_ERROR_TAIL:]
        return tail


def git_program(search_path: str | None = None) -> str:
    """Find git on the search path (by default this process's own)."""
    program = shutil.which("git") if search_path is None else _found(search_path)
    if program is None:
        raise InputError("git is not installed or not on PATH; install git 2.37 or newer")
    return program


@functools.cache
def _found(search_path: str) -> str | None:
    """Look once: a day starts git some hundred times."""
    return shutil.which("git", path=search_path)


@contextlib.asynccontextmanager
async def running(
    arguments: Sequence[str | bytes],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stdin: bytes = b"",
) -> AsyncIterator[Running]:
    """Start git and read its output as it comes; the process is gone when the block is left, however it is left."""
    with _as_file(stdin) as given:
        process = await asyncio.create_subprocess_exec(
            git_program(env.get("PATH")),
            *arguments,
            stdin=given,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(env),
            cwd=cwd,
            limit=CHUNK,
            # Its own session: no terminal to ask for a password on, and one group to kill.
            start_new_session=True,
        )
    process_running = Running(process)
    try:
        yield process_running
    finally:
        await process_running.stop()


async def run(
    arguments: Sequence[str | bytes],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stdin: bytes = b"",
    seconds: float | None = None,
) -> Finished:
    """Run git to its end; TimeoutError when that takes longer than `seconds`."""
    async with asyncio.timeout(seconds), running(arguments, env=env, cwd=cwd, stdin=stdin) as git:
        pieces = []
        while piece := await git.read():
            pieces.append(piece)
        finished = await git.finish()
    return Finished(finished.code, b"".join(pieces), finished.err)


@contextlib.contextmanager
def _as_file(content: bytes) -> Iterator[IO[bytes]]:
    """Hold the input in a file: git reads it at its own pace, and nothing can block on a full pipe."""
    with scratch() if content else Path(os.devnull).open("r+b") as file:
        file.write(content)
        file.seek(0)
        yield file


def scratch() -> IO[bytes]:
    """Open a file that nobody else sees, in memory where the system has such."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("git-input"), "w+b")
    return tempfile.TemporaryFile()


STALL_SECONDS = 60  # How long a transfer may crawl below 1,000 bytes a second
# Settings of the user that decide whether a server can be reached; any other GIT_* variable (GIT_DIR inside a hook,
# GIT_TRACE_CURL, which would log the token) would change what we run.
_KEPT = frozenset({
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_HTTP_PROXY_AUTHMETHOD",
    "GIT_PROXY_COMMAND", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
    "GIT_SSL_NO_VERIFY",
})  # fmt: skip
_ABSENT = re.compile(
    r"returned error: (404|410)|[Rr]epository .*not found|does not appear to be a git repository"
)
_SECRET_WANTED = re.compile(r"could not read Username|Authentication failed|returned error: 401")
_MOVED = re.compile(r"returned error: 30[1278]|unable to update url base from redirection|redirect")
_HOPELESS = re.compile(
    r"certificate|[Uu]nsupported protocol|not supported|not allowed|Permission denied|No space left"
)


class Moved(UpstreamError):
    """The server points to another address, and the token may not be taken there."""


def remote_environment(
    environ: Mapping[str, str],
    *,
    token: str | None = None,
    origin: str = "",
    stall: int = STALL_SECONDS,
) -> dict[str, str]:
    """Build the environment for a git that may use the network; a token goes to addresses below `origin` only.

    Configuration given by environment is seen in no process list, no file and no log.
    """
    settings = [("http.lowSpeedLimit", "1000"), ("http.lowSpeedTime", str(stall))]
    if token:
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
        header = f"http.{origin.rstrip('/')}/.extraHeader"
        # The empty value takes back what the user may have set; two Authorization headers are refused.
        settings += [
            (header, ""),
            (header, f"Authorization: Basic {secret}"),
            ("http.followRedirects", "false"),
        ]
    kept = {
        key: value for key, value in environ.items() if not key.startswith("GIT_") or key in _KEPT
    }
    numbered = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        numbered |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return (
        kept
        | QUIET
        | numbered
        | {"GIT_ASKPASS": "", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
    )


def failure(finished: Finished, asked: str, *, token: str | None = None) -> UpstreamError:
    """Say in one line what a failed conversation with the server means, without the token."""
    reason = finished.reason.replace(token, "***") if token else finished.reason
    if _ABSENT.search(finished.err):
        return NotFound(
            f"{asked}: the server has no such repository; check the name, or set a token if it is private"
        )
    if _SECRET_WANTED.search(finished.err):
        if token:
            return UpstreamError(f"{asked}: the server refuses the token", retryable=False)
        return NotFound(f"{asked}: not found; check the name, or set a token if it is private")
    if token and "returned error: 403" in finished.err:
        return UpstreamError(f"{asked}: the token does not give access", retryable=False)
    if token and _MOVED.search(finished.err):
        return Moved(f"{asked}: the repository has moved; use its new name", retryable=False)
    return UpstreamError(f"{asked}: {reason}", retryable=not _HOPELESS.search(finished.err))


async def patiently(
    call: Callable[[], Awaitable[Result]], *, attempts: int = 3, pause: float = 1.0
) -> Result:
    """Try again what can get better, a little later each time."""
    retrying = AsyncRetrying(
        retry=retry_if_exception(
            lambda error: isinstance(error, UpstreamError) and error.retryable
        ),
        stop=stop_after_attempt(attempts),
        wait=wait_random_exponential(multiplier=pause, max=30 * pause),
        reraise=True,
    )
    # Tenacity looks at the callable to see whether it is async, and a lambda that returns a coroutine does not look it.
    async for attempt in retrying:
        with attempt:
            return await call()
    raise AssertionError("tenacity ends with a result or an error")
