"""What a class has from its bases: a member that another class of the family declares now has neither come nor gone."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.headers import is_c
from tools.diff.heirs import SPECIAL, own_name, owners
from tools.diff.homes import Homes
from tools.diff.reading import Symbol
from tools.diff.severity import OWN_LIST

_METHODS = ("method", "property")
_COPIES = re.compile(r"^(\w+)\(\w*: (?:const )?\1\b[^,]*&\)$")
_ARGUMENTS = re.compile(r"[\[<(].*", re.DOTALL)
_OVERRIDE = "override"
_FORWARD = "forward"
"""A method without which no layer runs: who has none of its own has it from a base."""
_EVERYBODYS = frozenset(dir(object))
_MAKERS = frozenset(("__init__", "__new__"))
_GENERAL = _EVERYBODYS - _MAKERS
"""What an object can do without any method of its class, in a general way."""
_BARE = re.compile(r"(?:ABC|Protocol|Generic|object|metaclass=.*)$")
"""Bases with nothing of their own that a class would declare over."""
FOREIGN = re.compile(
    r"(?:Module|ABC|Protocol|Generic|object|\w*Enum|Thread|Process|Exception|Node(?:Visitor|Transformer)|Function|BaseModel"
    r"|NamedTuple|TypedDict|dict|list|str|int|Dataset|metaclass=.*)$"
)
"""Bases from outside of any project, of which nobody expects a method that a project removes."""
_ALLOWED = re.compile(r"^(?:supported|allowed|valid|accepted)_\w+ = [\[({]")
_CLASSES = ("class", "struct", "trait")
_LOST = (FactKind.SYMBOL_REMOVED, FactKind.FIELD_REMOVED)
_GAINED = (FactKind.SYMBOL_ADDED, FactKind.FIELD_ADDED)


def gone_for_good(
    drafts: Iterable[Draft], before: Mapping[str, Symbol], after: Mapping[str, Symbol], renamed: Mapping[str, str]
) -> Iterator[Draft]:
    """Soften the removal of what a class that is still there, perhaps under another name, inherits now."""
    for draft in drafts:
        name = draft.name.rpartition(".")[0]
        owner, old = after.get(renamed.get(name, name)), before.get(name)
        if "<" in draft.name and (owner is None or _is_partial(before.get(draft.name))):
            # Whoever names a template with the arguments of a specialisation still can: the template is somewhere.
            yield draft._replace(breaking=False)
            continue
        if owner is None or owner.kind not in _CLASSES:
            yield draft
        # A record's constructor is made from its fields.
        elif owner.kind == "struct" and draft.name.endswith(".__init__"):
            continue
        elif not owner.bases and draft.name.rpartition(".")[2] in _GENERAL:
            yield draft._replace(breaking=False, detail=_OVERRIDE)
        # A constructor that only copies is made by the compiler where there is none.
        elif old is not None and _COPIES.search(draft.old or "") and draft.name.endswith(f".{own_name(owner)}"):
            yield draft._replace(breaking=False)
        else:
            yield from _left_to_bases(draft, owner, old, before, after)


def _is_partial(symbol: Symbol | None) -> bool:
    """Tell whether something is a member of a partial specialisation, which few name by all of its arguments."""
    return symbol is not None and symbol.special is not None


def _left_to_bases(
    draft: Draft, owner: Symbol, old: Symbol | None, before: Mapping[str, Symbol], after: Mapping[str, Symbol]
) -> Iterator[Draft]:
    name = draft.name.rpartition(".")[2]
    heirloom, unseen = _ancestry(owner, name, after)
    # Fields are seldom left to a base out of sight, unless there is a new one.
    rebased = draft.detail == "field" and old is not None and old.bases != owner.bases
    if (heirloom and heirloom not in before) or _has_a_namesake(owner, old, unseen):
        return
    if heirloom or (unseen and (rebased or (draft.detail in _METHODS and SPECIAL.match(name)))):
        # Every class has the special methods from somewhere.
        detail = _OVERRIDE if draft.detail in _METHODS else draft.detail
        yield draft._replace(breaking=False, detail=detail, bases=unseen)
    else:
        gained = old is not None and any(plain(base) in unseen for base in owner.bases if base not in old.bases)
        yield draft._replace(bases=unseen, rebased=gained)


def unseen_bases(field: Symbol, after: Mapping[str, Symbol]) -> tuple[str, ...]:
    """Name the bases of a field's class, as it is now, that are declared elsewhere; they may have the field as well."""
    owner = after.get(field.name.rpartition(".")[0])
    return _ancestry(owner, own_name(field), after)[1] if field.kind == "field" and owner is not None else ()


def is_rebased(method: Symbol, before: Mapping[str, Symbol], after: Mapping[str, Symbol]) -> bool:
    """Tell whether a method that frameworks call is one of a class with a new base of the project, out of sight."""
    name, _, own = method.name.rpartition(".")
    old, new = before.get(name), after.get(name)
    if method.kind != "method" or own != _FORWARD or old is None or new is None or old.bases == new.bases:
        return False
    heirloom, unseen = _ancestry(new, own, after)
    come = [base for base in unseen if base not in map(plain, old.bases) and not FOREIGN.match(base)]
    return bool(heirloom or come)


def _has_a_namesake(owner: Symbol, old: Symbol | None, unseen: Iterable[str]) -> bool:
    """Tell whether a class has become an heir of one of its own name: `class Timer(_Timer)`; all it had is there."""
    before = () if old is None else tuple(map(plain, old.bases))
    return any(base.strip("_") == own_name(owner).strip("_") and base not in before for base in unseen)


def new_to_all(drafts: Iterable[Draft], before: Mapping[str, Symbol], after: Mapping[str, Symbol]) -> Iterator[Draft]:
    """Leave out what a class had from a base that no longer has it; bases out of sight are noted."""
    for draft in drafts:
        if _was_argument(draft, before, after):
            continue
        owner = before.get(draft.name.rpartition(".")[0])
        if owner is None or not owner.bases:
            yield draft
            continue
        heirloom, unseen = _ancestry(owner, draft.name.rpartition(".")[2], before)
        if not heirloom or (heirloom in after and not _is_repeated(draft, before[heirloom], after)):
            yield _over_unseen(draft, unseen) if unseen else draft


def _was_argument(draft: Draft, before: Mapping[str, Symbol], after: Mapping[str, Symbol]) -> bool:
    """Tell whether a field is what a constructor was given before there was a record that makes one of its fields."""
    owner, _, name = draft.name.rpartition(".")
    maker = f"{owner}.__init__"
    if draft.kind is not FactKind.FIELD_ADDED or maker not in before or maker in after:
        return False
    return any(param.name == name for param in before[maker].params or ())


def _over_unseen(draft: Draft, bases: tuple[str, ...]) -> Draft:
    """Note the bases out of sight; from those of a project a class has its special methods mostly."""
    own = draft.name.rpartition(".")[2]
    special = draft.detail in _METHODS and SPECIAL.match(own) is not None
    over = special and not all(map((_BARE if own in _EVERYBODYS else FOREIGN).match, bases))
    detail = _OVERRIDE if over else OWN_LIST if _is_allowed(draft, bases) else draft.detail
    return draft._replace(bases=bases, detail=detail)


def _is_allowed(draft: Draft, bases: tuple[str, ...]) -> bool:
    """Tell whether a class lists for itself what it takes, which its base does for all of its heirs mostly."""
    listed = draft.kind in _GAINED and _ALLOWED.search(draft.new or "") is not None
    return listed and not all(map(FOREIGN.match, bases))


def _is_repeated(draft: Draft, heirloom: Symbol, after: Mapping[str, Symbol]) -> bool:
    """Tell whether a class only declares for itself, and the same, a field that it had from a base."""
    own = after.get(draft.name)
    return draft.kind is FactKind.FIELD_ADDED and own is not None and own.value == heirloom.value


def _ancestry(owner: Symbol, name: str, world: Mapping[str, Symbol]) -> tuple[str, tuple[str, ...]]:
    """Name the member that a class has from a base that is seen here, and the bases that are not seen."""
    known, waiting, unseen = {owner.name}, [owner], list[str]()
    while waiting:
        heir = waiting.pop()
        for base in heir.bases:
            found = _resolved(base, heir.name, world)
            if found is None:
                unseen.append(plain(base))
            elif f"{found}.{name}" in world:
                return f"{found}.{name}", ()
            elif found not in known:
                known.add(found)
                waiting.append(world[found])
    return "", tuple(unseen)


def _resolved(base: str, heir: str, world: Mapping[str, Symbol]) -> str | None:
    """Find the class that a name means where it stands: in the innermost namespace that has it."""
    path = _ARGUMENTS.sub("", base).replace("::", ".").strip(" .")
    for name in dict.fromkeys((path, plain(base))):
        for place in (*(f"{scope}." for scope in owners(heir)), ""):
            if (found := world.get(f"{place}{name}")) is not None and found.kind in _CLASSES:
                return found.name
    return None


def is_bare(base: str) -> bool:
    """Tell whether a base has nothing of its own that a class would have from it: `ABC`, `Generic[T]`."""
    return _BARE.match(base if base.startswith("metaclass=") else plain(base)) is not None


def plain(base: str) -> str:
    """Write the name of a base without its module or namespace and its type arguments."""
    return _ARGUMENTS.sub("", base).replace("::", ".").strip().rpartition(".")[2]


def without_heirlooms(shown: list[Shown], homes: Homes) -> list[Shown]:
    """Leave out members that a base in another file has now, or had before: the class has them all along."""
    if not any(one.draft.bases for one in shown) and not homes.loses_classes:
        return shown
    kinds = (_LOST, _GAINED)
    members = [{".".join(one.draft.name.split(".")[-2:]) for one in shown if one.draft.kind in kind} for kind in kinds]
    return [one for one in shown if not _is_heirloom(one, members[0], members[1], homes)]


def _is_heirloom(one: Shown, lost: Set[str], gained: Set[str], homes: Homes) -> bool:
    if one.place is None or one.draft.kind not in (*_LOST, *_GAINED, FactKind.PARAMETER_ADDED):
        return False
    if one.draft.kind is FactKind.PARAMETER_ADDED:
        return one.place.file.endswith(".py") and _was_taken(one.draft, homes)
    if one.place.file.endswith(".py"):
        return one.draft.kind in _GAINED and _was_bequeathed(one.draft, lost, homes)
    if not is_c(one.place.file):
        return False
    own, members = one.draft.name.rpartition(".")[2], gained if one.draft.kind in _LOST else lost
    if any(f"{base}.{own}" in members for base in one.draft.bases):
        return True
    return one.draft.kind in _LOST and any(homes.has_member(base, own) for base in one.draft.bases)


def _was_bequeathed(draft: Draft, lost: Set[str], homes: Homes) -> bool:
    """Tell whether a class had a member from a base that went, or stood with it in a file that did."""
    path, _, own = draft.name.rpartition(".")
    if not path or own == "__init__":
        return False
    owner = path.rpartition(".")[2]
    return any(f"{base}.{own}" in lost for base in draft.bases) or homes.bequeathed((owner, *draft.bases), own)


def _was_taken(draft: Draft, homes: Homes) -> bool:
    """Tell whether the namesake of a class, in a file that lost it, took a parameter that one may leave out."""
    path, _, own = draft.name.rpartition(".")
    return bool(path) and not draft.breaking and homes.took(path.rpartition(".")[2], own, draft.detail or "")
