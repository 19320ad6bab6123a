"""Which functions use a constant, by the lines of a patch: one that only others use is another constant."""

import re
from collections.abc import Iterable, Mapping

from tools.diff.hunks import Patch
from tools.diff.reading import Symbol

_HELD = ("constant", "variable")
_CALLED = ("function", "method")
Pair = tuple[Symbol, Symbol]


def without_others(
    pairs: Iterable[Pair], before: Mapping[str, Symbol], after: Mapping[str, Symbol], patch: Patch
) -> list[Pair]:
    """Leave out constants that look the same and have nothing else in common.

    The functions that used the one went, those that use the other came, and no line that used the one is there with
    the name of the other.
    """
    pairs = list(pairs)
    renamed = {symbol.name for pair in pairs for symbol in pair if symbol.kind in _CALLED}
    went, came = ({*side} - {*other} - renamed for side, other in ((before, after), (after, before)))
    return [
        (one, other)
        for one, other in pairs
        if one.kind not in _HELD
        or _is_used_alike(one, other, patch)
        or not (_users(one, before, patch.removed, went) and _users(other, after, patch.added, came))
    ]


def _is_used_alike(one: Symbol, other: Symbol, patch: Patch) -> bool:
    """Tell whether a line that used the one is there with the name of the other."""
    old, new = (symbol.name.rpartition(".")[2] for symbol in (one, other))
    word = re.compile(rf"\b{re.escape(old)}\b")
    used = [line[1:] for number, line in patch.removed.items() if old in line and not one.start <= number <= one.end]
    added = {line[1:].strip() for line in patch.added.values() if new in line}
    return any(word.sub(new, line).strip() in added for line in used)


def _users(symbol: Symbol, world: Mapping[str, Symbol], lines: Mapping[int, str], names: set[str]) -> bool:
    """Tell whether one of these functions uses a constant on one of these lines."""
    own = symbol.name.rpartition(".")[2]
    word = re.compile(rf"\b{re.escape(own)}\b")
    used = [number for number, line in lines.items() if own in line and word.search(line)]
    functions = [world[name] for name in names if world[name].kind in _CALLED]
    return any(one.start <= number <= one.end for one in functions for number in used)
