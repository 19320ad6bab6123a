"""Fields that have another name because the class they hold has one: each is known again by what it holds."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from tools.diff.heirs import CONTAINERS, own_name, owner_of
from tools.diff.reading import Symbol

_WORD = re.compile(r"\w+")


def named_after(
    gone: Iterable[Symbol], come: Iterable[Symbol], known: Iterable[tuple[Symbol, Symbol]]
) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair the only field of a class that held what was renamed with the only one that holds it under its new name."""
    pairs = list(known)
    renamed = {own_name(one): own_name(other) for one, other in pairs if one.kind in CONTAINERS}
    taken = {id(symbol) for pair in pairs for symbol in pair}
    if not renamed:
        return
    went, came = (
        _holders(symbols, names, taken) for symbols, names in ((gone, {*renamed}), (come, {*renamed.values()}))
    )
    for (owner, held), fields in went.items():
        heirs = came.get((owner, renamed[held]), [])
        if len(fields) == len(heirs) == 1:
            yield fields[0], heirs[0]


def _holders(symbols: Iterable[Symbol], names: set[str], taken: set[int]) -> dict[tuple[str, str], list[Symbol]]:
    """Give the fields by their class and the class that they hold."""
    found: dict[tuple[str, str], list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        if symbol.kind == "field" and symbol.annotation and id(symbol) not in taken:
            for word in names.intersection(_WORD.findall(symbol.annotation)):
                found[owner_of(symbol), word].append(symbol)
    return found
