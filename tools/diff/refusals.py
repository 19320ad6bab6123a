"""Checks that keep their words: made under a further condition now, or one of several that say the same."""

import re
from collections.abc import Mapping, Sequence

from tools.diff.reading import Site

_JOINS = re.compile(r"\|\||&&|[()\[\]{}]")
_CHECKS = re.compile(r"(?:[A-Z0-9]+_)*?I?(?:CHECK|ASSERT|ENFORCE)(?:_(EQ|NE|GE|GT|LE|LT))?$")
"""A plain check, whatever project's; any other macro asks for something of its own (`CHECK_CONTIGUOUS`)."""
_OPENING, _CLOSING = "([{", ")]}"
_JOINED = re.compile(r"\|\||&&")
_SIGN = re.compile(r"(?<![<>=!-])(?:[<>!=]=|[<>])(?![<>=])")
_BOUND = re.compile(rf"({_SIGN.pattern})\s*-?\d")
_THING = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*(?:\(|\.|->|::|<))")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def loosened_or_tightened(old: list[Site], new: list[Site]) -> tuple[Site, Site] | None:
    """Find the check that asks for more than before, or for less, of those that say the same in one function."""
    if not any(site.guard for site in old):
        return None
    before, after = ({site.guard for site in sites} for sites in (old, new))
    gone = [site for site in old if site.guard not in after]
    come = [site for site in new if site.guard not in before]
    if len(gone) != 1 or len(come) != 1:
        return None
    conditions = gone[0].guard, come[0].guard
    differ = _has_more(*conditions) or _is_turned(*conditions) or _is_joined_otherwise(*conditions)
    return (gone[0], come[0]) if differ else None


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


def _is_turned(one: str, other: str) -> bool:
    """Tell whether a condition compares the same things otherwise: `i >= size`, `i < size`."""
    if _SIGN.sub("?", one) != _SIGN.sub("?", other):
        return False
    signs = zip(_SIGN.findall(one), _SIGN.findall(other), strict=True)
    bounds = [[sign[1] for sign in _BOUND.finditer(text)] for text in (one, other)]
    # A number that is compared otherwise is a limit, unless it bounds from the other side now.
    return bounds[0] == bounds[1] or any(mine[0] + its[0] in ("<>", "><") for mine, its in signs)


def _is_joined_otherwise(one: str, other: str) -> bool:
    """Tell whether a condition has a part more that is about another thing: `!paged`, `!(table && !fast)`.

    What a function asks now that was spelled out before, or the other way round, may be the same.
    """
    less, more = sorted((one, other), key=lambda text: len(_JOINED.findall(text)))
    if len(_JOINED.findall(less)) == len(_JOINED.findall(more)):
        return False
    asked = set(_CALL.findall(less)) <= set(_CALL.findall(more))
    return asked and not set(_THING.findall(more)) <= set(_THING.findall(less))


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


def without_echoes(sites: Sequence[Site]) -> list[Site]:
    """Leave out what a private function refuses where a public one of the file refuses it too, in the same words."""
    said = {(site.name, site.value) for site in sites if _is_worded(site) and not _is_in_private(site)}
    return [
        site for site in sites if not (_is_worded(site) and _is_in_private(site) and (site.name, site.value) in said)
    ]


def _is_worded(site: Site) -> bool:
    return site.kind == "error" and bool(site.value and site.scope)


def _is_in_private(site: Site) -> bool:
    own = site.scope.rpartition(".")[2]
    return own.startswith("_") and not own.endswith("__")
