"""A short piece of a diff that shows a change where there is little else to tell."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, groupby

from agent.domain.commits import Change

_BESIDE = re.compile(
    r"(?:^|/)(?:tests?|docs?|benchmarks?|examples?|\.github|ci)/|(?:^|/)test_|\.(?:md|rst|txt|lock|json|csv)$"
)
_SAYS_LITTLE = re.compile(r"^[+-]\s*(?:#|//|\*|/\*|import\b|from\b.*\bimport\b|\"\"\"|[)}\]({\[,;]*$|$)")
_REMARK = re.compile(r"^\+\s*(?:#\s|//|\*\s|/\*)\s*\w")
_WORD = re.compile(r"\w+")
_MOST, _ENOUGH, _FEW, _SHOWN = 12, 6, 2, 8
_WIDEST = 400
"""Characters of a line that a person reads: beyond it are pictures in base64, minified code and tables."""


def short_change(change: Change) -> tuple[str, tuple[str, ...]] | None:
    """Choose a stretch of changed lines, best one that takes something away and puts something in its place."""
    kept = _kept(change)
    found = _short_stretches(change, kept)
    exchanges = [one for one in found if {line[0] for line in one[1] if not _SAYS_LITTLE.match(line)} == {"+", "-"}]
    alone = sorted(found, key=lambda one: len(one[1]) < _FEW)
    return next(chain(exchanges, alone, _islands(change, kept), _remarks(change, kept)), None)


def _short_stretches(change: Change, kept: Set[str]) -> list[tuple[str, tuple[str, ...]]]:
    """List the short stretches of changed lines of code, those of the files with most changes first."""
    found = ((path, lines) for path, lines in _stretches(change) if len(lines) <= _MOST)
    return [
        (path, _trimmed(lines))
        for path, lines in found
        if not all(_SAYS_LITTLE.match(line) or _bare(line) in kept for line in lines)
    ]


def _islands(change: Change, kept: Set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Find what is new in long stretches of which most was only moved further in or out, the longest first."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for path, lines in _stretches(change):
        if 2 * sum(_bare(line) in kept for line in lines) < len(lines):
            continue
        # Lines that were laid out anew have the same words.
        words = {sign: _words(line for line in lines if line[0] == sign) for sign in "+-"}
        for (fresh, sign), run in groupby(lines, key=lambda line: (_bare(line) not in kept, line[0])):
            island = [*run]
            telling = sum(_SAYS_LITTLE.match(line) is None for line in island)
            same = _words(island) in words["-" if sign == "+" else "+"]
            if fresh and telling >= _FEW and len(island) <= _MOST and not same:
                found.append((path, _trimmed(island)))
    yield from sorted(found, key=lambda one: -len(one[1]))


def _words(lines: Iterable[str]) -> str:
    return " ".join(word for line in lines for word in _WORD.findall(line))


def _remarks(change: Change, kept: Set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Find in stretches that are too long what their author says of them in a comment of several lines."""
    for path, lines in _stretches(change):
        for added, run in groupby(lines, key=lambda line: _REMARK.match(line) is not None):
            remark = tuple(run)
            if added and _FEW <= len(remark) <= _MOST and not any(_bare(line) in kept for line in remark):
                yield path, remark


def _kept(change: Change) -> Set[str]:
    """List the lines that went in one place and came in another, most often further in or out: they say nothing new."""
    sides: dict[str, set[str]] = {"+": set(), "-": set()}
    for file in change.files:
        for line in (file.patch or "").split("\n"):
            if line[:1] in sides:
                sides[line[0]].add(_bare(line))
    return sides["+"] & sides["-"]


def _bare(line: str) -> str:
    return line[1:].strip()


def widened(lines: tuple[str, ...], patch: str) -> tuple[str, ...]:
    """Show lines with what was changed right around them, if that is little: one alone seldom speaks for itself."""
    every = patch.split("\n")
    places = range(len(every) - len(lines) + 1)
    at = next((place for place in places if tuple(every[place : place + len(lines)]) == lines), None)
    if at is None or len(lines) >= _ENOUGH:
        return lines
    first, last = at, at + len(lines)
    while first > 0 and every[first - 1][:1] in ("+", "-"):
        first -= 1
    if last - first > _ENOUGH:
        first = at
    while last < len(every) and last - first < _ENOUGH and every[last][:1] in ("+", "-"):
        last += 1
    wider = _trimmed(every[first:last])
    return wider if is_legible(wider) else lines


def naming_lines(lines: Sequence[str], patch: str, literals: Sequence[str]) -> list[tuple[str, ...]]:
    """Choose the few lines that name most of what a fact is about, each stretch one below the other in the patch.

    Where the patch was not kept, nobody knows what stands beside what: then it is one line of each side.
    """
    legible = [line for line in lines if is_legible([line])]
    worth = [sum(literal in line for literal in literals) for line in legible]
    order = sorted(range(len(legible)), key=lambda at: (-worth[at], at))
    if not patch or not order:
        sides = {legible[at][:1]: at for at in reversed(order)}
        return [(legible[at],) for at in sorted(sides.values()) if worth[at] or len(sides) == 1]
    first, last = order[0], order[0] + 1
    while last - first < _SHOWN:
        wider = [(one, two) for one, two in ((first, last + 1), (first - 1, last)) if one >= 0 and two <= len(legible)]
        fitting = next((one for one in wider if "\n".join(legible[slice(*one)]) in patch), None)
        if fitting is None:
            break
        first, last = fitting
    return [tuple(legible[first:last])] if "\n".join(legible[first:last]) in patch else []


def is_code(path: str) -> bool:
    """Tell a file whose lines say something by themselves from a table of data."""
    return not path.endswith((".json", ".csv", ".lock", ".txt", ".svg", ".ipynb"))


def is_legible(lines: Iterable[str]) -> bool:
    """Tell whether a person would read these lines."""
    return all(len(line) <= _WIDEST for line in lines)


def _stretches(change: Change) -> Iterator[tuple[str, list[str]]]:
    """Give the stretches of changed lines of code, each with its path, those of the files with most changes first."""
    files = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    for file in files:
        lines = () if _BESIDE.search(file.path) else (file.patch or "").split("\n")
        for changed, run in groupby(lines, key=lambda line: line[:1] in ("+", "-")):
            if changed and is_legible(stretch := list(run)):
                yield file.path, stretch


def _trimmed(lines: list[str]) -> tuple[str, ...]:
    """Leave out blank lines at the ends."""
    telling = [place for place, line in enumerate(lines) if line[1:].strip()]
    return tuple(lines[telling[0] : telling[-1] + 1])
