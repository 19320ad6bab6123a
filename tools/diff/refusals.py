"""Checks that keep their words: made under a further condition now, or one of several that say the same."""

import re
from collections.abc import Mapping

from tools.diff.reading import Site

_JOINS = re.compile(r"\|\||&&|[()\[\]{}]")
_CHECKS = re.compile(r"(?:[A-Z0-9]+_)*?I?(?:CHECK|ASSERT|ENFORCE)(?:_(EQ|NE|GE|GT|LE|LT))?$")
"""A plain check, whatever project's; any other macro asks for something of its own (`CHECK_CONTIGUOUS`)."""
_OPENING, _CLOSING = "([{", ")]}"


def loosened_or_tightened(old: list[Site], new: list[Site]) -> tuple[Site, Site] | None:
    """Find the check that asks for more than before, or for less, of those that say the same in one function."""
    if old[0].kind != "error" or not any(site.guard for site in old):
        return None
    before, after = ({site.guard for site in sites} for sites in (old, new))
    gone = [site for site in old if site.guard not in after]
    come = [site for site in new if site.guard not in before]
    if len(gone) != 1 or len(come) != 1:
        return None
    return (gone[0], come[0]) if _has_more(gone[0].guard, come[0].guard) else None


def spare(mine: Mapping[tuple[str, ...], list[Site]], its: Mapping[tuple[str, ...], list[Site]]) -> list[Site]:
    """Give the checks of one version whose words the other has less often: they may be made there in other words."""
    found: list[Site] = []
    for key, sites in mine.items():
        others = its.get(key, [])
        if key[0] == "error" and len(sites) > len(others) > 0 and all(site.guard for site in (*sites, *others)):
            known = {site.guard for site in others}
            left = [site for site in sites if site.guard not in known]
            found += left if len(left) == len(sites) - len(others) else []
    return found


def is_macro_exchanged(one: Site, other: Site) -> bool:
    """Tell whether two checks differ in the macro alone: `TORCH_CHECK_GE(n, 1)`, `LIB_ICHECK_GE(n, 1)`."""
    mine, its = (_CHECKS.match(site.name) for site in (one, other))
    if mine is None or its is None or one.value is None:
        return False
    return one.value == other.value and mine[1] == its[1]


def _has_more(one: str, other: str) -> bool:
    """Tell whether one condition is the other with a part more: `arch < 90 || !packed`, `!packed`."""
    sides = [_parts(text) for text in (one, other)]
    return sides[0] < sides[1] or sides[1] < sides[0]


def _parts(condition: str) -> frozenset[str]:
    """Split a condition where it is joined outside of brackets."""
    depth, last, parts = 0, 0, list[str]()
    for sign in _JOINS.finditer(condition):
        if sign[0] in _OPENING or sign[0] in _CLOSING:
            depth += 1 if sign[0] in _OPENING else -1
        elif depth == 0:
            parts.append(condition[last : sign.start()].strip())
            last = sign.end()
    return frozenset((*parts, condition[last:].strip()))
