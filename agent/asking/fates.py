"""What became of a change, and everything that happened to one thing."""

from collections.abc import Mapping, Sequence

from agent.asking.choosing import meant
from agent.asking.deeds import acted
from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.inquiry import Act
from agent.asking.shortfalls import nothing
from agent.asking.standings import status
from agent.asking.telling import commit_item, explained, shown_facts, shown_items
from agent.card import Card
from agent.evidence import EvidenceId

_SHOWN = 10

_ENTITLED = 0.9
"""Of a topic, what a title must have to be on the same matter."""
_FEW = 4
"""Commits up to which an answer is short."""


def fate(found: Findings) -> Draft:
    """Follow a change: what undid it, what brought it back."""
    cards = meant(found) or [one.card for one in found.matches]
    if not cards:
        return (status(found) if found.threads else None) or nothing(found, "nothing", {})
    among = [*cards, *(one.card for one in found.matches)]
    for card in sorted(among, key=lambda one: one.id not in found.undone and one.id not in found.undone.values()):
        chain = [found.cards[name] for name in _chain(card.id, found) if name in found.cards]
        if len(chain) > 1:
            return _followed(chain, found)
    if found.inquiry.names and len(found.matches) > 1:
        return history(found)
    items = shown_items([(card, shown_facts(card.facts)) for card in cards[:1]], found)
    return Draft(head="stands", items=tuple(items), cites=(cards[0].id,))


def _followed(chain: Sequence[Card], found: Findings) -> Draft:
    """Tell a landing, its undoing and its return, each with its day; why, where that is asked."""
    last = chain[-1]
    back = last.id in found.relanded.values() or last.id not in found.undone.values()
    items = [
        explained(card, found) if found.inquiry.reason else commit_item(card, (), found, lineage=True) for card in chain
    ]
    days = (last.at - chain[-2].at).days if back else 0
    alike = [one.card for one in found.matches if one.entitled >= _ENTITLED]
    after = {card.id: card for card in (*found.later, *alike) if card.at > chain[0].at and card.repo == last.repo}
    later = [] if back else [card for name, card in after.items() if card not in chain][:_FEW]
    items += [commit_item(card, (), found) for card in later]
    return Draft(
        head="came back" if back else "undone, then" if later else "undone",
        values={"days": str(days)},
        items=tuple(items),
        cites=tuple(card.id for card in (*chain, *later)),
    )


def history(found: Findings) -> Draft:
    """Tell everything that happened to something, oldest first."""
    matches = sorted(found.matches, key=lambda one: one.card.at)
    telling = [one for one in matches if one.facts] or matches
    gone = any(acted(fact, Act.REMOVED) for fact in telling[-1].facts)
    items = [commit_item(one.card, shown_facts(one.facts), found) for one in telling[-_SHOWN:]]
    return Draft(
        head="gone" if gone else "history",
        values={"count": str(len(telling))},
        items=tuple(items),
        more=max(0, len(telling) - _SHOWN),
        cites=tuple(one.card.id for one in telling),
    )


def _chain(name: EvidenceId, found: Findings) -> list[EvidenceId]:
    """Walk from the first landing to the last thing that happened to it."""
    back: Mapping[EvidenceId, EvidenceId] = {new: old for old, new in (*found.undone.items(), *found.relanded.items())}
    first, seen = name, {name}
    while (before := back.get(first)) and before not in seen:
        first = before
        seen.add(first)
    chain = [first]
    while (after := found.undone.get(chain[-1]) or _again(chain[-1], found)) and after not in chain:
        chain.append(after)
    return chain


def _again(name: EvidenceId, found: Findings) -> EvidenceId | None:
    """Find what brought a change back, given the commit that undid it or the change itself."""
    old = next((first for first, by in found.undone.items() if by == name), None)
    return found.relanded.get(name) or (found.relanded.get(old) if old else None)


def with_fate(draft: Draft, found: Findings) -> Draft:
    """Add what undid the commits of a short answer, or brought them back: it belongs to every answer about them."""
    shown = [item.cite for item in draft.items if item.cite in found.cards]
    if draft.abstained or not 0 < len(shown) <= _FEW:
        return draft
    chains = [chain for name in shown if len(chain := _chain(name, found)) > 1]
    linked = [name for chain in chains for name in chain] + [card.id for card in found.later if chains]
    further = dict.fromkeys(name for name in linked if name not in shown and name in found.cards)
    items = [commit_item(found.cards[name], (), found, lineage=True) for name in list(further)[:_FEW]]
    cites = dict.fromkeys((*draft.cites, *(item.cite for item in items)))
    return draft.model_copy(update={"items": (*draft.items, *items), "cites": tuple(cites)})
