"""A client of GitHub's REST and GraphQL APIs: paging, conditional requests, limits, no leaks."""

import asyncio
import hashlib
import json
import logging
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Literal, Self, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from agent.domain.errors import ConfigError, NotFound, UpstreamError
from tools.github.http_cache import AnswerCache, StoredAnswer, TransientCache, token_identity
from tools.github.http_requests import ApiRequest, ApiUsage, RawAnswer, RequestPolicy, Wire
from tools.github.rest_shapes import GraphAnswer
from tools.github.server_address import GITHUB, Address, trust
from tools.token_addresses import check_encrypted

T = TypeVar("T")
A = TypeVar("A", bound=GraphAnswer)
Params = Mapping[str, str | int]

JSON = "application/vnd.github+json"
_API_VERSION = "2022-11-28"
_REDIRECTS = (301, 302, 307, 308)
_MAX_REDIRECTS = 5
_MAX_ERROR_CHARACTERS = 200
_MAX_LOCATION_CHARACTERS = 100
_TOKEN = re.compile(r"[\x21-\x7e]{1,1000}")
_NEXT_PAGE = re.compile(r'<([^<>]{1,4000})>\s*;[^,<]{0,200}?\brel="?next\b', re.IGNORECASE)


@dataclass(frozen=True)
class Page(Generic[T]):
    """A parsed answer; `moved` says that GitHub redirected us to get it."""

    value: T
    url: str
    next: str | None
    moved: bool = False


class GitHubClient:
    """A client of one GitHub, made once per run and shared by all its sources."""

    def __init__(
        self,
        *,
        base_url: str = GITHUB,
        token: str | None = None,
        cache: AnswerCache | None = None,
        policy: RequestPolicy | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if token is not None and not _TOKEN.fullmatch(token):
            raise ConfigError("GITHUB_TOKEN is empty or has characters that no token has")
        # At debug level the header coder of HTTP/2 logs whole encoded headers, and so the token.
        logging.getLogger("hpack").setLevel(logging.INFO)
        self.address = Address.parse(base_url)
        if token is not None:
            check_encrypted(self.address.base, "github_url")
        self.has_token = token is not None
        self.usage = ApiUsage()
        self._cache: AnswerCache = cache or TransientCache()
        self._identity = token_identity(token)
        self._policy = policy or RequestPolicy()
        self._wire = Wire(
            self.address,
            lambda: self._http,
            authorization=f"Bearer {token}" if token else None,
            policy=self._policy,
            usage=self.usage,
            clock=clock,
            sleep=sleep,
            jitter=jitter,
        )

    @cached_property
    def _http(self) -> httpx.AsyncClient:
        """The connections, made when first needed: loading certificates is slow, mirrors need none."""
        return httpx.AsyncClient(
            http2=True,
            timeout=httpx.Timeout(self._policy.read_seconds),
            limits=httpx.Limits(max_connections=self._policy.concurrency),
            headers={"User-Agent": "gitzette", "X-GitHub-Api-Version": _API_VERSION},
            trust_env=not self.address.is_loopback,
            verify=trust(self.address.base),
        )

    def __repr__(self) -> str:
        token = "with token" if self.has_token else "without token"
        return f"GitHubClient({self.address.base!r}, {token})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, if there are any."""
        if "_http" in vars(self):
            await self._http.aclose()

    def remaining(self) -> int | None:
        """Return how many REST requests the primary limit leaves, or None before the first answer."""
        return self._wire.limits.remaining("core")

    async def get(self, path: str, shape: TypeAdapter[T], params: Params | None = None) -> Page[T]:
        """Fetch one page of JSON and parse it."""
        url = self.address.url(path, params or {})
        return await self._get(url, JSON, _json_parser(path, shape))

    async def pages(
        self, path: str, shape: TypeAdapter[T], params: Params | None = None
    ) -> AsyncIterator[Page[T]]:
        """Yield page after page along `Link: rel="next"`; the caller stops when it has enough."""
        page = await self.get(path, shape, params)
        visited = {page.url}
        yield page
        while page.next is not None:
            if page.next in visited:
                message = f"{self.address.host} sent pages that lead back to themselves"
                raise UpstreamError(message, retryable=False)
            visited.add(page.next)
            page = await self._get(page.next, JSON, _json_parser(path, shape))
            yield page

    async def text(self, path: str, accept: str, params: Params | None = None) -> bytes:
        """Fetch a representation that is not JSON: a raw diff, a bare hash, a file."""
        page = await self._get(self.address.url(path, params or {}), accept, bytes)
        return page.value

    async def write(
        self,
        method: Literal["POST", "PATCH"],
        path: str,
        body: Mapping[str, str],
        shape: TypeAdapter[T],
    ) -> T:
        """Create or change something and parse the answer.

        A POST is sent once: whether one that failed was carried out, nobody knows.
        """
        headers = {"Accept": JSON, "Content-Type": "application/json"}
        content = json.dumps(dict(body)).encode()
        url = self.address.url(path, {})
        request = ApiRequest(method, url, headers=headers, content=content)
        parse = _json_parser(path, shape)

        def read(raw: RawAnswer) -> T:
            if raw.status not in (httpx.codes.OK, httpx.codes.CREATED):
                raise UpstreamError(f"{request}: unexpected HTTP {raw.status}", retryable=False)
            return parse(raw.body)

        if method == "POST":
            return await self._wire.send_once(request, read)
        return await self._wire.send(request, read)

    async def graphql(
        self, query: str, variables: Mapping[str, str], shape: type[A], *, stamp: str | None
    ) -> A:
        """Ask by GraphQL, once for the same question and stamp.

        A POST is never answered with 304, so the caller says what the answer depends on: `stamp` is
        made of the `updated_at` of the threads that a conditional (free) REST request shows. While
        the stamp is the same, the stored answer is used without a request. Without a stamp nothing
        is stored.
        """
        question = {"query": query, "variables": dict(variables)}
        content = json.dumps(question, sort_keys=True).encode()
        digest = hashlib.sha256(content + b"\0" + (stamp or "").encode()).hexdigest()
        key = f"POST {self.address.graphql} {digest} {self._identity}"
        stored = self._cache.get(key) if stamp is not None else None
        if stored is not None:
            self.usage.remembered += 1
            return _json_parser("/graphql", TypeAdapter(shape))(stored)
        headers = {"Content-Type": "application/json"}
        request = ApiRequest("POST", self.address.graphql, "graphql", headers, content)

        def read(raw: RawAnswer) -> tuple[A, bytes]:
            return self._graph_answer(request, raw, shape), raw.body

        answer, body = await self._wire.send(request, read)
        if stamp is not None and not answer.unanswered:
            self._cache.put(key, body)
        return answer

    def _graph_answer(self, request: ApiRequest, raw: RawAnswer, shape: type[A]) -> A:
        """Return the parsed answer; raise for limits and failures, which come with status 200 here."""
        answer = _json_parser("/graphql", TypeAdapter(shape))(raw.body)
        errors = answer.errors or ()
        for error in errors:
            if error.is_limit:
                status = httpx.codes.TOO_MANY_REQUESTS
                self._wire.check_limit(request.resource, status, raw.headers, error.message)
        if answer.has_data:
            return answer
        messages = "; ".join(error.message for error in errors)[:_MAX_ERROR_CHARACTERS]
        if errors and all(error.is_final for error in errors):
            raise NotFound(f"{request}: {messages}")
        is_our_mistake = any(error.code for error in errors)
        problem = f"{request}: no data {messages}".rstrip()
        raise UpstreamError(problem, retryable=not is_our_mistake)

    async def _get(self, url: str, accept: str, parse: Callable[[bytes], T]) -> Page[T]:
        current = url
        for _ in range(_MAX_REDIRECTS):
            answer = await self._fetch(current, accept, parse)
            if isinstance(answer, Page):
                return replace(answer, moved=current != url)
            current = answer
        raise UpstreamError(f"{self.address.host} redirects in circles", retryable=False)

    async def _fetch(self, url: str, accept: str, parse: Callable[[bytes], T]) -> Page[T] | str:
        """Fetch one address, conditionally if its answer is stored.

        Return the page, or the address that GitHub redirects to.
        """
        key = f"GET {url} {accept} {self._identity}"
        stored = StoredAnswer.decode(self._cache.get(key))
        headers = {"Accept": accept}
        if stored is not None:
            headers["If-None-Match"] = stored.etag
        request = ApiRequest("GET", url, headers=headers)

        def read(raw: RawAnswer) -> Page[T] | str:
            if raw.status in _REDIRECTS:
                return self.address.join(url, raw.headers.get("location", ""), "redirect")
            if raw.status == httpx.codes.NOT_MODIFIED and stored is not None:
                # Only a client with a token gets them free of the limit.
                self.usage.free += self.has_token
                return Page(parse(stored.body), url, stored.next)
            if raw.status != httpx.codes.OK:
                raise UpstreamError(f"{request}: unexpected HTTP {raw.status}", retryable=False)
            page = Page(parse(raw.body), url, self._next_url(url, raw))
            etag = raw.headers.get("etag")
            if etag:
                self._cache.put(key, StoredAnswer(etag, url, page.next, raw.body).encode())
            return page

        return await self._wire.send(request, read)

    def _next_url(self, url: str, raw: RawAnswer) -> str | None:
        match = _NEXT_PAGE.search(raw.headers.get("link", ""))
        if match is None:
            return None
        return self.address.join(url, match[1], "link to the next page")


def _json_parser(path: str, shape: TypeAdapter[T]) -> Callable[[bytes], T]:
    """Return a parser of JSON that separates a damaged answer from one of another shape.

    A damaged answer may be complete next time, so its error is retryable.
    """

    def parse(body: bytes) -> T:
        try:
            return shape.validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if first["type"] == "json_invalid":
                raise UpstreamError(f"{path}: the answer is not JSON", retryable=True) from error
            location = ".".join(str(part) for part in first["loc"])[:_MAX_LOCATION_CHARACTERS]
            message = f"{path}: unexpected answer at {location!r}: {first['msg']}"
            raise UpstreamError(message, retryable=False) from error

    return parse
