"""What a function chooses anew: a value that new branches split, one put in another's place, one nobody set before."""

import re
from collections.abc import Iterator, Sequence

from tools.diff.exchanged import Exchange, Form, Line, Stretch, Way, stretches
from tools.diff.hunks import Hunk
from tools.diff.terms import OPTION, OWN, UNSET
from tools.diff.written import is_value, spelled, tokens_of

_SETS = re.compile(r"([A-Za-z_][\w.]*)(?:\s*:[^=]+)?\s=\s(?!=)(.+)")
_RETURNS = re.compile(r"(return)\s+(.+)")
_IF = re.compile(r"if (.{1,60}):$")
_EQUAL = re.compile(r"if ([A-Za-z_][\w.]*) (?:==|is) (.+):$")
_BRANCHING = re.compile(r"\b(?:if|elif|else|for|while|try|except|with|case)\b")
_RETURN = "return"
_ANSWERS = ("True", "False")
_FEW = 4
"""Values among which a choice can still be read."""


def choices(hunk: Hunk) -> Iterator[Exchange]:
    """Find what Python sets otherwise, or for the first time, by the lines of a hunk."""
    if not hunk.old_count or not any(line[:1] == "+" and _may_choose(line) for line in hunk.lines):
        return
    for stretch in stretches(hunk):
        yield from _split(stretch)
    yield from _new(hunk)


def _may_choose(line: str) -> bool:
    return " = " in line or " return " in line


def _set(text: str) -> tuple[str, str] | None:
    """Read what a line sets or returns and to which written-out value."""
    found = _SETS.match(text) or _RETURNS.match(text)
    if found is None:
        return None
    tokens = tokens_of(found[2], python=True)
    return (found[1], spelled(tokens)) if is_value(tokens) else None


def _split(stretch: Stretch) -> Iterator[Exchange]:
    """Find a value that is chosen by conditions now and was not before, or the other way round."""
    gone, come = (_by_target(lines) for lines in stretch[:2])
    for target, before in gone.items():
        after = come.get(target, [])
        if target == _RETURN or {len(before), len(after)} == {1} or not after:
            continue
        if len(before) == 1 and _is_choice(before[0][0], [line for line, _ in after], stretch.come):
            sides = before[0][1], _chosen(after, stretch.come)
        elif len(after) == 1 and _is_choice(after[0][0], [line for line, _ in before], stretch.gone):
            sides = _chosen(before, stretch.gone), after[0][1]
        else:
            continue
        if all(sides) and sides[0] != sides[1]:
            spans = before[0][0].span, after[0][0].span
            yield Exchange("set", target, *sides, *spans, "branches")


def _by_target(lines: Sequence[Line]) -> dict[str, list[tuple[Line, str]]]:
    """List what lines set, by its name; what one of them sets to something computed is left out."""
    found: dict[str, list[tuple[Line, str]]] = {}
    computed: set[str] = set()
    for line in lines:
        if (match := _SETS.match(line.text)) is not None:
            told = _set(line.text)
            if told is None:
                computed.add(match[1])
            else:
                found.setdefault(match[1], []).append((line, told[1]))
    return {target: told for target, told in found.items() if target not in computed}


def _is_choice(one: Line, branches: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Tell whether in place of a line there is a condition with all its branches, and nothing else in sight."""
    code = [line for line in lines if not line.text.startswith("#")]
    level = [line.text for line in code if line.depth <= one.depth and line.text]
    first = code[0].text.startswith("if ") and code[0].depth == one.depth
    ends = any(text.startswith("else:") for text in level)
    return first and ends and all(line.depth > one.depth for line in branches)


def _chosen(values: Sequence[tuple[Line, str]], lines: Sequence[Line]) -> str:
    """Write a choice: by its condition where there is only one, and else by its values."""
    texts = [line.text for line in lines if not line.text.startswith("#")]
    asked = _IF.match(texts[0])
    if len(values) == 2 and len(texts) == 4 and asked is not None:
        return f"{values[0][1]} if {asked[1]} else {values[1][1]}"
    unique = list(dict.fromkeys(value for _, value in values))
    return " or ".join(unique) if 1 < len(unique) <= _FEW else ""


def _new(hunk: Hunk) -> Iterator[Exchange]:
    """Find what new lines set that no removed line did: an option, or what lines beside them set to something else."""
    gone = "\n".join([line for line in hunk.changed if line[0] == "-"])
    for run in hunk.runs:
        old, new = run.old, run.new
        for at in range(run.first, run.behind):
            line = hunk.lines[at]
            told = _set(line[1:].strip()) if line[0] == "+" and _may_choose(line) else None
            if told is not None and told[1] not in UNSET and f" {told[0]} " not in gone:
                found = _before(*told, line, _above(hunk, at), hunk)
                if found is not None:
                    form: Form = "returned" if told[0] == _RETURN else "set"
                    what = "" if form == "returned" else told[0]
                    yield Exchange(form, what, found[0], told[1], (old, old), (new, new), found[1])
            old += line[0] == "-"
            new += line[0] == "+"


def _above(hunk: Hunk, at: int) -> str:
    """Give the line of the new side above a line of a hunk, blank ones aside."""
    above = (line for line in reversed(hunk.lines[:at]) if line[:1] != "-" and line[1:].strip())
    return next(above, "")


def _before(target: str, value: str, line: str, above: str, hunk: Hunk) -> tuple[str, Way] | None:
    """Say what was in a value's place, if anything, and how a choice shows; None where it is none."""
    asked = _EQUAL.match(above[1:].strip()) if above[:1] == "+" else None
    if asked is not None and asked[1] == target and asked[2] not in (value, *UNSET):
        # What is new itself was nothing before.
        others = (other for other in hunk.lines if other[:1] == "+" and other != line)
        known = not any(other[1:].lstrip().startswith(f"{target} =") for other in others)
        return (asked[2], "branches") if known and is_value(tokens_of(asked[2], python=True)) else None
    beside = _beside(target, line, hunk)
    if beside and target == _RETURN and value in _ANSWERS:
        # Whoever answers one thing answers the other as well, further down.
        return None
    if beside:
        return ("", "sibling") if value not in beside and _BRANCHING.search(above[1:]) else None
    if not OPTION.search(target) and not OWN.match(target):
        return None
    owner = target.rpartition(".")[0]
    made = re.compile(rf".\s*{re.escape(owner)}\s*(?::[^=]+)?=(?!=)")
    return None if any(map(made.match, hunk.lines)) else ("", "own" if owner == "self" else "option")


def _beside(target: str, line: str, hunk: Hunk) -> set[str]:
    """Give the values that unchanged lines of a hunk, as deep or less, set the same to."""
    depth = len(line) - len(line[1:].lstrip())
    found: set[str] = set()
    for other in hunk.lines:
        if other[:1] == " " and target in other and len(other) - len(other[1:].lstrip()) <= depth:
            told = _set(other[1:].strip())
            if told is not None and told[0] == target:
                found.add(told[1])
    return found
