"""Which facts of a commit are told, and which of them together; they come in the order of the fact sheet."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from agent.domain.facts import Fact, FactKind, Severity
from agent.telling.words import CALLS, ERRORS, OWNED, PAIRED, class_of, messages_of, names_of, says_much

K = FactKind
Group = tuple[Fact, ...]
_LINEAGE = (K.REVERT, K.RELAND, K.CHERRY_PICK)
_BY_NAME = ("-removed", "symbol-added", "file-added", "route-added", "registered", "registration-changed")
"""Told by their names and by what they are, or by where they stand; others also by their values."""


def told_groups(facts: Sequence[Fact]) -> list[Group]:
    """List what is worth a sentence each, the most important first."""
    telling = _once([fact for fact in facts if _tells(fact)])
    much = [fact for fact in telling if says_much(fact)]
    return grouped(much or telling)


def changed_functions(facts: Sequence[Fact]) -> list[Group]:
    """Name the functions inside of which something changed, for a commit of which nothing else can be said."""
    inside = [fact for fact in facts if fact.kind is K.CODE_CHANGED and fact.severity is not Severity.INTERNAL]
    inside = [fact for fact in inside if not any(place.file.endswith(fact.name) for place in fact.places)]
    bare = [fact if says_much(fact) else fact.model_copy(update={"old": None, "new": None}) for fact in inside]
    return grouped(bare)


def grouped(facts: Sequence[Fact]) -> list[Group]:
    """Put facts that make one sentence together, in the order of the first of each."""
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    for place, fact in enumerate(facts):
        if fact not in (group := groups[_key(fact, place)]):
            group.append(fact)
    return [tuple(group) for group in groups.values()]


def _key(fact: Fact, place: int) -> Hashable:
    if fact.kind in CALLS:
        return "call", fact.name
    if fact.kind in OWNED:
        return fact.kind.partition("-")[0], class_of(fact)
    if fact.kind in PAIRED:
        return fact.kind, fact.severity, class_of(fact) or place
    if fact.kind in (*ERRORS, K.ERROR_CHANGED, K.LIMIT_CHANGED) or len(names_of(fact)) > 1:
        return place
    values = () if fact.kind.endswith(_BY_NAME) and fact.kind is not K.CONFIG_REMOVED else (fact.old, fact.new)
    return fact.kind, fact.severity, fact.detail, values


def _tells(fact: Fact) -> bool:
    if fact.severity is Severity.INTERNAL or fact.kind in _LINEAGE or fact.kind is K.CODE_CHANGED:
        return False
    if fact.kind in ERRORS:
        return says_much(fact)
    if fact.kind is K.FILE_ADDED and fact.name.endswith("__init__.py") and fact.new == fact.name:
        return False
    # Of which class a bare `__init__` is nobody knows who saw the patch alone.
    last = fact.name.rpartition(".")[2]
    unknown = last == "__init__" and (fact.kind is K.SYMBOL_ADDED or fact.name == last)
    return not unknown or fact.severity is Severity.BREAKING


def _once(facts: Sequence[Fact]) -> list[Fact]:
    """Leave out what another fact says already: a flag's field, a name's export, an error that only moved."""
    flags = {_plain(fact.name) for fact in facts if fact.kind in (K.FLAG_ADDED, K.ENV_ADDED)}
    words = {kind: {one for fact in facts if fact.kind is kind for one in messages_of(fact)} for kind in ERRORS}
    moved = words[K.ERROR_ADDED] & words[K.ERROR_REMOVED]
    seen: set[tuple[FactKind, str]] = set()
    kept = []
    for fact in facts:
        lasts = {(fact.kind, name.rpartition(".")[2]) for name in names_of(fact)}
        if fact.kind in (K.FIELD_ADDED, K.SYMBOL_ADDED) and _plain(fact.name.rpartition(".")[2]) in flags:
            continue
        if fact.kind in ERRORS and {*messages_of(fact)} <= moved:
            continue
        if fact.detail == "export" and lasts <= seen:
            continue
        seen |= lasts
        kept.append(fact)
    return kept


def _plain(name: str) -> str:
    return name.strip("-").replace("-", "_").lower()
