"""Partial specialisations of templates: what one of them has, neither the template has nor another one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tools.diff.reading import Reading, Symbol

_LONG = 60
_REST = "…"


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
