"""Functions of C and C++ that are there under a condition only: somebody put `#ifdef` around them."""

import re
from collections.abc import Iterator, Mapping

from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.hunks import Hunk, Patch
from tools.diff.reading import Reading

_DIRECTIVE = re.compile(r".[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(.*?)[ \t]*(?://.*|/\*.*)?$")
_ASKED = re.compile(r"!?[ \t]*(?:defined[ \t]*\(?[ \t]*)?([A-Za-z]\w*)\)?$")
"""A macro of the project's own; what begins with underscores the compiler defines."""
_CALLED = ("function", "method")


def made_conditional(patch: Patch, old: Reading, new: Reading) -> Iterator[Draft]:
    """Tell which functions that were there before stand between a new `#ifdef` and its `#endif`."""
    removed = _directives(patch.removed)
    before = {symbol.name for symbol in old.symbols if symbol.kind in _CALLED and symbol.public}
    for start, end, condition in _enclosed(_directives(patch.added)) if before else ():
        # A condition that another one takes the place of is only asked otherwise.
        if any(patch.together(line, start) for line in removed):
            continue
        for symbol in new.symbols:
            if symbol.name in before and symbol.kind in _CALLED and start < symbol.start <= symbol.end < end:
                where = Where(new=(start, start))
                yield Draft(
                    FactKind.SIGNATURE_CHANGED, symbol.name, True, where, None, condition, "condition", breaking=True
                )


def opens_condition(hunk: Hunk) -> bool:
    """Tell whether a hunk puts something under a condition, though no line that declares anything changed."""
    return any(line.startswith("+#if") for line in hunk.lines)


def _directives(lines: Mapping[int, str]) -> dict[int, tuple[str, str]]:
    found = ((number, _DIRECTIVE.match(line)) for number, line in lines.items() if "#" in line)
    return {number: (match[1], match[2]) for number, match in found if match is not None}


def _enclosed(directives: Mapping[int, tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    """Give the lines of new conditions without another branch, innermost first."""
    opened: list[tuple[int, str, str]] = []
    for number, (word, rest) in directives.items():
        if word.startswith("if"):
            opened.append((number, word, rest))
        elif opened and word == "endif":
            start, asked, condition = opened.pop()
            if asked and asked != "ifndef" and _ASKED.match(condition):
                yield start, number, f"#{asked} {condition}"
        elif opened:
            opened[-1] = (opened[-1][0], "", "")
