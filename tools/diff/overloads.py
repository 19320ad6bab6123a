"""Which declarations of one name are the same in two versions: overloads, specialisations, what conditions repeat."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from tools.diff.reading import Param, Reading, Symbol
from tools.diff.specialisations import told_apart
from tools.diff.values import nameless

_SEVERAL = ("type", "struct", "class", "constant", "variable")
_CALLED = ("function", "method")
_MOST_OVERLOADS = 400
_QUALIFIED = re.compile(r"\b(?:const|volatile|typename|struct)\b|[&\s]")
_GENERIC = re.compile(r"\bT\b|\bauto\b")
_NUMBERS = frozenset(["int", "long", "short", "char", "bool", "float", "double", "unsigned", "size_t"])
_NUMBERS |= {"int32_t", "int64_t", "uint32_t", "uint64_t"}
_ENOUGH, _NEARLY_ALL = 0.5, 0.75
_FEW = 2


def indexed(old: Reading, new: Reading) -> tuple[dict[str, Symbol], dict[str, Symbol]]:
    """Index both sides by name; of several, those with equal signatures are the same, the others pair in order.

    Where functions are overloaded only those pair that take nearly the same; any other is an overload of its own.
    """
    before, after = map(_by_name, told_apart(old, new))
    overloaded, generics = old.overloaded or new.overloaded, old.generics | new.generics
    old_index: dict[str, Symbol] = {}
    new_index: dict[str, Symbol] = {}
    for name in dict.fromkeys((*before, *after)):
        mine, its = before.get(name, []), after.get(name, [])
        several = len(mine) > 1 or len(its) > 1
        if several:
            for signed in (_signed, _typed):
                common = {signed(symbol) for symbol in before.get(name, [])}
                common &= {signed(symbol) for symbol in after.get(name, [])} - {None}
                common -= _swapped(mine, its) if signed is _typed and len(mine) * len(its) <= _MOST_OVERLOADS else set()
                mine = [symbol for symbol in mine if signed(symbol) not in common]
                its = [symbol for symbol in its if signed(symbol) not in common]
        if overloaded and several and _is_called(before.get(name, ())) and _is_called(after.get(name, ())):
            mine, its, left, come = _overloads(mine, its, before[name], after[name], generics)
            old_index |= {f"{name}#-{place}": symbol for place, symbol in enumerate(left)}
            new_index |= {f"{name}#+{place}": symbol for place, symbol in enumerate(come)}
        elif mine and its and len(mine) != len(its) and all(symbol.kind in _SEVERAL for symbol in (*mine, *its)):
            # What is declared for several cases is there as long as it is for one of them.
            mine, its = mine[: len(its)], its[: len(mine)]
        elif bool(mine) != bool(its) and name in before and name in after and (mine or its)[0].kind in _SEVERAL:
            mine, its = [], []
        elif mine and its and len(mine) + len(its) > _FEW:
            mine, its = _matched(mine, its)
        for index, symbols in ((old_index, mine), (new_index, its)):
            for place, symbol in enumerate(symbols):
                index[name if place == 0 else f"{name}#{place}"] = symbol
    return old_index, new_index


def _is_called(symbols: Iterable[Symbol]) -> bool:
    return any(symbol.kind in _CALLED for symbol in symbols)


def _overloads(
    mine: list[Symbol], its: list[Symbol], before: Sequence[Symbol], after: Sequence[Symbol], generics: Set[str]
) -> tuple[list[Symbol], ...]:
    """Pair overloads that take nearly the same; give those besides that went without another to take their calls."""
    mine, its = ([symbol for symbol in side if symbol.kind in _CALLED] for side in (mine, its))
    pairs = list(_near_pairs(mine, its, generics)) if len(mine) * len(its) <= _MOST_OVERLOADS else []
    taken = {id(symbol) for pair in pairs for symbol in pair}
    known = [{_types(symbol, generics) for symbol in side} for side in (before, after)]
    left = [symbol for symbol in mine if id(symbol) not in taken and _types(symbol, generics) not in known[1]]
    come = [symbol for symbol in its if id(symbol) not in taken and _types(symbol, generics) not in known[0]]
    lost = [
        symbol
        for symbol in left
        if not _is_unasked(symbol) and not any(_takes(other, symbol, generics) for other in after)
    ]
    spare = ([symbol._replace(overload=True) for symbol in side] for side in (lost, come))
    return [one for one, _ in pairs], [other for _, other in pairs], *spare


def _near_pairs(mine: list[Symbol], its: list[Symbol], generics: Set[str]) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair what is most alike first, as far as it is near at all."""
    rivals = [
        (_in_common(one, other), -at, -to)
        for at, one in enumerate(mine)
        for to, other in enumerate(its)
        if _is_near(one, other, generics)
    ]
    olds, news = set[int](), set[int]()
    for _, at, to in sorted(rivals, reverse=True):
        if at not in olds and to not in news:
            olds.add(at)
            news.add(to)
            yield mine[-at], its[-to]


def _is_near(one: Symbol, other: Symbol, generics: Set[str]) -> bool:
    """Tell whether two overloads take the same, or one takes more besides, or one thing of several has another type."""
    before, after = _types(one, generics), _types(other, generics)
    if before == after:
        return True
    if len(before) == len(after):
        same = sum(mine == its for mine, its in zip(before, after, strict=True))
        if same >= _ENOUGH * len(before) and len(before) > _FEW and _names(one) == _names(other) and all(_names(one)):
            return True
        return same > 0 and same >= len(before) - 1 and (_names(one) == _names(other) or _ends_otherwise(one, other))
    short, long = sorted((_named(one, generics), _named(other, generics)), key=len)
    if len(long) > _FEW and (Counter(short) & Counter(long)).total() >= _NEARLY_ALL * len(long):
        return True
    rest = iter(long)
    return len(short) >= _ENOUGH * len(long) and bool(short) and all(param in rest for param in short)


def _ends_otherwise(one: Symbol, other: Symbol) -> bool:
    """Tell whether all that differs is a last parameter that callers may leave out, before and after."""
    mine, its = one.params or (), other.params or ()
    if min(len(mine), len(its)) <= 1 or None in (mine[-1].default, its[-1].default):
        return False
    return [*map(_name_and_type, mine[:-1])] == [*map(_name_and_type, its[:-1])]


def _name_and_type(param: Param) -> tuple[str, str | None]:
    return param.name, _spaceless(param.annotation)


def _takes(other: Symbol, one: Symbol, generics: Set[str]) -> bool:
    """Tell whether what is given to one overload may well be given to another: it is a template, or takes the same."""
    given = list(one.params or ())
    for param in other.params or ():
        taken = _plain(param, generics)
        if taken == "T...":
            return True
        if not given:
            return param.default is not None
        mine = _plain(given.pop(0), generics)
        if mine != taken and not _GENERIC.search(taken) and not (mine in _NUMBERS and taken in _NUMBERS):
            return False
    return not given


def _is_unasked(symbol: Symbol) -> bool:
    """Tell whether nobody calls a function by its name: an operator, or what copies a class as a compiler would."""
    *_, owner, name = ("", *symbol.name.split("."))
    types = [_QUALIFIED.sub("", param.annotation or "").partition("<")[0] for param in symbol.params or ()]
    return name.startswith("operator") or (name == owner and types == [owner])


def _plain(param: Param, generics: Set[str]) -> str:
    return _QUALIFIED.sub("", nameless(param.annotation or "", generics))


def _types(symbol: Symbol, generics: Set[str]) -> tuple[str, ...]:
    return tuple(nameless(_spaceless(param.annotation) or "", generics) for param in symbol.params or ())


def _names(symbol: Symbol) -> list[str]:
    return [param.name for param in symbol.params or ()]


def _named(symbol: Symbol, generics: Set[str]) -> list[tuple[str, str]]:
    return list(zip(_names(symbol), _types(symbol, generics), strict=True))


def _matched(mine: list[Symbol], its: list[Symbol]) -> tuple[list[Symbol], list[Symbol]]:
    """Put overloads in an order in which each stands beside the one it is most like."""
    if len(mine) * len(its) > _MOST_OVERLOADS:
        return mine, its
    rivals = [(_in_common(one, other), -at, -to) for at, one in enumerate(mine) for to, other in enumerate(its)]
    pairs: dict[int, int] = {}
    for _, at, to in sorted(rivals, reverse=True):
        if -at not in pairs and -to not in pairs.values():
            pairs[-at] = -to
    rest = [
        [symbol for at, symbol in enumerate(side) if at not in taken]
        for side, taken in ((mine, pairs), (its, pairs.values()))
    ]
    return [*(mine[at] for at in pairs), *rest[0]], [*(its[to] for to in pairs.values()), *rest[1]]


def _in_common(one: Symbol, other: Symbol) -> float:
    """Say how much of two signatures is the same, by names and by types."""
    sides = [[(param.name, param.annotation) for param in symbol.params or ()] for symbol in (one, other)]
    shared = len(set(sides[0]) & set(sides[1]))
    # What callers give is in the same places, whatever its types are now.
    named = len(sides[0]) > _FEW and _names(one) == _names(other)
    return 2 * shared / max(1, len(sides[0]) + len(sides[1])) + (one.decorators == other.decorators) / 4 + named


def _signed(symbol: Symbol) -> tuple[object, ...]:
    """Say by what overloads and specialisations of one name are told apart, whatever the spaces in their types."""
    params = symbol.params and tuple(param._replace(annotation=_spaceless(param.annotation)) for param in symbol.params)
    return params, symbol.decorators


def _spaceless(annotation: str | None) -> str | None:
    return annotation and annotation.replace(" ", "")


def _typed(symbol: Symbol) -> tuple[object, ...] | None:
    """Tell overloads apart where parameters may go without a name: by types alone; None where there are none."""
    types = tuple(_spaceless(param.annotation) for param in symbol.params or ())
    return (types, symbol.decorators) if types and all(types) else None


def _swapped(mine: Iterable[Symbol], its: Sequence[Symbol]) -> set[tuple[object, ...] | None]:
    """Give the types of overloads of which two parameters changed places: of equal types only the names tell."""
    return {
        _typed(one)
        for one in mine
        for other in its
        if _names(one) != _names(other)
        and sorted(_names(one)) == sorted(_names(other))
        and _typed(one) == _typed(other)
    }


def _by_name(symbols: Iterable[Symbol]) -> dict[str, list[Symbol]]:
    found: dict[str, list[Symbol]] = {}
    for symbol in symbols:
        where = symbol.hunk or ("announced" if symbol.announced else "")
        found.setdefault(f"{symbol.name}@{where}" if where else symbol.name, []).append(symbol)
    return found
