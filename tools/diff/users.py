"""Which functions use a constant, by the lines of a patch: one that only others use is another constant."""

import re
from collections.abc import Iterable, Mapping, Sequence

from tools.diff.hunks import Patch
from tools.diff.reading import Symbol

_HELD = ("constant", "variable")
_CALLED = ("function", "method")
Pair = tuple[Symbol, Symbol]


def without_others(
    pairs: Iterable[Pair], before: Mapping[str, Symbol], after: Mapping[str, Symbol], patch: Patch
) -> list[Pair]:
    """Leave out constants that look the same and have nothing else in common.

    Functions that used the one went, others that use the other came, and where a function stayed no line of it has
    the one name in place of the other.
    """
    pairs = list(pairs)
    renamed = {symbol.name for pair in pairs for symbol in pair if symbol.kind in _CALLED}
    went, came = (
        [symbol for name, symbol in side.items() if name not in other and symbol.kind in _CALLED]
        for side, other in ((before, after), (after, before))
    )
    went, came = ([symbol for symbol in side if symbol.name not in renamed] for side in (went, came))
    return [pair for pair in pairs if pair[0].kind not in _HELD or not _is_of_others(pair, went, came, patch)]


def _is_of_others(pair: Pair, went: Sequence[Symbol], came: Sequence[Symbol], patch: Patch) -> bool:
    one, other = pair
    mine, its = _uses(one, patch.removed), _uses(other, patch.added)
    if not any(_stands_in(number, went) for number in mine) or not any(_stands_in(number, came) for number in its):
        return False
    old, new = (symbol.name.rpartition(".")[2] for symbol in pair)
    word = re.compile(rf"\b{re.escape(old)}\b")
    added = {line.strip() for line in its.values()}
    return not any(
        word.sub(new, line).strip() in added for number, line in mine.items() if not _stands_in(number, went)
    )


def _uses(symbol: Symbol, lines: Mapping[int, str]) -> dict[int, str]:
    """Give the lines, but for its declaration, that name a constant."""
    own = symbol.name.rpartition(".")[2]
    word = re.compile(rf"\b{re.escape(own)}\b")
    return {
        number: line[1:]
        for number, line in lines.items()
        if own in line and not symbol.start <= number <= symbol.end and word.search(line)
    }


def _stands_in(number: int, functions: Iterable[Symbol]) -> bool:
    return any(function.start <= number <= function.end for function in functions)
