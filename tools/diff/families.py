"""Members that a class of Python has from a base or mixin in another file: it still has them, by inheritance."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.homes import Homes
from tools.diff.inherited import plain
from tools.diff.reading import Symbol
from tools.diff.values import same_value
from tools.diff.versions import Versions

_GONE = (FactKind.SYMBOL_REMOVED, FactKind.FIELD_REMOVED)
_COME = (FactKind.SYMBOL_ADDED, FactKind.FIELD_ADDED)
_METHODS = ("method", "property")
_MOST = 200


def without_handed_up(shown: Sequence[Shown], homes: Homes) -> list[Shown]:
    """Leave out what went from a class and came, the same, to a base of it."""
    gone = [one for one in shown if one.draft.kind in _GONE and one.draft.bases and _is_python(one)]
    if not gone or len(gone) > _MOST:
        return list(shown)
    come = {_of_class(one.draft): one for one in shown if one.draft.kind in _COME and _is_python(one)}
    handed = set[int]()
    for one in gone:
        assert one.place is not None
        if (heir := _heir(one.draft, come)) is not None:
            handed |= {id(one), id(heir)}
        elif homes.keeps(one.draft, one.place.file):
            handed.add(id(one))
    return [one for one in shown if id(one) not in handed]


def overriding(shown: list[Shown], read: Sequence[Versions]) -> list[Shown]:
    """Tell a member as an override that a class came to declare, or no longer does, where a base has it.

    Bases are seen in the files of the commit.
    """
    return _declared_over(_left_to_bases(shown, read), read)


def _declared_over(shown: list[Shown], read: Sequence[Versions]) -> list[Shown]:
    """Tell of what a class declares over a base: such a method is no addition, and a field has another value."""
    come = [one for one in shown if one.draft.kind in _COME and "." in one.draft.name and _is_python(one)]
    if not come or len(come) > _MOST:
        return shown
    members, bases = dict[str, Symbol](), dict[str, tuple[str, ...]]()
    for symbol in (symbol for versions in read if _is_read(versions) for symbol in versions.old.symbols):
        members[".".join(symbol.name.split(".")[-2:])] = symbol
        if symbol.bases:
            bases[symbol.name] = tuple(map(plain, symbol.bases))
    over = {id(one): _over(one.draft, members, bases) for one in come}
    return [
        replace(one, draft=_as_override(one.draft, base)) if (base := over.get(id(one))) is not None else one
        for one in shown
    ]


def _over(draft: Draft, members: Mapping[str, Symbol], bases: Mapping[str, tuple[str, ...]]) -> Symbol | None:
    """Find the member of a base that a class declares over."""
    owner, _, own = draft.name.rpartition(".")
    waiting, known = list(bases.get(owner, ())), set[str]()
    while waiting:
        base = waiting.pop()
        if (found := members.get(f"{base}.{own}")) is not None:
            return found
        if base not in known:
            known.add(base)
            waiting += bases.get(base, ())
    return None


def _as_override(draft: Draft, base: Symbol) -> Draft:
    if draft.kind is FactKind.SYMBOL_ADDED:
        return draft._replace(detail="override") if draft.detail in _METHODS and base.kind == "method" else draft
    value = (draft.new or "").partition(" = ")[2]
    if not value or base.value is None or same_value(value, base.value):
        return draft
    return draft._replace(kind=FactKind.FIELD_CHANGED, old=base.value, new=value)


def _is_read(versions: Versions) -> bool:
    return versions.file.path.endswith(".py")


def _left_to_bases(shown: list[Shown], read: Iterable[Versions]) -> list[Shown]:
    """Tell a member that a class no longer declares as an override, where a base in a file of the commit has it."""
    gone = [one for one in shown if one.draft.kind in _GONE and one.draft.bases and _is_python(one)]
    if not gone or len(gone) > _MOST:
        return shown
    members, bases = set[str](), dict[str, tuple[str, ...]]()
    for versions in read:
        for symbol in versions.new.symbols if _is_read(versions) else ():
            members.add(".".join(symbol.name.split(".")[-2:]))
            if symbol.bases:
                bases[symbol.name] = tuple(map(plain, symbol.bases))
    left = {id(one) for one in gone if _is_inherited(one.draft, members, bases)}
    return [
        replace(one, draft=one.draft._replace(breaking=False, detail="override")) if id(one) in left else one
        for one in shown
    ]


def _is_inherited(draft: Draft, members: Set[str], bases: Mapping[str, tuple[str, ...]]) -> bool:
    own, waiting, known = draft.name.rpartition(".")[2], list(draft.bases), set[str]()
    while waiting:
        base = waiting.pop()
        if f"{base}.{own}" in members:
            return True
        if base not in known:
            known.add(base)
            waiting += bases.get(base, ())
    return False


def _heir(draft: Draft, come: Mapping[str, Shown]) -> Shown | None:
    """Find the same member in a base; a method that does something else there is another one."""
    own = draft.name.rpartition(".")[2]
    heirs = (come.get(f"{base}.{own}") for base in draft.bases)
    return next((heir for heir in heirs if heir is not None and _is_same(draft, heir.draft)), None)


def _is_same(one: Draft, other: Draft) -> bool:
    if one.shape and other.shape:
        return one.shape == other.shape
    return one.old == other.new


def _of_class(draft: Draft) -> str:
    """Name a member by its innermost class."""
    return ".".join(draft.name.split(".")[-2:])


def _is_python(one: Shown) -> bool:
    return one.place is not None and one.place.file.endswith(".py")
