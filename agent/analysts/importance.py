"""Which lines of changed code matter most to somebody who must say what the change does.

The changed lines come first, then how the function begins and the conditions that enclose the
change, then what follows it: a later guard or override decides whether the change takes effect.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

_LINES_BESIDE = 3  # Unchanged lines on either side of a change that belong to it
_FIRST_LINES = 4  # Lines with which a function begins: decorators and signature
_LONG_RUN = 40  # Lines added or removed in one go of which the middle says less than the edges
_RUN_START, _RUN_END = 24, 6  # How many lines of such a run are shown like other changes
_CHANGED, _ENCLOSING, _NEAR, _MIDDLE = 1, 2, 3, 8


class _Block(NamedTuple):
    """A line below which others are indented further."""

    indent: int
    position: int


def by_importance(lines: Sequence[str]) -> list[int]:
    """Return the positions of signed lines, as in a diff, the most important ones first."""
    changed = [position for position, line in enumerate(lines) if line[:1] in ("+", "-")]
    ranks = _ranks_by_distance(changed, len(lines))
    for position in set(changed) - set(leading_changes(lines)):
        ranks[position] = _MIDDLE
    for position in range(min(_FIRST_LINES, len(lines))):
        ranks[position] = min(ranks[position], _ENCLOSING)
    for position in _conditions_above(lines):
        ranks[position] = min(ranks[position], _ENCLOSING)
    return sorted(range(len(lines)), key=lambda position: (ranks[position], position))


def leading_changes(lines: Sequence[str]) -> list[int]:
    """Return the positions of changed lines, without the middle of long runs of one sign."""
    leading: list[int] = []
    for sign, run in groupby(range(len(lines)), key=lambda position: lines[position][:1]):
        if sign not in ("+", "-"):
            continue
        positions = list(run)
        if len(positions) > _LONG_RUN:
            positions = [*positions[:_RUN_START], *positions[-_RUN_END:]]
        leading += positions
    return leading


def _ranks_by_distance(changed: Sequence[int], count: int) -> list[int]:
    """Rank lines by their distance from the nearest change; what follows one counts as nearer."""
    after = [count] * count
    before = [count] * count
    for position in changed:
        after[position] = 0
        before[position] = 0
    for position in range(1, count):
        after[position] = min(after[position], after[position - 1] + 1)
    for position in range(count - 2, -1, -1):
        before[position] = min(before[position], before[position + 1] + 1)
    ranks = []
    for position in range(count):
        distance = min(after[position], before[position])
        if distance == 0:
            ranks.append(_CHANGED)
        elif distance <= _LINES_BESIDE:
            ranks.append(_ENCLOSING)
        else:
            ranks.append(_NEAR + min(after[position], 2 * before[position]))
    return ranks


def _conditions_above(lines: Sequence[str]) -> set[int]:
    """Return the lines that enclose a change by their indentation: `if`, `for`, `else`, `class`."""
    enclosing: set[int] = set()
    open_blocks: list[_Block] = []  # What the current line may stand in, outermost first
    for position, line in enumerate(lines):
        if not line[1:].strip():
            continue
        indent = _indent(line)
        if line[:1] in ("+", "-"):
            outer = [block.position for block in open_blocks if block.indent < indent]
            enclosing.update(outer)
        if line[:1] != "-":
            while open_blocks and open_blocks[-1].indent >= indent:
                open_blocks.pop()
            open_blocks.append(_Block(indent, position))
    return enclosing


def _indent(line: str) -> int:
    code = line[1:].expandtabs(4)
    return len(code) - len(code.lstrip())
