"""In which function, or class, a line stands."""

from bisect import bisect_right
from collections.abc import Collection, Iterable

from tools.diff.reading import Symbol

_KINDS = frozenset({"function", "method", "macro"})
CLASSES = frozenset({"class", "struct"})


class Scopes:
    """Functions, or symbols of other kinds, by their lines; `first` is where a fragment begins, up to line `until`."""

    def __init__(
        self, symbols: Iterable[Symbol], first: str = "", until: int = 0, kinds: Collection[str] = _KINDS
    ) -> None:
        spans = sorted((symbol.start, -symbol.end, symbol.name) for symbol in symbols if symbol.kind in kinds)
        self._starts = [start for start, _, _ in spans]
        self._spans = spans
        self._first = first
        self._until = until

    def at(self, line: int) -> str:
        """Return the name of the innermost one around the line, or nothing."""
        # Functions hardly nest: whoever contains the line is one of the few that begin last before it.
        index = bisect_right(self._starts, line) - 1
        for start, end, name in reversed(self._spans[max(0, index - 15) : index + 1]):
            if start <= line <= -end:
                return name
        return self._first if line <= self._until else ""
