"""How many: what a question counts, counted over what was read."""

from collections import Counter
from collections.abc import Iterable, Sequence

from agent.asking import lexicon
from agent.asking.acts import ACTS
from agent.asking.deeds import acted, definite, of_kinds
from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Thing
from agent.asking.names import is_person
from agent.asking.releases import releases
from agent.asking.telling import commit_item, shown_facts
from agent.card import Card
from agent.facts import Fact, FactKind

_SHOWN = 10
_OF_FACTS = (Thing.FLAG, Thing.ENV, Thing.DEPENDENCY, Thing.DEFAULT, Thing.LIMIT, Thing.BREAKING)


def count(found: Findings) -> Draft | None:
    """Count what is asked for; None where the question does not say what."""
    inquiry, things = found.inquiry, found.inquiry.things
    if (
        (inquiry.shas or inquiry.numbers)
        and found.cards
        and (Thing.FILE in things or "line" in inquiry.text.lower() or "行" in inquiry.text)
    ):
        return _one(found)
    if Thing.ISSUE in things and not inquiry.names:
        return _issues(found)
    if inquiry.often and (draft := _often(found)) is not None:
        return draft
    if lexicon.RELEASES.search(inquiry.text) and not inquiry.versions:
        return releases(found)
    cards = _scope(found)
    if not cards and (inquiry.names or inquiry.terms or inquiry.people):
        return None
    if lexicon.MORE.search(inquiry.text) and lexicon.WHO.search(inquiry.text):
        person, number = Counter(card.author for card in cards).most_common(1)[0]
        return _draft(found, "count by", cards, number, {"person": person})
    if Thing.AUTHOR in things:
        people = sorted({card.author for card in cards})
        return _draft(found, "count people", cards, len(people), {"people": ", ".join(people[:12])})
    facts = [thing for thing in things if thing in _OF_FACTS]
    if facts:
        return _facts(found, cards, facts)
    if Thing.REVERT in things or Act.REVERTED in inquiry.acts:
        cards = [card for card in cards if any(fact.kind is FactKind.REVERT for fact in card.facts)]
    if cards == _newest(found.listed):
        return _everything(found, cards)
    return _draft(found, "count", cards, len(cards))


def _everything(found: Findings, cards: Sequence[Card]) -> Draft:
    """Count all that landed, by the memory's own count: only the newest of a long time are listed."""
    number = sum(one.commits for one in found.searched)
    each = ", ".join(f"{one.repo.partition('/')[2]} {one.commits}" for one in found.searched)
    values = {"count": str(number), "each": f" ({each})" if len(found.searched) > 1 else ""}
    items = tuple(commit_item(card, (), found) for card in cards[:_SHOWN])
    more = max(0, number - len(items))
    return Draft(head="count", values=values, items=items, more=more, cites=tuple(card.id for card in cards))


def _newest(cards: Iterable[Card]) -> list[Card]:
    return sorted(cards, key=lambda card: card.at, reverse=True)


def _scope(found: Findings) -> list[Card]:
    """Give the commits that are counted: what fits the names and words, or everything, by whom it is asked."""
    inquiry = found.inquiry
    acts = definite(inquiry)
    matches = [one for one in found.matches if any(acted(fact, act) for fact in one.facts for act in acts)]
    narrowed = [one.card for one in matches or found.matches]
    cards = narrowed if inquiry.names or inquiry.terms or narrowed else list(found.listed)
    cards = [card for card in cards if not any(one.lower() in card.title.lower() for one in inquiry.without)]
    if Act.FIXED in inquiry.acts and not narrowed:
        cards = [card for card in cards if ACTS[Act.FIXED].search(card.title)]
    if inquiry.people:
        cards = [card for card in cards if any(is_person(name, card.author) for name in inquiry.people)]
    return _newest(cards)


def _often(found: Findings) -> Draft | None:
    """Count how often something happened to what is named, and show each time, oldest first."""
    acts = definite(found.inquiry)
    telling = [one for one in found.matches if one.facts]
    if acts:
        telling = [one for one in telling if any(acted(fact, act) for fact in one.facts for act in acts)]
    elif Act.CHANGED in found.inquiry.acts:
        telling = [one for one in telling if not all(acted(fact, Act.ADDED) for fact in one.facts)]
    if not telling:
        return None
    times = sorted(telling, key=lambda one: one.card.at)
    return Draft(
        head="often",
        values={"count": str(len(times))},
        items=tuple(commit_item(one.card, shown_facts(one.facts), found) for one in times[-_SHOWN:]),
        more=max(0, len(times) - _SHOWN),
        cites=tuple(one.card.id for one in times),
    )


def _one(found: Findings) -> Draft:
    card = next(iter(found.cards.values()))
    values = {"files": str(card.files), "additions": str(card.additions), "deletions": str(card.deletions)}
    return Draft(head="count one", values=values, items=(commit_item(card, (), found),), cites=(card.id,))


def _facts(found: Findings, cards: Sequence[Card], things: Sequence[Thing]) -> Draft:
    """Count facts of a kind; what they are about is counted once."""
    acts = [act for act in found.inquiry.acts if act not in (Act.CHANGED, Act.BROKEN, Act.FIXED)]

    def counted(fact: Fact) -> bool:
        kind = of_kinds(fact, things, found.inquiry.text)
        return kind and (not acts or any(acted(fact, act) for act in acts))

    chosen = [(card, [fact for fact in card.facts if counted(fact)]) for card in cards]
    chosen = [(card, facts) for card, facts in chosen if facts]
    names = {(card.repo, fact.name) for card, facts in chosen for fact in facts}
    items = [commit_item(card, shown_facts(facts), found) for card, facts in chosen[:_SHOWN]]
    return Draft(
        head="count facts",
        values={"count": str(len(names)), "commits": str(len(chosen))},
        items=tuple(items),
        more=max(0, len(chosen) - _SHOWN),
        cites=tuple(card.id for card, _ in chosen),
    )


def _issues(found: Findings) -> Draft:
    """Count issues that were opened, closed, or are open, in the window."""
    inside = found.inquiry.window is not None
    closed = Act.FIXED in found.inquiry.acts
    still = any(
        word in found.inquiry.text.lower()
        for word in ("still open", "currently open", "are open", "还开着", "未关闭", "没关", "仍然开")
    )
    issues = [
        one
        for one in found.issues
        if (one.state == "open" if still else True)
        and (
            not found.inquiry.labels
            or {label.lower() for label in found.inquiry.labels} & set(map(str.lower, one.labels))
        )
        and (one.closed_at is not None if closed and not still else True)
        and (not inside or still or ((one.closed_at if closed else one.created_at) or one.created_at) in found.window)
    ]
    head = "count open issues" if still else "count closed issues" if closed else "count issues"
    return Draft(head=head, values={"count": str(len(issues))}, cites=tuple(one.id for one in issues))


def _draft(found: Findings, head: str, cards: Sequence[Card], number: int, more: dict[str, str] | None = None) -> Draft:
    several = Counter(card.repo.partition("/")[2] for card in cards) if len(found.searched) > 1 else {}
    each = ", ".join(f"{repo} {count}" for repo, count in sorted(several.items(), key=lambda one: -one[1]))
    return Draft(
        head=head,
        values={
            "count": str(number),
            "commits": str(len(cards)),
            "each": f" ({each})" if each else "",
            **(more or {}),
        },
        items=tuple(commit_item(card, (), found) for card in cards[:_SHOWN]),
        more=max(0, len(cards) - _SHOWN),
        cites=tuple(card.id for card in cards),
    )
