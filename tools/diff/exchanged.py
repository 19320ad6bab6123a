"""Lines of code that are what they were but for one value that is written out: a removed line and the one in its place.

Nothing is parsed here. Both lines are taken apart into words and signs, and what lies between the beginning and the
end that they share has to be a number, a word in quotes, a constant or a list of such on either side.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from tools.diff.hunks import Hunk
from tools.diff.values import same_value

Form = Literal["set", "given", "entry", "compared", "returned"]

_TOKEN = re.compile(
    r"[A-Za-z]{0,2}\"(?:[^\"\\]|\\.)*\"|[A-Za-z]{0,2}'(?:[^'\\]|\\.)*'|/\*.*?\*/"
    r"|float\([\"'][-+]?inf[\"']\)"
    r"|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*"
    r"|(?:\d[\d_']*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\w*"
    r"|[<>=!]=|&&|\|\||\S"
)
_LITERAL = re.compile(
    r"(?:0[xX][\da-fA-F]+|(?:\d[\d_']*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*$"
    r"|[\"'][\w.+:/-]{0,40}[\"']$|(?:True|False|None|true|false|nullptr)$|float\("
)
_MEMBER = re.compile(r"(?:\w+(?:\.|::))*[A-Z]\w*(?:\.|::)\w+$|(?:torch|jnp|np|tl)\.(?:b?float|u?int|half|bool)\w*$")
_NAME = re.compile(r"[A-Za-z_][\w.:>-]*$")
_BEGIN = re.compile(r"#?\s*[\w.]+")
_REMARK = re.compile(r"(?<![:\"'])//.*")
_SIGNS = ("==", "!=", "<", "<=", ">", ">=", "in")
_OPEN, _CLOSE = "([{", ")]}"
_ENDS = (",", ")", ";", ":", "]", "}", "and", "or", "&&", "||")
_BEFORE_OPERAND = ("(", "=", ",", "!", "&&", "||")
_WORDS = frozenset(("if", "elif", "and", "or", "not", "return", "while", "assert", "in", "is", "else", "when"))
_MOST = 40
"""Lines of one side that change together; where more do, nothing stands in anything's place."""
_LONGEST = 200


class Exchange(NamedTuple):
    """One value in place of another, on two lines that are the same otherwise."""

    form: Form
    what: str
    """What is set, given or compared; empty for what is returned."""
    old: str
    new: str
    before: int
    """The number of the line that went."""
    after: int


class Line(NamedTuple):
    """A changed line with its number and how far it is indented."""

    number: int
    depth: int
    text: str


def exchanges(hunk: Hunk, *, python: bool) -> Iterator[Exchange]:
    """Find the lines of a hunk that differ from those in whose place they stand in one value only."""
    for gone, come in _stretches(hunk):
        pairs = list(_pairs(gone, come))
        # What stands in brackets belongs to whatever stands before them.
        whole = len(pairs) == len(gone) == len(come) or 1 in (len(gone), len(come))
        for one, other in pairs:
            found = _exchange(one, other, python=python)
            if found is not None and (whole or found.form in ("set", "compared")):
                yield found


def _stretches(hunk: Hunk) -> Iterator[tuple[list[Line], list[Line]]]:
    """Give the lines that went and came next to each other."""
    old, new = hunk.old_start, hunk.new_start
    gone: list[tuple[int, str]] = []
    come: list[tuple[int, str]] = []
    for line in (*hunk.lines, " "):
        sign = line[:1]
        if sign == "-":
            gone.append((old, line))
            old += 1
        elif sign == "+":
            come.append((new, line))
            new += 1
        elif sign != "\\":
            if gone and come and max(len(gone), len(come)) <= _MOST:
                # Most lines only come or only go, and are not looked at.
                yield [_line(*one) for one in gone], [_line(*one) for one in come]
            if gone or come:
                gone, come = [], []
            old += 1
            new += 1


def _line(number: int, line: str) -> Line:
    text = line[1:].lstrip()
    return Line(number, len(line) - 1 - len(text), text.rstrip())


def _pairs(gone: Sequence[Line], come: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Pair lines that stand equally deep and begin with the same word: those in the same place, or the only ones."""
    for at, one in enumerate(gone):
        if len(gone) == len(come):
            alike = [come[at]] if _is_like(one, come[at]) else []
        else:
            alike = [other for other in come if _is_like(one, other)]
            if len(alike) == 1 and sum(_is_like(rival, alike[0]) for rival in gone) != 1:
                continue
        if len(alike) == 1 and not _is_under_another(one, alike[0], gone, come):
            yield one, alike[0]


def _is_under_another(one: Line, other: Line, gone: Sequence[Line], come: Sequence[Line]) -> bool:
    """Tell whether a line above this one, less deep, went or came with it: then nothing here is as it was."""
    around = [line.text for line in gone if line.depth < one.depth and line.number < one.number]
    return around != [line.text for line in come if line.depth < other.depth and line.number < other.number]


def _is_like(one: Line, other: Line) -> bool:
    """Tell at a glance whether two lines may differ in one value: most do not."""
    if one.depth != other.depth or not one.text or one.text[:2] != other.text[:2]:
        return False
    return _begin(one.text) == _begin(other.text) and max(len(one.text), len(other.text)) <= _LONGEST


def _begin(text: str) -> str:
    found = _BEGIN.match(text)
    return found[0] if found else text[:2]


def _exchange(one: Line, other: Line, *, python: bool) -> Exchange | None:
    mine, its = _tokens(one.text, python=python), _tokens(other.text, python=python)
    if len(mine) < 2 or len(its) < 2 or mine == its:
        return None
    told = _chosen(mine, its) or _in_place(mine, its, python=python, spaced=" = " in one.text)
    if told is None or same_value(told[2], told[3]):
        return None
    return Exchange(*told, one.number, other.number)


def _tokens(text: str, *, python: bool) -> list[str]:
    tokens = _TOKEN.findall(text if python or "//" not in text else _REMARK.sub("", text))
    return tokens[: tokens.index("#")] if python and "#" in tokens else tokens


_Told = tuple[Form, str, str, str]


def _chosen(mine: list[str], its: list[str]) -> _Told | None:
    """Read what Python sets or returns as one value under a condition and as another otherwise, on either side."""
    if "else" not in mine and "else" not in its:
        return None
    start = 1 if mine[0] == "return" else 2 if mine[1] == "=" and _NAME.match(mine[0]) else 0
    if not start or mine[:start] != its[:start]:
        return None
    values = [_branches(tokens[start:]) for tokens in (mine, its)]
    if not values[0] or not values[1] or {*map(_spelled, values[0])} == {*map(_spelled, values[1])}:
        return None
    old, new = (_spelled(tokens[start:]) for tokens in (mine, its))
    return ("returned", "", old, new) if start == 1 else ("set", mine[0], old, new)


def _branches(tokens: list[str]) -> list[list[str]]:
    """Give the values among which a condition chooses, or the only one; nothing where they are not written out."""
    if "if" not in tokens or "else" not in tokens:
        return [tokens] if _is_value(tokens) else []
    at, end = tokens.index("if"), tokens.index("else")
    values = [tokens[:at], tokens[end + 1 :]]
    return values if all(_is_value(value) for value in values) else []


def _in_place(mine: list[str], its: list[str], *, python: bool, spaced: bool) -> _Told | None:
    """Find the one value in which two lines differ, and what it is for."""
    most, start, end = min(len(mine), len(its)), 0, 0
    while start < most and mine[start] == its[start]:
        start += 1
    while end < most - start and mine[-1 - end] == its[-1 - end]:
        end += 1
    start, end = _widened(mine, its, start, end)
    old, new = mine[start : len(mine) - end], its[start : len(its) - end]
    if not start or not old or not new or (end and mine[-end] not in _ENDS):
        return None
    return _told(mine[:start], old, new, python=python, spaced=spaced)


def _widened(mine: Sequence[str], its: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Take in the list around a value, the sign before it, and what is compared by another sign now."""
    for at in range(start - 1, -1, -1):
        if mine[at] in _CLOSE:
            break
        if mine[at] in _OPEN:
            closing = _closing(mine, at)
            if closing is not None and closing >= len(mine) - end and _is_bare(mine, at):
                inner, other = mine[at : closing + 1], its[at : len(its) - (len(mine) - closing) + 1]
                if _is_value(inner) and _is_value(other):
                    start, end = at, len(mine) - closing - 1
            break
    if start > 1 and mine[start - 1] == "-" and (mine[start - 2] in (*_SIGNS, *_BEFORE_OPERAND, "return")):
        start -= 1
    alone = len(mine) - end == start + 1 == len(its) - end
    if alone and end and mine[start] in _SIGNS and its[start] in _SIGNS:
        end -= 1
    return start, end


def _is_bare(tokens: Sequence[str], opened: int) -> bool:
    """Tell whether a bracket holds a list of its own, and not what is given to a function or asked of a table."""
    before = tokens[opened - 1] if opened else ""
    return (before in _WORDS or not _NAME.match(before)) and before not in (")", "]")


def _closing(tokens: Sequence[str], opened: int) -> int | None:
    depth = 0
    for at in range(opened, len(tokens)):
        depth += (tokens[at] in _OPEN) - (tokens[at] in _CLOSE)
        if depth == 0:
            return at
    return None


def _is_value(tokens: Sequence[str]) -> bool:
    """Tell whether this is a number, a word, a constant, or a list of them."""
    if len(tokens) == 2 and tokens[0] == "-":
        tokens = tokens[1:]
    if len(tokens) == 1:
        return _LITERAL.match(tokens[0]) is not None or _MEMBER.match(tokens[0]) is not None
    if len(tokens) < 2 or tokens[0] not in _OPEN or tokens[-1] not in _CLOSE:
        return False
    # Round brackets around one thing only hold it together.
    listed = "," in tokens or tokens[0] != "("
    return listed and all(part == "," or _is_value([part]) for part in tokens[1:-1])


def _told(before: list[str], old: list[str], new: list[str], *, python: bool, spaced: bool) -> _Told | None:
    """Say what the value is for, by what stands before it."""
    if old[0] in _SIGNS and new[0] in _SIGNS:
        valued = _is_value(old[1:]) and _is_value(new[1:])
        return _compared(before, f"{old[0]} {_spelled(old[1:])}", f"{new[0]} {_spelled(new[1:])}") if valued else None
    if not _is_value(old) or not _is_value(new):
        return None
    was, now, last = _spelled(old), _spelled(new), before[-1]
    if last in _SIGNS:
        negated = before[-2:-1] == ["not"]
        sign = f"not {last}" if negated else last
        return _compared(before[: -2 if negated else -1], f"{sign} {was}", f"{sign} {now}")
    if last == "return":
        return ("returned", "", was, now) if len(before) == 1 else None
    if last == "=" and len(before) > 1 and _NAME.match(before[-2]):
        if python and before[1] == ":":
            return "set", before[0], was, now
        return "set" if not python or (len(before) == 2 and spaced) else "given", before[-2], was, now
    if last == ":" and len(before) == 2 and before[0][0] in "\"'":
        return "entry", before[0].strip("\"'"), was, now
    name = last.strip("/*= ") if last.startswith("/*") else ""
    return ("given", name, was, now) if name and _NAME.match(name) else None


def _compared(before: Sequence[str], old: str, new: str) -> _Told | None:
    """Name what is compared: a name, or a call or an item of one, and nothing that is computed."""
    at = len(before) - 1
    if at >= 0 and before[at] in ")]":
        depth = 0
        while at >= 0:
            depth += (before[at] in _CLOSE) - (before[at] in _OPEN)
            at -= 1
            if depth == 0:
                break
    if at < 0 or not _NAME.match(before[at]) or before[at] in _WORDS:
        return None
    if at and before[at - 1] not in _BEFORE_OPERAND and before[at - 1] not in _WORDS:
        return None
    return "compared", _spelled(before[at:]), old, new


def _spelled(tokens: Sequence[str]) -> str:
    """Write words and signs as code is written."""
    text = ""
    for at, part in enumerate(tokens):
        word = part in _WORDS or part in _SIGNS
        text += f" {part} " if word and at else f"{part} " if part == "," else part
    return text.replace(", ]", "]").replace(", )", ",)").replace("  ", " ").removesuffix(";")
