"""Members that a class of Python has from a base or mixin in another file: it still has them, by inheritance."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.homes import Homes
from tools.diff.inherited import plain
from tools.diff.versions import Versions

_GONE = (FactKind.SYMBOL_REMOVED, FactKind.FIELD_REMOVED)
_COME = (FactKind.SYMBOL_ADDED, FactKind.FIELD_ADDED)
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


def overriding(shown: list[Shown], read: Iterable[Versions]) -> list[Shown]:
    """Tell a member that a class no longer declares as an override, where a base in a file of the commit has it."""
    gone = [one for one in shown if one.draft.kind in _GONE and one.draft.bases and _is_python(one)]
    if not gone or len(gone) > _MOST:
        return shown
    members, bases = set[str](), dict[str, tuple[str, ...]]()
    for versions in read:
        for symbol in versions.new.symbols if versions.file.path.endswith(".py") else ():
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
