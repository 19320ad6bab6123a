"""Which facts of a list that is too long are kept: of every severity and every kind some, the gravest first."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence

from agent.facts import Fact, FactKind, Severity
from tools.diff.headers import is_source

MOST = 36
"""Facts of a sheet; more is not read by anybody."""
_INTERNAL_OF_A_KIND = 8
_EXCHANGED = 4
"""Values inside of functions that a sheet has; the fifth tells less than the commit's title."""
_SHARES = {Severity.BREAKING: 12, Severity.BEHAVIOUR: 9, Severity.ADDITIVE: 9}
"""Places that a severity is sure of, however many facts there are of others."""
_MORE = {Severity.BREAKING: MOST, Severity.BEHAVIOUR: 12, Severity.ADDITIVE: 12}
"""Places that they have where the gravest leave them free."""
_ALWAYS = (FactKind.VERSION_CHANGED, FactKind.REVERT, FactKind.RELAND, FactKind.CHERRY_PICK)
"""What a commit is as a whole: the first thing to know of one that does everything at once."""
_FILES = (FactKind.FILE_ADDED, FactKind.FILE_REMOVED)
PACKAGE = "package"
"""What a fact says of files that are a package as a whole."""
ATTRIBUTE = "attribute"
"""What a fact says of a field that only a constructor gives to the objects of a class."""
_AT_A_TIME, _RENAMED, _FEW = 4, 3, 2
"""So many are kept before others of a severity have their turn: of a kind, of renames, of a family of details."""
_DETAILS = {
    "parameter": "parameter",
    "signature": "signature",
    "field": "field",
    "enum": "field",
    "constant": "value",
    "limit": "value",
    "error": "error",
    "warning": "error",
    "config": "key",
    "base": "base",
}
"""Kinds that say how a thing is declared, by how their names begin: of a name that went these say nothing any more."""
_OVERRIDE, _DECORATORS = "override", "decorators"


def cut(facts: Sequence[Fact]) -> tuple[list[Fact], list[str]]:
    """Keep a list that can be read, in the order given, and say how much of what was left out."""
    turns = _turns(facts, lambda fact: fact.kind)
    free = [at for at, fact in enumerate(facts) if turns[at] < _most_of_a_kind(fact)]
    kept = set(free) if len(free) <= MOST else _chosen(facts, free)
    left = Counter(fact.kind for at, fact in enumerate(facts) if at not in kept)
    return [facts[at] for at in sorted(kept)], [f"{count} more of {kind.value}" for kind, count in left.items()]


def _most_of_a_kind(fact: Fact) -> int:
    if fact.kind is FactKind.VALUE_CHANGED:
        return _EXCHANGED
    return _INTERNAL_OF_A_KIND if fact.severity is Severity.INTERNAL else sys.maxsize


def _turns(facts: Sequence[Fact], family: Callable[[Fact], str]) -> list[int]:
    """Count for each fact how many of its severity and family have their turn before it."""
    seen: Counter[tuple[Severity, str]] = Counter()
    turns: dict[int, int] = {}
    for at in sorted(range(len(facts)), key=lambda at: _is_linked(facts[at])):
        one = facts[at].severity, family(facts[at])
        turns[at] = seen[one]
        seen[one] += 1
    return [turns[at] for at in range(len(facts))]


def _chosen(facts: Sequence[Fact], free: Sequence[int]) -> set[int]:
    """Give every severity its share, then the rest to the gravest."""
    turns = _turns(facts, _family)
    rounds = [turn // _at_a_time(fact) for fact, turn in zip(facts, turns, strict=True)]
    queue = sorted(
        free,
        key=lambda at: (
            _order(facts[at]),
            _is_declared_over(facts[at]) or is_attribute(facts[at]) or _is_decorated(facts[at]),
            rounds[at],
            _rank(facts[at]),
            _is_linked(facts[at]),
            at,
        ),
    )
    renames = [at for at in free if facts[at].kind is FactKind.SYMBOL_RENAMED]
    taken: Counter[Severity] = Counter()
    kept = {at for at in free if _is_whole(facts[at]) and turns[at] == 0}
    for shares in (_SHARES, _MORE, dict.fromkeys(Severity, MOST)):
        for at in queue:
            # Whoever is told of a thing by its new name has to know which one it was.
            for one in (*(other for other in renames if _is_of(facts[at], facts[other])), at):
                room = taken[facts[at].severity] < shares.get(facts[at].severity, 0)
                if one not in kept and room and len(kept) < MOST:
                    taken[facts[at].severity] += 1
                    kept.add(one)
    return kept


def _is_of(fact: Fact, rename: Fact) -> bool:
    """Tell whether a fact is about what goes by a new name, or about a part of it."""
    if rename.name not in fact.name:
        return False
    return any(f"{name}.".startswith(f"{rename.name}.") for name in fact.name.split(", "))


def _is_linked(fact: Fact) -> bool:
    """Tell what only sources of C show: whoever links them meets it, and mostly that is the project itself."""
    return bool(fact.places) and all(is_source(place.file) for place in fact.places)


def _is_whole(fact: Fact) -> bool:
    """Tell what a commit is as a whole, and a whole package that came or went with it."""
    return fact.kind in _ALWAYS or (fact.kind in _FILES and fact.detail == PACKAGE)


def _family(fact: Fact) -> str:
    if _is_whole(fact):
        return f"{fact.kind} as a whole"
    if _is_model(fact):
        return "model"
    return _DETAILS.get(fact.kind.value.partition("-")[0], fact.kind.value)


def _is_model(fact: Fact) -> bool:
    """Tell of a model that came: in a commit of three hundred files that is mostly what it is for."""
    return fact.kind is FactKind.FILE_ADDED and fact.detail == "model"


def _at_a_time(fact: Fact) -> int:
    if fact.kind.value.partition("-")[0] in _DETAILS:
        return _FEW
    return _RENAMED if fact.kind is FactKind.SYMBOL_RENAMED else _AT_A_TIME


def _is_declared_over(fact: Fact) -> bool:
    """Tell of a method that was there already, in a base, or of several."""
    return fact.kind is FactKind.SYMBOL_ADDED and _OVERRIDE in (fact.detail or "")


def _is_decorated(fact: Fact) -> bool:
    """Tell of other decorators, which mostly say how a thing is wired: what it refuses or takes matters more."""
    return fact.kind is FactKind.SIGNATURE_CHANGED and fact.detail == _DECORATORS


def is_attribute(fact: Fact) -> bool:
    """Tell of attributes that no declaration promises: they give way to what is declared."""
    return (fact.detail or "").removesuffix("s").endswith(ATTRIBUTE) and fact.kind.value.startswith("field-")


def _order(fact: Fact) -> int:
    return list(Severity).index(fact.severity)


def _rank(fact: Fact) -> int:
    """Put first what the project can do now, a model or what goes by a name, then what people type, then code."""
    if fact.kind is FactKind.REGISTERED or _is_model(fact):
        return 0
    # The flag of a script matters to whoever runs it.
    return 1 if fact.kind.value.startswith(("flag-", "env-")) else 2
