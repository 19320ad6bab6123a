"""Fields that a record declares for itself though its base, in a file left alone, has them already."""

import re
from collections.abc import Iterable, Sequence

from agent.facts import FactKind
from tools.diff.grouping import Shown
from tools.diff.inherited import FOREIGN

_RECORD = "struct"


def words(one: Shown) -> list[str]:
    """Name what to look for in the tree to know whether a new field is one of a base; nothing for other facts."""
    bases = _bases(one)
    return [*(f"class {base}" for base in bases), _own(one)] if bases else []


def base_defaults(shown: Iterable[Shown], lines: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Give the defaults that new fields have in the base of their record, by the names of the fields."""
    fields = [one for one in shown if _bases(one)]
    found = ((one.draft.name, _default(one, lines)) for one in fields)
    return {name: default for name, default in found if default is not None}


def settled(one: Shown, defaults: dict[str, str]) -> Shown | None:
    """Tell a field of a base as changed, or not at all where it has the same default."""
    if one.draft.name not in defaults or not _bases(one):
        return one
    old, new = defaults[one.draft.name], _value(one)
    if old == new:
        return None
    return Shown(one.draft._replace(kind=FactKind.FIELD_CHANGED, old=old, new=new), one.place)


def _bases(one: Shown) -> list[str]:
    """Name the bases of the project, out of sight, that the record of a new field with a default has."""
    draft = one.draft
    told = draft.kind is FactKind.FIELD_ADDED and draft.public and draft.owner == _RECORD and bool(_value(one))
    if not told or one.place is None or not one.place.file.endswith(".py"):
        return []
    return [base for base in draft.bases if not FOREIGN.match(base)]


def _own(one: Shown) -> str:
    return one.draft.name.rpartition(".")[2]


def _value(one: Shown) -> str:
    return (one.draft.new or "").partition(" = ")[2]


def _default(one: Shown, lines: Sequence[tuple[str, str]]) -> str | None:
    """Find the default of a field in a file that declares a base and the field."""
    heads = re.compile(rf"class (?:{'|'.join(map(re.escape, _bases(one)))})\b")
    homes = {path for path, line in lines if path.endswith(".py") and heads.match(line)}
    field = re.compile(rf"    {re.escape(_own(one))}\s*:[^=#]+= *([^#]+?)\s*(?:#.*)?$")
    found = {match[1] for path, line in lines if path in homes and (match := field.match(line))}
    return found.pop() if len(found) == 1 else None
