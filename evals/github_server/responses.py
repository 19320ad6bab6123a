"""HTTP responses in GitHub's form: JSON, refusals, times and pages with their Link header."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response

Item = TypeVar("Item")
Json = dict[str, Any]

JSON = "application/json; charset=utf-8"
DOCUMENTATION = "https://docs.github.com/rest"
MAX_PER_PAGE = 100
NUMBERED_ISSUES = 1000
"""Page numbers reach so many issues; cursors lead further."""
TOO_DEEP = (
    "Pagination with the page parameter is not supported for large datasets, "
    "please use cursor based pagination (after/before)"
)


class Refusal(Exception):
    """The request cannot be served; status and message are GitHub's."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})

    def response(self) -> Response:
        """Write the refusal as GitHub's error body."""
        body = {"message": self.message, "documentation_url": DOCUMENTATION, "status": str(self.status)}
        return json_response(body, self.status, self.headers)


def not_found() -> Refusal:
    """Refuse what does not exist or may not be seen; GitHub does not tell which."""
    return Refusal(404, "Not Found")


def json_response(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
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
class Page:
    """Which part of a list was asked for."""

    number: int
    size: int

    @classmethod
    def of(cls, request: Request, *, default: int = 30) -> "Page":
        """Read `page` and `per_page`; nonsense is taken as the default and too much is clamped, as GitHub does."""
        size = _number(request.query_params.get("per_page"), 0)
        return cls(max(1, _number(request.query_params.get("page"), 1)), min(MAX_PER_PAGE, size) or default)

    def cut(self, items: Sequence[Item]) -> Sequence[Item]:
        """Take this page out of the list."""
        start = (self.number - 1) * self.size
        return items[start : start + self.size]


def _number(text: str | None, default: int) -> int:
    # A number with very many digits is as good as nonsense, and int() would refuse it.
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else default


def link(request: Request, address: str, page: Page, total: int) -> dict[str, str]:
    """Give the Link header for a list of known length; none when one page holds it all."""
    last = max(1, -(-total // page.size))
    steps = [("prev", min(page.number - 1, last))] if page.number > 1 else []
    steps += [("next", page.number + 1), ("last", last)] if page.number < last else []
    steps += [("first", 1)] if page.number > 1 else []
    return _header(request, address, [(rel, {"page": str(number)}) for rel, number in steps])


def _header(request: Request, address: str, steps: list[tuple[str, dict[str, str]]]) -> dict[str, str]:
    query = {name: value for name, value in request.query_params.items() if name not in ("page", "after", "before")}
    links = [
        f'<{address}?{urlencode(query | changes, quote_via=quote, safe=":/")}>; rel="{rel}"' for rel, changes in steps
    ]
    return {"Link": ", ".join(links)} if links else {}


def paged(request: Request, address: str, items: Sequence[Item]) -> tuple[Sequence[Item], dict[str, str]]:
    """Cut the page that was asked for and say where the others are."""
    page = Page.of(request)
    return page.cut(items), link(request, address, page, len(items))


def paged_deep(
    request: Request, address: str, items: Sequence[Item], key: Callable[[Item], list[Any]]
) -> tuple[Sequence[Item], dict[str, str]]:
    """Cut a list of issues, which may be too long for page numbers.

    A cursor is the key of the item it stands at, so that a list which grows between two requests neither repeats nor
    skips one.
    """
    page, after = Page.of(request), request.query_params.get("after")
    if after is None:
        if page.number * page.size > NUMBERED_ISSUES:
            raise Refusal(422, TOO_DEEP)
        if len(items) <= NUMBERED_ISSUES:
            return paged(request, address, items)
    start = (page.number - 1) * page.size if after is None else _place(items, key, after) + 1
    part = items[start : start + page.size]
    if not part or start + page.size >= len(items):
        return part, {}
    onward = {"after": _cursor(key(part[-1])), "page": str(page.number + 1)}
    return part, _header(request, address, [("next", onward)])


def _cursor(key: list[Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def _place(items: Sequence[Item], key: Callable[[Item], list[Any]], cursor: str) -> int:
    try:
        wanted = json.loads(base64.urlsafe_b64decode(cursor))
    except (ValueError, binascii.Error) as error:
        raise Refusal(422, "The cursor is not valid") from error
    for index, item in enumerate(items):
        if key(item) == wanted:
            return index
    raise Refusal(422, "The cursor does not point into this list")
