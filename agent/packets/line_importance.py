"""The importance of lines of changed code to somebody who must say what the change does.

The changed lines come first, then how the function begins and the conditions that enclose the
change, then what follows it: a later guard or override decides whether the change takes effect.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

_LINES_BESIDE = 3  # Unchanged lines on either side of a change that belong to it
_FIRST_LINES = 4  # Lines with which a function begins: decorators and signature
_LONG_RUN = 40  # Lines added or removed in one go of which the middle says less than the edges
_RUN_START = 24  # The first lines of such a run, which are shown like other changes
_RUN_END = 6  # The last lines of it, which are as well
# The ranks of lines, the most important first
_CHANGED = 1
_ENCLOSING = 2
_NEAR = 3
_MIDDLE = 8
_LINES_AFTER = 6  # Unchanged lines below a change that are never plain
_LAST_LINES = 2  # Lines with which a function ends
_MIN_PLAIN_RUN = 4  # Plain lines in a row; fewer cost no more than the note that they are left out
_MAX_CONTINUED = 8  # Lines over which a condition or a `return` is followed to its last bracket
_MAX_NAME_LINES = 6  # A name on more unchanged lines than this says nothing about one of them
_MAX_WIDTH = 300  # Characters of a line in which names and brackets are looked for
_CONTROL = re.compile(
    r"\s*(?:[}\])]\s*)*(?:"
    r"(?:if|elif|else|elsif|unless|switch|case|default|match|for|while|do|loop|try|except|catch"
    r"|finally|with|return|co_return|yield|raise|throw|break|continue|goto|panic|assert"
    r"|static_assert|def|class|fn|func|function|struct|enum|namespace|template|async)\b"
    r"|#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|error)\b"
    r"|@|[A-Z]\w*_(?:CHECK|ASSERT|ENSURE|REQUIRE)\w*\b|(?:CHECK|ASSERT|ENSURE|REQUIRE)\w*\b)"
)
"""Keywords, decorators and checking macros that begin a line on which the flow of control turns."""
_TRUTH = re.compile(r"\b(?:and|or|not)\b|\bis (?:not )?None\b|&&|\|\||[=!]=")
"""Operators that make a truth value, which a condition may ask for later."""
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*)")
_NAME = re.compile(r"[A-Za-z_]\w{3,60}")


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


def plain_middle(lines: Sequence[str]) -> set[int]:
    """Return the positions of unchanged lines that say nothing about a change in the same function.

    What stays is the beginning and the end of the function, the lines beside a change, every line
    on which the flow of control turns or a truth value is made (conditions, `return`, `raise`,
    `#if`, `a and b`) up to its last bracket, and every line with a name of the changed lines that
    is rare elsewhere.
    """
    changed = [position for position, line in enumerate(lines) if line[:1] in ("+", "-")]
    if not changed:
        return set()
    kept = set(changed)
    for position in changed:
        kept.update(range(position - _LINES_BESIDE, position + _LINES_AFTER + 1))
    kept.update(range(_FIRST_LINES))
    kept.update(range(len(lines) - _LAST_LINES, len(lines)))
    kept.update(_conditions_above(lines))
    kept.update(_control_lines(lines))
    kept.update(_lines_with_changed_names(lines, changed))
    return set(_long_runs([number for number in range(len(lines)) if number not in kept]))


def _long_runs(positions: Sequence[int]) -> Iterator[int]:
    """Yield the positions that follow each other in long runs."""
    for _, run in groupby(enumerate(positions), key=lambda entry: entry[1] - entry[0]):
        members = [position for _, position in run]
        if len(members) >= _MIN_PLAIN_RUN:
            yield from members


def _control_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines on which control flow turns, each up to the bracket that closes it."""
    open_until = -1  # The last line to which an open bracket may be followed
    depth = 0
    for position, line in enumerate(lines):
        code = line[1:_MAX_WIDTH]
        is_continued = depth > 0 and position <= open_until
        if not is_continued:
            depth = 0
            if not _turns_flow(code):
                continue
            open_until = position + _MAX_CONTINUED
        yield position
        # A brace opens the block below, not the condition itself.
        depth += sum(sign in "([" for sign in code) - sum(sign in ")]" for sign in code)


def _turns_flow(code: str) -> bool:
    if _CONTROL.match(code):
        return True
    return _TRUTH.search(code) is not None and not _COMMENT.match(code)


def _lines_with_changed_names(lines: Sequence[str], changed: Sequence[int]) -> Iterator[int]:
    """Yield unchanged lines that have a name of the changed lines which few unchanged lines have."""
    changed_names: set[str] = set()
    for position in changed:
        changed_names.update(_NAME.findall(lines[position][1:_MAX_WIDTH]))
    names_by_line: dict[int, set[str]] = {}
    counts = Counter[str]()
    for position, line in enumerate(lines):
        if line[:1] in ("+", "-"):
            continue
        names = changed_names.intersection(_NAME.findall(line[1:_MAX_WIDTH]))
        names_by_line[position] = names
        counts.update(names)
    for position, names in names_by_line.items():
        if any(counts[name] <= _MAX_NAME_LINES for name in names):
            yield position


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
