"""HTTP responses in GitHub's form: JSON, refusals, times, pages with Link headers, and rate limits."""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response

Item = TypeVar("Item")
Json = dict[str, Any]

JSON = "application/json; charset=utf-8"
ANONYMOUS = "anonymous"
EXHAUSTED = "API rate limit exceeded for user ID 1."
_HOUR = 3600
_MAX_PER_PAGE = 100
_MAX_DIGITS = 9


class Refusal(Exception):
    """The request cannot be served; status and message are GitHub's."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """Return the refusal as GitHub's error body."""
        address = "https://docs.github.com/rest"
        body = {"message": self.message, "documentation_url": address, "status": str(self.status)}
        return json_response(body, self.status, self.headers)


def not_found() -> Refusal:
    """Return the refusal of what does not exist or may not be seen; GitHub does not say which."""
    return Refusal(404, "Not Found")


def json_response(
    data: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return JSON; a lone surrogate in hostile text becomes a question mark, not an exception."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, headers, JSON)


def raw_response(body: bytes, kind: str) -> Response:
    """Return a response in one of GitHub's custom media types: `sha`, `diff` or `raw`."""
    return Response(body, media_type=f"application/vnd.github.{kind}; charset=utf-8")


def stamp(moment: datetime | None) -> str | None:
    """Return a time as the API writes it; None stays None."""
    if moment is None:
        return None
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: str) -> datetime:
    """Parse a time from a query; without a zone it is UTC."""
    try:
        # A plus sign in a query that was not escaped arrives as a space.
        moment = datetime.fromisoformat(text.strip().replace(" ", "+"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Refusal(422, "Validation Failed") from error


class PageSlice(NamedTuple, Generic[Item]):
    """The items of one page, and the Link header to the other pages."""

    items: Sequence[Item]
    headers: dict[str, str]


@dataclass(frozen=True)
class ListPage:
    """The part of a list that a request asks for."""

    request: Request
    address: str
    default: int = 30

    @property
    def number(self) -> int:
        """The number of the page; like GitHub, nonsense counts as the first."""
        return max(1, self._number("page", 1))

    @property
    def size(self) -> int:
        """The number of items; nonsense counts as the default, too many are clamped."""
        return min(_MAX_PER_PAGE, self._number("per_page", 0)) or self.default

    def _number(self, name: str, default: int) -> int:
        text = self.request.query_params.get(name, "")
        # A number with very many digits is nonsense too, and int() would refuse it.
        if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS:
            return int(text)
        return default

    def cut(self, items: Sequence[Item]) -> PageSlice[Item]:
        """Take this page out of the list; there is no Link header when one page holds it all."""
        start = (self.number - 1) * self.size
        last = max(1, math.ceil(len(items) / self.size))
        links = ", ".join(self._links(last))
        headers = {"Link": links} if links else {}
        return PageSlice(items[start : start + self.size], headers)

    def _links(self, last: int) -> Iterator[str]:
        """Yield the links of the header in GitHub's order."""
        number = self.number
        if number > 1:
            yield self._link("prev", min(number - 1, last))
        if number < last:
            yield self._link("next", number + 1)
            yield self._link("last", last)
        if number > 1:
            yield self._link("first", 1)

    def _link(self, relation: str, number: int) -> str:
        parameters = dict(self.request.query_params)
        parameters.pop("page", None)
        query = urlencode({**parameters, "page": number}, quote_via=quote, safe=":/")
        return f'<{self.address}?{query}>; rel="{relation}"'


@dataclass(frozen=True)
class RequestAllowance:
    """Requests (or GraphQL queries) per hour."""

    anonymous: int = 60
    token: int = 5000
    graphql: int = 5000


@dataclass
class Meter:
    """The use of one resource by one client in the current hour."""

    resource: str
    limit: int
    reset: int
    used: int = 0

    def charge(self) -> None:
        """Count one request."""
        self.used = min(self.limit, self.used + 1)

    @property
    def overview(self) -> dict[str, int]:
        """The remaining requests, as `/rate_limit` shows them."""
        return {
            "limit": self.limit,
            "remaining": self.limit - self.used,
            "reset": self.reset,
            "used": self.used,
        }

    def headers(self) -> dict[str, str]:
        """Return the headers that GitHub adds to every answer."""
        values = self.overview | {"resource": self.resource}
        return {f"X-RateLimit-{name.capitalize()}": str(value) for name, value in values.items()}


@dataclass
class ClientMeters:
    """The meters of all clients."""

    allowance: RequestAllowance = field(default_factory=RequestAllowance)
    clock: Callable[[], float] = time.time
    _meters: dict[tuple[str, str], Meter] = field(default_factory=dict)

    def meter(self, client: str, resource: str) -> Meter:
        """Return a client's meter; a new hour resets it."""
        meter = self._meters.get((client, resource))
        if meter is None or meter.reset <= self.clock():
            limit = self._limit(client, resource)
            meter = Meter(resource, limit, int(self.clock()) + _HOUR)
            self._meters[client, resource] = meter
        return meter

    def _limit(self, client: str, resource: str) -> int:
        if resource == "graphql":
            return 0 if client == ANONYMOUS else self.allowance.graphql
        return self.allowance.anonymous if client == ANONYMOUS else self.allowance.token
