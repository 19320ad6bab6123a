"""Partial specialisations of templates: what one of them has, neither the template has nor another one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tools.diff.likeness import MOST_PAIRS
from tools.diff.reading import Reading, Symbol

_LONG = 60
_REST = "…"
_CLASSES = ("struct", "class")


def told_apart(old: Reading, new: Reading) -> tuple[Sequence[Symbol], Sequence[Symbol]]:
    """Name what belongs to one of several specialisations of a template by its arguments, the same in both versions.

    One that came to a template or went from it is left out with all its members: whoever names the template with other
    arguments has what they had. Where a file has only one, it goes by the name of the template.
    """
    sides = [_by_owner(reading.symbols) for reading in (old, new)]
    owners = sides[0].keys() | sides[1].keys()
    if not owners:
        return old.symbols, new.symbols
    plain = [{symbol.name for symbol in reading.symbols if symbol.special is None} & owners for reading in (old, new)]
    labels: dict[str, dict[str, str | None]] = {}
    for owner in owners:
        before, after = (side.get(owner, {}) for side in sides)
        counts = [len(side) + (owner in names) for side, names in zip((before, after), plain, strict=True)]
        # What all came or went together has the name of the template, one by itself that of its arguments.
        if sum(counts) == 1 or (all(counts) and max(counts) > 1):
            labels[owner] = _labels(before, after, all(counts))
    return list(_named(old.symbols, labels)), list(_named(new.symbols, labels))


def newcomers(old: Reading, new: Reading) -> list[tuple[int, int]]:
    """Give the lines of specialisations that the old version has not: what they check is new to nobody's arguments."""
    known = {symbol.special[::2] for symbol in old.symbols if symbol.special is not None}
    return [
        (symbol.start, symbol.end)
        for symbol in new.symbols
        if symbol.special is not None and symbol.name == symbol.special.owner and symbol.special[::2] not in known
    ]


def same_bodies(
    gone: Iterable[Symbol], come: Iterable[Symbol], before: Mapping[str, Symbol], after: Mapping[str, Symbol]
) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair what is said of one set of arguments with what says the same of others, in the same place of the list.

    Of several that say the same the one is meant whose arguments differ as those of the sure pairs do.
    """
    went, came = ([one for one in side if "<" in one.name and one.kind in _CLASSES] for side in (gone, come))
    if not 0 < len(went) * len(came) <= MOST_PAIRS:
        return
    said = [_said(world) for world in (before, after)]
    rivals = {
        other.name: [
            one
            for one in went
            if _template(one) == _template(other) and said[0].get(one.name) == said[1].get(other.name)
        ]
        for other in came
        if said[1].get(other.name)
    }
    lost: set[str] = set()
    for other in sorted(came, key=lambda one: len(rivals.get(one.name, ()))):
        heirs = [one for one in rivals.get(other.name, ()) if _first(one) == _first(other)]
        heirs.sort(key=lambda one: _rest(one) not in lost)
        if heirs:
            lost.add(_rest(heirs[0]))
            yield heirs[0], other
            for others in rivals.values():
                others[:] = [one for one in others if one is not heirs[0]]


def _said(world: Mapping[str, Symbol]) -> dict[str, list[tuple[str | None, ...]]]:
    """Give what the members of each specialisation are, by its name."""
    found: dict[str, list[tuple[str | None, ...]]] = {}
    for symbol in world.values():
        owner, _, own = symbol.name.rpartition(".")
        if owner.endswith(">"):
            found.setdefault(owner, []).append((own, symbol.kind, symbol.value, symbol.annotation, symbol.returns))
    return found


def _template(symbol: Symbol) -> str:
    return symbol.name.partition("<")[0]


def _first(symbol: Symbol) -> str:
    """Give the first argument, by which most specialisations are looked up."""
    return symbol.name.partition("<")[2].removesuffix(">").partition(",")[0]


def _rest(symbol: Symbol) -> str:
    return symbol.name.partition("<")[2].partition(",")[2]


def _by_owner(symbols: Iterable[Symbol]) -> dict[str, dict[str, str]]:
    """Give the specialisations of each template, with their arguments as written."""
    found: dict[str, dict[str, str]] = {}
    for special in (symbol.special for symbol in symbols):
        if special is not None:
            found.setdefault(special.owner, {}).setdefault(special.likened, special.arguments)
    return found


def _labels(before: Mapping[str, str], after: Mapping[str, str], known: bool) -> dict[str, str | None]:
    """Say what each is called; None leaves one out that the other version has not, where it has the template."""
    went, came = ([one for one in side if one not in other] for side, other in ((before, after), (after, before)))
    alone = {*went, *came} if known and not len(went) == len(came) == 1 else set[str]()
    labels: dict[str, str | None] = dict.fromkeys(alone)
    written = {one: (after.get(one) or before[one]) for one in (*after, *before) if one not in alone}
    if len(went) == len(came) == 1 and known:
        # The only one that is not there any more takes other arguments now.
        written[went[0]] = written[came[0]]
    short = {one: _short(text) for one, text in written.items()}
    unique = len(set(short.values())) == len(set(written.values()))
    return labels | (short if unique else written)


def _short(arguments: str) -> str:
    """Write the first arguments, and of a long first one the head only."""
    inside, depth, kept = arguments[1:-1], 0, 0
    for at, sign in enumerate(inside):
        depth += (sign in "<([") - (sign in ">)]")
        if sign == "," and depth == 0:
            if at > _LONG:
                break
            kept = at
    if len(inside) <= _LONG:
        return arguments
    return f"<{inside[:kept]}, {_REST}>" if kept else f"<{inside.partition('<')[0].partition(',')[0]}{_REST}>"


def _named(symbols: Iterable[Symbol], labels: Mapping[str, Mapping[str, str | None]]) -> Iterator[Symbol]:
    for symbol in symbols:
        special = symbol.special
        if special is None or special.owner not in labels:
            yield symbol
        elif (label := labels[special.owner][special.likened]) is not None:
            yield symbol._replace(name=f"{special.owner}{label}{symbol.name[len(special.owner) :]}")
