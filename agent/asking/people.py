"""Who: the authors of what fits, whoever reported it, and whoever merged it."""

from collections import Counter

from agent.asking.choosing import acting, fixes, in_order, named
from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.shortfalls import nothing
from agent.asking.standings import status
from agent.asking.telling import explained, shown_facts, shown_items
from agent.card import Card
from agent.domain import Issue, PullRequest

_SHOWN = 10
_NAMED = 6


def who(found: Findings) -> Draft:
    """Name the authors of what fits, or whoever reported it; threads stand beside their fixes."""
    inquiry = found.inquiry
    own = named(found)
    threads = _spoken_of(found) if inquiry.numbers or inquiry.bug or inquiry.opened else []
    if inquiry.which_fix and threads and not own and not found.matches:
        return status(found) or nothing(found, "nothing", {})
    fixing = fixes(found)
    chosen = own or (fixing if threads else [])
    matches = [] if chosen else in_order(acting(found.matches, inquiry), inquiry)
    cards = chosen or [one.card for one in matches]
    if not cards and not threads:
        return nothing(found, "nothing", {})
    facts = {one.card.id: one.facts for one in matches}
    told = shown_items([(card, shown_facts(facts.get(card.id, ()))) for card in cards[:_SHOWN]], found)
    if inquiry.reason and cards:
        told[0] = explained(cards[0], found)
    items = [*(Item(cite=one.id) for one in threads), *told]
    names = _authors(cards)
    reporters = ", ".join(dict.fromkeys(one.author or "?" for one in threads if isinstance(one, Issue)))
    notes = (("reported", {"people": reporters}),) if reporters and inquiry.opened and names else ()
    return Draft(
        head="who" if names else "reported",
        values={"people": names or reporters},
        items=tuple(items),
        more=max(0, len(cards) - _SHOWN),
        cites=(*(one.id for one in threads), *(card.id for card in cards)),
        notes=notes,
    )


def _authors(cards: list[Card]) -> str:
    people = Counter(card.author for card in cards)
    several = len(people) > 1
    return ", ".join(f"{name} ({count})" if several else name for name, count in people.most_common(_NAMED))


def _spoken_of(found: Findings) -> list[Issue | PullRequest]:
    """Give the threads of the answer: those named, and issues that the changes named fix."""
    asked = {name for name in found.threads if any(name.endswith(f"#{one}") for one in found.inquiry.numbers)}
    linked = {link.issue for link in found.links if link.may_read_fixed or link.may_read_likely}
    chosen = [one for name, one in found.threads.items() if name in asked or name in linked or not asked]
    return chosen[:4]
