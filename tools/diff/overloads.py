"""Which declarations of one name are the same in two versions: overloads, specialisations, what conditions repeat."""

from tools.diff.reading import Reading, Symbol

_SEVERAL = ("type", "struct", "class", "constant", "variable")
_MOST_OVERLOADS = 400


def indexed(old: Reading, new: Reading) -> tuple[dict[str, Symbol], dict[str, Symbol]]:
    """Index both sides by name; of several, those with equal signatures are the same, the others pair in order."""
    before, after = _by_name(old), _by_name(new)
    old_index: dict[str, Symbol] = {}
    new_index: dict[str, Symbol] = {}
    for name in dict.fromkeys((*before, *after)):
        mine, its = before.get(name, []), after.get(name, [])
        if len(mine) > 1 or len(its) > 1:
            for signed in (_signed, _typed):
                common = {signed(symbol) for symbol in before.get(name, [])}
                common &= {signed(symbol) for symbol in after.get(name, [])} - {None}
                mine = [symbol for symbol in mine if signed(symbol) not in common]
                its = [symbol for symbol in its if signed(symbol) not in common]
        if mine and its and len(mine) != len(its) and all(symbol.kind in _SEVERAL for symbol in (*mine, *its)):
            # What is declared for several cases is there as long as it is for one of them.
            mine, its = mine[: len(its)], its[: len(mine)]
        elif bool(mine) != bool(its) and name in before and name in after and (mine or its)[0].kind in _SEVERAL:
            mine, its = [], []
        elif mine and its and len(mine) + len(its) > 2:
            mine, its = _matched(mine, its)
        for index, symbols in ((old_index, mine), (new_index, its)):
            for place, symbol in enumerate(symbols):
                index[name if place == 0 else f"{name}#{place}"] = symbol
    return old_index, new_index


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
    return 2 * shared / max(1, len(sides[0]) + len(sides[1])) + (one.decorators == other.decorators) / 4


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


def _by_name(reading: Reading) -> dict[str, list[Symbol]]:
    found: dict[str, list[Symbol]] = {}
    for symbol in reading.symbols:
        where = symbol.hunk or ("announced" if symbol.announced else "")
        found.setdefault(f"{symbol.name}@{where}" if where else symbol.name, []).append(symbol)
    return found
