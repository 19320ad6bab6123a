"""What changed: the commits that fit, what users must adapt to, what matters most of a time."""

from collections.abc import Iterable

from agent.asking.acts import SYMPTOM
from agent.asking.choosing import acting, in_order
from agent.asking.deeds import definite, kinds_of
from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.inquiry import Thing
from agent.asking.labels import labelled
from agent.asking.names import is_person
from agent.asking.premises import names_nobody
from agent.asking.releases import releases
from agent.asking.shortfalls import nothing
from agent.asking.standings import by_issue
from agent.asking.telling import asks_more, commit_item, explained, facts_each, gives_reason, shown_facts, shown_items
from agent.card import Card
from agent.facts import Fact, FactKind, Severity

_SHOWN = 10
_OUTSIDE = ("flag-", "env-", "route-", "config-", "dependency-", "image-", "unregistered")
_GRAVE = {Severity.BREAKING: 6, Severity.BEHAVIOUR: 2, Severity.ADDITIVE: 1, Severity.INTERNAL: 0}


def changes(found: Findings) -> Draft:
    """List the commits that fit, newest first; a question about everything gets what matters most."""
    inquiry = found.inquiry
    if inquiry.labels and (draft := labelled(found)) is not None:
        return draft
    if not found.matches and names_nobody(inquiry):
        if Thing.RELEASE in inquiry.things:
            draft = releases(found)
            return draft if draft.cites else nothing(found, "nothing", {})
        if not definite(inquiry) and not kinds_of(inquiry):
            return summary(found)
    if not found.matches:
        return by_issue(found) or nothing(found, "nothing", {})
    if inquiry.reason and not SYMPTOM.search(inquiry.text):
        return _reasons(found)
    matches = in_order(acting(found.matches, inquiry), inquiry)
    most = facts_each(len(matches))
    items = shown_items([(one.card, shown_facts(one.facts, most)) for one in matches[:_SHOWN]], found)
    return Draft(
        head="one change" if len(matches) == 1 else "changes",
        values={"count": str(len(matches))},
        items=tuple(items),
        more=max(0, len(matches) - _SHOWN),
        cites=tuple(one.card.id for one in matches),
    )


def _reasons(found: Findings) -> Draft:
    """Let the commits that fit say why, in their own words; nobody else may."""
    cards = [one.card for one in acting(found.matches, found.inquiry)][:3]
    explanations = [explained(card, found) for card in cards]
    items = [item for item in explanations if gives_reason(item, found)]
    if not items:
        abstained = not asks_more(found.inquiry)
        items = [commit_item(card, (), found) for card in cards[:1]] if abstained else explanations[:1]
        cites = tuple(item.cite for item in items)
        return Draft(head="no reason", items=tuple(items), cites=cites, abstained=abstained)
    return Draft(head="explained", items=tuple(items[:2]), cites=tuple(item.cite for item in items[:2]))


def broke(found: Findings) -> Draft:
    """List what users must adapt to."""
    cards = _narrowed(found)
    breaking = [(card, [fact for fact in card.facts if fact.severity is Severity.BREAKING]) for card in cards]
    breaking = sorted(((card, facts) for card, facts in breaking if facts), key=lambda one: not _meets(one[1]))
    if not breaking:
        return nothing(found, "nothing broke", {}, near=False) if cards else nothing(found, "nothing", {})
    items = [commit_item(card, shown_facts(facts), found) for card, facts in breaking[:_SHOWN]]
    values = {"count": str(len(breaking))}
    if len(found.between) == 2:
        (old, _), (new, _) = found.between
        values |= {"old": old, "new": new}
    return Draft(
        head="broke between" if "old" in values else "broke",
        values=values,
        items=tuple(items),
        more=max(0, len(breaking) - _SHOWN),
        cites=tuple(card.id for card, _ in breaking),
    )


def _meets(facts: Iterable[Fact]) -> bool:
    """Tell whether users meet it without reading code: flags, variables, routes, settings, dependencies."""
    return any(fact.kind.value.startswith(_OUTSIDE) for fact in facts)


def summary(found: Findings) -> Draft:
    """Tell what matters most of a time, or of one topic in it."""
    cards = _narrowed(found)
    if not cards:
        return nothing(found, "nothing", {})
    ranked = sorted(cards, key=lambda card: (-_weight(card.facts), -card.at.timestamp()))
    items = [commit_item(card, shown_facts(card.facts, 2), found) for card in ranked[:_SHOWN]]
    breaking = sum(any(fact.severity is Severity.BREAKING for fact in card.facts) for card in cards)
    return Draft(
        head="summary",
        values={"count": str(len(cards)), "breaking": str(breaking)},
        items=tuple(items),
        more=max(0, len(cards) - _SHOWN),
        cites=tuple(card.id for card in ranked[:_SHOWN]),
    )


def _narrowed(found: Findings) -> list[Card]:
    """Give what landed, or what of it fits the names and words of the question."""
    if found.inquiry.names or found.inquiry.terms:
        return [one.card for one in found.matches]
    people = found.inquiry.people
    return [card for card in found.listed if not people or any(is_person(name, card.author) for name in people)]


def _weight(facts: Iterable[Fact]) -> int:
    weighty = [fact for fact in facts if fact.kind is not FactKind.CODE_CHANGED]
    return sum(_GRAVE[fact.severity] for fact in weighty[:12])
