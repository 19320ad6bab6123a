"""From what was found to what is answered: code chooses, templates speak, and the gate decides."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from agent.asking import counting
from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Aim, Inquiry, Thing
from agent.asking.matching import Match, acted, definite
from agent.asking.premises import broken_premise, is_person, names_nobody
from agent.asking.standings import release_ids, release_note, status
from agent.asking.telling import commit_item, explained, shown_facts, whole_day
from agent.card import Card
from agent.domain import Issue, PullRequest
from agent.evidence import EvidenceId
from agent.facts import Fact, Severity

_SHOWN = 10
_NEAREST = 3
_GRAVE = {Severity.BREAKING: 6, Severity.BEHAVIOUR: 2, Severity.ADDITIVE: 1, Severity.INTERNAL: 0}


def answer(found: Findings) -> Draft:
    """Answer what can be answered, and say of anything else what was looked for and what comes nearest."""
    inquiry = found.inquiry
    if inquiry.strangers:
        return _nothing(found, "stranger", {"repo": inquiry.strangers[0]}, near=False)
    if inquiry.aim is Aim.BEYOND:
        return _nothing(found, "beyond", {})
    if found.window.start > found.searched_until:
        return _nothing(found, "future", {"when": whole_day(found.window)}, near=False)
    if found.ambiguous:
        sha, several = next(iter(found.ambiguous.items()))
        return _nothing(found, "ambiguous", {"sha": sha, "several": str(len(several))}, near=False)
    if (missing := _unknown_reference(found)) is not None:
        return missing
    if len(inquiry.versions) == 2 and inquiry.aim is Aim.BROKE and not found.between:
        return _nothing(found, "no version", {"version": inquiry.versions[0]}, near=False)
    if (premise := broken_premise(found)) is not None:
        return premise
    if inquiry.contained and (held := _contained(found)) is not None:
        return held
    return _with_release(_AIMS[inquiry.aim](found), found)


def _with_release(draft: Draft, found: Findings) -> Draft:
    """Say in which release the change is, where that is asked."""
    cards = [found.cards[item.cite] for item in draft.items if item.cite in found.cards]
    if (
        not found.inquiry.which_release
        or draft.abstained
        or not cards
        or any("release" in key for key, _ in draft.notes)
    ):
        return draft
    if not found.releases.get(cards[0].repo) and not found.tags.get(cards[0].id):
        return draft.model_copy(update={"head": "no releases", "values": {"repo": cards[0].repo}, "abstained": True})
    note = release_note(cards[:1], found)
    cites = (*draft.cites, *release_ids([note], cards[0].repo))
    return draft.model_copy(update={"notes": (*draft.notes, note), "cites": cites})


def _contained(found: Findings) -> Draft | None:
    """Tell whether a release has a change: by the tags that contain its commit."""
    version = found.inquiry.versions[0].lstrip("vV")
    matches = _acting(found.matches, found.inquiry)
    cards = _named(found) or [one.card for one in sorted(matches, key=lambda one: one.card.at)]
    told = [card for card in cards if card.id in found.tags]
    if not told:
        return None
    facts = {one.card.id: one.facts for one in matches}
    chosen = told[0]
    inside = any(tag.lstrip("vV") == version for tag in found.tags[chosen.id])
    items = [commit_item(card, shown_facts(facts.get(card.id, ())), found) for card in told[:_SHOWN]]
    return Draft(
        head="in release" if inside else "not in release",
        values={"tag": found.inquiry.versions[0]},
        items=tuple(items),
        cites=tuple(card.id for card in told),
    )


def _unknown_reference(found: Findings) -> Draft | None:
    """Say so where a commit or thread that is named outright is not there."""
    known = {card.sha for card in found.cards.values()}
    for sha in found.inquiry.shas:
        if not any(one.startswith(sha) for one in known):
            return _nothing(found, "no commit", {"sha": sha}, near=False)
    for number in found.inquiry.numbers:
        if not any(name.endswith(f"#{number}") for name in found.threads) and not _of_pull(found, number):
            return _nothing(
                found, "no thread", {"number": str(number), "why": found.unread.get(number, "")}, near=False
            )
    return None


def _of_pull(found: Findings, number: int) -> list[Card]:
    return [card for card in found.cards.values() if card.pull == number]


# ---------------------------------------------------------------- lists


def _changes(found: Findings) -> Draft:
    """List the commits that fit, newest first; a question about everything gets what matters most."""
    if not found.matches and names_nobody(found.inquiry) and Thing.RELEASE in found.inquiry.things:
        return _releases(found)
    if not found.matches and names_nobody(found.inquiry) and not definite(found.inquiry):
        return _summary(found)
    if not found.matches:
        return _nothing(found, "nothing", {})
    if found.inquiry.reason:
        return _reasons(found)
    matches = _in_order(_acting(found.matches, found.inquiry), found.inquiry)
    items = [commit_item(one.card, shown_facts(one.facts), found) for one in matches[:_SHOWN]]
    head = "one change" if len(matches) == 1 else "changes"
    return Draft(
        head=head,
        values={"count": str(len(matches))},
        items=tuple(items),
        more=max(0, len(matches) - _SHOWN),
        cites=tuple(one.card.id for one in matches),
    )


def _reasons(found: Findings) -> Draft:
    """Let the commits that fit say why, in their own words; nobody else may."""
    cards = [one.card for one in _acting(found.matches, found.inquiry)][:3]
    explanations = [explained(card, found) for card in cards]
    items = [item for item in explanations if any(claim.speech for claim in item.claims)]
    if not items:
        items = [commit_item(card, (), found) for card in cards[:1]]
        return Draft(head="no reason", items=tuple(items), cites=tuple(item.cite for item in items), abstained=True)
    return Draft(head="explained", items=tuple(items[:2]), cites=tuple(item.cite for item in items[:2]))


def _releases(found: Findings) -> Draft:
    """List the releases of a time."""
    draft = counting.releases(found)
    return draft if draft.cites else _nothing(found, "nothing", {}, near=False)


def _in_order(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    by_time = sorted(matches, key=lambda one: one.card.at, reverse=True)
    if inquiry.last:
        return by_time[:1]
    return by_time[-1:] if inquiry.first else by_time


def _who(found: Findings) -> Draft:
    """Name the authors of what fits, or whoever reported it; threads stand beside their fixes."""
    inquiry = found.inquiry
    named = _named(found)
    threads = _spoken_of(found) if inquiry.numbers or inquiry.bug or inquiry.opened else []
    if inquiry.which_fix and threads and not named and not found.matches:
        return status(found) or _nothing(found, "nothing", {})
    fixes = [
        found.cards[link.change] for link in found.links if link.issue in found.threads and link.change in found.cards
    ]
    chosen = named or (fixes if threads else [])
    matches = [] if chosen else _in_order(_acting(found.matches, inquiry), inquiry)
    cards = chosen or [one.card for one in matches]
    if not cards and not threads:
        return _nothing(found, "nothing", {})
    facts = {one.card.id: one.facts for one in matches}
    people = Counter(card.author for card in cards)
    names = ", ".join(f"{name} ({count})" if len(people) > 1 else name for name, count in people.most_common(6))
    items = [Item(cite=one.id) for one in threads]
    items += [commit_item(card, shown_facts(facts.get(card.id, ())), found) for card in cards[:_SHOWN]]
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


def _spoken_of(found: Findings) -> list[Issue | PullRequest]:
    """Give the threads of the answer: those named, and issues that the changes named fix."""
    asked = {name for name in found.threads if any(name.endswith(f"#{one}") for one in found.inquiry.numbers)}
    linked = {link.issue for link in found.links if link.may_read_fixed or link.may_read_likely}
    chosen = [one for name, one in found.threads.items() if name in asked or name in linked or not asked]
    return chosen[:4]


def _when(found: Findings) -> Draft:
    """Tell when something changed and from what to what: by facts where there are any, else by the commits."""
    if len(found.inquiry.versions) == 1 and not (found.inquiry.names or found.inquiry.terms):
        return _release_day(found)
    if not found.matches:
        return _nothing(found, "nothing", {})
    matches = _in_order(_acting(found.matches, found.inquiry), found.inquiry)
    telling = [one for one in matches if one.facts] or matches
    items = [commit_item(one.card, shown_facts(one.facts), found) for one in telling[:_SHOWN]]
    return Draft(
        head="when",
        values={"day": whole_day(telling[0].card.at, found.window.tz), "count": str(len(telling))},
        items=tuple(items),
        more=max(0, len(telling) - _SHOWN),
        cites=tuple(one.card.id for one in telling),
    )


def _release_day(found: Findings) -> Draft:
    """Tell when a release was published."""
    wanted = found.inquiry.versions[0].lstrip("vV")
    several = [one for releases in found.releases.values() for one in releases if one.tag.lstrip("vV") == wanted]
    if not several:
        return _nothing(found, "no version", {"version": found.inquiry.versions[0]}, near=False)
    release = several[0]
    values = {"tag": release.tag, "repo": release.repo, "day": whole_day(release.published_at, found.window.tz)}
    return Draft(head="release day", values=values, cites=(f"{release.repo}@{release.tag}",))


def _acting(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Keep the commits that do what the question says, where any does; of their facts those that show it."""
    acts = [act for act in inquiry.acts if act not in (Act.CHANGED, Act.FIXED, Act.BROKEN)]
    if inquiry.broad:
        return list(matches)
    lineage = any(act in (Act.REVERTED, Act.RELANDED) for act in acts)
    kept = []
    for one in matches:
        facts = tuple(fact for fact in one.facts if any(acted(fact, act) for act in acts))
        if facts or (lineage and any(acted(fact, act) for fact in one.card.facts for act in acts)):
            kept.append(Match(one.card, facts, one.named, one.covered, one.titled))
    return kept or list(matches)


# ---------------------------------------------------------------- one change


def _explain(found: Findings) -> Draft:
    """Tell what one commit or pull request does, in its own words too."""
    cards = _meant(found)
    if not cards:
        return status(found) or _nothing(found, "nothing", {})
    items = [explained(card, found) for card in cards[:3]]
    told = any(claim.speech for item in items for claim in item.claims)
    if found.inquiry.reason and not told:
        return Draft(head="no reason", items=tuple(items), cites=tuple(c.id for c in cards), abstained=True)
    return Draft(head="explained", items=tuple(items), cites=tuple(card.id for card in cards[:3]))


def _meant(found: Findings) -> list[Card]:
    """Find the commits that are named by hash or pull request, else the best match."""
    return _named(found) or [one.card for one in found.matches[:1]]


def _named(found: Findings) -> list[Card]:
    inquiry = found.inquiry
    named = [card for card in found.cards.values() if any(card.sha.startswith(sha) for sha in inquiry.shas)]
    named += [card for number in inquiry.numbers for card in _of_pull(found, number)]
    return list({card.id: card for card in named}.values())


def _fate(found: Findings) -> Draft:
    """Follow a change: what undid it, what brought it back."""
    cards = _meant(found) or [one.card for one in found.matches]
    if not cards and found.threads:
        return status(found) or _nothing(found, "nothing", {})
    for card in sorted(cards, key=lambda one: one.id not in found.undone and one.id not in found.undone.values()):
        chain = _chain(card.id, found)
        if len(chain) > 1:
            items = [commit_item(found.cards[name], (), found, lineage=True) for name in chain if name in found.cards]
            back = chain[-1] in found.relanded.values() or chain[-1] not in found.undone.values()
            return Draft(head="came back" if back else "undone", items=tuple(items), cites=tuple(chain))
    if not cards:
        return _nothing(found, "nothing", {})
    if found.inquiry.names and len(found.matches) > 1:
        return _history(found)
    items = [commit_item(card, shown_facts(card.facts), found) for card in cards[:1]]
    return Draft(head="stands", items=tuple(items), cites=(cards[0].id,))


def _history(found: Findings) -> Draft:
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
    first = name
    while first in back and back[first] != first:
        first = back[first]
    chain = [first]
    while (after := found.undone.get(chain[-1]) or _again(chain[-1], found)) and after not in chain:
        chain.append(after)
    return chain


def _again(name: EvidenceId, found: Findings) -> EvidenceId | None:
    """Find what brought a change back, given the commit that undid it or the change itself."""
    old = next((first for first, by in found.undone.items() if by == name), None)
    return found.relanded.get(name) or (found.relanded.get(old) if old else None)


# ---------------------------------------------------------------- over a time


def _broke(found: Findings) -> Draft:
    """List what users must adapt to."""
    cards = _narrowed(found)
    breaking = [(card, [fact for fact in card.facts if fact.severity is Severity.BREAKING]) for card in cards]
    breaking = [(card, facts) for card, facts in breaking if facts]
    if not breaking:
        return _nothing(found, "nothing broke", {}, near=False) if cards else _nothing(found, "nothing", {})
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


def _summary(found: Findings) -> Draft:
    """Tell what matters most of a time, or of one topic in it."""
    cards = _narrowed(found)
    if not cards:
        return _nothing(found, "nothing", {})
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
    return sum(_GRAVE[fact.severity] for fact in list(facts)[:12])


# ---------------------------------------------------------------- nothing


def _nothing(found: Findings, head: str, values: dict[str, str], *, near: bool = True) -> Draft:
    """Say that the evidence is not there, and what comes nearest."""
    nearest = [] if not near else list(found.near[:_NEAREST])
    items = [commit_item(one.card, shown_facts(one.facts, 1), found) for one in nearest]
    return Draft(
        head=head,
        values=values,
        items=tuple(items),
        cites=tuple(one.card.id for one in nearest),
        abstained=True,
        notes=(("nearest", {}),) if items else (),
    )


def _status(found: Findings) -> Draft:
    return status(found) or _explain(found)


def _count(found: Findings) -> Draft:
    draft = counting.count(found)
    return draft if draft is not None else _nothing(found, "nothing", {})


_AIMS: Mapping[Aim, Callable[[Findings], Draft]] = {
    Aim.CHANGES: _changes,
    Aim.WHO: _who,
    Aim.WHEN: _when,
    Aim.EXPLAIN: _explain,
    Aim.STATUS: _status,
    Aim.FATE: _fate,
    Aim.BROKE: _broke,
    Aim.COUNT: _count,
    Aim.SUMMARY: _summary,
}
