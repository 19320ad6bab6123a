"""An excerpt of a text in a number of tokens: lines that matter are kept, with those around them."""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from agent.token_estimates import tokens_of

_GAP_TOKENS = 8  # What a note about lines that were left out takes
_NEAR = 12  # Lines on either side of a line that matters, shown before any other
_BESIDE_KEPT = 3  # Lines on either side of a line that matters which are never plain
_MIN_PART = 20  # Tokens below which a part of a line is not shown
_LONG_LINE = 400  # Characters of a line of prose that is folded before it is shortened


class Excerpt(NamedTuple):
    """The part of a text that is shown."""

    text: str
    is_complete: bool  # Whether nothing was left out for lack of space
    line_count: int  # Lines of the text that are shown


def excerpt(
    lines: Sequence[str],
    budget: int,
    keep: Sequence[int] = (),
    order: Sequence[int] | None = None,
    plain: Collection[int] = (),
) -> Excerpt:
    """Return as much of the lines as fits into the budget.

    The lines at the positions in `keep` come first, in the order in which they are given, then
    those around them, the nearest first, then all others as in `order`, or from the start. Lines
    that are `plain` are left out even if there is space, unless they are next to a line in `keep`.
    Each gap is noted with the number of lines left out.
    """
    kept = list(dict.fromkeys(keep))
    important = set(kept)
    plain = _far_from(kept, plain)
    informative = {position: line for position, line in enumerate(lines) if position not in plain}
    full_text = "\n".join(_with_gaps(informative, len(lines)))
    if tokens_of(full_text) <= budget:
        return Excerpt(full_text, is_complete=True, line_count=len(informative))
    chosen: dict[int, str] = {}
    tokens_left = budget - _GAP_TOKENS
    others = range(len(lines)) if order is None else order
    for position in dict.fromkeys((*kept, *_near(len(lines), kept), *others)):
        if position in plain:
            continue
        line = lines[position]
        gap_tokens = _GAP_TOKENS * _added_gaps(position, chosen, len(lines))
        cost = _line_tokens(line) + gap_tokens
        if cost <= tokens_left:
            chosen[position] = line
            tokens_left -= cost
            continue
        if position not in important:
            break
        if tokens_left - gap_tokens >= _MIN_PART:
            chosen[position] = _first_part(line, tokens_left - gap_tokens)
            break
    text = "\n".join(_with_gaps(chosen, len(lines)))
    return Excerpt(text, is_complete=False, line_count=len(chosen))


def _far_from(kept: Sequence[int], plain: Collection[int]) -> set[int]:
    """Return the plain positions that are not next to one that is kept."""
    near: set[int] = set()
    for position in kept:
        near.update(range(position - _BESIDE_KEPT, position + _BESIDE_KEPT + 1))
    return set(plain) - near


def _line_tokens(line: str) -> int:
    return tokens_of(f"{line}\n")


def _added_gaps(position: int, positions: Container[int], count: int) -> int:
    """Return how many notes about gaps a further line adds; between two that are shown it saves one."""
    follows = position == 0 or position - 1 in positions
    precedes = position == count - 1 or position + 1 in positions
    return 1 - follows - precedes


def needed_tokens(lines: Sequence[str], keep: Iterable[int], around: int = 0) -> int:
    """Return the tokens of some lines, with a few on either side of each and notes about gaps."""
    positions: set[int] = set()
    for position in keep:
        first = max(0, position - around)
        positions.update(range(first, min(len(lines), position + around + 1)))
    if not positions:
        return 0
    gaps = sum(position - 1 not in positions for position in positions) + 1
    return sum(_line_tokens(lines[position]) for position in positions) + gaps * _GAP_TOKENS


def folded(text: str) -> list[str]:
    """Return the lines of prose; very long ones are folded at spaces, so that parts can be kept."""
    lines: list[str] = []
    for line in text.splitlines():
        while len(line) > _LONG_LINE:
            end = line.rfind(" ", 1, _LONG_LINE) + 1 or _LONG_LINE
            lines.append(line[:end])
            line = line[end:]
        lines.append(line)
    return lines


def _near(count: int, kept: Sequence[int]) -> list[int]:
    """Return the positions near those that are kept, the nearest first."""
    distances = _distances(count, kept)
    near = [position for position in range(count) if 0 < distances[position] <= _NEAR]
    return sorted(near, key=lambda position: distances[position])


def _distances(count: int, kept: Sequence[int]) -> list[int]:
    """Return for each position how far it is from the nearest one that is kept."""
    distances = [count + _NEAR] * count
    for position in kept:
        distances[position] = 0
    for position in range(1, count):
        distances[position] = min(distances[position], distances[position - 1] + 1)
    for position in range(count - 2, -1, -1):
        distances[position] = min(distances[position], distances[position + 1] + 1)
    return distances


def _first_part(line: str, budget: int) -> str:
    """Return the beginning of a line; a character is at most one token."""
    length = len(line)
    while length and tokens_of(line[:length]) >= budget:
        length = length * 3 // 4
    return f"{line[:length]} …"


def _with_gaps(lines: dict[int, str], count: int) -> Iterator[str]:
    expected = 0
    for position in sorted(lines):
        if position > expected:
            yield _gap(position - expected)
        yield lines[position]
        expected = position + 1
    if expected < count:
        yield _gap(count - expected)


def _gap(count: int) -> str:
    return f"({count} lines left out)" if count > 1 else "(1 line left out)"
