"""Which declaration of the new version is one of the old version under another name."""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Set
from itertools import takewhile

from tools.diff.likeness import MOST_PAIRS, likeness
from tools.diff.reading import Late, Symbol
from tools.diff.values import same_type, same_value

Kept = Callable[[int], int | None]
"""Gives the new number of an old line that a hunk shows unchanged."""
CONTAINERS = ("class", "struct", "enum", "trait", "type")
"""Kinds of symbols that have members."""
_HELD = ("constant", "variable")
_VALUED = ("field", *_HELD)
_IN_A_ROW = ("member", "field", "method", "type")
_COUNTED = re.compile(r"auto\(\)$")
_QUOTED = re.compile(r"\((?:[^()]*, *)?[\"']\w[^\"']*[\"']")
_LISTED = re.compile(r"(?:\w+\.)?Literal\[")
_PROPERTY = re.compile(r"(?:^|[._])property$")
SPECIAL = re.compile(r"__\w+__$")
"""Names by which Python itself calls a method."""
_NEARLY = 0.9
_ALIKE = 0.6
_NEAR = 5
_SEVERAL = 2
_WHOLLY = 3
"""What a name that goes on with further words counts more than any that is only like the old one."""
_BARELY, _PASSABLY, _CLOSELY, _SURELY = 0.4, 0.5, 0.7, 0.8


def renames(
    gone: Iterable[Symbol], come: Iterable[Symbol], kept: Kept | None = None
) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair what went with what came: the same thing under another name, or the one thing that took its place."""
    free, went = {id(symbol): symbol for symbol in come}, list(gone)
    shaped: dict[tuple[str, str | Late], deque[Symbol]] = defaultdict(deque)
    # Shapes are made when they are looked at, and that is the dearest part.
    kinds = {symbol.kind for symbol in went} & {symbol.kind for symbol in free.values()}
    for symbol in free.values() if kinds else ():
        if symbol.kind in kinds:
            shaped[symbol.kind, symbol.shape].append(symbol)
    left: list[Symbol] = []
    for symbol in went if kinds else ():
        if symbol.kind not in kinds:
            continue
        if symbol.shape and (same := shaped.get((symbol.kind, symbol.shape))):
            yield symbol, free.pop(id(same.popleft()))
        else:
            left.append(symbol)
    if len(left) * len(free) <= MOST_PAIRS:
        yield from _alike(left, list(free.values()), kept)


def _alike(went: list[Symbol], come: list[Symbol], kept: Kept | None) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair what is most alike first, then what was renamed by the same change of words as something else."""
    longer = {id(one): {id(other) for other in come if _is_lengthened(one, other)} for one in went}
    # One that was made into several has become none of them, nor anything else.
    went = [one for one in went if len(longer[id(one)]) < _SEVERAL]
    scored = [
        (_took_its_place(one, other) + (_WHOLLY if id(other) in longer[id(one)] else 0), one, other)
        for one in went
        for other in come
    ]
    if kept is not None:
        # Of several that look the same, the one below the same line is the likeliest.
        scored = [
            (found + (found > 1 and one.start > 1 and kept(one.start - 1) == other.start - 1), one, other)
            for found, one, other in scored
        ]
    taken: set[int] = set()
    words: set[tuple[str, str]] = set()
    rivals = Counter((id(one), found) for found, one, _ in scored if found > 0)
    for how_alike, one, other in sorted(scored, key=lambda rival: -rival[0]):
        # What looks like several new ones all the same has become none of them.
        lost = one.kind in _VALUED and (rivals[id(one), how_alike] > 1 or _is_one_of_many(one, other, come))
        if how_alike > 0 and not lost and taken.isdisjoint((id(one), id(other))):
            taken |= {id(one), id(other)}
            exchanged = _exchanged(own_name(one), own_name(other))
            words |= {exchanged} if all(exchanged) else set()
            yield one, other
    for _, one, other in scored if words else ():
        same = one.kind == other.kind and owner_of(one) == owner_of(other) and _used_alike(one, other)
        if same and taken.isdisjoint((id(one), id(other))) and _exchanged(own_name(one), own_name(other)) in words:
            taken |= {id(one), id(other)}
            yield one, other


def _is_lengthened(one: Symbol, other: Symbol) -> bool:
    """Tell whether a field has all of another's name and more words behind it, and holds the same."""
    longer = one.kind in _VALUED and own_name(other).startswith(f"{own_name(one)}_")
    return longer and _is_beside(one, other) and _took_its_place(one, other) > 0


def _is_one_of_many(one: Symbol, other: Symbol, come: Iterable[Symbol]) -> bool:
    """Tell whether a name is like a new one only in words that another new one beside it has as well."""
    words = _words(one) & _words(other)
    if not words or name_likeness(one, other, _SURELY):
        return False
    beside = (rival for rival in come if rival is not other and _is_beside(one, rival))
    return any(words <= _words(rival) for rival in beside)


def _is_beside(one: Symbol, rival: Symbol) -> bool:
    looks = [(symbol.kind, owner_of(symbol), symbol.annotation, symbol.value) for symbol in (one, rival)]
    return looks[0] == looks[1]


def _words(symbol: Symbol) -> set[str]:
    return set(own_name(symbol).lower().strip("_").split("_"))


def _exchanged(one: str, other: str) -> tuple[str, str]:
    """Say which part of a name became which: `ptrSwiGluBeta` to `ptrGatedActBeta` is `SwiGlu` to `GatedAct`."""
    start = _shared(one, other)
    end = _shared(one[start:][::-1], other[start:][::-1])
    return one[start : len(one) - end], other[start : len(other) - end]


def _shared(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _took_its_place(one: Symbol, other: Symbol) -> float:
    """Say how alike two declarations are of which one replaced the other where it stood; 0 where it did not."""
    if one.kind != other.kind or owner_of(one) != owner_of(other):
        return 0.0
    if SPECIAL.match(own_name(one)) and own_name(one) != own_name(other):
        # Python calls it by that name; only a slip of the pen is put right.
        return name_likeness(one, other, _NEARLY)
    if one.kind == "member" and one.value is not None and same_value(one.value, other.value):
        # A value that every member has tells nothing.
        return 1.0 if not _COUNTED.search(one.value) else name_likeness(one, other, _CLOSELY)
    if one.kind in ("member", "field", "constant", "variable"):
        same = (one.annotation, one.value) == (other.annotation, other.value)
        found = name_likeness(one, other, _ALIKE if same else 0.8)
        # What has the same value is the likelier heir, however the names look.
        return found + 1 if same and found else found
    if one.kind == "type" and one.value and other.value:
        # What an alias stands for tells more than its name.
        if same_type(one.value, other.value):
            found = name_likeness(one, other, _BARELY)
            return found + 1 if found else 0.0
        if one.value.partition("<")[0] != other.value.partition("<")[0]:
            return name_likeness(one, other, _CLOSELY)
    if one.kind in CONTAINERS and _registered(one) and _registered(one) == _registered(other):
        # Whoever chooses it by that name gets this one now.
        return name_likeness(one, other, _BARELY) + 1
    if one.kind in CONTAINERS:
        # What has the same base and all of the name was renamed wherever it stands in the file.
        longer = one.bases and one.bases == other.bases and own_name(other).endswith(own_name(one))
        return name_likeness(one, other, 0.5) if longer or abs(one.start - other.start) <= 40 else 0.0
    if not _used_alike(one, other):
        return 0.0
    near = (bool(owner_of(one)) or one.kind == "method") and abs(one.start - other.start) <= _NEAR
    return name_likeness(one, other, _PASSABLY if near else _CLOSELY) if one.params == other.params else 0.0


def _registered(symbol: Symbol) -> list[str]:
    """List the decorators that put a class under a name: `@register("opencv")`."""
    return [text for text in symbol.decorators if _QUOTED.search(text)]


def _used_alike(one: Symbol, other: Symbol) -> bool:
    """Tell whether two functions are both called, or both read as properties, and do not give different things."""
    given = one.returns is None or other.returns is None or same_type(one.returns, other.returns)
    return is_property(one) == is_property(other) and given


def is_property(symbol: Symbol) -> bool:
    """Tell whether a method is read like a field."""
    return symbol.kind == "method" and any(_PROPERTY.search(text) for text in symbol.decorators)


def is_list_of_values(symbol: Symbol) -> bool:
    """Tell whether a name stands for one of several values, and so has no members: `Literal["a", "b"]`."""
    return symbol.kind == "type" and _LISTED.match(symbol.value or "") is not None


def swapped(
    before: dict[str, Symbol], after: dict[str, Symbol], known: Iterable[tuple[Symbol, Symbol]]
) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair a member, field or method with the only other one of its class that took its place in the row."""
    paired = {symbol.name for pair in known for symbol in pair}
    went, came = (
        [
            symbol
            for name, symbol in side.items()
            if name not in other and symbol.name not in paired and not symbol.overload
        ]
        for side, other in ((before, after), (after, before))
    )
    for one in went if went and came else ():
        if one.kind not in _IN_A_ROW:
            continue
        rivals = [other for other in came if owner_of(other) == owner_of(one) and other.kind == one.kind]
        if len(rivals) != 1 or not _looks_the_same(one, rivals[0]):
            continue
        rows = [_row(one, side.values()) for side in (before, after)]
        if [rivals[0].name if name == one.name else name for name in rows[0]] == rows[1]:
            yield one, rivals[0]


def went_inside(
    gone: Iterable[Symbol], before: dict[str, Symbol], after: dict[str, Symbol], known: Set[str]
) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair a constant with the only one of its name inside of a class that is new."""
    went = [one for one in gone if one.kind in _HELD and one.name not in known]
    inner: dict[str, list[Symbol]] = defaultdict(list)
    for name, symbol in after.items() if went else ():
        owner = owner_of(symbol)
        if symbol.kind in (*_HELD, "field") and owner in after and owner not in before and name not in before:
            inner[own_name(symbol)].append(symbol)
    for one in went:
        rivals = inner.get(own_name(one), ())
        if len(rivals) == 1:
            yield one, rivals[0]


def _row(one: Symbol, symbols: Iterable[Symbol]) -> list[str]:
    """Name what is of a kind and class with a symbol, in the order of the file."""
    beside = (symbol for symbol in symbols if symbol.kind == one.kind and owner_of(symbol) == owner_of(one))
    return [symbol.name for symbol in sorted(beside, key=lambda symbol: symbol.start)]


def _looks_the_same(one: Symbol, other: Symbol) -> bool:
    """Tell whether two declarations differ in the name only, and have more than a name to tell by."""
    looks = [(s.annotation, s.value, s.params, s.returns, s.decorators) for s in (one, other)]
    return looks[0] == looks[1] and (one.kind == "member" or any(looks[0]))


def name_likeness(one: Symbol, other: Symbol, least: float) -> float:
    """Say how alike the names of two symbols are, without what they stand in; 0 below the least."""
    found = likeness(own_name(one).lower(), own_name(other).lower(), least)
    return found if found >= least else 0.0


def follow(
    renamed: dict[str, str], before: dict[str, Symbol], after: dict[str, Symbol], known: set[str]
) -> Iterator[tuple[Symbol, Symbol]]:
    """Pair the members of a renamed class with those under its new name."""
    for name, symbol in before.items():
        if name in after or name in known:
            continue
        old = next((owner for owner in owners(name) if owner in renamed), None)
        other = None if old is None else after.get(renamed[old] + name[len(old) :])
        if other is None and old is not None and name == f"{old}.{old.rpartition('.')[2]}":
            # A constructor has the name of its class.
            other = after.get(f"{renamed[old]}.{renamed[old].rpartition('.')[2]}")
        if other is not None and other.kind == symbol.kind:
            yield symbol, other


def own_name(symbol: Symbol) -> str:
    """Return a symbol's name without what it stands in."""
    return symbol.name.rpartition(".")[2]


def owner_of(symbol: Symbol) -> str:
    """Return the name of what a symbol stands in."""
    return symbol.name.rpartition(".")[0]


def owners(name: str) -> Iterator[str]:
    """Give the names of what a symbol stands in, the innermost first."""
    while name := name.rpartition(".")[0]:
        yield name


def in_other_hunks(gone: list[Symbol], come: list[Symbol]) -> list[tuple[Symbol, Symbol]]:
    """Take out and pair what went from one hunk and came in another: it only stands elsewhere in the file."""
    pairs: list[tuple[Symbol, Symbol]] = []
    names = {symbol.name for symbol in come}
    for one in [symbol for symbol in gone if symbol.params is not None and symbol.name in names]:
        alike = [other for other in come if other.name == one.name and other.hunk != one.hunk]
        same = [other for other in alike if other.params == one.params]
        if same or (len(alike) == 1 and one.kind != "method"):
            pairs.append((one, (same or alike)[0]))
            gone.remove(one)
            come.remove(pairs[-1][1])
    return pairs
