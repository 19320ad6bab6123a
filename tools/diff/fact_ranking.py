"""The ranking of a commit's facts: which come first, which are joined, and how many are kept."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from agent.domain.facts import Fact, FactKind, FactLocation, Severity
from agent.facts_worth_stating import join_key, shared_value

MAX_VISIBLE = 12  # What somebody reads in a few seconds
MAX_INTERNAL = 12
_MAX_OF_KIND = 2  # More facts of one kind are one, whatever they say
_MAX_APART = 3  # More alike facts are one fact with all of their names
_MAX_MEMBER_LENGTH = 60
_MAX_PLACES = 6
_MAX_NAMES = 100  # Names that a fact of many lists; `Fact.count` says how many there are
_SEVERITIES = list(Severity)
_KIND_ORDER = (
    "revert",
    "reland",
    "cherry",
    "version",
    "flag",
    "env",
    "route",
    "config",
    "registered",
    "unregistered",
    "registration",
    "dependency",
    "image",
    "deprecated",
    "symbol",
    "parameter",
    "field",
    "enum",
    "file",
    "limit",
    "error",
    "constant",
    "signature",
    "base",
    "code",
)
"""What comes first of one severity: what users set and install, then what they call, then what they run into."""
_LISTED = (
    "symbol-added",
    "symbol-removed",
    "flag-added",
    "flag-removed",
    "env-added",
    "env-removed",
    "registered",
    "unregistered",
    "config-key-added",
    "config-key-removed",
    "file-removed",
    "file-renamed",
    "symbol-moved",
)
_WITHOUT_VALUES = ("file", "parameter", "symbol")
"""Facts that say nothing more than the names of which they are."""
_OF_CLASSES = ("field-added", "field-removed", "enum-member-added", "enum-member-removed")
_OF_FUNCTIONS = ("error-added", "error-removed")
_OF_LINES = ("contents-added", "contents-removed")
_OF_SECTIONS = (
    "config-key-changed",
    "dependency-added",
    "dependency-changed",
    "dependency-removed",
    "image-changed",
    "version-changed",
)
"""Facts that several sections and files may have in the same way: the stages of an image, extras."""


def ranked(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts in the order of what they mean for users, those alike joined, and not too many."""
    joined = _joined(list(dict.fromkeys(facts)))
    ordered = sorted(joined, key=_order_key)
    internal = [fact for fact in ordered if fact.severity is Severity.INTERNAL]
    visible = [fact for fact in ordered if fact.severity is not Severity.INTERNAL]
    counted = _counted(visible[:MAX_VISIBLE], visible[MAX_VISIBLE:])
    return counted + internal[:MAX_INTERNAL]


def _order_key(fact: Fact) -> tuple[int, int]:
    return _SEVERITIES.index(fact.severity), _kind_rank(fact.kind)


def _kind_rank(kind: FactKind) -> int:
    for rank, prefix in enumerate(_KIND_ORDER):
        if kind.startswith(prefix):
            return rank
    return len(_KIND_ORDER)


def _counted(kept: list[Fact], dropped: list[Fact]) -> list[Fact]:
    """Count dropped facts with the first kept fact that the same sentence could report."""
    names: dict[Hashable, set[str]] = defaultdict(set)
    for fact in kept:
        names[join_key(fact)].add(fact.name)
    unnamed: Counter[Hashable] = Counter()
    for fact in dropped:
        key = join_key(fact)
        if key in names and fact.name not in names[key]:
            names[key].add(fact.name)
            unnamed[key] += 1
    counted: list[Fact] = []
    for fact in kept:
        key = join_key(fact)
        # Facts that no sentence joins with others have no key.
        extra = unnamed.pop(key, 0) if key else 0
        counted.append(fact.model_copy(update={"count": fact.count + extra}) if extra else fact)
    return counted


def _joined(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts with those joined that are alike and too many to be read one by one.

    First those that differ in nothing but names, then those of one kind.
    """
    return _joined_by(_joined_by(facts, _group_key), _kind_key)


def _joined_by(facts: Sequence[Fact], key: Callable[[Fact], Hashable]) -> list[Fact]:
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    for index, fact in enumerate(facts):
        groups[key(fact) or index].append(fact)
    joined: list[Fact] = []
    for group in groups.values():
        max_apart = _MAX_OF_KIND if key is _kind_key else _max_apart(group[0].kind)
        if len(group) > max_apart:
            joined.append(_one_of_many(group))
        else:
            joined += group
    return joined


def _max_apart(kind: FactKind) -> int:
    if kind == "deprecated":
        return 1  # The message that several functions share says it once
    is_joined_early = kind in (*_OF_CLASSES, *_OF_FUNCTIONS, *_OF_SECTIONS, *_OF_LINES)
    return 1 if is_joined_early or kind.startswith(_WITHOUT_VALUES) else _MAX_APART


def _kind_key(fact: Fact) -> Hashable:
    """Return the key of facts that are one where there are many: errors, requirements."""
    is_joined = fact.kind in (*_OF_FUNCTIONS, "dependency-changed")
    return (fact.kind, fact.severity) if is_joined else None


def _group_key(fact: Fact) -> Hashable:
    """Return the key under which like facts are grouped; None for a fact by itself."""
    kind = fact.kind
    if kind.startswith("parameter"):
        return kind, fact.severity, fact.detail, fact.old, fact.new, fact.replacement
    if kind in _OF_CLASSES:
        return kind, fact.severity, fact.name.rpartition(".")[0]
    if kind in _OF_FUNCTIONS:
        return kind, fact.severity, fact.detail
    if kind in _OF_SECTIONS:
        return kind, fact.severity, fact.name, fact.old, fact.new
    if kind == "deprecated" and fact.new:
        return kind, fact.severity, fact.new.replace(fact.name, "")
    if kind in _OF_LINES:
        return kind, fact.severity, fact.detail, fact.places
    if kind in ("registered", "unregistered"):
        # One model is entered into several tables.
        return kind, fact.severity
    if kind.startswith("file"):
        return kind, fact.severity, _folder_of(fact)
    return (kind, fact.severity) if kind in _LISTED else None


def _folder_of(fact: Fact) -> str:
    return fact.places[0].file.rpartition("/")[0] if fact.places else ""


def _one_of_many(group: Sequence[Fact]) -> Fact:
    """Return one fact for several: by their class, by their function, or by all of their names."""
    first = group[0]
    if first.kind in _OF_CLASSES:
        return _fact_of_members(group)
    if first.kind in _OF_FUNCTIONS:
        return _fact_of_errors(group)
    names = list(dict.fromkeys(fact.name for fact in group))
    return first.model_copy(
        update={
            "name": ", ".join(names[:_MAX_NAMES]),
            "count": len(names),
            "old": shared_value(fact.old for fact in group),
            "new": shared_value(fact.new for fact in group),
            "detail": shared_value(fact.detail for fact in group),
            "places": _places_of(group),
        }
    )


def _fact_of_members(group: Sequence[Fact]) -> Fact:
    first = group[0]
    members = "fields" if first.kind.startswith("field") else "members"
    return first.model_copy(
        update={
            "name": first.name.rpartition(".")[0],
            "detail": f"{len(group)} {members}",
            "old": _listed(_short(fact.old, fact.name) for fact in group),
            "new": _listed(_short(fact.new, fact.name) for fact in group),
            "places": _places_of(group),
        }
    )


def _fact_of_errors(group: Sequence[Fact]) -> Fact:
    first = group[0]
    return first.model_copy(
        update={
            "name": _listed(fact.name for fact in group) or first.name,
            "detail": _listed(fact.detail for fact in group),
            "old": _listed((fact.old for fact in group), "\n"),
            "new": _listed((fact.new for fact in group), "\n"),
            "places": _places_of(group),
        }
    )


def _places_of(group: Sequence[Fact]) -> tuple[FactLocation, ...]:
    """Return the best place of each fact."""
    places: list[FactLocation] = []
    for fact in group:
        places += fact.places[:1]
    return tuple(places[:_MAX_PLACES])


def _short(value: str | None, name: str) -> str | None:
    """Return a long declaration by its name: it has commas of its own, and nobody reads it in a list."""
    if value is None or len(value) <= _MAX_MEMBER_LENGTH:
        return value
    return name.rpartition(".")[2]


def _listed(values: Iterable[str | None], comma: str = ", ") -> str | None:
    present = dict.fromkeys(value for value in values if value)
    return comma.join(present) or None
