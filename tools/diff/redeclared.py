"""What a class declares for itself though its base, in a file left alone, has it already: fields and methods."""

import re
from collections.abc import Iterable, Sequence, Set

from agent.facts import FactKind
from tools.diff.grouping import Shown
from tools.diff.inherited import FOREIGN

_OWNERS = ("struct", "class")
_METHODS = ("method", "property")
_VALUED = ("variable", "constant")
_OVERRIDE = "override"
_LEFT = (FactKind.FIELD_REMOVED, FactKind.FIELD_RENAMED)


def words(one: Shown) -> list[str]:
    """Name what to look for in the tree to know whether a base has something new too; nothing for other facts."""
    if left := _left_bases(one):
        return [*(f"class {base}" for base in left), _old(one)]
    bases = _bases(one)
    return [*(f"class {base}" for base in bases), f"def {_own(one)}" if _is_method(one) else _own(one)] if bases else []


def base_defaults(shown: Iterable[Shown], lines: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Give the defaults that new fields have in the base of their record, by the names of the fields."""
    fields = [one for one in shown if _bases(one) and not _is_method(one)]
    found = ((one.draft.name, _default(one, lines)) for one in fields)
    return {name: default for name, default in found if default is not None}


def overriding(shown: Iterable[Shown], lines: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Name the new methods that the base of their class has as well."""
    methods = [one for one in shown if _is_method(one) and _bases(one)]
    return frozenset(one.draft.name for one in methods if _has(one, lines))


def still_there(shown: Iterable[Shown], lines: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Name the fields that went, or took another's place, where a base goes on to have what seems to be gone."""
    left = [one for one in shown if _left_bases(one)]
    return frozenset(one.draft.name for one in left if _declares(_left_bases(one), _old(one), lines))


def _left_bases(one: Shown) -> list[str]:
    """Name the bases of the project, out of sight, of a class that lost a field or has it under another name."""
    python = one.place is not None and one.place.file.endswith(".py")
    return [base for base in one.draft.bases if not FOREIGN.match(base)] if python and one.draft.kind in _LEFT else []


def _old(one: Shown) -> str:
    return (one.draft.old or "") if one.draft.kind is FactKind.FIELD_RENAMED else _own(one)


def _declares(bases: Iterable[str], field: str, lines: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a file that declares one of these classes declares such a field."""
    homes = _homes(bases, lines)
    declared = re.compile(rf"    {re.escape(field)}\s*[:=]")
    return any(path in homes and declared.match(line) for path, line in lines)


def settled(one: Shown, defaults: dict[str, str], methods: Set[str]) -> Shown | None:
    """Tell a field of a base as changed, or not at all where it has the same default; a method goes over the base's."""
    if _is_method(one) and one.draft.name in methods:
        return Shown(one.draft._replace(detail=_OVERRIDE), one.place)
    if one.draft.name not in defaults or _is_method(one) or not _bases(one):
        return one
    old, new = defaults[one.draft.name], _value(one)
    if old == new:
        return None
    kind = FactKind.CONSTANT_CHANGED if _is_plain(one) else FactKind.FIELD_CHANGED
    return Shown(one.draft._replace(kind=kind, old=old, new=new), one.place)


def _bases(one: Shown) -> list[str]:
    """Name the bases of the project, out of sight, that the class of a new method, or field with a default, has."""
    draft = one.draft
    declared = draft.kind is FactKind.FIELD_ADDED and draft.owner in _OWNERS
    field = (declared or _is_plain(one)) and bool(_value(one))
    if not (field or _is_method(one)) or not draft.public or one.place is None or not one.place.file.endswith(".py"):
        return []
    return [base for base in draft.bases if not FOREIGN.match(base)]


def _is_plain(one: Shown) -> bool:
    """Tell whether a class sets something for all of its objects without saying of which type it is."""
    return one.draft.kind is FactKind.SYMBOL_ADDED and one.draft.detail in _VALUED


def _is_method(one: Shown) -> bool:
    return one.draft.kind is FactKind.SYMBOL_ADDED and one.draft.detail in _METHODS


def _own(one: Shown) -> str:
    return one.draft.name.rpartition(".")[2]


def _value(one: Shown) -> str:
    return (one.draft.new or "").partition(" = ")[2]


def _default(one: Shown, lines: Sequence[tuple[str, str]]) -> str | None:
    """Find the default of a field in a file that declares a base and the field."""
    homes = _homes(_bases(one), lines)
    field = re.compile(rf"    {re.escape(_own(one))}\s*(?::[^=#]+)?= *([^#]+?)\s*(?:#.*)?$")
    found = {match[1] for path, line in lines if path in homes and (match := field.match(line))}
    return found.pop() if len(found) == 1 else None


def _has(one: Shown, lines: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a file that declares a base declares such a method."""
    homes = _homes(_bases(one), lines)
    method = re.compile(rf"    (?:async )?def {re.escape(_own(one))}\(")
    return any(path in homes and method.match(line) for path, line in lines)


def _homes(bases: Iterable[str], lines: Sequence[tuple[str, str]]) -> set[str]:
    """Name the files that declare a base."""
    heads = re.compile(rf"class (?:{'|'.join(map(re.escape, bases))})\b")
    return {path for path, line in lines if path.endswith(".py") and heads.match(line)}
