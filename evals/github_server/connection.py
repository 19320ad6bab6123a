"""A GraphQL connection: a part of a list with its cursors, made only as far as somebody looks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLError

from evals.github_server.paging import decode_cursor, encode_cursor
from evals.github_server.wire import Refusal


@dataclass(frozen=True)
class Edge:
    """One item and the cursor that stands at it."""

    cursor: str
    node: Any


class Connection:
    """A list as GraphQL shows it."""

    def __init__(
        self,
        items: Sequence[Any],
        wrap: Callable[[Any], Any],
        *,
        first: int | None = None,
        last: int | None = None,
        after: str | None = None,
        before: str | None = None,
        whole: int | None = None,
    ) -> None:
        start = _index(after) + 1 if after is not None else 0
        end = min(_index(before), len(items)) if before is not None else len(items)
        if first is not None:
            end = min(end, start + first)
        if last is not None:
            start = max(start, end - last)
        self._items, self._wrap, self._start, self._end = items, wrap, start, max(start, end)
        self.total_count = len(items) if whole is None else whole
        self.filtered_count = len(items)

    @property
    def page_count(self) -> int:
        """How many items this part has."""
        return len(self._items[self._start : self._end])

    @property
    def nodes(self) -> list[Any]:
        """The items of this part."""
        return [self._wrap(item) for item in self._items[self._start : self._end]]

    @property
    def edges(self) -> list[Edge]:
        """The items of this part with their cursors."""
        return [Edge(encode_cursor([self._start + index]), node) for index, node in enumerate(self.nodes)]

    @property
    def page_info(self) -> dict[str, Any]:
        """Where this part lies in the whole."""
        some = self.page_count > 0
        return {
            "hasNextPage": self._end < len(self._items),
            "hasPreviousPage": self._start > 0,
            "startCursor": encode_cursor([self._start]) if some else None,
            "endCursor": encode_cursor([self._start + self.page_count - 1]) if some else None,
        }


def _index(cursor: str) -> int:
    try:
        value = decode_cursor(cursor)
    except Refusal as refusal:
        raise _bad(cursor) from refusal
    if len(value) != 1 or not isinstance(value[0], int) or value[0] < 0:
        raise _bad(cursor)
    return value[0]


def _bad(cursor: str) -> GraphQLError:
    return GraphQLError(
        f"`{cursor}` does not appear to be a valid cursor.", extensions={"type": "INVALID_CURSOR_ARGUMENTS"}
    )
