"""Which facts of a commit are told first, which are told together, and how many."""

from collections import defaultdict
from collections.abc import Hashable, Iterable

from agent.facts import Fact, FactKind, Severity

MOST = 36
MOST_INTERNAL = 12
TOGETHER = 3
"""From so many alike facts of one file they are one fact with all of their names."""
_PLACES = 6
_NAMES = 40
_ORDER = list(Severity)
_FIRST = (
    "revert", "reland", "cherry", "version", "flag", "env", "route", "config", "registered", "unregistered", "registration",
    "dependency", "image", "deprecated", "symbol", "parameter", "field", "enum", "file", "limit", "error", "constant",
    "signature", "base", "code",
)  # fmt: skip
"""What comes first of one severity: what users set and install, then what they call, then what they run into."""
_LISTED = (
    FactKind.SYMBOL_ADDED, FactKind.SYMBOL_REMOVED, FactKind.FLAG_ADDED, FactKind.FLAG_REMOVED, FactKind.ENV_ADDED,
    FactKind.ENV_REMOVED, FactKind.REGISTERED, FactKind.UNREGISTERED, FactKind.CONFIG_ADDED, FactKind.CONFIG_REMOVED,
    FactKind.FILE_REMOVED, FactKind.FILE_RENAMED, FactKind.SYMBOL_MOVED, FactKind.SYMBOL_RENAMED,
)  # fmt: skip


def ranked(facts: Iterable[Fact]) -> list[Fact]:
    """Order facts by what they mean for users, join those alike, and keep as many as somebody reads."""
    joined = _joined(list(dict.fromkeys(facts)))
    ordered = sorted(joined, key=lambda fact: (_ORDER.index(fact.severity), _rank(fact.kind)))
    internal = [fact for fact in ordered if fact.severity is Severity.INTERNAL]
    return [fact for fact in ordered if fact.severity is not Severity.INTERNAL][:MOST] + internal[:MOST_INTERNAL]


def _rank(kind: FactKind) -> int:
    return next((place for place, start in enumerate(_FIRST) if kind.startswith(start)), len(_FIRST))


def _joined(facts: list[Fact]) -> list[Fact]:
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    for place, fact in enumerate(facts):
        groups[_key(fact) or place].append(fact)
    found: list[Fact] = []
    for group in groups.values():
        found += [_one(group)] if len(group) > TOGETHER else group
    return found


def _key(fact: Fact) -> Hashable:
    """Say which facts are alike: the same happens to several names of one file, or the same change to several."""
    if fact.kind.startswith("parameter"):
        return fact.kind, fact.severity, fact.detail, fact.old, fact.new
    if fact.kind in _LISTED:
        folder = fact.places[0].file if fact.places else ""
        folder = folder.rpartition("/")[0] if fact.kind.startswith(("file", "symbol-moved")) else folder
        return fact.kind, fact.severity, folder
    return None


def _one(group: list[Fact]) -> Fact:
    names = list(dict.fromkeys(fact.name for fact in group))
    shown = ", ".join(names[:_NAMES])
    details = {fact.detail for fact in group}
    places = tuple(place for fact in group for place in fact.places[:1])[:_PLACES]
    same = {side: getattr(group[0], side) for side in ("old", "new") if len({getattr(one, side) for one in group}) == 1}
    first = group[0].model_copy(update={"old": None, "new": None, **same})
    detail = details.pop() if len(details) == 1 else None
    return first.model_copy(update={"name": shown, "detail": detail, "places": places})
