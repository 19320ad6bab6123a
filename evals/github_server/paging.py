"""How lists are cut into pages, and the Link header that names the other pages."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from evals.github_server.wire import Refusal, Request

Item = TypeVar("Item")

MAX_PER_PAGE = 100
TOO_DEEP = (
    "Pagination with the page parameter is not supported for large datasets, "
    "please use cursor based pagination (after/before)"
)


@dataclass(frozen=True)
class Page:
    """Which part of a list was asked for."""

    number: int
    size: int

    @classmethod
    def of(cls, request: Request, *, default: int = 30) -> "Page":
        """Read `page` and `per_page`; nonsense is taken as the default and too much is clamped, as GitHub does."""
        size = _number(request.query.get("per_page"), 0)
        return cls(max(1, _number(request.query.get("page"), 1)), min(MAX_PER_PAGE, size) or default)

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
    if last == 1 and page.number == 1:
        return {}
    steps: list[tuple[str, int]] = []
    if page.number > 1:
        steps.append(("prev", min(page.number - 1, last)))
    if page.number < last:
        steps += [("next", page.number + 1), ("last", last)]
    if page.number > 1:
        steps.append(("first", 1))
    links = [f'<{_address(request, address, page=str(number))}>; rel="{rel}"' for rel, number in steps]
    return {"Link": ", ".join(links)}


def _address(request: Request, address: str, **changes: str) -> str:
    query = {name: value for name, value in request.query.items() if name not in ("page", "after", "before")}
    return f"{address}?{urlencode(query | changes, quote_via=quote, safe=':/')}"


def listed(request: Request, address: str, items: Sequence[Item]) -> tuple[Sequence[Item], dict[str, str]]:
    """Cut the page that was asked for and say where the others are."""
    page = Page.of(request)
    return page.cut(items), link(request, address, page, len(items))


def listed_deep(
    request: Request, address: str, items: Sequence[Item], key: Callable[[Item], list[Any]], depth: int
) -> tuple[Sequence[Item], dict[str, str]]:
    """Cut a list that may be too long for page numbers: beyond `depth` items only cursors lead on.

    `key` gives an item's place in the order of the list; a cursor is the key of the item it stands at, so that
    a list which grows between two requests neither repeats nor skips one.
    """
    page = Page.of(request)
    after, before = request.query.get("after"), request.query.get("before")
    if after is None and before is None:
        if page.number * page.size > max(depth, page.size):
            raise Refusal(422, TOO_DEEP)
        if len(items) <= depth:
            return listed(request, address, items)
        start = (page.number - 1) * page.size
    elif after is not None:
        start = _place(items, key, decode_cursor(after)) + 1
    else:
        start = max(0, _place(items, key, decode_cursor(before or "")) - page.size)
    part = items[start : start + page.size]
    rels: list[tuple[str, dict[str, str]]] = []
    if part and start + page.size < len(items):
        rels.append(("next", {"after": encode_cursor(key(part[-1])), "page": str(page.number + 1)}))
    if part and start > 0:
        rels.append(("prev", {"before": encode_cursor(key(part[0])), "page": str(max(1, page.number - 1))}))
    links = ", ".join(f'<{_address(request, address, **changes)}>; rel="{rel}"' for rel, changes in rels)
    return part, {"Link": links} if links else {}


def _place(items: Sequence[Item], key: Callable[[Item], list[Any]], wanted: list[Any]) -> int:
    for index, item in enumerate(items):
        if key(item) == wanted:
            return index
    raise Refusal(422, "The cursor does not point into this list")


def encode_cursor(key: list[Any]) -> str:
    """Write a place in a list as the opaque word that clients hand back."""
    return base64.urlsafe_b64encode(b"cursor:v2:" + json.dumps(key).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> list[Any]:
    """Read back what `encode_cursor` wrote."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        value = json.loads(base64.urlsafe_b64decode(padded).removeprefix(b"cursor:v2:"))
    except (ValueError, binascii.Error) as error:
        raise Refusal(422, "The cursor is not valid") from error
    if not isinstance(value, list):
        raise Refusal(422, "The cursor is not valid")
    return value
