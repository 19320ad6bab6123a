"""Lines of code that are what they were but for one value that is written out: a removed line and the one in its place.

Nothing is parsed here. Both lines are taken apart into words and signs, and what lies between the beginning and the
end that they share has to be a number, a word in quotes, a constant or a list of such on either side.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Literal, NamedTuple

from tools.diff.hunks import Hunk
from tools.diff.values import same_value
from tools.diff.written import CLOSE, OPEN, SIGNS, WORDS, closing, is_value, spelled, tokens_of

Span = tuple[int, int]
Way = Literal["place", "branches", "sibling", "option", "own", "answer", "terms", "reason"]
"""How it shows: one line in place of another, branches in place of a line, or a new line alone, which sets what others
beside it set, an option, or what an object has of its own; a new condition that answers no; the condition on which
an option is set; or why something is refused, in words."""
Form = Literal["set", "given", "entry", "compared", "returned", "listed"]

_NAME = re.compile(r"[A-Za-z_][\w.:>-]*$")
_BEGIN = re.compile(r"#?\s*[\w.]+")
_REMARK = re.compile(r"(?:^|\s)#\s.*")
_CASE = re.compile(r"(?:el)?if\b|\} else if\b")
_COMPUTED = frozenset("+-*/%&|^~<>@\\;{")
_PRODUCT = "product"
_ENDS = (",", ")", ";", ":", "]", "}", "and", "or", "&&", "||")
_BEFORE_OPERAND = ("(", "=", ",", "!", "&&", "||")
_NO_BRACKETS = bytes(set(range(256)) - set(b"()[]{}\n"))
_ONE_PAIR = bytes.maketrans(b"[{]}", b"(())")
_MOST = 40
"""Lines of one side that change together; where more do, nothing stands in anything's place."""
_LONGEST = 320
_SHORT = 60
"""Letters of an expression that can be read at a glance."""


class Exchange(NamedTuple):
    """One value in place of another, on two lines that are the same otherwise."""

    form: Form
    what: str
    """What is set, given or compared; empty for what is returned."""
    old: str
    """Empty where there was nothing of it before."""
    new: str
    before: Span
    """The lines that went; where none did, those before which something came."""
    after: Span
    by: Way = "place"

    @property
    def gone(self) -> int:
        """The first line that went."""
        return self.before[0]

    @property
    def come(self) -> int:
        """The first line that came."""
        return self.after[0]


class Line(NamedTuple):
    """A changed line, or several that are one statement, and how far it is indented."""

    number: int
    depth: int
    text: str
    last: int

    @property
    def span(self) -> Span:
        """The first and the last line of it."""
        return self.number, self.last


class Stretch(NamedTuple):
    """The lines that went and came next to each other."""

    gone: Sequence[Line]
    come: Sequence[Line]
    below: str
    """The line under them, as it stands."""


def exchanges(hunk: Hunk, *, python: bool) -> Iterator[Exchange]:
    """Find the lines of a hunk that differ from those in whose place they stand in one value only."""
    for stretch in stretches(hunk):
        found = list(_by_lines(stretch, python=python))
        yield from found or _by_statements(stretch, python=python)


@lru_cache(maxsize=16)
def stretches(hunk: Hunk) -> tuple[Stretch, ...]:
    """Give the lines that went and came next to each other, where some did either."""
    found: list[Stretch] = []
    for run in hunk.runs:
        left, came = (hunk.signs.count(sign, run.first, run.behind) for sign in "-+")
        # Most lines only come or only go, and are not looked at.
        if left and came and max(left, came) <= _MOST:
            lines = hunk.lines[run.first : run.behind]
            gone = [line for line in lines if line[0] == "-"]
            come = [line for line in lines if line[0] == "+"]
            below = "".join(hunk.lines[run.behind : run.behind + 1])[1:]
            found.append(Stretch([*map(_line, count(run.old), gone)], [*map(_line, count(run.new), come)], below))
    return tuple(found)


def _line(number: int, line: str) -> Line:
    text = line[1:].lstrip()
    return Line(number, len(line) - 1 - len(text), text.rstrip(), number)


def _by_lines(stretch: Stretch, *, python: bool) -> Iterator[Exchange]:
    gone, come, _ = stretch
    pairs = list(_pairs(gone, come))
    # What stands in brackets belongs to whatever stands before them.
    whole = len(pairs) == len(gone) == len(come) or 1 in (len(gone), len(come))
    for one, other in pairs:
        found = _exchange(one, other, python=python) or _named(one, other, come, python=python)
        if found is not None and (whole or found.form in ("set", "compared", "listed")):
            yield found


def _by_statements(stretch: Stretch, *, python: bool) -> Iterator[Exchange]:
    """Compare statements that are laid out over several lines, on one side at least."""
    if not any(_goes_on(lines, python=python) for lines in stretch[:2]):
        return
    gone, come = (_statements(lines, python=python) for lines in stretch[:2])
    for one, other in _pairs(gone, come):
        if one.number == one.last and other.number == other.last:
            continue
        found = _exchange(one, other, python=python)
        yield from (found,) if found is not None else _by_keyword(one, other, python=python)


def _goes_on(lines: Sequence[Line], *, python: bool) -> bool:
    """Tell at a glance whether a line of these is no whole statement."""
    texts = [_unremarked(line.text, python=python) for line in lines]
    signs = "\n".join(texts).encode("utf-8", "replace").translate(_ONE_PAIR, _NO_BRACKETS).split(b"\n")
    return any(2 * line.count(b"(") > len(line) for line in signs) or any(text.endswith("\\") for text in texts)


def _unremarked(text: str, *, python: bool) -> str:
    return _REMARK.sub("", text) if python and "#" in text else text


def _statements(lines: Sequence[Line], *, python: bool) -> list[Line]:
    """Join lines until the brackets are closed that they open; what is not closed stays as it is."""
    joined: list[Line] = []
    held: list[Line] = []
    depth = 0
    for line in lines:
        text = _unremarked(line.text, python=python)
        depth += sum(map(text.count, OPEN)) - sum(map(text.count, CLOSE))
        ends = depth <= 0 and not text.endswith("\\")
        if ends and not held and text == line.text:
            # Most lines are a statement, and stay as they are.
            joined.append(line)
            depth = 0
            continue
        held.append(line._replace(text=text.rstrip(" \\")))
        if ends:
            joined.append(Line(held[0].number, held[0].depth, " ".join([one.text for one in held]), line.number))
            held, depth = [], 0
    return joined + held


def _by_keyword(one: Line, other: Line, *, python: bool) -> Iterator[Exchange]:
    """Find what one call is given by name otherwise now, where it is given other things as well."""
    mine, its = (_tokens(line, python=python) for line in (one, other))
    at = mine.index("(") if "(" in mine else 0
    if not python or not at or mine[: at + 1] != its[: at + 1] or not _NAME.match(mine[at - 1]):
        return
    before, after = _keywords(mine, at), _keywords(its, at)
    for name, old in before.items():
        new = after.get(name, old)
        if old == new or not (_is_given(old) and _is_given(new)) or not (is_value(old) or is_value(new)):
            continue
        if not same_value(spelled(old), spelled(new)):
            yield Exchange("given", name, spelled(old), spelled(new), one.span, other.span)


def _is_given(tokens: list[str]) -> bool:
    """Tell whether a value is written out, or something short is asked for it."""
    return is_value(tokens) or _is_expression(tokens)


def _keywords(tokens: list[str], opened: int) -> dict[str, list[str]]:
    """Give what a call that ends with the statement is given by name."""
    if closing(tokens, opened) != len(tokens) - 1:
        return {}
    found: dict[str, list[str]] = {}
    depth, start = 0, opened + 1
    for at in range(opened + 1, len(tokens)):
        if (tokens[at] == "," and depth == 0) or at == len(tokens) - 1:
            if at - start > 2 and tokens[start + 1] == "=":
                found[tokens[start]] = tokens[start + 2 : at]
            start = at + 1
        depth += (tokens[at] in OPEN) - (tokens[at] in CLOSE)
    return found


def _named(one: Line, other: Line, come: Sequence[Line], *, python: bool) -> Exchange | None:
    """Find a value that has a name now, which a new line sets to it under a condition only."""
    mine, its = _tokens(one, python=python), _tokens(other, python=python)
    if len(come) < 2 or len(mine) != len(its):
        return None
    pairs = [pair for pair in zip(mine, its, strict=True) if pair[0] != pair[1]]
    if len(pairs) != 1 or not is_value(pairs[0][:1]) or not pairs[0][1].isidentifier():
        return None
    value, name = pairs[0]
    if value[0].isdigit():
        return None
    for line in come:
        if line.text.startswith(f"{name} = ") and " else " in line.text:
            tokens = _tokens(line, python=python)[2:]
            values = _branches(tokens)
            if [value] in values and any(each != [value] for each in values):
                return Exchange("set", name, value, spelled(tokens), one.span, line.span)
    return None


def _pairs(gone: Sequence[Line], come: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Pair lines that stand equally deep and begin with the same word: those in the same place, or the only ones."""
    for at, one in enumerate(gone):
        if len(gone) == len(come):
            alike = [come[at]] if _is_like(one, come[at]) else []
        else:
            alike = [other for other in come if _is_like(one, other)]
            if len(gone) == 1 and len(alike) > 1 and alike[-1] is come[-1] and _CASE.match(one.text):
                # What was done in this case is still done below the last of the new ones.
                alike = alike[-1:]
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
    mine, its = _tokens(one, python=python), _tokens(other, python=python)
    if len(mine) < 2 or len(its) < 2 or mine == its:
        return None
    told = _chosen(mine, its) or _in_place(mine, its, python=python, spaced=" = " in one.text)
    if told is None or same_value(told[2], told[3]):
        return None
    return Exchange(*told, one.span, other.span)


def _tokens(line: Line, *, python: bool) -> list[str]:
    """Take a line apart; a comma before a bracket that closes says nothing."""
    tokens = tokens_of(line.text, python=python)
    if line.number == line.last:
        return tokens
    pairs = zip(tokens, [*tokens, ";"][1:], strict=True)
    return [part for part, after in pairs if part != "," or after not in CLOSE]


_Told = tuple[Form, str, str, str]


def _chosen(mine: list[str], its: list[str]) -> _Told | None:
    """Read what Python sets or returns as one value under a condition and as another otherwise, on either side."""
    if "else" not in mine and "else" not in its:
        return None
    start = 1 if mine[0] == "return" else 2 if mine[1] == "=" and _NAME.match(mine[0]) else 0
    if not start or mine[:start] != its[:start]:
        return None
    values = [_branches(tokens[start:]) for tokens in (mine, its)]
    if not values[0] or not values[1] or {*map(spelled, values[0])} == {*map(spelled, values[1])}:
        return None
    old, new = (spelled(tokens[start:]) for tokens in (mine, its))
    return ("returned", "", old, new) if start == 1 else ("set", mine[0], old, new)


def _branches(tokens: list[str]) -> list[list[str]]:
    """Give the values among which a condition chooses, or the only one; nothing where they are not written out."""
    if "if" not in tokens or "else" not in tokens:
        return [tokens] if is_value(tokens) else []
    at, end = tokens.index("if"), tokens.index("else")
    values = [tokens[:at], tokens[end + 1 :]]
    return values if all(is_value(value) for value in values) else []


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
        if mine[at] in CLOSE:
            break
        if mine[at] in OPEN:
            closed = closing(mine, at)
            if closed is not None and closed >= len(mine) - end and _is_bare(mine, at):
                inner, other = mine[at : closed + 1], its[at : len(its) - (len(mine) - closed) + 1]
                if is_value(inner) and is_value(other):
                    start, end = at, len(mine) - closed - 1
            break
    if start > 1 and mine[start - 1] == "-" and (mine[start - 2] in (*SIGNS, *_BEFORE_OPERAND, "return")):
        start -= 1
    alone = len(mine) - end == start + 1 == len(its) - end
    if alone and end and mine[start] in SIGNS and its[start] in SIGNS:
        end -= 1
    return start, end


def _is_bare(tokens: Sequence[str], opened: int) -> bool:
    """Tell whether a bracket holds a list of its own, and not what is given to a function or asked of a table."""
    before = tokens[opened - 1] if opened else ""
    return (before in WORDS or not _NAME.match(before)) and before not in (")", "]")


def _told(before: list[str], old: list[str], new: list[str], *, python: bool, spaced: bool) -> _Told | None:
    """Say what the value is for, by what stands before it."""
    if old[0] in SIGNS and new[0] in SIGNS:
        valued = is_value(old[1:]) and is_value(new[1:])
        return _compared(before, f"{old[0]} {spelled(old[1:])}", f"{new[0]} {spelled(new[1:])}") if valued else None
    if not is_value(old) or not is_value(new):
        return _turned(before, old, new, python=python, spaced=spaced)
    was, now, last = spelled(old), spelled(new), before[-1]
    if python and before[0] == "for":
        name = _gone_over(before) if old[0] == "[" or old[0] == "(" else ""
        return ("listed", name, was, now) if name else None
    if last in SIGNS:
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


def _gone_over(before: list[str]) -> str:
    """Name what a loop takes from a list that stands behind these words: `for n in`, `for n, m in product([1],`."""
    if "in" not in before:
        return ""
    at = before.index("in")
    names, given = [part for part in before[1:at] if part not in ("(", ")", ",")], before[at + 1 :]
    if not given:
        return names[0] if len(names) == 1 else ""
    if given[0].rpartition(".")[2] != _PRODUCT or given[1:2] != ["("]:
        return ""
    depth = [
        sum(part in OPEN for part in given[:end]) - sum(part in CLOSE for part in given[:end])
        for end in range(len(given))
    ]
    place = sum(part == "," and deep == 1 for part, deep in zip(given, depth, strict=True))
    return names[place] if place < len(names) and given[-1] in ("(", ",") else ""


def _turned(before: list[str], old: list[str], new: list[str], *, python: bool, spaced: bool) -> _Told | None:
    """Read what was a value and is asked for now, or the other way round."""
    expression = new if is_value(old) else old
    if is_value(expression) or not is_value(old if expression is new else new) or not _is_expression(expression):
        return None
    if before[-1] != "=" or len(before) < 2 or not _NAME.match(before[-2]):
        return None
    form: Form = "set" if not python or (len(before) == 2 and spaced) else "given"
    return form, before[-2], spelled(old), spelled(new)


def _is_expression(tokens: Sequence[str]) -> bool:
    """Tell whether something short is asked for: no bare name, which may have been given the value, and no sum."""
    first = tokens[0].removesuffix(";")
    # What has the type of something else is of no type in particular.
    if (
        not _NAME.match(first)
        or first.endswith((".dtype", ".device"))
        or first.startswith("self._")
        or (len(tokens) == 1 and "." not in first)
        or first.rpartition(".")[2].isupper()
    ):
        return False
    balanced = sum(part in OPEN for part in tokens) == sum(part in CLOSE for part in tokens)
    return balanced and _COMPUTED.isdisjoint(tokens) and "lambda" not in tokens and len(spelled(tokens)) <= _SHORT


def _compared(before: Sequence[str], old: str, new: str) -> _Told | None:
    """Name what is compared: a name, or a call or an item of one; what is computed in a directive only."""
    at = len(before) - 1
    if before[:1] == ["#"]:
        return "compared", spelled(before[_operand(before) :]), old, new
    if at >= 0 and before[at] in ")]":
        depth = 0
        while at >= 0:
            depth += (before[at] in CLOSE) - (before[at] in OPEN)
            at -= 1
            if depth == 0:
                break
    if at < 0 or not _NAME.match(before[at]) or before[at] in WORDS:
        return None
    if at and before[at - 1] not in _BEFORE_OPERAND and before[at - 1] not in WORDS:
        return None
    return "compared", spelled(before[at:]), old, new


def _operand(tokens: Sequence[str]) -> int:
    """Find where the last operand of a condition begins, sums and products included."""
    depth = 0
    for at in range(len(tokens) - 1, 1, -1):
        depth += (tokens[at] in CLOSE) - (tokens[at] in OPEN)
        if depth < 0 or (depth == 0 and tokens[at] in ("&&", "||", "!")):
            return at + 1
    return 2
