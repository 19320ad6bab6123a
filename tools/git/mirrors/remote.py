"""Talking to a git server: with which environment, how often, what its answers mean, and its default branch."""

import base64
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypeVar

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from agent.domain.base import NotFound, RepoId, UpstreamError
from tools.git.process import QUIET, Finished, run

Result = TypeVar("Result")

STALL_SECONDS = 60
"""How long a transfer may crawl below 1,000 bytes a second."""
# Settings of the user that decide whether a server can be reached; any other GIT_* variable (GIT_DIR inside a hook,
# GIT_TRACE_CURL, which would log the token) would change what we run.
_KEPT = frozenset({
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_HTTP_PROXY_AUTHMETHOD",
    "GIT_PROXY_COMMAND", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
    "GIT_SSL_NO_VERIFY",
})  # fmt: skip
_ABSENT = re.compile(r"returned error: (404|410)|[Rr]epository .*not found|does not appear to be a git repository")
_SECRET_WANTED = re.compile(r"could not read Username|Authentication failed|returned error: 401")
_MOVED = re.compile(r"returned error: 30[1278]|unable to update url base from redirection|redirect")
_HOPELESS = re.compile(r"certificate|[Uu]nsupported protocol|not supported|not allowed|Permission denied|No space left")


class Moved(UpstreamError):
    """The server points to another address, and the token may not be taken there."""


def remote_environment(
    environ: Mapping[str, str], *, token: str | None = None, origin: str = "", stall: int = STALL_SECONDS
) -> dict[str, str]:
    """Build the environment for a git that may use the network; a token goes to addresses below `origin` only.

    Configuration given by environment is seen in no process list, no file and no log.
    """
    settings = [("http.lowSpeedLimit", "1000"), ("http.lowSpeedTime", str(stall))]
    if token:
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
        header = f"http.{origin.rstrip('/')}/.extraHeader"
        # The empty value takes back what the user may have set; two Authorization headers are refused.
        settings += [(header, ""), (header, f"Authorization: Basic {secret}"), ("http.followRedirects", "false")]
    kept = {key: value for key, value in environ.items() if not key.startswith("GIT_") or key in _KEPT}
    numbered = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        numbered |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return kept | QUIET | numbered | {"GIT_ASKPASS": "", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}


def failure(finished: Finished, asked: str, *, token: str | None = None) -> UpstreamError:
    """Say in one line what a failed conversation with the server means, without the token."""
    reason = finished.reason.replace(token, "***") if token else finished.reason
    if _ABSENT.search(finished.err):
        return NotFound(f"{asked}: the server has no such repository; check the name, or set a token if it is private")
    if _SECRET_WANTED.search(finished.err):
        if token:
            return UpstreamError(f"{asked}: the server refuses the token", retryable=False)
        return NotFound(f"{asked}: not found; check the name, or set a token if it is private")
    if token and "returned error: 403" in finished.err:
        return UpstreamError(f"{asked}: the token does not give access", retryable=False)
    if token and _MOVED.search(finished.err):
        return Moved(f"{asked}: the repository has moved; use its new name", retryable=False)
    return UpstreamError(f"{asked}: {reason}", retryable=not _HOPELESS.search(finished.err))


async def patiently(call: Callable[[], Awaitable[Result]], *, attempts: int = 3, pause: float = 1.0) -> Result:
    """Try again what can get better, a little later each time."""
    retrying = AsyncRetrying(
        retry=retry_if_exception(lambda error: isinstance(error, UpstreamError) and error.retryable),
        stop=stop_after_attempt(attempts),
        wait=wait_random_exponential(multiplier=pause, max=30 * pause),
        reraise=True,
    )
    # Tenacity looks at the callable to see whether it is async, and a lambda that returns a coroutine does not look it.
    async for attempt in retrying:
        with attempt:
            return await call()
    raise AssertionError("tenacity ends with a result or an error")


_FALLBACKS = ("main", "master")
_REDIRECTED = re.compile(r"^warning: redirecting to (\S+?)/?$", re.MULTILINE)


@dataclass(frozen=True)
class Server:
    """Where a repository is fetched from, and with what."""

    repo: RepoId
    url: str
    environ: Mapping[str, str]
    token: str | None
    seconds: float
    """After which a single command is given up."""
    named: str | None = None
    """A branch to fetch beside the default one."""
    branch: str | None = None
    """The default branch; None while nobody asked, and for an empty repository."""

    @property
    def branches(self) -> tuple[str, ...]:
        """The branches to fetch, the default one first."""
        return tuple(dict.fromkeys(name for name in (self.branch, self.named) if name))

    async def ask_for_default_branch(self) -> Self:
        """Learn the default branch; where the server names none, what branches there are decides."""
        for line in await self._list("--symref", self.url, "HEAD"):
            if line.startswith("ref: refs/heads/"):
                return replace(self, branch=line.partition("\t")[0].removeprefix("ref: refs/heads/"))
        heads = [line.partition("\trefs/heads/")[2] for line in await self._list("--heads", self.url)]
        return replace(self, branch=next((name for name in (*_FALLBACKS, *heads) if name in heads), None))

    async def ask_for_new_address(self, environ: Mapping[str, str]) -> str:
        """Learn where a repository has moved to, asking without the token; git says so in a warning."""
        told = await replace(self, environ=environ).run(["ls-remote", self.url, "HEAD"])
        found = _REDIRECTED.search(told.err)
        return found[1] if found else ""

    async def run(self, arguments: Sequence[str], *, mirror: Path | None = None) -> Finished:
        """Run a git command that talks to the server."""
        try:
            return await run(arguments, env=self.environ, cwd=mirror, seconds=self.seconds)
        except TimeoutError as error:
            message = f"{self.repo}: git {arguments[0]} was not done after {self.seconds:.0f} s"
            raise UpstreamError(message, retryable=False) from error

    def expect_success(self, told: Finished) -> None:
        """Turn a failed command into the error that says what went wrong."""
        if told.code != 0:
            raise failure(told, self.repo, token=self.token)

    async def _list(self, *arguments: str) -> list[str]:
        """List references of the server; their names may be any bytes."""
        told = await self.run(["ls-remote", *arguments])
        self.expect_success(told)
        return told.out.decode("utf-8", "surrogateescape").splitlines()
