"""One request over HTTP: held back by the limits, bounded in time and size, sent again only where that can help."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from agent.domain.base import NotFound, RateLimited, UpstreamError
from tools.github.address import Address
from tools.github.limits import Limits, RequestUsage, retry_after

T = TypeVar("T")

_MEGABYTE = 2**20
_MISSING = (httpx.codes.NOT_FOUND, httpx.codes.GONE, httpx.codes.UNAVAILABLE_FOR_LEGAL_REASONS)
_LIMITING = (httpx.codes.FORBIDDEN, httpx.codes.TOO_MANY_REQUESTS)


@dataclass(frozen=True, kw_only=True)
class Manners:
    """How polite and how patient the client is."""

    concurrency: int = 4
    """GitHub asks for serial requests and allows 100 at a time. A few make a day of diffs bearable; after the first
    secondary limit the client goes on with one at a time."""
    attempts: int = 5  # How often one request may meet a fault, and how often a limit
    request_seconds: float = 60.0
    """For the whole of a request: a server that dribbles for ever is cut off, which no read timeout does."""
    read_seconds: float = 20.0
    max_wait: float = 180.0  # The longest single wait for a limit
    run_seconds: float = 1800.0  # No wait may end later than this after the client was made
    max_bytes: int = 64 * _MEGABYTE
    first_pause: float = 1.0
    longest_pause: float = 30.0
    admit: Callable[[], Awaitable[None]] | None = None
    """Waits until a limit that is shared with other machines allows one request."""


@dataclass(frozen=True)
class Ask:
    """What is sent; the token is added at the last moment and is in nobody's repr."""

    method: str
    url: str
    resource: str = "core"
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes | None = None

    def __str__(self) -> str:
        return f"{self.method} {httpx.URL(self.url).path}"


@dataclass(frozen=True)
class Raw:
    """A whole answer as it came."""

    status: int
    headers: httpx.Headers
    body: bytes


class _ErrorBody(BaseModel):
    message: str


class RequestRefused(UpstreamError):
    """GitHub understood and said no (400, 401, 403, 409, 422): asking again will not help."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message, retryable=False)
        self.status = status


class Wire:
    """Sends requests to one GitHub."""

    def __init__(
        self,
        address: Address,
        http: Callable[[], httpx.AsyncClient],
        *,
        authorization: str | None,
        manners: Manners,
        spent: RequestUsage,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        jitter: Callable[[], float],
    ) -> None:
        self._address, self._http, self._authorization = address, http, authorization
        self._manners, self._clock, self._sleep, self._jitter = manners, clock, sleep, jitter
        self._deadline = clock() + manners.run_seconds
        self._slots = asyncio.Semaphore(manners.concurrency)
        self._alone = asyncio.Lock()
        self._spent = spent
        self.limits = Limits(clock)

    async def send(self, ask: Ask, read: Callable[[Raw], T]) -> T:
        """Send until there is an answer that `read` can read, or give up with an error that says why."""
        retrying = AsyncRetrying(
            retry=retry_if_exception(self._may_get_better),
            stop=_Patience(self._manners.attempts),
            wait=self._pause,
            sleep=self._wait,
            before_sleep=self._count_retry,
            reraise=True,
        )
        return await retrying(self._once, ask, read)

    async def _once(self, ask: Ask, read: Callable[[Raw], T]) -> T:
        async with self._slots:
            if self.limits.secondary_seen:
                async with self._alone:
                    raw = await self._exchange(ask)
            else:
                raw = await self._exchange(ask)
        self._judge(ask, raw)
        answer = read(raw)
        self.limits.succeeded()
        return answer

    async def _exchange(self, ask: Ask) -> Raw:
        if (seconds := self.limits.wait(ask.resource)) > 0:
            if not self._bearable(seconds):
                raise RateLimited(self._limit_message(seconds), retry_after=seconds)
            await self._wait(seconds)
        if self._manners.admit is not None:
            await self._manners.admit()
        self._spent.sent += 1
        headers = dict(ask.headers)
        if self._authorization is not None:
            headers["Authorization"] = self._authorization
        try:
            async with asyncio.timeout(self._manners.request_seconds):
                async with self._http().stream(
                    ask.method, ask.url, headers=headers, content=ask.content
                ) as response:
                    raw = Raw(
                        response.status_code, response.headers, await self._body(ask, response)
                    )
        except TimeoutError as error:
            message = f"{ask}: no whole answer within {self._manners.request_seconds:g} s"
            raise UpstreamError(message, retryable=True) from error
        except httpx.RequestError as error:
            raise UpstreamError(
                f"{ask}: {type(error).__name__} {error}".strip(), retryable=True
            ) from error
        self.limits.note(ask.resource, raw.headers)
        return raw

    async def _body(self, ask: Ask, response: httpx.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self._manners.max_bytes:
                size = self._manners.max_bytes / _MEGABYTE
                raise UpstreamError(
                    f"{ask}: the answer is larger than {size:g} MB", retryable=False
                )
        return bytes(body)

    def _judge(self, ask: Ask, raw: Raw) -> None:
        """Raise for every status that is no answer; redirects and 304 are answers."""
        if raw.status < httpx.codes.BAD_REQUEST:
            return
        said, where = _message(raw.body), f"{ask}: HTTP {raw.status}"
        if raw.status in _LIMITING:
            self.check_limit(ask.resource, raw.status, raw.headers, said)
        if raw.status >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise UpstreamError(
                where, retryable=True, retry_after=retry_after(raw.headers, self._clock())
            )
        if raw.status in _MISSING:
            raise NotFound(f"{where} {said}".strip())
        if raw.status == httpx.codes.UNAUTHORIZED:
            advice = "check GITHUB_TOKEN" if self._authorization else "set GITHUB_TOKEN"
            raise RequestRefused(
                f"{self._address.host} refused the credentials ({where} {said}); {advice}",
                status=raw.status,
            )
        raise RequestRefused(f"{where} {said}".strip(), status=raw.status)

    def check_limit(self, resource: str, status: int, headers: httpx.Headers, said: str) -> None:
        """Raise RateLimited when this refusal is about limits."""
        wait = self.limits.refused(resource, status, headers, said)
        if wait is not None:
            raise RateLimited(self._limit_message(wait), retry_after=wait)

    def _limit_message(self, seconds: float) -> str:
        hint = "" if self._authorization else "; a token in GITHUB_TOKEN raises the limit"
        return f"{self._address.host} limits requests and asks to wait {math.ceil(seconds)} s{hint}"

    def _bearable(self, seconds: float) -> bool:
        return seconds <= self._manners.max_wait and self._clock() + seconds <= self._deadline

    def _may_get_better(self, error: BaseException) -> bool:
        if not isinstance(error, UpstreamError) or not error.retryable:
            return False
        return self._bearable(error.retry_after or 0.0)

    def _pause(self, state: RetryCallState) -> float:
        """Back off after a fault; after a limit the next exchange is held back anyway."""
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, RateLimited):
            return 0.0
        if isinstance(error, UpstreamError) and error.retry_after is not None:
            return error.retry_after
        pause = min(
            self._manners.first_pause * 2.0 ** min(state.attempt_number - 1, 20),
            self._manners.longest_pause,
        )
        return pause * (0.5 + self._jitter() / 2)

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self._spent.waited += seconds
            await self._sleep(seconds)

    def _count_retry(self, _: RetryCallState) -> None:
        self._spent.retried += 1


class _Patience:
    """Ends the attempts of one request; faults and limits are counted apart, for one says nothing of the other."""

    def __init__(self, attempts: int) -> None:
        self._left = {False: attempts, True: attempts}

    def __call__(self, state: RetryCallState) -> bool:
        limited = isinstance(state.outcome.exception() if state.outcome else None, RateLimited)
        self._left[limited] -= 1
        return self._left[limited] <= 0


def _message(body: bytes) -> str:
    """Take GitHub's own words out of an error body; an HTML page has none worth showing."""
    try:
        said = _ErrorBody.model_validate_json(body).message
    except ValidationError:
        return ""
    return "".join(char if char.isprintable() else " " for char in said[:200]).strip()
