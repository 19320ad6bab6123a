"""Git as a process: without a shell or a prompt, never left running, alone or with a server."""

import asyncio
import base64
import contextlib
import functools
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from agent.domain.errors import InputError, NotFound, UpstreamError

Result = TypeVar("Result")

CHUNK = 1 << 20  # How much is read at once; asyncio itself takes 256 KiB from a pipe at a time
_ERROR_TAIL = 16 * 1024
_LOCAL_SECONDS = 60  # For a question about a checkout that is asked outside of an event loop

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
    """The result of a git process: its exit status, its output, and the end of its stderr."""

    code: int
    out: bytes
    err: str

    @property
    def reason(self) -> str:
        """The line that says why it failed."""
        return reason_in(self.err, self.code)


def reason_in(errors: str, status: int) -> str:
    """Return the line that says why git failed; git puts hints around it."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    reasons = [line for line in lines if line.startswith(("fatal:", "error:"))]
    if reasons:
        return reasons[-1].removeprefix("fatal: ")
    if lines:
        return lines[-1]
    return f"git ended with status {status}"


class Running:
    """A git process whose output is being read."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._errors = asyncio.create_task(self._collect_errors())

    async def read(self) -> bytes:
        """Return the next piece of output; empty at the end."""
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
    """Return the path of git on the search path (by default this process's own)."""
    program = shutil.which("git") if search_path is None else _git_on(search_path)
    if program is None:
        raise InputError("git is not installed or not on PATH; install git 2.37 or newer")
    return program


@functools.cache
def _git_on(search_path: str) -> str | None:
    """Return the path of git, looked up once: a day starts git some hundred times."""
    return shutil.which("git", path=search_path)


@contextlib.asynccontextmanager
async def running(
    arguments: Sequence[str | bytes],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stdin: bytes = b"",
) -> AsyncIterator[Running]:
    """Start git and read its output as it comes; the process ends with the block in any case."""
    with _as_file(stdin) as input_file:
        process = await asyncio.create_subprocess_exec(
            git_program(env.get("PATH")),
            *arguments,
            stdin=input_file,
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
    """Run git to its end; raise TimeoutError if that takes longer than `seconds`."""
    async with asyncio.timeout(seconds), running(arguments, env=env, cwd=cwd, stdin=stdin) as git:
        pieces = []
        while piece := await git.read():
            pieces.append(piece)
        finished = await git.finish()
    return Finished(finished.code, b"".join(pieces), finished.err)


def run_local(arguments: Sequence[str], cwd: Path, *, seconds: float = _LOCAL_SECONDS) -> Finished:
    """Run git in a checkout to its end, outside of an event loop.

    It depends on nothing but the checkout: on no configuration of the user's, and on no variable
    such as GIT_DIR. Raise TimeoutError if it takes longer than `seconds`.
    """
    process = subprocess.Popen(
        [git_program(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=LOCAL,
        cwd=cwd,
        start_new_session=True,
    )
    with process:
        try:
            out, errors = process.communicate(timeout=seconds)
        except BaseException as error:
            # Its children, too, may hold the pipes open.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise TimeoutError(f"git took longer than {seconds:g} s") from error
            raise
    return Finished(process.returncode, out, errors[-_ERROR_TAIL:].decode("utf-8", "replace"))


@contextlib.contextmanager
def _as_file(content: bytes) -> Iterator[IO[bytes]]:
    """Yield the input as a file: git reads it at its own pace, and no pipe can be full."""
    with scratch() if content else Path(os.devnull).open("r+b") as file:
        file.write(content)
        file.seek(0)
        yield file


def scratch() -> IO[bytes]:
    """Return a private temporary file, in memory if the system can."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("git-input"), "w+b")
    return tempfile.TemporaryFile()


STALL_SECONDS = 60  # How long a transfer may crawl below 1,000 bytes a second
# The user's settings that decide whether a server can be reached. Any other GIT_* variable would
# change what we run: GIT_DIR inside a hook, GIT_TRACE_CURL, which would log the token.
_KEPT_VARIABLES = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_EXEC_PATH",
        "GIT_HTTP_PROXY_AUTHMETHOD",
        "GIT_PROXY_COMMAND",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
        "GIT_SSL_NO_VERIFY",
    }
)
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
    """Return the environment for a git that may use the network.

    A token goes to addresses below `origin` only. Configuration in the environment appears in no
    process list, file or log.
    """
    settings = [("http.lowSpeedLimit", "1000"), ("http.lowSpeedTime", str(stall))]
    if token:
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
        header = f"http.{origin.rstrip('/')}/.extraHeader"
        # The empty value resets the user's header; servers refuse two Authorization headers.
        settings += [
            (header, ""),
            (header, f"Authorization: Basic {secret}"),
            ("http.followRedirects", "false"),
        ]
    variables: dict[str, str] = {}
    for name, value in environ.items():
        if not name.startswith("GIT_") or name in _KEPT_VARIABLES:
            variables[name] = value
    variables |= QUIET
    variables["GIT_CONFIG_COUNT"] = str(len(settings))
    for number, (key, value) in enumerate(settings):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    variables["GIT_ASKPASS"] = ""
    variables["GIT_ALLOW_PROTOCOL"] = "file:git:http:https:ssh"
    return variables


def failure(finished: Finished, request: str, *, token: str | None = None) -> UpstreamError:
    """Return the error that a failed exchange with the server means, in one line, without the token."""
    reason = finished.reason.replace(token, "***") if token else finished.reason
    if _ABSENT.search(finished.err):
        advice = "check the name, or set a token if it is private"
        return NotFound(f"{request}: the server has no such repository; {advice}")
    if _SECRET_WANTED.search(finished.err):
        if token:
            return UpstreamError(f"{request}: the server refuses the token", retryable=False)
        return NotFound(f"{request}: not found; check the name, or set a token if it is private")
    if token and "returned error: 403" in finished.err:
        return UpstreamError(f"{request}: the token does not give access", retryable=False)
    if token and _MOVED.search(finished.err):
        return Moved(f"{request}: the repository has moved; use its new name", retryable=False)
    return UpstreamError(f"{request}: {reason}", retryable=not _HOPELESS.search(finished.err))


async def patiently(
    call: Callable[[], Awaitable[Result]], *, attempts: int = 3, pause: float = 1.0
) -> Result:
    """Call until there is a result, with growing pauses, as long as the errors are retryable."""
    retrying = AsyncRetrying(
        retry=retry_if_exception(
            lambda error: isinstance(error, UpstreamError) and error.retryable
        ),
        stop=stop_after_attempt(attempts),
        wait=wait_random_exponential(multiplier=pause, max=30 * pause),
        reraise=True,
    )
    # Tenacity would not see that a lambda which returns a coroutine is async.
    async for attempt in retrying:
        with attempt:
            return await call()
    raise AssertionError("tenacity ends with a result or an error")
