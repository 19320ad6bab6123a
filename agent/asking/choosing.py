"""Which of what was found an answer speaks of, and in which order."""

from collections.abc import Sequence
from dataclasses import replace

from agent.asking.acts import ACTS, ENTITLED
from agent.asking.deeds import acted
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Inquiry
from agent.asking.matching import Match
from agent.asking.names import plain
from agent.card import Card

_TITLED = 0.62


def acting(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Keep the commits that do what the question says, where any does; of their facts those that show it.

    Where repositories are compared, each is looked at by itself.
    """
    if len(inquiry.repos) <= 1:
        return _acting(matches, inquiry)
    return [one for repo in inquiry.repos for one in _acting([m for m in matches if m.card.repo == repo], inquiry)]


def _acting(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    matches = _with_value(_fixing(matches, inquiry), inquiry)
    acts = [act for act in inquiry.acts if act not in (Act.CHANGED, Act.FIXED, Act.BROKEN)]
    if inquiry.broad:
        return list(matches)
    lineage = any(act in (Act.REVERTED, Act.RELANDED) for act in acts)
    kept = []
    for one in matches:
        undoes = any(acted(fact, Act.REVERTED) for fact in one.card.facts)
        facts = () if undoes and not lineage else tuple(f for f in one.facts if any(acted(f, act) for act in acts))
        if facts or (lineage and any(acted(fact, act) for fact in one.card.facts for act in acts)):
            kept.append(replace(one, facts=facts))
        elif (
            not inquiry.names and one.together >= _TITLED and any(ENTITLED[act].search(one.card.title) for act in acts)
        ):
            kept.append(one)
    return kept or list(matches)


def _fixing(matches: Sequence[Match], inquiry: Inquiry) -> Sequence[Match]:
    """Where a fix is asked for, keep the commits that call themselves one."""
    if Act.FIXED not in inquiry.acts or inquiry.broad:
        return matches
    return [one for one in matches if ACTS[Act.FIXED].search(one.card.title)] or matches


def _with_value(matches: Sequence[Match], inquiry: Inquiry) -> Sequence[Match]:
    """Where the question tells the new value, keep the commits that set it; else those that had one of its values."""
    wanted = [plain(value) for value in inquiry.values]
    if not wanted:
        return matches
    setting = [one for one in matches if any(plain(fact.new or "") == wanted[-1] for fact in one.facts)]
    having = [one for one in matches if any(plain(v or "") in wanted for f in one.facts for v in (f.old, f.new))]
    return setting or having or matches


def in_order(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Put the newest first; where the last is asked for, give that one; the first of each repository."""
    by_time = sorted(matches, key=lambda one: one.card.at, reverse=True)
    if inquiry.last:
        newest = {one.card.repo: one for one in by_time[::-1]} if len(inquiry.repos) > 1 else {}
        return [one for one in by_time if one in newest.values()] if newest else by_time[:1]
    return list({one.card.repo: one for one in by_time}.values()) if inquiry.first else by_time


def named(found: Findings) -> list[Card]:
    """Find the commits that are named by hash or by pull request."""
    inquiry = found.inquiry
    chosen = [card for card in found.cards.values() if any(card.sha.startswith(sha) for sha in inquiry.shas)]
    chosen += [card for number in inquiry.numbers for card in of_pull(found, number)]
    return list({card.id: card for card in chosen}.values())


def of_pull(found: Findings, number: int) -> list[Card]:
    """Find what a pull request brought, in the repository that the number belongs to."""
    home = dict(found.inquiry.homes).get(number)
    return [card for card in found.cards.values() if card.pull == number and home in (None, card.repo)]


def meant(found: Findings) -> list[Card]:
    """Find the commits that are named by hash or pull request, else the best match."""
    return named(found) or [one.card for one in found.matches[:1]]


def fixes(found: Findings) -> list[Card]:
    """Find the commits that fix the threads of the question."""
    changes = dict.fromkeys(
        link.change
        for link in found.links
        if link.issue in found.threads and (link.may_read_fixed or link.may_read_likely)
    )
    return [found.cards[name] for name in changes if name in found.cards]
