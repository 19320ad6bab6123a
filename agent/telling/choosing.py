"""Which facts of a commit are told, in which order and which together: first what users set, import and call."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from agent.domain.facts import Fact, FactKind, Severity
from agent.telling.filling import CALLS, ERRORS, OWNED, PAIRED, class_of, messages_of, names_of, says_much

K = FactKind
Group = tuple[Fact, ...]
_LINEAGE = (K.REVERT, K.RELAND, K.CHERRY_PICK)
_SET_BY_USERS = ("flag-", "env-", "config-key-", "route-", "version-")
_SET = (*_SET_BY_USERS, "dependency-", "image-")
_BEHIND = ("error-", "limit-")
"""What users run into comes behind what they write."""
_REGISTERED = (K.REGISTERED, K.UNREGISTERED)
_NATIVE = (".h", ".hpp", ".cuh", ".cu", ".cc", ".cpp", ".inl", ".inc")
_GRAVITY = {Severity.BREAKING: 0, Severity.BEHAVIOUR: 1, Severity.ADDITIVE: 2, Severity.INTERNAL: 3}
_PARTS = ("parameter-", "field-", "signature-")
_IMAGE = "dockerfile"
_BY_NAME = (
    K.FILE_REMOVED,
    K.ENV_REMOVED,
    K.FLAG_REMOVED,
    K.ROUTE_ADDED,
    K.ROUTE_REMOVED,
    K.DEPENDENCY_REMOVED,
    K.SYMBOL_ADDED,
    K.SYMBOL_REMOVED,
    K.FILE_ADDED,
    K.REGISTERED,
    K.UNREGISTERED,
    K.REGISTRATION_CHANGED,
)
"""Told by their names and by what they are, or by where they stand; others also by their values."""


def told_groups(facts: Sequence[Fact]) -> list[Group]:
    """List what is worth a sentence each, the most important first."""
    telling = [fact for fact in facts if _tells(fact)]
    ordered = sorted(_once(telling), key=_rank)
    much = [fact for fact in ordered if says_much(fact)]
    return grouped(much or ordered)


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
    if fact.kind in _BY_NAME:
        return fact.kind, fact.severity, fact.detail
    return fact.kind, fact.severity, fact.detail, fact.old, fact.new


def changed_functions(facts: Sequence[Fact]) -> list[Group]:
    """Name the functions inside of which something changed, for a commit of which nothing else can be said."""
    inside = [fact for fact in facts if fact.kind is K.CODE_CHANGED and fact.severity is not Severity.INTERNAL]
    inside = [fact for fact in inside if not any(place.file.endswith(fact.name) for place in fact.places)]
    bare = [fact if says_much(fact) else fact.model_copy(update={"old": None, "new": None}) for fact in inside]
    return grouped(bare)


def _tells(fact: Fact) -> bool:
    if fact.severity is Severity.INTERNAL or fact.kind in _LINEAGE or fact.kind is K.CODE_CHANGED:
        return False
    if fact.kind in ERRORS:
        return says_much(fact)
    if fact.kind is K.FILE_ADDED and fact.name.endswith("__init__.py") and fact.new == fact.name:
        return False
    # Of which class a bare `__init__` is nobody knows who saw the patch alone.
    last = fact.name.rpartition(".")[2]
    return not (last == "__init__" and (fact.kind is K.SYMBOL_ADDED or fact.name == last)) or _breaks(fact)


def _breaks(fact: Fact) -> bool:
    return fact.severity is Severity.BREAKING


def _rank(fact: Fact) -> tuple[int, int, bool]:
    """Order by how grave a fact is, how far from users, and whether a whole thing breaks or how it is called."""
    gravity, part = _GRAVITY[fact.severity], _breaks(fact) and fact.kind.startswith(_PARTS)
    if fact.kind is K.FILE_ADDED and fact.detail == "model":
        # What a commit of three hundred files is for.
        return 0, 1, part
    if not _breaks(fact) and fact.kind.startswith(_SET_BY_USERS) and not _is_of_image(fact):
        return (0, 2, part) if fact.severity is Severity.BEHAVIOUR else (1, 0, part)
    if fact.kind.startswith(_BEHIND):
        gravity = _GRAVITY[Severity.ADDITIVE]
    return gravity, _inwardness(fact), part


def _is_of_image(fact: Fact) -> bool:
    """Tell what an image is built with, which those who run it do not set."""
    return bool(fact.places) and all(_IMAGE in place.file.rpartition("/")[2].lower() for place in fact.places)


def _inwardness(fact: Fact) -> int:
    """Count how far a fact is from what users write: settings, exported names, others, those of kernels, errors."""
    if fact.kind.startswith(_SET):
        return 0
    if fact.kind.startswith(_BEHIND) or not says_much(fact):
        return 4
    exported = fact.kind in _REGISTERED or any(place.file.endswith("__init__.py") for place in fact.places)
    native = bool(fact.places) and all(place.file.endswith(_NATIVE) for place in fact.places)
    return 1 if exported else 3 if native else 2


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
