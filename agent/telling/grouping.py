"""Which facts are told in one sentence: the same thing done to several names, or several things done to one."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from agent.domain.facts import Fact, FactKind, Severity
from agent.telling.naming import names_of, owner_of

K = FactKind
CALLS = (K.PARAMETER_ADDED, K.PARAMETER_REMOVED, K.PARAMETER_RENAMED, K.PARAMETER_DEFAULT, K.PARAMETER_REQUIRED)
"""What changes for those who call a function."""
MEMBERS = (K.MEMBER_ADDED, K.MEMBER_REMOVED)
FIELDS = (K.FIELD_ADDED, K.FIELD_REMOVED)
PAIRED = (K.SYMBOL_RENAMED, K.MEMBER_RENAMED, K.FIELD_RENAMED, K.MEMBER_CHANGED, K.FIELD_CHANGED)
"""What several members of one owner are told of together, each with what it was and is."""
_LISTED = (
    K.FILE_REMOVED,
    K.ENV_REMOVED,
    K.FLAG_REMOVED,
    K.ROUTE_ADDED,
    K.ROUTE_REMOVED,
    K.DEPENDENCY_REMOVED,
)
"""Told by their names alone."""
_BY_DETAIL = (
    K.SYMBOL_ADDED,
    K.SYMBOL_REMOVED,
    K.FILE_ADDED,
    K.REGISTERED,
    K.UNREGISTERED,
    K.REGISTRATION_CHANGED,
)
"""Told by their names and by what they are, or by where they stand."""
_WITH_VALUES = (
    K.SYMBOL_MOVED,
    K.ENV_ADDED,
    K.FLAG_ADDED,
    K.CONFIG_ADDED,
    K.CONFIG_REMOVED,
    K.CONFIG_CHANGED,
    K.DEPENDENCY_CHANGED,
    K.DEPENDENCY_ADDED,
    K.CONSTANT_CHANGED,
    K.VERSION_CHANGED,
    K.DEPRECATED,
    K.CODE_CHANGED,
)


def grouped(facts: Sequence[Fact]) -> list[tuple[Fact, ...]]:
    """Put facts that make one sentence together, in the order of the first of each."""
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    shared = _alike(facts)
    for place, fact in enumerate(facts):
        for key, one in _parts(fact, place, shared):
            if one not in groups[key]:
                groups[key].append(one)
    return [tuple(group) for group in groups.values()]


def _alike(facts: Sequence[Fact]) -> Mapping[Hashable, Hashable]:
    """Give functions that changed in the same ways the same key: which parameters came, went or were renamed.

    A change that functions share whose other changes differ is told of all of them at once, unless something came
    in the place of something else: that is one sentence for each.
    """
    ways: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        if fact.kind in CALLS:
            for name in names_of(fact):
                ways[name].add(_way(fact))
    having: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for changes in ways.values():
        gone = any(way.startswith(K.PARAMETER_REMOVED) for way in changes)
        for way in () if gone else changes:
            having[way].add(tuple(sorted(changes)))
    spread = {way for way, sets in having.items() if len(sets) > 1}
    keys: dict[Hashable, Hashable] = {}
    for name, changes in ways.items():
        gone = any(way.startswith(K.PARAMETER_REMOVED) for way in changes)
        shared = set() if gone else changes & spread
        alone = tuple(sorted(changes - shared))
        keys |= {(name, way): ("way", way) if way in shared else ("call", alone) for way in changes}
    return keys | _spread(facts)


def _way(fact: Fact) -> str:
    return f"{fact.kind} {fact.detail} {fact.severity} {_values(fact)}"


def _values(fact: Fact) -> str:
    """Write what functions must share to be told together: what a default was and is, or whether there is one."""
    if fact.kind is K.PARAMETER_DEFAULT:
        return f"{fact.old} {fact.new}"
    return str(must_be_given(fact)) if fact.kind is K.PARAMETER_ADDED else ""


def must_be_given(fact: Fact) -> bool:
    """Tell whether callers fail who leave a parameter out."""
    if fact.kind is K.PARAMETER_ADDED:
        return fact.severity is Severity.BREAKING
    return fact.kind is K.PARAMETER_REQUIRED


def _spread(facts: Sequence[Fact]) -> dict[Hashable, Hashable]:
    """Give fields that several classes gained or lost one key for all of them."""
    fields = [fact for fact in facts if fact.kind in FIELDS]
    single = [fact for fact in fields if class_of(fact) != fact.name]
    lasts = Counter(fact.name.rpartition(".")[2] for fact in single)
    same = Counter((fact.kind, fact.old, fact.new) for fact in fields)
    keys: dict[Hashable, Hashable] = {
        fact.name: ("fields", fact.old, fact.new) for fact in fields if same[fact.kind, fact.old, fact.new] > 1
    }
    return keys | {fact.name: ("field", last) for fact in single if lasts[last := fact.name.rpartition(".")[2]] > 1}


def _parts(fact: Fact, place: int, shared: Mapping[Hashable, Hashable]) -> Iterator[tuple[Hashable, Fact]]:
    """Give a fact to its group; one of several functions to the groups of those functions."""
    if fact.kind not in CALLS:
        yield _key(fact, place, shared), fact
        return
    by_key: dict[Hashable, list[str]] = defaultdict(list)
    for name in names_of(fact):
        by_key[shared[name, _way(fact)]].append(name)
    for key, names in by_key.items():
        whole = tuple(names) == names_of(fact)
        yield ("call", key), fact if whole else fact.model_copy(update={"name": ", ".join(names)})


def _key(fact: Fact, place: int, shared: Mapping[Hashable, Hashable]) -> Hashable:
    if fact.kind in MEMBERS:
        return "members", class_of(fact)
    if fact.kind in FIELDS:
        return fact.kind, fact.severity, shared.get(fact.name, class_of(fact))
    if fact.kind in PAIRED:
        return fact.kind, fact.severity, class_of(fact) or place
    if fact.kind in _LISTED:
        return fact.kind, fact.severity
    if fact.kind in _BY_DETAIL and not (fact.kind is K.FILE_ADDED and len(names_of(fact)) > 1):
        return fact.kind, fact.severity, fact.detail
    if fact.kind in _WITH_VALUES:
        return fact.kind, fact.severity, fact.old, fact.new
    return place


def class_of(fact: Fact) -> str:
    """Name the class that a field or a member belongs to: a fact about several is named by it."""
    return fact.name if (fact.detail or "")[:1].isdigit() else owner_of(fact.name)
