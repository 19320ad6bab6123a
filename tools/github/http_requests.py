"""Single HTTP requests: delayed by limits, bounded in time and size, retried where that helps."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from agent.domain.errors import NotFound, RateLimited, UpstreamError
from tools.github.rate_limits import Limits, retry_after
from tools.github.server_address import Address

T = TypeVar("T")

_MEGABYTE = 2**20
_MISSING = (httpx.codes.NOT_FOUND, httpx.codes.GONE, httpx.codes.UNAVAILABLE_FOR_LEGAL_REASONS)
_LIMITING = (httpx.codes.FORBIDDEN, httpx.codes.TOO_MANY_REQUESTS)
_MAX_DOUBLINGS = 20
_MAX_MESSAGE_CHARACTERS = 200


@dataclass(frozen=True, kw_only=True)
class RequestPolicy:
    """The politeness and patience of a client."""

    concurrency: int = 4
    """GitHub asks for serial requests and allows 100 at a time. A few make a day of diffs bearable;
    after the first secondary limit the client goes on with one at a time."""
    attempts: int = 5  # How often one request may meet a fault, and how often a limit
    request_seconds: float = 60.0
    """For a whole request: it cuts off a server that sends slowly for ever, as no read timeout does."""
    read_seconds: float = 20.0
    max_wait: float = 180.0  # The longest single wait for a limit
    run_seconds: float = 1800.0  # No wait may end later than this after the client was made
    max_bytes: int = 64 * _MEGABYTE
    first_pause: float = 1.0
    longest_pause: float = 30.0
    admit: Callable[[], Awaitable[None]] | None = None
    """Waits until a limit that is shared with other machines allows one request."""


@dataclass
class ApiUsage:
    """The requests of a client; the run shows them at the end."""

    sent: int = 0
    free: int = 0  # Answers that cost nothing of the limit: 304 to a client with a token
    retried: int = 0
    waited: float = 0.0
    remembered: int = 0  # Questions that were not asked, because the stored answer still holds


@dataclass(frozen=True)
class ApiRequest:
    """A request without its token, which is added when it is sent and is in no repr."""

    method: str
    url: str
    resource: str = "core"
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes | None = None

    def __str__(self) -> str:
        url = httpx.URL(self.url)
        return f"{self.method} {url.netloc.decode('ascii')}{url.path}"


@dataclass(frozen=True)
class RawAnswer:
    """A complete response as it came."""

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
        policy: RequestPolicy,
        usage: ApiUsage,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        jitter: Callable[[], float],
    ) -> None:
        self._address = address
        self._http = http
        self._authorization = authorization
        self._policy = policy
        self._usage = usage
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._deadline = clock() + policy.run_seconds
        self._slots = asyncio.Semaphore(policy.concurrency)
        # Held by each request after a secondary limit: from then on they go one at a time.
        self._serial = asyncio.Lock()
        self.limits = Limits(clock)

    async def send(self, request: ApiRequest, read: Callable[[RawAnswer], T]) -> T:
        """Send until `read` accepts an answer, or raise an error that says why there is none."""
        retrying = AsyncRetrying(
            retry=retry_if_exception(self._may_get_better),
            stop=_Patience(self._policy.attempts),
            wait=self._pause,
            sleep=self._wait,
            before_sleep=self._count_retry,
            reraise=True,
        )
        return await retrying(self._attempt, request, read)

    async def send_once(self, request: ApiRequest, read: Callable[[RawAnswer], T]) -> T:
        """Send a request that must not be carried out twice, such as one that creates something."""
        return await self._attempt(request, read)

    async def _attempt(self, request: ApiRequest, read: Callable[[RawAnswer], T]) -> T:
        async with self._slots:
            if self.limits.secondary_seen:
                async with self._serial:
                    raw = await self._exchange(request)
            else:
                raw = await self._exchange(request)
        self._check_status(request, raw)
        answer = read(raw)
        self.limits.succeeded()
        return answer

    async def _exchange(self, request: ApiRequest) -> RawAnswer:
        await self._wait_for_limits(request.resource)
        self._usage.sent += 1
        try:
            async with asyncio.timeout(self._policy.request_seconds):
                raw = await self._stream(request)
        except TimeoutError as error:
            message = f"{request}: no whole answer within {self._policy.request_seconds:g} s"
            raise UpstreamError(message, retryable=True) from error
        except httpx.RequestError as error:
            message = f"{request}: {type(error).__name__} {error}".strip()
            raise UpstreamError(message, retryable=True) from error
        self.limits.note(request.resource, raw.headers)
        return raw

    async def _wait_for_limits(self, resource: str) -> None:
        # Another request may be refused meanwhile, which makes the wait longer.
        while (seconds := self.limits.wait(resource)) > 0:
            if not self._bearable(seconds):
                raise RateLimited(self._limit_message(seconds), retry_after=seconds)
            await self._wait(seconds)
        if self._policy.admit is not None:
            await self._policy.admit()

    async def _stream(self, request: ApiRequest) -> RawAnswer:
        """Send the request with the token; raise UpstreamError if the answer is too large."""
        headers = dict(request.headers)
        if self._authorization is not None:
            headers["Authorization"] = self._authorization
        stream = self._http().stream(
            request.method, request.url, headers=headers, content=request.content
        )
        body = bytearray()
        async with stream as response:
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > self._policy.max_bytes:
                    size = self._policy.max_bytes / _MEGABYTE
                    message = f"{request}: the answer is larger than {size:g} MB"
                    raise UpstreamError(message, retryable=False)
            return RawAnswer(response.status_code, response.headers, bytes(body))

    def _check_status(self, request: ApiRequest, raw: RawAnswer) -> None:
        """Raise for every status that is no answer; redirects and 304 are answers."""
        if raw.status < httpx.codes.BAD_REQUEST:
            return
        message = _error_message(raw.body)
        problem = f"{request}: HTTP {raw.status}"
        if raw.status in _LIMITING:
            self.check_limit(request.resource, raw.status, raw.headers, message)
        if raw.status >= httpx.codes.INTERNAL_SERVER_ERROR:
            wait = retry_after(raw.headers, self._clock())
            raise UpstreamError(problem, retryable=True, retry_after=wait)
        if raw.status in _MISSING:
            raise NotFound(f"{problem} {message}".strip())
        if raw.status == httpx.codes.UNAUTHORIZED:
            advice = "check GITHUB_TOKEN" if self._authorization else "set GITHUB_TOKEN"
            refusal = f"{self._address.host} refused the credentials"
            raise RequestRefused(f"{refusal} ({problem} {message}); {advice}", status=raw.status)
        raise RequestRefused(f"{problem} {message}".strip(), status=raw.status)

    def check_limit(self, resource: str, status: int, headers: httpx.Headers, message: str) -> None:
        """Raise RateLimited if this refusal is about limits."""
        wait = self.limits.refused(resource, status, headers, message)
        if wait is not None:
            raise RateLimited(self._limit_message(wait), retry_after=wait)

    def _limit_message(self, seconds: float) -> str:
        hint = "" if self._authorization else "; a token in GITHUB_TOKEN raises the limit"
        return f"{self._address.host} limits requests and asks to wait {math.ceil(seconds)} s{hint}"

    def _bearable(self, seconds: float) -> bool:
        return seconds <= self._policy.max_wait and self._clock() + seconds <= self._deadline

    def _may_get_better(self, error: BaseException) -> bool:
        if not isinstance(error, UpstreamError) or not error.retryable:
            return False
        return self._bearable(error.retry_after or 0.0)

    def _pause(self, state: RetryCallState) -> float:
        """Return the pause before the next attempt; after a limit the exchange itself waits."""
        error = _error_of(state)
        if isinstance(error, RateLimited):
            return 0.0
        if isinstance(error, UpstreamError) and error.retry_after is not None:
            return error.retry_after
        doublings = min(state.attempt_number - 1, _MAX_DOUBLINGS)
        pause = min(self._policy.first_pause * 2.0**doublings, self._policy.longest_pause)
        return pause * (0.5 + self._jitter() / 2)

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self._usage.waited += seconds
            await self._sleep(seconds)

    def _count_retry(self, _: RetryCallState) -> None:
        self._usage.retried += 1


class _Patience:
    """Stops the attempts of one request; faults and limits are counted apart."""

    def __init__(self, attempts: int) -> None:
        self._faults_left = attempts
        self._limits_left = attempts

    def __call__(self, state: RetryCallState) -> bool:
        if isinstance(_error_of(state), RateLimited):
            self._limits_left -= 1
            return self._limits_left <= 0
        self._faults_left -= 1
        return self._faults_left <= 0


def _error_of(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _error_message(body: bytes) -> str:
    """Return GitHub's own words from an error body; an HTML page has none worth showing."""
    try:
        message = _ErrorBody.model_validate_json(body).message
    except ValidationError:
        return ""
    printable = [char if char.isprintable() else " " for char in message[:_MAX_MESSAGE_CHARACTERS]]
    return "".join(printable).strip()
