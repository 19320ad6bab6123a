"""Which facts of a commit are told first, which are told together, and how many."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable

from agent.domain.facts import Fact, FactKind, Severity
from agent.telling import join_key

MOST = 36
MOST_INTERNAL = 12
TOGETHER = 3  # From so many alike facts of one file they are one fact with all of their names
_LONGEST_MEMBER = 60
_PLACES = 6
_MAX_NAMES = 100  # Names that a fact of many lists; `Fact.count` says how many there are
_ORDER = list(Severity)
_FIRST = (
    "revert", "reland", "cherry", "version", "flag", "env", "route", "config", "registered", "unregistered",
    "registration", "dependency", "image", "deprecated", "symbol", "parameter", "field", "enum", "file", "limit",
    "error", "constant", "signature", "base", "code",
)  # fmt: skip
"""What comes first of one severity: what users set and install, then what they call, then what they run into."""
_LISTED = (
    "symbol-added", "symbol-removed", "flag-added", "flag-removed", "env-added",
    "env-removed", "registered", "unregistered", "config-key-added", "config-key-removed",
    "file-removed", "file-renamed", "symbol-moved",
)  # fmt: skip
_OF_CLASSES = ("field-added", "field-removed", "enum-member-added", "enum-member-removed")
_OF_FUNCTIONS = ("error-added", "error-removed")


def ranked(facts: Iterable[Fact]) -> list[Fact]:
    """Order facts by what they mean for users, join those alike, and keep as many as somebody reads."""
    joined = _joined(list(dict.fromkeys(facts)))
    ordered = sorted(joined, key=lambda fact: (_ORDER.index(fact.severity), _rank(fact.kind)))
    internal = [fact for fact in ordered if fact.severity is Severity.INTERNAL]
    visible = [fact for fact in ordered if fact.severity is not Severity.INTERNAL]
    return _counted(visible[:MOST], visible[MOST:]) + internal[:MOST_INTERNAL]


def _counted(kept: list[Fact], dropped: list[Fact]) -> list[Fact]:
    """Count dropped facts with the first kept fact that one sentence would tell together with them."""
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
        # Facts that nothing can be told together with have no key.
        extra = unnamed.pop(key, 0) if key else 0
        counted.append(fact.model_copy(update={"count": fact.count + extra}) if extra else fact)
    return counted


def _rank(kind: FactKind) -> int:
    return next(
        (place for place, start in enumerate(_FIRST) if kind.startswith(start)), len(_FIRST)
    )


def _joined(facts: list[Fact]) -> list[Fact]:
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    for place, fact in enumerate(facts):
        groups[_key(fact) or place].append(fact)
    found: list[Fact] = []
    for group in groups.values():
        least = 1 if group[0].kind in (*_OF_CLASSES, *_OF_FUNCTIONS) else TOGETHER
        found += [_one(group)] if len(group) > least else group
    return found


def _key(fact: Fact) -> Hashable:
    """Return the key under which like facts are grouped."""
    if fact.kind.startswith("parameter"):
        return fact.kind, fact.severity, fact.detail, fact.old, fact.new
    if fact.kind in _OF_CLASSES:
        return fact.kind, fact.severity, fact.name.rpartition(".")[0]
    if fact.kind in _OF_FUNCTIONS:
        return fact.kind, fact.severity, fact.detail
    if fact.kind in ("registered", "unregistered"):
        # One model is entered into several tables.
        return fact.kind, fact.severity
    if fact.kind in _LISTED:
        file = fact.places[0].file if fact.places else ""
        folder = file.rpartition("/")[0] if fact.kind.startswith(("file", "symbol-moved")) else file
        return fact.kind, fact.severity, folder
    return None


def _one(group: list[Fact]) -> Fact:
    """Make one fact of several: by their class, by their function, or by all of their names."""
    first = group[0]
    places = tuple(place for fact in group for place in fact.places[:1])[:_PLACES]
    if first.kind in _OF_CLASSES:
        what = "fields" if first.kind.startswith("field") else "members"
        told = {
            side: _listed([_short(getattr(one, side), one.name) for one in group])
            for side in ("old", "new")
        }
        owner = first.name.rpartition(".")[0]
        return first.model_copy(
            update={"name": owner, "detail": f"{len(group)} {what}", "places": places, **told}
        )
    if first.kind in _OF_FUNCTIONS:
        told = {
            side: _listed([getattr(one, side) for one in group], "\n") for side in ("old", "new")
        }
        name = _listed([one.name for one in group]) or first.name
        return first.model_copy(update={"name": name, "places": places, **told})
    same = {
        side: getattr(first, side)
        for side in ("old", "new")
        if len({getattr(one, side) for one in group}) == 1
    }
    details = {fact.detail for fact in group}
    names = list(dict.fromkeys(fact.name for fact in group))
    update = {"old": None, "new": None, **same}
    update["name"] = ", ".join(names[:_MAX_NAMES])
    update["count"] = len(names)
    update["detail"] = details.pop() if len(details) == 1 else None
    update["places"] = places
    return first.model_copy(update=update)


def _short(value: str | None, name: str) -> str | None:
    """Give a long declaration by its name: it has commas of its own, and nobody reads it in a list."""
    return value if value is None or len(value) <= _LONGEST_MEMBER else name.rpartition(".")[2]


def _listed(values: Iterable[str | None], comma: str = ", ") -> str | None:
    return comma.join(dict.fromkeys(value for value in values if value)) or None
