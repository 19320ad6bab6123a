"""Which facts are told in one sentence: the same thing done to several names, or several things done to one."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from agent.facts import UNCHOSEN, Fact, FactKind, Severity
from agent.naming import names_of, owner_of, successors

K = FactKind
CALLS = (K.PARAMETER_ADDED, K.PARAMETER_REMOVED, K.PARAMETER_RENAMED, K.PARAMETER_DEFAULT, K.PARAMETER_REQUIRED)
"""What changes for those who call a function."""
MEMBERS = (K.MEMBER_ADDED, K.MEMBER_REMOVED)
FIELDS = (K.FIELD_ADDED, K.FIELD_REMOVED)
RENAMES = (K.SYMBOL_RENAMED, K.MEMBER_RENAMED, K.FIELD_RENAMED)
_LISTED = (
    K.SYMBOL_ADDED,
    K.SYMBOL_REMOVED,
    K.FILE_ADDED,
    K.FILE_REMOVED,
    K.ENV_REMOVED,
    K.FLAG_REMOVED,
    K.ROUTE_ADDED,
    K.ROUTE_REMOVED,
    K.DEPENDENCY_REMOVED,
    K.REGISTERED,
    K.UNREGISTERED,
)
"""Told by their names alone."""
_WITH_VALUES = (
    K.SYMBOL_MOVED,
    K.ENV_ADDED,
    K.FLAG_ADDED,
    K.CONFIG_ADDED,
    K.CONFIG_REMOVED,
    K.CONFIG_CHANGED,
    K.DEPENDENCY_CHANGED,
    K.DEPENDENCY_ADDED,
    K.FIELD_CHANGED,
    K.CONSTANT_CHANGED,
    K.VERSION_CHANGED,
)
_BY_ROLE = (K.SYMBOL_ADDED, K.SYMBOL_REMOVED, K.FILE_ADDED, K.FILE_REMOVED)


def grouped(facts: Sequence[Fact]) -> list[tuple[Fact, ...]]:
    """Put facts that make one sentence together, in the order of the first of each."""
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    shared = _alike(facts)
    for place, fact in enumerate(facts):
        for key, one in _parts(fact, place, shared):
            if one not in groups[key]:
                groups[key].append(one)
    return [tuple(group) for group in groups.values()]


def _alike(facts: Sequence[Fact]) -> Mapping[str, Hashable]:
    """Give functions that changed in the same ways the same key: which parameters came, went or were renamed."""
    ways: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for fact in facts:
        if fact.kind in CALLS:
            for name in names_of(fact):
                ways[name].add((fact.kind, f"{fact.detail} {fact.severity} {_values(fact)}"))
    return {name: tuple(sorted(changes)) for name, changes in ways.items()} | _spread(facts)


def _values(fact: Fact) -> str:
    """Write what functions must share to be told together: what a default was and is, or whether there is one."""
    if fact.kind is K.PARAMETER_DEFAULT:
        return f"{fact.old} {fact.new}"
    return str(must_be_given(fact)) if fact.kind is K.PARAMETER_ADDED else ""


def must_be_given(fact: Fact) -> bool:
    """Tell whether callers fail who leave a parameter out."""
    if fact.kind is K.PARAMETER_ADDED:
        return fact.severity is Severity.BREAKING and "=" not in (fact.new or "=")
    return fact.kind is K.PARAMETER_REQUIRED


def _spread(facts: Sequence[Fact]) -> dict[str, Hashable]:
    """Give a field that several classes gained or lost one key for all of them."""
    single = [fact for fact in facts if fact.kind in FIELDS and class_of(fact) != fact.name]
    lasts = Counter(fact.name.rpartition(".")[2] for fact in single)
    return {fact.name: ("field", last) for fact in single if lasts[last := fact.name.rpartition(".")[2]] > 1}


def _parts(fact: Fact, place: int, shared: Mapping[str, Hashable]) -> Iterator[tuple[Hashable, Fact]]:
    """Give a fact to its group; one of several functions to the groups of those functions."""
    if fact.kind not in CALLS:
        yield _key(fact, place, shared), fact
        return
    by_key: dict[Hashable, list[str]] = defaultdict(list)
    for name in names_of(fact):
        by_key[shared[name]].append(name)
    for key, names in by_key.items():
        whole = tuple(names) == names_of(fact)
        yield ("call", key), fact if whole else fact.model_copy(update={"name": ", ".join(names)})


def _key(fact: Fact, place: int, shared: Mapping[str, Hashable]) -> Hashable:
    if fact.kind in MEMBERS:
        return "members", class_of(fact)
    if fact.kind in FIELDS:
        return fact.kind, fact.severity, shared.get(fact.name, class_of(fact))
    if fact.kind in RENAMES:
        return fact.kind, owner_of(fact.name), fact.severity, "" if owner_of(fact.name) else place
    if fact.kind in _LISTED:
        told_apart = fact.kind in _BY_ROLE or fact.detail in UNCHOSEN
        return fact.kind, fact.severity, fact.detail if told_apart else ""
    if fact.kind is K.DEPRECATED:
        return fact.kind, fact.severity, *successors(fact)
    if fact.kind in _WITH_VALUES:
        return fact.kind, fact.severity, fact.old, fact.new
    if fact.kind is K.CODE_CHANGED and not (fact.old or fact.new):
        # Too many of its lines changed for one of them to be told; whose business it is does not show in its name.
        return fact.kind
    return place


def class_of(fact: Fact) -> str:
    """Name the class whose fields or members a fact tells of: it is named itself, or by its one field."""
    last = fact.name.rpartition(".")[2]
    told = (fact.new or fact.old or "").partition("=")[0].partition(":")[0].strip()
    return owner_of(fact.name) if last == told else fact.name
