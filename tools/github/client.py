"""A polite client of GitHub's REST and GraphQL interfaces: paging by Link, conditional requests, limits, no leaks."""

import asyncio
import hashlib
import json
import logging
import random
import re
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Protocol, Self, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from agent.domain.base import ConfigError, NotFound, UpstreamError
from tools.github.address import GITHUB, Address, trust
from tools.github.limits import RequestUsage
from tools.github.shapes import GraphAnswer
from tools.github.wire import Ask, Manners, Raw, Wire

T = TypeVar("T")
A = TypeVar("A", bound=GraphAnswer)
Params = Mapping[str, str | int]

JSON = "application/vnd.github+json"
_VERSION = "2022-11-28"
_REDIRECTS = (301, 302, 307, 308)
_MAX_REDIRECTS = 5
_NEXT = re.compile(r'<([^<>]{1,4000})>\s*;[^,<]{0,200}?\brel="?next\b', re.IGNORECASE)


class HttpCache(Protocol):
    """Keeps bytes under a key; the client decides what they mean, so a store needs no knowledge of HTTP."""

    def get(self, key: str) -> bytes | None:
        """Find what was put last under this key."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Keep this under the key, in place of what was there."""
        ...


class TransientCache:
    """Remembers for the life of the process only."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """Find what was put last under this key."""
        return self._values.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep this under the key, in place of what was there."""
        self._values[key] = value


class _Head(TypedDict):
    etag: str
    url: str
    next: str | None


_HEAD = TypeAdapter(_Head)


@dataclass(frozen=True)
class StoredAnswer:
    """A body with the mark under which GitHub knows it, the address that gave it and the page after it."""

    etag: str
    url: str
    next: str | None
    body: bytes

    def encode(self) -> bytes:
        """Write one line of JSON, then the body, compressed: diffs are kept for weeks and shrink fivefold."""
        head = {"etag": self.etag, "url": self.url, "next": self.next}
        return json.dumps(head).encode() + b"\n" + zlib.compress(self.body, 1)

    @classmethod
    def decode(cls, value: bytes | None) -> Self | None:
        """Read what `encode` wrote; None for nothing and for anything else."""
        if value is None:
            return None
        head, _, body = value.partition(b"\n")
        try:
            known = _HEAD.validate_json(head)
            return cls(known["etag"], known["url"], known["next"], zlib.decompress(body))
        except (ValidationError, zlib.error):
            return None


def identity(token: str | None) -> str:
    """Tell tokens apart without keeping them: what one may see is never served to another."""
    return hashlib.sha256(token.encode()).hexdigest()[:16] if token else "anonymous"


@dataclass(frozen=True)
class Page(Generic[T]):
    """One answer, parsed; `moved` says that GitHub redirected us to get it."""

    value: T
    url: str
    next: str | None
    moved: bool = False


class GitHubClient:
    """Asks one GitHub; made once per run and shared by all its sources."""

    def __init__(
        self,
        *,
        base_url: str = GITHUB,
        token: str | None = None,
        cache: HttpCache | None = None,
        manners: Manners | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if token is not None and not re.fullmatch(r"[\x21-\x7e]{1,1000}", token):
            raise ConfigError("GITHUB_TOKEN is empty or has characters that no token has")
        # At debug level HTTP/2's header coder writes whole encoded headers to the log, and with them the token.
        logging.getLogger("hpack").setLevel(logging.INFO)
        manners = manners or Manners()
        self.address = Address.parse(base_url)
        self.has_token = token is not None
        self.usage = RequestUsage()
        self._cache: HttpCache = cache or TransientCache()
        self._identity, self._clock = identity(token), clock
        self._manners = manners
        self._wire = Wire(
            self.address,
            lambda: self._http,
            authorization=f"Bearer {token}" if token else None,
            manners=manners,
            spent=self.usage,
            clock=clock,
            sleep=sleep,
            jitter=jitter,
        )

    @cached_property
    def _http(self) -> httpx.AsyncClient:
        """The connections; a run on mirrors alone never needs them, nor the certificates, which take long to load."""
        return httpx.AsyncClient(
            http2=True,
            timeout=httpx.Timeout(self._manners.read_seconds),
            limits=httpx.Limits(max_connections=self._manners.concurrency),
            headers={"User-Agent": "gitzette", "X-GitHub-Api-Version": _VERSION},
            trust_env=not self.address.is_loopback,
            verify=trust(self.address.base),
        )

    def __repr__(self) -> str:
        return (
            f"GitHubClient({self.address.base!r}, {'with' if self.has_token else 'without'} token)"
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, if there are any."""
        if "_http" in vars(self):
            await self._http.aclose()

    def remaining(self) -> int | None:
        """Say how many REST requests the primary limit leaves; None before the first answer."""
        return self._wire.limits.remaining("core")

    async def get(self, path: str, shape: TypeAdapter[T], params: Params | None = None) -> Page[T]:
        """Ask for one page and parse it."""
        return await self._get(self.address.url(path, params or {}), JSON, _json(path, shape))

    async def pages(
        self, path: str, shape: TypeAdapter[T], params: Params | None = None
    ) -> AsyncIterator[Page[T]]:
        """Follow `Link: rel="next"` from page to page; the caller stops when it has enough."""
        page = await self.get(path, shape, params)
        seen = {page.url}
        yield page
        while page.next is not None:
            if page.next in seen:
                raise UpstreamError(
                    f"{self.address.host} sent pages that lead back to themselves", retryable=False
                )
            seen.add(page.next)
            page = await self._get(page.next, JSON, _json(path, shape))
            yield page

    async def text(self, path: str, accept: str, params: Params | None = None) -> bytes:
        """Ask for a representation that is not JSON: a raw diff, a bare hash, a file."""
        return (await self._get(self.address.url(path, params or {}), accept, bytes)).value

    async def graphql(
        self, query: str, variables: Mapping[str, str], shape: type[A], *, stamp: str | None
    ) -> A:
        """Ask by GraphQL, once for the same question and stamp.

        A POST is never answered with 304, so the caller says what the answer depends on: `stamp` is made of the
        `updated_at` of the threads that a conditional (free) REST request shows. Unchanged threads mean an unchanged
        stamp, and the stored answer is taken without a request; any change asks again. Without a stamp nothing
        is stored.
        """
        content = json.dumps(
            {"query": query, "variables": dict(variables)}, sort_keys=True
        ).encode()
        digest = hashlib.sha256(content + b"\0" + (stamp or "").encode()).hexdigest()
        key = f"POST {self.address.graphql} {digest} {self._identity}"
        if stamp is not None and (stored := self._cache.get(key)) is not None:
            self.usage.remembered += 1
            return _json("/graphql", TypeAdapter(shape))(stored)
        ask = Ask(
            "POST", self.address.graphql, "graphql", {"Content-Type": "application/json"}, content
        )
        answer, body = await self._wire.send(
            ask, lambda raw: (self._graph_answer(ask, raw, shape), raw.body)
        )
        if stamp is not None and not answer.unanswered:
            self._cache.put(key, body)
        return answer

    def _graph_answer(self, ask: Ask, raw: Raw, shape: type[A]) -> A:
        """Parse an answer; limits and failures come with status 200 here."""
        answer = _json("/graphql", TypeAdapter(shape))(raw.body)
        errors = answer.errors or ()
        for error in errors:
            if error.is_limit:
                self._wire.check_limit(
                    ask.resource, httpx.codes.TOO_MANY_REQUESTS, raw.headers, error.message
                )
        if answer.has_data:
            return answer
        said = "; ".join(error.message for error in errors)[:200]
        if errors and all(error.is_final for error in errors):
            raise NotFound(f"{ask}: {said}")
        wrong = any(error.code for error in errors)
        raise UpstreamError(f"{ask}: no data {said}".rstrip(), retryable=not wrong)

    async def _get(self, url: str, accept: str, parse: Callable[[bytes], T]) -> Page[T]:
        current = url
        for _ in range(_MAX_REDIRECTS):
            outcome = await self._fetch(current, accept, parse)
            if isinstance(outcome, Page):
                return replace(outcome, moved=current != url)
            current = outcome
        raise UpstreamError(f"{self.address.host} redirects in circles", retryable=False)

    async def _fetch(self, url: str, accept: str, parse: Callable[[bytes], T]) -> Page[T] | str:
        """Ask one address, conditionally if its answer is stored; a string is where GitHub sends us instead."""
        key = f"GET {url} {accept} {self._identity}"
        stored = StoredAnswer.decode(self._cache.get(key))
        ask = Ask(
            "GET",
            url,
            headers={"Accept": accept} | ({"If-None-Match": stored.etag} if stored else {}),
        )

        def read(raw: Raw) -> Page[T] | str:
            if raw.status in _REDIRECTS:
                return self.address.join(url, raw.headers.get("location", ""), "redirect")
            if raw.status == httpx.codes.NOT_MODIFIED and stored is not None:
                # Only a client with a token gets them free of the limit.
                self.usage.free += self.has_token
                return Page(parse(stored.body), url, stored.next)
            if raw.status != httpx.codes.OK:
                raise UpstreamError(f"{ask}: unexpected HTTP {raw.status}", retryable=False)
            page = Page(parse(raw.body), url, self._next(url, raw))
            if etag := raw.headers.get("etag"):
                self._cache.put(key, StoredAnswer(etag, url, page.next, raw.body).encode())
            return page

        return await self._wire.send(ask, read)

    def _next(self, url: str, raw: Raw) -> str | None:
        match = _NEXT.search(raw.headers.get("link", ""))
        return self.address.join(url, match[1], "link to the next page") if match else None


def _json(path: str, shape: TypeAdapter[T]) -> Callable[[bytes], T]:
    """Make a reader that tells a damaged answer, which may be whole next time, from one of another shape."""

    def read(body: bytes) -> T:
        try:
            return shape.validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if first["type"] == "json_invalid":
                raise UpstreamError(f"{path}: the answer is not JSON", retryable=True) from error
            where = ".".join(str(part) for part in first["loc"])[:100]
            raise UpstreamError(
                f"{path}: unexpected answer at {where!r}: {first['msg']}", retryable=False
            ) from error

    return read
