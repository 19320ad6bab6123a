"""Whether a class that stands where another stood is that class under a new name: their members tell."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tools.diff.heirs import CONTAINERS, SPECIAL, name_likeness, own_name, owner_of
from tools.diff.reading import Symbol

_GIVEN = re.compile(r'"([^"]+)"')
_WORD = re.compile(r"[A-Za-z0-9]+")
_TELLING = 3
"""Members of a class by which it is known again."""
_HALF = 0.5
_CLOSELY, _SURELY = 0.7, 0.8
_MOSTLY = 2 / 3
"""What two records of a compiler must take in common, and classes of any place in their file have in common."""
_BETTER = 0.2
"""How much more of its members another class must have to be the likelier one."""

Pair = tuple[Symbol, Symbol]


def kindred(
    pairs: Sequence[Pair], gone: Iterable[Symbol], before: Mapping[str, Symbol], after: Mapping[str, Symbol]
) -> Iterator[Pair]:
    """Leave out classes that were paired by name and place, while their members say that they are two."""
    if not any(_is_guessed(*pair) for pair in pairs):
        yield from pairs
        return
    paired = {id(one) for one, _ in pairs}
    left = [symbol for symbol in gone if symbol.kind in CONTAINERS and id(symbol) not in paired]
    for one, other in pairs:
        if not _is_guessed(one, other) or not (
            _is_another(one, other, before, after) or _is_rather_one_of(left, one, other, before, after)
        ):
            yield one, other


def known_by_members(
    gone: Iterable[Symbol], come: Iterable[Symbol], before: Mapping[str, Symbol], after: Mapping[str, Symbol]
) -> Iterator[Pair]:
    """Pair a class, wherever it stands in the file, with the only new one that has most of its members."""
    classes = [one for one in come if one.kind in CONTAINERS]
    for one in gone if classes else ():
        if one.kind not in CONTAINERS:
            continue
        mine = _members(one, before)
        heirs = [other for other in classes if _looks_like(one, other) and _has_most(mine, _members(other, after))]
        if len(heirs) == 1:
            classes.remove(heirs[0])
            yield one, heirs[0]


def _looks_like(one: Symbol, other: Symbol) -> bool:
    same = (one.kind, owner_of(one)) == (other.kind, owner_of(other))
    return same and bool(name_likeness(one, other, _CLOSELY))


def _has_most(mine: Mapping[str, Symbol], its: Mapping[str, Symbol]) -> bool:
    """Tell whether two classes have most of their members in common; special methods every class has."""
    common = [name for name in mine.keys() & its.keys() if not SPECIAL.match(name)]
    return len(common) >= _TELLING and _agreement(mine, its) >= _MOSTLY


def _is_guessed(one: Symbol, other: Symbol) -> bool:
    return one.kind in CONTAINERS and own_name(one) != own_name(other)


def _is_another(one: Symbol, other: Symbol, before: Mapping[str, Symbol], after: Mapping[str, Symbol]) -> bool:
    """Tell whether a class has less than half of the members; of the same bases, a like name or decorator is enough."""
    if one.params is not None and other.params is not None:
        # Records that take values all begin alike; only what they take tells them apart.
        taken = [{param.name for param in symbol.params or ()} for symbol in (one, other)]
        return len(taken[0] & taken[1]) < _MOSTLY * max(map(len, taken))
    if _is_called_otherwise(one, other):
        return True
    if one.bases == other.bases and (name_likeness(one, other, _SURELY) or one.decorators == other.decorators != ()):
        return False
    mine, its = _members(one, before), _members(other, after)
    least = min(len(mine), len(its))
    common = mine.keys() & its.keys()
    # Members that are only written otherwise (`Swiglu`, `SwiGlu`) are the same ones to whoever renamed them.
    spelled = [{name.casefold() for name in side} for side in (mine, its)]
    if least and not spelled[0] & spelled[1] and not name_likeness(one, other, _SURELY):
        return True
    return (least >= _TELLING and len(common) < _HALF * least) or _have_only_names(mine, its)


def _have_only_names(mine: Mapping[str, Symbol], its: Mapping[str, Symbol]) -> bool:
    """Tell whether two classes do other things by the same methods, to other fields: they serve one caller."""
    fields = [{name for name, symbol in side.items() if symbol.kind == "field"} for side in (mine, its)]
    if not all(fields) or fields[0] & fields[1]:
        return False
    called = [name for name in mine.keys() & its.keys() if mine[name].kind == its[name].kind == "method"]
    # Short bodies have no shape.
    shapes = [pair for name in called if any(pair := (mine[name].shape, its[name].shape))]
    return len(shapes) > 1 and not any(one == other for one, other in shapes)


def _is_called_otherwise(one: Symbol, other: Symbol) -> bool:
    """Tell whether the words that two records give to their bases, `Pass<"lib-fold">`, have nothing in common."""
    given = [
        _WORD.findall(word[1]) for symbol in (one, other) for base in symbol.bases if (word := _GIVEN.search(base))
    ]
    if len(given) < len((one, other)) or name_likeness(one, other, _SURELY):
        return False
    # The first word is that of the project, where both have it.
    mine, its = (words[given[0][0] == given[1][0] :] for words in given[:2])
    return not set(mine) & set(its)


def _is_rather_one_of(
    left: Iterable[Symbol], one: Symbol, other: Symbol, before: Mapping[str, Symbol], after: Mapping[str, Symbol]
) -> bool:
    """Tell whether a class that went, and became none of the new ones, has clearly more of what the new one has."""
    its = _members(other, after)
    if len(its) < _TELLING or name_likeness(one, other, _SURELY):
        return False
    least = _agreement(_members(one, before), its) + _BETTER
    rivals = (_members(rival, before) for rival in left if owner_of(rival) == owner_of(one))
    return any(_agreement(mine, its) >= least for mine in rivals)


def _members(holder: Symbol, side: Mapping[str, Symbol]) -> dict[str, Symbol]:
    inside = f"{holder.name}."
    return {
        own_name(one): one for name, one in side.items() if name.startswith(inside) and owner_of(one) == holder.name
    }


def _agreement(mine: Mapping[str, Symbol], its: Mapping[str, Symbol]) -> float:
    """Say which share of two classes' members they have in common; those that are called otherwise count half."""
    common = [(mine[name], its[name]) for name in mine.keys() & its.keys()]
    same = sum(1.0 if one.params == other.params else 0.5 for one, other in common)
    return same / (len(mine.keys() | its.keys()) or 1)
