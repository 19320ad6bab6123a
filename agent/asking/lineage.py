"""What took a change back and what brought it back again, by the facts of the commits that did."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent.card import Card
from agent.evidence import EvidenceId
from agent.facts import Fact, FactKind

_PULL = re.compile(r"\s*\(#\d+\)\s*$")
_QUOTED = re.compile(
    r"^(?:\[[^\]]{1,30}\]\s*)*(?:revert|reland|reapply|re-land)\w*:?\s*[\"“'](?P<title>.+)[\"”']", re.IGNORECASE
)


@dataclass(frozen=True)
class Lineage:
    """Which commits undid or brought back which."""

    undone: dict[EvidenceId, EvidenceId] = field(default_factory=dict)
    relanded: dict[EvidenceId, EvidenceId] = field(default_factory=dict)
    cards: list[Card] = field(default_factory=list)
    """The commits on the other side."""


def lineage_of(cards: Sequence[Card], undoing: Sequence[Card], by_hash: Callable[[str], list[Card]]) -> Lineage:
    """Connect these commits with those that undo or re-land something, in both directions."""
    lineage = Lineage()
    known = {card.id: card for card in (*cards, *undoing)}
    wanted = {card.id for card in cards}
    for card in {one.id: one for one in (*undoing, *cards)}.values():
        for fact in card.facts:
            if fact.kind not in (FactKind.REVERT, FactKind.RELAND):
                continue
            old = _origin(card, fact, known, by_hash)
            if old is None or old.id == card.id:
                continue
            table = lineage.undone if fact.kind is FactKind.REVERT else lineage.relanded
            table.setdefault(old.id, card.id)
            known[old.id] = old
    _follow(lineage, known, wanted)
    return lineage


def _origin(card: Card, fact: Fact, known: dict[EvidenceId, Card], by_hash: Callable[[str], list[Card]]) -> Card | None:
    """Find the commit that is taken back: by its hash, its pull request or its title."""
    if fact.old and re.fullmatch("[0-9a-f]{7,40}", fact.old):
        found = [one for one in by_hash(fact.old) if one.repo == card.repo]
        if found:
            return found[0]
    number = fact.name.rpartition("#")[2]
    earlier = [one for one in known.values() if one.repo == card.repo and one.at <= card.at and one.id != card.id]
    if number.isdecimal():
        return next((one for one in earlier if one.pull == int(number)), None)
    quoted = _QUOTED.match(card.title)
    title = _PULL.sub("", quoted["title"] if quoted else fact.name).strip()
    return next((one for one in earlier if _PULL.sub("", one.title).strip() == title), None)


def _follow(lineage: Lineage, known: dict[EvidenceId, Card], wanted: set[EvidenceId]) -> None:
    """Keep what hangs together with the commits asked for, and note the other ends."""
    edges = [*lineage.undone.items(), *lineage.relanded.items()]
    reached, before = set(wanted), -1
    while len(reached) != before:
        before = len(reached)
        for old, new in edges:
            if old in reached or new in reached:
                reached |= {old, new}
    for table in (lineage.undone, lineage.relanded):
        for old in [name for name in table if name not in reached]:
            del table[old]
    lineage.cards.extend(known[name] for name in sorted(reached - wanted) if name in known)
