"""Which facts of a commit are told, and in which order: first what users set, import and call, never the same twice."""

from collections.abc import Sequence

from agent.facts import Fact, FactKind, Severity
from agent.grouping import CALLS, RENAMES, grouped
from agent.naming import items_of, member_names, names_of
from agent.phrasing import is_debut, says_much

K = FactKind
Group = tuple[Fact, ...]
_LINEAGE = (K.REVERT, K.RELAND, K.CHERRY_PICK)
_SET = ("flag-", "env-", "config-key-", "route-", "limit-", "version-", "dependency-", "image-")
_SET_BY_USERS = ("flag-", "env-", "config-key-", "route-", "limit-", "version-")
_QUIET = ("error-",)
_BEHIND = (*_QUIET, "value-", "code-")
"""What functions decide inside comes behind what users write, as do errors."""
_NATIVE = (".h", ".hpp", ".cuh", ".cu", ".cc", ".cpp", ".inl", ".inc")
_GRAVITY = {Severity.BREAKING: 0, Severity.BEHAVIOUR: 1, Severity.ADDITIVE: 2, Severity.INTERNAL: 3}
_PARTS = ("parameter-", "field-", "signature-")
_IMAGE = "dockerfile"
_DEEP = 3
"""Folders below which a name is rather a part of the inside."""


def told_groups(facts: Sequence[Fact]) -> list[Group]:
    """List what is worth a sentence each, the most important first."""
    telling = [fact for fact in facts if _tells(fact)]
    ordered = sorted(telling, key=lambda fact: _rank(fact, facts))
    much = [fact for fact in ordered if says_much(fact)]
    return _once(grouped(much or ordered), facts)


def changed_functions(facts: Sequence[Fact]) -> list[Group]:
    """Name the functions inside of which something changed, for a commit of which nothing else can be said."""
    inside = [fact for fact in facts if fact.kind is K.CODE_CHANGED and fact.severity is not Severity.INTERNAL]
    return grouped(inside)


def _tells(fact: Fact) -> bool:
    if fact.severity is Severity.INTERNAL or fact.kind in _LINEAGE:
        return False
    if fact.kind.startswith((*_QUIET, "warning-", "code-")):
        return bool(fact.old or fact.new) and says_much(fact)
    if fact.kind is K.SYMBOL_ADDED and fact.name.rpartition(".")[2] == "__init__":
        return False
    if fact.name == "__init__" and fact.severity is Severity.ADDITIVE:
        # Of which class it is nobody knows who saw the patch alone.
        return False
    # In these languages callers do not write the names of parameters.
    return not (fact.kind is K.PARAMETER_RENAMED and _native(fact))


def _rank(fact: Fact, facts: Sequence[Fact]) -> tuple[int, int, bool]:
    """Order by how grave a fact is, how far from users, and whether a whole thing breaks or how it is called."""
    gravity, part = _GRAVITY[fact.severity], fact.severity is Severity.BREAKING and fact.kind.startswith(_PARTS)
    if _is_new_model(fact):
        # What a commit of three hundred files is for.
        return 0, 1, part
    by_users = (fact.kind.startswith(_SET_BY_USERS) and not _is_of_image(fact)) or _is_retired_setting(fact)
    if fact.severity is not Severity.BREAKING and by_users:
        return (0, 2, part) if fact.severity is Severity.BEHAVIOUR else (1, 0, part)
    if fact.kind.startswith(_BEHIND) and fact.severity is Severity.BEHAVIOUR:
        gravity = _GRAVITY[Severity.ADDITIVE]
    return gravity, _inwardness(fact, facts), part


def _is_of_image(fact: Fact) -> bool:
    """Tell what an image is built with, which those who run it do not set."""
    return bool(fact.places) and all(_IMAGE in place.file.rpartition("/")[2].lower() for place in fact.places)


def _is_new_model(fact: Fact) -> bool:
    return fact.kind is K.FILE_ADDED and fact.detail == "model"


def _is_retired_setting(fact: Fact) -> bool:
    """Tell a variable or a flag that should no longer be used."""
    return fact.kind is K.DEPRECATED and (fact.name.startswith("--") or fact.name.isupper())


def _inwardness(fact: Fact, facts: Sequence[Fact]) -> int:
    """Count how far a fact is from what users write: settings, exported names, calls, members, the inside, errors."""
    if fact.kind.startswith(_SET):
        return 0
    if fact.kind.startswith(_BEHIND) or not says_much(fact):
        return 9
    exported = any(place.file.endswith("__init__.py") or place.file.count("/") < _DEEP for place in fact.places)
    own = {part for name in names_of(fact) for part in name.split(".")[-1:]}
    reexported = any(
        one is not fact and one.kind.startswith("symbol-") and own & {one.name} and not _native(one) for one in facts
    )
    members = fact.kind in (K.MEMBER_REMOVED, K.MEMBER_ADDED, K.REGISTERED, K.UNREGISTERED)
    base = 1 if reexported or (members and exported) else 2 if exported and not _native(fact) else 3
    return base + (3 if _native(fact) and not reexported else 0) + (1 if fact.kind.startswith("file-") else 0)


def _native(fact: Fact) -> bool:
    return bool(fact.places) and all(place.file.endswith(_NATIVE) for place in fact.places)


def _once(groups: list[Group], facts: Sequence[Fact]) -> list[Group]:
    """Leave out what another sentence says already."""
    flags = {_plain(fact.name) for fact in facts if fact.kind in (K.FLAG_ADDED, K.ENV_ADDED)}
    renamed = {fact.new for fact in facts if fact.kind in RENAMES}
    limits = {value for fact in facts if fact.kind is K.LIMIT_CHANGED for value in (fact.old, fact.new) if value}
    choices = {frozenset(items_of(fact.new)) for fact in facts if fact.kind is K.FLAG_CHOICES}
    inside = {name for fact in facts if fact.kind is K.FILE_ADDED for name in member_names(fact.new)}

    def repeated(fact: Fact) -> bool:
        last = fact.name.rpartition(".")[2]
        if fact.kind in (K.FIELD_ADDED, K.SYMBOL_ADDED, K.MEMBER_ADDED):
            return _plain(last) in flags or (last in renamed and fact.kind is K.SYMBOL_ADDED)
        if fact.kind is K.ERROR_CHANGED:
            return any(limit in (fact.old or "") or limit in (fact.new or "") for limit in limits)
        if fact.kind is K.CONSTANT_CHANGED:
            return frozenset(item.strip("\"'") for item in items_of(fact.new)) in choices
        return False

    kept = [tuple(fact for fact in group if not repeated(fact)) for group in groups]
    kept = [group for group in kept if group and not _in_new_file(group, inside)]
    return _without_echoes(_with_one_debut(kept))


def _with_one_debut(groups: list[Group]) -> list[Group]:
    """Keep what one new function or file refuses, the first; of the others the facts tell."""
    debuts = [group for group in groups if is_debut(group[0])]
    return [group for group in groups if not is_debut(group[0]) or group is debuts[0]]


def _in_new_file(group: Group, inside: set[str]) -> bool:
    """Tell names that a new file brings: they are told with the file."""
    return all(fact.kind is K.SYMBOL_ADDED and fact.detail == "variable" and fact.name in inside for fact in group)


def _without_echoes(groups: list[Group]) -> list[Group]:
    """Drop groups that would be the same words again, as of one name that two files export."""
    seen: set[tuple[object, ...]] = set()
    kept = []
    for group in groups:
        keys = {(fact.kind, fact.name.rpartition(".")[2], fact.detail if fact.kind in CALLS else "") for fact in group}
        if group[0].kind in CALLS or not keys <= seen:
            kept.append(group)
        seen |= keys
    return kept


def _plain(name: str) -> str:
    return name.strip("-").replace("-", "_").lower()
