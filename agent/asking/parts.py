"""The further parts of a question that asks for several things: who merged, from where, which version is used."""

from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.inquiry import Thing
from agent.asking.telling import commit_item, dependency_facts, shown_facts, whole_day
from agent.card import Card

_SHORT = 10
_MEMBERS = 8


def with_parts(draft: Draft, found: Findings) -> Draft:
    """Add what else was asked of the commits that an answer shows."""
    if draft.abstained:
        return draft
    cards = [found.cards[item.cite] for item in draft.items if item.cite in found.cards]
    cites = {item.cite for item in draft.items}
    fixed = [
        Item(cite=link.issue)
        for card in cards[:3]
        for link in found.links
        if link.change == card.id and link.may_read_fixed and link.issue in found.threads and link.issue not in cites
    ]
    if fixed and Thing.ISSUE in found.inquiry.things:
        draft = draft.model_copy(
            update={"items": (*draft.items, *fixed), "cites": (*draft.cites, *(item.cite for item in fixed))}
        )
    broke = [commit_item(card, (), found) for card in found.causes if card.id not in cites]
    draft = draft.model_copy(
        update={"items": (*draft.items, *broke), "cites": (*draft.cites, *(item.cite for item in broke))}
    )
    notes = [
        note for card in cards[:3] for note in (*_merged(card, found), *_brought(card, found), *_picked(card, found))
    ]
    pinned = _pinned(cards, found)
    if not notes and not pinned:
        return draft
    items = [commit_item(card, shown_facts(dependency_facts(card, found)), found) for card in pinned]
    shown = {item.cite for item in draft.items}
    return draft.model_copy(
        update={
            "notes": (*draft.notes, *notes, *(note for card in pinned[:1] for note in _in_use(card, found))),
            "items": (*draft.items, *(item for item in items if item.cite not in shown)),
            "cites": tuple(dict.fromkeys((*draft.cites, *(card.id for card in pinned)))),
        }
    )


Note = tuple[str, dict[str, str]]


def _merged(card: Card, found: Findings) -> list[Note]:
    """Name whoever made a merge; the commits in it may be by others."""
    evidence = found.evidence.get(card.id)
    if not found.inquiry.merger or evidence is None or not evidence.change.commit.is_merge:
        return []
    return [("merged by", {"person": evidence.change.commit.author.name})]


def _brought(card: Card, found: Findings) -> list[Note]:
    """Name the commits that a merge brought in."""
    members = [one for one in found.members.get(card.id, ()) if not one.is_merge]
    if not members:
        return []
    told = "; ".join(f"{one.sha[:_SHORT]} {one.title} ({one.author.name})" for one in members[:_MEMBERS])
    return [("brought in", {"count": str(len(members)), "commits": told})]


def _picked(card: Card, found: Findings) -> list[Note]:
    """Tell where a commit was picked from."""
    if (origin := found.origins.get(card.id)) is None:
        return []
    day = whole_day(origin.committed_at, found.window.tz)
    return [("picked", {"sha": origin.sha[:_SHORT], "person": origin.author.name, "day": day})]


def _pinned(cards: list[Card], found: Findings) -> list[Card]:
    """Find what moved another repository to a version of the one that the answer is about."""
    if not found.inquiry.pins:
        return []
    shown = {card.id for card in cards}
    tag = next((one.removeprefix("v") for names in found.tags.values() for one in names), "")
    others = [card for card in found.pins if card.id not in shown]
    having = [card for card in others if any(tag and tag in (fact.new or "") for fact in dependency_facts(card, found))]
    return (having or others)[:1]


def _in_use(card: Card, found: Findings) -> list[Note]:
    """Say which version a repository uses, and since when."""
    fact = next(iter(dependency_facts(card, found)), None)
    if fact is None or not fact.new:
        return []
    day = whole_day(card.at, found.window.tz)
    return [("in use", {"repo": card.repo, "name": fact.name, "version": fact.new, "day": day})]
