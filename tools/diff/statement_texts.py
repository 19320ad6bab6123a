"""The whole statements of a file in which lines changed, so that the rest need not be parsed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tools.diff.declaration_reader import Range

_QUOTES = (b'"""', b"'''")
_INSIDE = b" \t\r\n)]}{#@:&|.*/+-"  # How a line may begin that begins no statement of the top level


@dataclass
class _StatementLines:
    """The lines of statements that changed, and the changed lines among them."""

    first: int
    last: int
    ranges: list[Range]


class StatementText(NamedTuple):
    """Whole statements of a file, and the changed lines in them, counted from the first one."""

    first: int
    text: bytes
    ranges: list[Range]
    is_in_string: bool
    """Whether they are lines of a long string, as an example in the docstring of a module is."""


def statements_with(lines: Sequence[bytes], ranges: Sequence[Range]) -> Iterator[StatementText]:
    """Yield the statements of the top level that hold changed lines, those that touch together."""
    for span in _spans(lines, ranges):
        text = b"\n".join(lines[span.first - 1 : span.last]) + b"\n"
        above = span.first - 1
        inside = [(first - above, last - above) for first, last in span.ranges]
        yield StatementText(span.first, text, inside, _is_in_string(lines[:above]))


def _spans(lines: Sequence[bytes], ranges: Sequence[Range]) -> list[_StatementLines]:
    """Return the lines of the statements that ranges touch, each statement once."""
    spans: list[_StatementLines] = []
    for first, last in ranges:
        span = spans[-1] if spans else None
        if span is None or first > span.last:
            spans.append(_StatementLines(_start(lines, first), _end(lines, last), [(first, last)]))
            continue
        span.ranges.append((first, last))
        if last > span.last:
            span.last = _end(lines, last)
    return spans


def _is_in_string(lines_above: Sequence[bytes]) -> bool:
    """Return True if the lines above open a string of several lines that they do not close."""
    text = b"\n".join(lines_above)
    return any(text.count(quotes) % 2 for quotes in _QUOTES)


def _start(lines: Sequence[bytes], line: int) -> int:
    """Return the first line of the statement that has a line, with its decorators."""
    start = min(line, len(lines))
    while start > 1 and lines[start - 1][:1] in _INSIDE:
        start -= 1
    while start > 1 and lines[start - 2][:1] == b"@":
        start -= 1
    return max(start, 1)


def _end(lines: Sequence[bytes], line: int) -> int:
    """Return the line before the next statement; a comment or decorator belongs to what is below."""
    next_line = line + 1
    last_text = lines[min(line, len(lines)) - 1].lstrip()
    if last_text.startswith((b"/", b"*", b"#", b"@")):
        next_line = _next_statement(lines, next_line) + 1
    next_line = _next_statement(lines, next_line)
    return min(next_line - 1, len(lines))


def _next_statement(lines: Sequence[bytes], line: int) -> int:
    """Return the first line from this one on that begins a statement."""
    while line <= len(lines) and lines[line - 1][:1] in _INSIDE:
        line += 1
    return line
