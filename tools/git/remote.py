"""Talking to a git server: with which environment, how often, and what its answers mean."""

import base64
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from agent.errors import NotFound, UpstreamError
from tools.git.process import QUIET, Finished

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
