"""Cases of a `switch` of C that stays: those that are gone, and in a function that says what is supported, new ones."""

import re
from collections.abc import Iterator

from tools.diff.exchanged import Exchange
from tools.diff.hunks import Hunk

_CASE = re.compile(r"case\s+((?:\w+::)*[A-Z]\w*)\s*:(?!:)")
_SWITCH = re.compile(r" \s*(?:case\s|default\s*:|switch\s*\()")
CASE = "case"


def cases(hunk: Hunk) -> Iterator[Exchange]:
    """Find the labels that only went, or only came, beside others that stay."""
    labels = {
        sign: {match[1] for line in hunk.lines if line[:1] == sign and (match := _CASE.match(line[1:].strip()))}
        for sign in "+-"
    }
    gone, come = labels["-"], labels["+"]
    # What stands deeper is a case of something else.
    depths = {_depth(line) for line in hunk.lines if _SWITCH.match(line) and "switch" not in line}
    # Where labels come and go, one may stand for the other.
    if bool(gone) == bool(come) or not depths:
        return
    old, new = hunk.old_start, hunk.new_start
    for line in hunk.lines:
        sign = line[:1]
        if sign in ("+", "-") and _depth(line) in depths and (match := _CASE.match(line[1:].strip())) is not None:
            before, after = (match[1], "") if sign == "-" else ("", match[1])
            yield Exchange("compared", CASE, before, after, (old, old), (new, new))
        old += sign not in ("+", "\\")
        new += sign not in ("-", "\\")


def _depth(line: str) -> int:
    return len(line) - len(line[1:].lstrip())
