"""What a function that answers yes or no denies anew: `if old_driver: return False`, all of it new."""

import re
from collections.abc import Iterator, Sequence

from tools.diff.exchanged import Exchange
from tools.diff.hunks import Hunk
from tools.diff.written import closing

ASKS = re.compile(r"(?:is|can|supports?|should|has)_\w+$|\w+_(?:supported|available|allowed|enabled)$")
"""The name of a function that answers, and of no helper."""
_DENIED = "return False"
_IF = re.compile(r"if\b(.*)")
_HEADING = re.compile(r"(?:async )?def \w+\((self|cls)?")
_DEFINED = re.compile(r"(?:async )?def ")
_INDENT = 4
_MOST = 12
"""Lines of a condition that can be read."""
_LONGEST = 160


def denials(hunk: Hunk) -> Iterator[Exchange]:
    """Find the new conditions under which a function of Python says no, whatever else is given."""
    if not any(_DENIED in line for line in hunk.lines if line[:1] == "+"):
        return
    lines = hunk.signed("new")
    for at, line in enumerate(lines):
        if line[:1] == "+" and line[1:].strip() == _DENIED and (first := _asked(lines, at)) is not None:
            condition = _condition(lines[first:at])
            if condition and _is_outermost(lines, first, hunk.heading) and not _is_exchanged(hunk, first, at):
                span = hunk.new_start + first, hunk.new_start + at
                yield Exchange("returned", "", "", f"False if {condition}", span, span, "answer")


def _asked(lines: Sequence[str], at: int) -> int | None:
    """Find the new `if` under which a line stands, with nothing in between."""
    depth = _depth(lines[at]) - _INDENT
    for above in range(at - 1, max(-1, at - _MOST), -1):
        line = lines[above]
        text = line[1:].strip()
        if line[:1] != "+":
            return None
        if _depth(line) == depth and text.startswith("if"):
            return above
        if text and not text.startswith("#") and _depth(line) <= depth and text[0] not in ")]}":
            return None
    return None


def _condition(lines: Sequence[str]) -> str:
    """Write a condition on one line; nothing where it is long, or something is done before the answer."""
    texts = [text for line in lines if (text := line[1:].strip()) and not text.startswith("#")]
    text = re.sub(r"(?<=[(\[{]) | (?=[)\]}])|,(?= ?[)\]}])", "", " ".join(texts))
    found = _IF.match(text.removesuffix(":"))
    if found is None or not text.endswith(":") or any(one.endswith(":") for one in texts[:-1]):
        return ""
    condition = found[1].strip()
    if condition[:1] == "(" and closing(list(condition), 0) == len(condition) - 1:
        condition = condition[1:-1]
    return condition if len(condition) <= _LONGEST else ""


def _is_outermost(lines: Sequence[str], at: int, heading: str) -> bool:
    """Tell whether a condition stands in the function itself, and in no branch or loop of it."""
    depth = _depth(lines[at])
    for line in reversed(lines[:at]):
        text = line[1:].strip()
        if text and _depth(line) < depth and text[0] not in "#)]}\"'":
            return _DEFINED.match(text) is not None and _depth(line) == depth - _INDENT and line[:1] == " "
    found = _HEADING.match(heading.strip())
    return found is not None and depth == (2 * _INDENT if found[1] else _INDENT)


def _is_exchanged(hunk: Hunk, first: int, last: int) -> bool:
    """Tell whether lines went right where others came: the function may have denied the same in other words."""
    number = -1
    for line in hunk.lines:
        if line[:1] == "-" and first - 1 <= number <= last:
            return True
        number += line[:1] not in ("-", "\\")
    return any(line[:1] == "-" and "return" in line for line in hunk.lines)


def _depth(line: str) -> int:
    return len(line) - 1 - len(line[1:].lstrip(" "))
