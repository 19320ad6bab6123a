"""From what was found to what is answered: code chooses, templates speak, and the gate decides."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from agent.asking.choosing import meant, named
from agent.asking.counting import count
from agent.asking.draft import Draft
from agent.asking.fates import fate, with_fate
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Aim
from agent.asking.listing import broke, changes, summary
from agent.asking.moments import when
from agent.asking.parts import with_parts
from agent.asking.people import who
from agent.asking.premises import broken_premise
from agent.asking.releases import contained, with_release
from agent.asking.series import with_numbers
from agent.asking.shortfalls import nothing, shortfall
from agent.asking.standings import closed_why, named_by, status
from agent.asking.telling import asks_more, explained, gives_reason

_FOLLOWED = (Aim.CHANGES, Aim.WHO, Aim.WHEN, Aim.SUMMARY, Aim.EXPLAIN)


def answer(found: Findings) -> Draft:
    """Answer what can be answered, and say of anything else what was looked for and what comes nearest.

    Where what the rules took for meant does not answer, what fits the question as a whole best may.
    """
    draft = _answered(found)
    if not draft.abstained or not found.best or shortfall(found) is not None:
        return draft
    again = _answered(replace(found, matches=found.best))
    return draft if again.abstained else again


def _answered(found: Findings) -> Draft:
    inquiry = found.inquiry
    if (naming := named_by(found)) is not None:
        return with_fate(naming, found)
    if (missing := shortfall(found) or broken_premise(found)) is not None:
        return missing
    if inquiry.contained and (held := contained(found)) is not None:
        return held
    if inquiry.reason and (why := closed_why(found)) is not None:
        return why
    draft = with_parts(with_release(_AIMS[inquiry.aim](found), found), found)
    draft = with_fate(draft, found) if inquiry.aim in _FOLLOWED else draft
    return _with_doubt(_with_silent(with_numbers(draft, found), found), found)


def _with_silent(draft: Draft, found: Findings) -> Draft:
    """Say so where the same was asked of several repositories, and one has nothing on it."""
    if draft.abstained or not found.inquiry.each:
        return draft
    silent = [
        repo for repo in found.inquiry.repos if not any(f"{repo}@" in one or f"{repo}#" in one for one in draft.cites)
    ]
    return draft.model_copy(update={"notes": (*draft.notes, *(("none in", {"repo": repo}) for repo in silent))})


def _with_doubt(draft: Draft, found: Findings) -> Draft:
    """Say so where the answer is what fits best, and not all that was asked stands in it."""
    best = {one.card.id for one in found.matches if one.nearly}
    if draft.abstained or best.isdisjoint(draft.cites):
        return draft
    return draft.model_copy(update={"notes": (*draft.notes, ("fits best", {}))})


def _explain(found: Findings) -> Draft:
    """Tell what one commit or pull request does, in its own words too."""
    cards = named(found) if found.inquiry.numbers or found.inquiry.shas else meant(found)
    if not cards:
        return status(found) or nothing(found, "nothing", {})
    if found.inquiry.reason and Act.REVERTED in found.inquiry.acts:
        # Why something was undone is for the commit to say that undid it.
        names = [found.undone[card.id] for card in cards if card.id in found.undone]
        undoing = [found.cards[name] for name in names if name in found.cards]
        cards = undoing or cards
    items = [explained(card, found) for card in cards[:3]]
    told = any(gives_reason(item, found) for item in items)
    if found.inquiry.reason and not told:
        unsaid = Draft(head="no reason", items=tuple(items), cites=tuple(c.id for c in cards[:3]))
        return unsaid.model_copy(update={"abstained": not asks_more(found.inquiry)})
    return Draft(head="explained", items=tuple(items), cites=tuple(card.id for card in cards[:3]))


def _status(found: Findings) -> Draft:
    """Tell how a thread stands; where none is meant, what was done."""
    return status(found) or (_explain(found) if found.inquiry.shas or found.inquiry.numbers else changes(found))


def _count(found: Findings) -> Draft:
    draft = count(found)
    return draft if draft is not None else nothing(found, "nothing", {})


_AIMS: Mapping[Aim, Callable[[Findings], Draft]] = {
    Aim.CHANGES: changes,
    Aim.WHO: who,
    Aim.WHEN: when,
    Aim.EXPLAIN: _explain,
    Aim.STATUS: _status,
    Aim.FATE: fate,
    Aim.BROKE: broke,
    Aim.COUNT: _count,
    Aim.SUMMARY: summary,
}
