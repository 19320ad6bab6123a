"""Declarations that stayed where they were under another name: lines of them are there still."""

from collections.abc import Iterable, Iterator, Sequence

from tools.diff.heirs import Kept, name_likeness, own_name, owner_of
from tools.diff.likeness import MOST_PAIRS
from tools.diff.reading import Symbol

_CALLED = ("function", "method")
_HELD = ("constant", "variable", "field")
_PASSABLY = 0.5
_TOP, _ENOUGH = 12, 3
"""Lines of a body that are looked at, and those of them that must be there still."""


def stayed(went: Sequence[Symbol], came: Sequence[Symbol], kept: Kept) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair what went with what came, where the lines around the name show that it is one thing."""
    taken: set[int] = set()
    for pairs in (_under_other_heads, _around_lines, _behind_first_lines, _for_arguments):
        free = [[symbol for symbol in side if id(symbol) not in taken] for side in (went, came)]
        for one, other in pairs(free[0], free[1], kept):
            taken |= {id(one), id(other)}
            yield one, other


def without_bodies_of_others(
    pairs: Iterable[tuple[Symbol, Symbol]], before: Iterable[Symbol], kept: Kept
) -> list[tuple[Symbol, Symbol]]:
    """Leave out functions paired by their names where the new one begins as a third did, and has no line of the old."""
    pairs = list(pairs)
    functions = [one for one in before if one.kind in _CALLED] if any(one.kind in _CALLED for one, _ in pairs) else []
    return [
        (one, other)
        for one, other in pairs
        if one.kind not in _CALLED
        or (one.shape and one.shape == other.shape)
        or _lines_in(one, other, kept)
        or not any(_begins_as(third, other, kept) for third in functions if third is not one)
    ]


def _begins_as(one: Symbol, other: Symbol, kept: Kept) -> bool:
    """Tell whether a function's body begins with lines that stayed where another's began."""
    return all(kept(one.head + line) == other.head + line for line in range(1, _ENOUGH + 1))


def _lines_in(one: Symbol, other: Symbol, kept: Kept) -> int:
    """Count the lines of one function's body, to where a hunk ends, that stayed and are in another's now."""
    lines = map(kept, range(one.head + 1, one.end + 1))
    return sum(line is not None and other.head < line <= other.end for line in lines)


def _under_other_heads(gone: Iterable[Symbol], come: Iterable[Symbol], kept: Kept) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair functions of which the head alone is another: the body begins with lines that stayed where they were.

    A single line, which may be no more than quotes, is enough where it is all there is or the names are alike.
    """
    heads = {(other.kind, owner_of(other), other.head + 1): other for other in come if other.kind in _CALLED}
    for one in gone if heads else ():
        if one.kind in _CALLED and one.end > one.head and (line := kept(one.head + 1)) is not None:
            other = heads.get((one.kind, owner_of(one), line))
            whole = kept(one.head + 2) == line + 1 or (
                one.end == one.head + 1 and other is not None and one.params == other.params
            )
            if other is not None and (whole or name_likeness(one, other, _PASSABLY)):
                del heads[one.kind, owner_of(one), line]
                yield one, other


def _around_lines(gone: Iterable[Symbol], come: Sequence[Symbol], kept: Kept) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair functions, one with all of the other's name, where most of the top of the one's body is in the other."""
    free = [other for other in come if other.kind in _CALLED]
    went = [one for one in gone if one.kind in _CALLED]
    for one in went if len(went) * len(free) <= MOST_PAIRS else ():
        top = range(one.head + 1, min(one.end, one.head + 1 + _TOP))
        lines = [line for number in top if (line := kept(number)) is not None]
        if len(lines) < _ENOUGH:
            continue
        # Where several have all of the name, one function was made into several.
        named = [other for other in free if _is_lengthened(one, other)]
        if len(named) == 1 and sum(named[0].head < line < named[0].end for line in lines) >= _ENOUGH:
            free.remove(named[0])
            yield one, named[0]


def _is_lengthened(one: Symbol, other: Symbol) -> bool:
    mine, its = own_name(one), own_name(other)
    same = (one.kind, owner_of(one)) == (other.kind, owner_of(other))
    return same and (mine in its or its in mine)


def _behind_first_lines(gone: Iterable[Symbol], come: Iterable[Symbol], kept: Kept) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair variables of one type whose declaration begins on a line that stayed, with another name on the next."""
    starts = {other.start: other for other in come if other.kind in _HELD and other.end > other.start}
    for one in gone if starts else ():
        if one.kind in _HELD and one.end > one.start and (line := kept(one.start)) is not None:
            other = starts.get(line)
            if other is not None and _look(one) == _look(other):
                del starts[line]
                yield one, other


def _for_arguments(gone: Iterable[Symbol], come: Iterable[Symbol], kept: Kept) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair names of a class for its template's arguments (`Paged = Paged_`), between two lines that stayed."""
    starts = {other.start: other for other in come if _is_for_an_argument(other)}
    for one in gone if starts else ():
        before, after = kept(one.start - 1), kept(one.end + 1)
        if before is None or after is None or not _is_for_an_argument(one):
            continue
        other = starts.get(before + 1)
        if other is not None and other.end + 1 == after and _look(one)[:3] == _look(other)[:3]:
            del starts[other.start]
            yield one, other


def _is_for_an_argument(symbol: Symbol) -> bool:
    return symbol.kind in ("constant", "type") and symbol.value == f"{own_name(symbol)}_"


def _look(symbol: Symbol) -> tuple[str | None, ...]:
    return symbol.kind, owner_of(symbol), symbol.annotation, symbol.value
