"""HTTP responses in GitHub's form: JSON, refusals, times, pages with their Link header, and what is left of limits."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar
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


class Refusal(Exception):
    """The request cannot be served; status and message are GitHub's."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})

    def response(self) -> Response:
        """Write the refusal as GitHub's error body."""
        address = "https://docs.github.com/rest"
        body = {"message": self.message, "documentation_url": address, "status": str(self.status)}
        return json_response(body, self.status, self.headers)


def not_found() -> Refusal:
    """Refuse what does not exist or may not be seen; GitHub does not tell which."""
    return Refusal(404, "Not Found")


def json_response(
    data: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with JSON; a lone surrogate in hostile text becomes a question mark instead of an exception."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, headers, JSON)


def raw_response(body: bytes, kind: str) -> Response:
    """Answer in one of GitHub's custom media types: `sha`, `diff` or `raw`."""
    return Response(body, media_type=f"application/vnd.github.{kind}; charset=utf-8")


def stamp(moment: datetime | None) -> str | None:
    """Write a time as the API does; one that is absent stays absent."""
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: str) -> datetime:
    """Read a time from a query; without a zone it is UTC."""
    try:
        # A plus sign in a query that was not escaped arrives as a space.
        moment = datetime.fromisoformat(text.strip().replace(" ", "+"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Refusal(422, "Validation Failed") from error


@dataclass(frozen=True)
class ListPage:
    """Which part of a list a request asks for, and where the others are."""

    request: Request
    address: str
    default: int = 30

    @property
    def number(self) -> int:
        """The page; nonsense is taken as the first, as GitHub does."""
        return max(1, self._number("page", 1))

    @property
    def size(self) -> int:
        """How many items it has; nonsense is taken as the default and too much is clamped."""
        return min(_MAX_PER_PAGE, self._number("per_page", 0)) or self.default

    def _number(self, name: str, default: int) -> int:
        text = self.request.query_params.get(name)
        # A number with very many digits is as good as nonsense, and int() would refuse it.
        return (
            int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else default
        )

    def cut(self, items: Sequence[Item]) -> tuple[Sequence[Item], dict[str, str]]:
        """Take this page out of the list; the Link header is left out when one page holds it all."""
        number, start = self.number, (self.number - 1) * self.size
        last = max(1, -(-len(items) // self.size))
        steps = [("prev", min(number - 1, last))] if number > 1 else []
        steps += [("next", number + 1), ("last", last)] if number < last else []
        steps += [("first", 1)] if number > 1 else []
        query = {name: value for name, value in self.request.query_params.items() if name != "page"}
        queries = {
            rel: urlencode({**query, "page": page}, quote_via=quote, safe=":/")
            for rel, page in steps
        }
        links = ", ".join(
            f'<{self.address}?{query}>; rel="{rel}"' for rel, query in queries.items()
        )
        return items[start : start + self.size], {"Link": links} if links else {}


@dataclass(frozen=True)
class Allowance:
    """Requests (or GraphQL queries) per hour."""

    anonymous: int = 60
    token: int = 5000
    graphql: int = 5000


@dataclass
class Meter:
    """What one client has used of one resource in the present hour."""

    resource: str
    limit: int
    reset: int
    used: int = 0

    def charge(self) -> None:
        """Count one request."""
        self.used = min(self.limit, self.used + 1)

    @property
    def overview(self) -> dict[str, int]:
        """Say what is left, as `/rate_limit` does."""
        return {
            "limit": self.limit,
            "remaining": self.limit - self.used,
            "reset": self.reset,
            "used": self.used,
        }

    def headers(self) -> dict[str, str]:
        """Say it as GitHub does on every answer."""
        values = self.overview | {"resource": self.resource}
        return {f"X-RateLimit-{name.capitalize()}": str(value) for name, value in values.items()}


@dataclass
class ClientMeters:
    """The meters of all clients."""

    allowance: Allowance = field(default_factory=Allowance)
    clock: Callable[[], float] = time.time
    _meters: dict[tuple[str, str], Meter] = field(default_factory=dict)

    def meter(self, who: str, resource: str) -> Meter:
        """Find a client's meter; a new hour starts it anew."""
        meter = self._meters.get((who, resource))
        if meter is None or meter.reset <= self.clock():
            known = self.allowance.graphql if resource == "graphql" else self.allowance.token
            guest = 0 if resource == "graphql" else self.allowance.anonymous
            meter = Meter(resource, guest if who == ANONYMOUS else known, int(self.clock()) + _HOUR)
            self._meters[who, resource] = meter
        return meter
