"""Which facts of a list that is too long are kept: of every severity and every kind some, the gravest first."""

from collections import Counter
from collections.abc import Sequence

from agent.facts import Fact, FactKind, Severity

MOST = 40
"""Facts of a sheet; more is not read by anybody."""
_INTERNAL_OF_A_KIND = 8
_SHARES = {Severity.BREAKING: 18, Severity.BEHAVIOUR: 10, Severity.ADDITIVE: 12}
"""Places that a severity is sure of, however many facts there are of others."""
_ALWAYS = (FactKind.VERSION_CHANGED, FactKind.REVERT, FactKind.RELAND, FactKind.CHERRY_PICK)
"""What a commit is as a whole: the first thing to know of one that does everything at once."""
_AT_A_TIME = 3
"""Of a kind, so many are kept before other kinds of the same severity have their turn."""


def cut(facts: Sequence[Fact]) -> tuple[list[Fact], list[str]]:
    """Keep a list that can be read, in the order given, and say how much of what was left out."""
    seen: Counter[tuple[Severity, FactKind]] = Counter()
    turns: dict[int, int] = {}
    for at, fact in enumerate(facts):
        turns[at] = seen[fact.severity, fact.kind]
        seen[fact.severity, fact.kind] += 1
    free = [
        at for at, fact in enumerate(facts) if fact.severity is not Severity.INTERNAL or turns[at] < _INTERNAL_OF_A_KIND
    ]
    kept = set(free) if len(free) <= MOST else _chosen(facts, free, turns)
    left = Counter(fact.kind for at, fact in enumerate(facts) if at not in kept)
    return [facts[at] for at in sorted(kept)], [f"{count} more of {kind.value}" for kind, count in left.items()]


def _chosen(facts: Sequence[Fact], free: Sequence[int], turns: dict[int, int]) -> set[int]:
    """Give every severity its share, then the rest to the gravest."""
    queue = sorted(free, key=lambda at: (_order(facts[at]), turns[at] // _AT_A_TIME, not _is_set(facts[at]), at))
    taken: Counter[Severity] = Counter()
    kept = {at for at in free if facts[at].kind in _ALWAYS and turns[at] == 0}
    for at in queue:
        if len(kept) < MOST and taken[facts[at].severity] < _SHARES.get(facts[at].severity, 0):
            taken[facts[at].severity] += 1
            kept.add(at)
    for at in queue:
        if len(kept) < MOST:
            kept.add(at)
    return kept


def _order(fact: Fact) -> int:
    return list(Severity).index(fact.severity)


def _is_set(fact: Fact) -> bool:
    """Tell what people type from what only code calls: the flag of a script matters to whoever runs it."""
    return fact.kind.value.startswith(("flag-", "env-"))
