"""What functions answer otherwise: `if old: return False`, all of it new, `return a or b`, or a reason in words."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tools.diff.exchanged import Exchange, Span
from tools.diff.hunks import Hunk, Side
from tools.diff.terms import LONGEST, asks_otherwise, closed, joined, unwrapped
from tools.diff.written import closing

ASKS = re.compile(r"(?:is|can|_?supports?|should|has)_\w+$|[^\W_]\w*_(?:supported|available|allowed|enabled)$")
"""The name of a function that answers, and of no helper; what a thing supports, its base may ask by a private one."""
_DENIED = "return False"
_IF = re.compile(r"if\b(.*)")
_HEADING = re.compile(r"(?:async )?def \w+\((self|cls)?")
_DEFINED = re.compile(r"(?:async )?def ")
_RETURNED = " return "
_SAID = ('"', "(")
_PIECES = re.compile(r"\" f?\"")
"""Where words go on over several lines."""
_WORDS = re.compile(r"f?\"[^\"]*\"")
_REFUSES = re.compile(
    r"\b(?:not (?:yet )?(?:supported|implemented|available|allowed|compatible)|(?:does|do|can) ?not|unsupported|"
    r"requires?|must|only (?:supports?|supported|available))\b|n't\b",
    re.IGNORECASE,
)
_TELLING = 25
"""Letters by which words are known again."""
_JOINS = (" or ", " and ")
_JOINED = re.compile(r"[-+].* (?:and|or)\b")
_CHOSEN = re.compile(r"\b(?:if|lambda|for)\b")
_SIDES: tuple[Side, Side] = ("old", "new")
_INDENT = 4
_MOST = 12
"""Lines of a condition that can be read."""
_LONGEST = 160


class _Returned(NamedTuple):
    """An expression that a function returns."""

    text: str
    depth: int
    keys: frozenset[int]
    span: Span


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


def answers(hunk: Hunk) -> Iterator[Exchange]:
    """Find what functions of Python return that has all parts of what they did and more, or the other way round."""
    text = hunk.text
    if _RETURNED not in text or not any(word in text for word in _JOINS) or not any(map(_JOINED.search, hunk.changed)):
        return
    old, new = (_returned(hunk, side) for side in _SIDES)
    for one in old:
        same = [other for other in new if not one.keys.isdisjoint(other.keys)]
        rivals = [rival for rival in old if same and not rival.keys.isdisjoint(same[0].keys)]
        if len(same) != 1 or len(rivals) != 1 or same[0].text == one.text:
            continue
        other = same[0]
        if one.depth == other.depth and asks_otherwise(one.text, other.text, hunk):
            yield Exchange("returned", "", one.text, other.text, one.span, other.span, "answer")


def reasons(hunk: Hunk) -> Iterator[Exchange]:
    """Find what functions of Python refuse, or no longer do, by returning words: `return "Folding needs a table."`."""
    if _RETURNED not in hunk.text or not any(_RETURNED in line and line.endswith(_SAID) for line in hunk.changed):
        return
    for side, sign, other in zip(_SIDES, "-+", "+-", strict=True):
        lines = hunk.signed(side)
        first = hunk.span(side)[0]
        for at, line in enumerate(lines):
            said = _reason(lines, at) if line[:1] == sign and line[1:].lstrip().startswith("return ") else ""
            asked = _asked(lines, at, sign) if said else None
            condition = _condition(lines[asked:at]) if asked is not None else ""
            if asked is None or not condition or any(is_said(said, one) for one in hunk.lines if one[:1] == other):
                continue
            span, told = (first + asked, first + at), f"{said} if {condition}"
            if side == "old":
                yield Exchange("returned", "", told, "", span, hunk.span("new"), "reason")
            else:
                yield Exchange("returned", "", "", told, hunk.span("old"), span, "reason")


def is_said(words: str, line: str) -> bool:
    """Tell whether a line has the beginning of words in quotes."""
    return words.strip("f\"'")[:_TELLING] in line


def _reason(lines: Sequence[str], at: int) -> str:
    """Write the words that a statement returns, where they refuse something and all of it changed."""
    last = closed(lines, at)
    if last is None or any(line[:1] != lines[at][:1] for line in lines[at : last + 1]):
        return ""
    text = _PIECES.sub("", unwrapped(joined(lines[at : last + 1]).removeprefix("return").strip()))
    return text if _WORDS.fullmatch(text) and _REFUSES.search(text) and len(text) <= LONGEST else ""


def _returned(hunk: Hunk, side: Side) -> list[_Returned]:
    """Read the answers of one side that are put together from several."""
    lines, keys = hunk.signed(side), _keys(hunk, side)
    first = hunk.span(side)[0]
    found: list[_Returned] = []
    for at, line in enumerate(lines):
        last = closed(lines, at) if _RETURNED in line and line[1:].lstrip().startswith("return ") else None
        if last is None:
            continue
        text = unwrapped(joined(lines[at : last + 1]).removeprefix("return").strip())
        if text and len(text) <= LONGEST and not _CHOSEN.search(text):
            span = first + at, first + last
            found.append(_Returned(text, _depth(line), frozenset(keys[at : last + 1]), span))
    return found


def _keys(hunk: Hunk, side: Side) -> list[int]:
    """List numbers for the lines of one side: their places, of those that changed together that of the first."""
    keys: list[int] = []
    began = 0
    for at, line in enumerate(hunk.lines):
        changed = line[:1] in ("+", "-")
        if not changed or not at or hunk.lines[at - 1][:1] not in ("+", "-"):
            began = at
        if line[:1] not in ("\\", "+" if side == "old" else "-"):
            keys.append(began if changed else at)
    return keys


def _asked(lines: Sequence[str], at: int, sign: str = "+") -> int | None:
    """Find the `if`, new or gone as well, under which a line stands, with nothing in between."""
    depth = _depth(lines[at]) - _INDENT
    for above in range(at - 1, max(-1, at - _MOST), -1):
        line = lines[above]
        text = line[1:].strip()
        if line[:1] != sign:
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
