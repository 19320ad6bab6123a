"""Which function, method or class a place of a Python file stands in."""

from bisect import bisect_right


class Scopes:
    """The declarations of a file as nested spans, asked for the innermost one around a byte."""

    def __init__(self, spans: list[tuple[int, int, str]]) -> None:
        self._spans = sorted(spans, key=lambda span: (span[0], -span[1]))
        self._starts = [start for start, _, _ in self._spans]
        self._parents: list[int] = []
        open_spans: list[int] = []
        for index, (start, _, _) in enumerate(self._spans):
            while open_spans and self._spans[open_spans[-1]][1] <= start:
                open_spans.pop()
            self._parents.append(open_spans[-1] if open_spans else -1)
            open_spans.append(index)

    def around(self, byte: int) -> str:
        """Name the innermost declaration around a byte."""
        index = bisect_right(self._starts, byte) - 1
        while index >= 0 and self._spans[index][1] <= byte:
            index = self._parents[index]
        return self._spans[index][2] if index >= 0 else ""
