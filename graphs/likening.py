"""Looking for the commits that fit a whole question best, whatever its kind, and for the series that does."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations

from agent.asking.fitting import all_words, fit, foremost, likely, may_fit, side_by_side, speaks_of_another
from agent.asking.inquiry import Inquiry, Term
from agent.asking.matching import Match, match
from agent.asking.names import is_person
from agent.asking.weights import Weights, weights
from agent.card import Card
from agent.ids import RepoId
from agent.sources import Headline
from agent.weaving.parts import read_part
from agent.weaving.series import series_of
from agent.window import Window
from memory.catalogue import Catalogue, Needle

_CANDIDATES = 120
_TELLING, _OF_PAIR = 3, 25
"""Words that say most about a question, and commits that are weighed of those that have two of them."""

_LACKING = 0.55
"""Of the words of a question, what may be in names that the best commit has nowhere."""
_PARTS = 400
_LABEL = re.compile(r"\[[^\[\]]+\]")
"""What titles have in brackets: [XPU]."""


def likest(
    inquiry: Inquiry, cards: Catalogue, repos: Sequence[RepoId], window: Window | None, now: datetime
) -> list[Match]:
    """Give the commits that fit a question as a whole clearly better than all others; nothing where none does."""
    if not may_fit(inquiry):
        return []
    terms = all_words(inquiry)
    # What nobody translated cannot be in an English commit, whatever the commit is about.
    weighty = weights(terms, cards.rarity) | {term.said: 0.0 for term in terms if _is_untold(term, cards)}
    pairs = side_by_side(inquiry.text)
    known = _candidates(terms, weighty, cards, repos, window)
    best = foremost([fit(card, terms, weighty, now, pairs) for card in known])
    best = [one for one in best if not speaks_of_another(one.card.title, inquiry)]
    own = weights(inquiry.terms, cards.rarity)
    matches = [replace(match(one.card, inquiry, own), nearly=True) for one in best]
    return matches if all(one.lacks < _LACKING for one in matches[:1]) else []


def parts_of_series(
    inquiry: Inquiry, cards: Catalogue, repos: Sequence[RepoId], window: Window | None, now: datetime
) -> list[Match]:
    """Give every landed part of the series that the question speaks of, newest first; nothing where it means none."""
    labels = frozenset(name.strip("[]").lower() for name in inquiry.names if _LABEL.fullmatch(name))
    labelled = _labelled_parts(labels, inquiry, cards, repos, window) if labels else {}
    if labels and len(set(labelled.values())) == len(labelled):
        # No number is there twice: it is one series, or none where nothing carries the labels.
        own = list(labelled)
    else:
        own = _likest_parts(inquiry, list(labelled), cards, repos, window, now)
    return [match(card, inquiry, {}) for card in sorted(own, key=_landed, reverse=True)]


def _likest_parts(
    inquiry: Inquiry,
    known: Sequence[Card],
    cards: Catalogue,
    repos: Sequence[RepoId],
    window: Window | None,
    now: datetime,
) -> list[Card]:
    """Give all parts of the series whose best part fits the question best, of these or of any."""
    terms = all_words(inquiry)
    weighty = weights(terms, cards.rarity)
    among = known or [one for one in _candidates(terms, weighty, cards, repos, window) if _is_part(one, inquiry)]
    best = max((fit(card, terms, weighty, now) for card in among), key=lambda one: one.value, default=None)
    if best is None or not best.words:
        return []
    called = read_part(best.card.title)
    words = [*called.tags, *called.words] if called else []
    alike = cards.search([Needle((word,), needed=False) for word in words], [best.card.repo], window, _PARTS)
    parts = {card.sha: card for card in (*alike, best.card) if _is_part(card, inquiry)}
    lines = [Headline(sha=one.sha, at=one.at, author=one.author, title=one.title) for one in parts.values()]
    whole = next(one for one in series_of(lines) if best.card.sha in {line.sha for line, _ in one.members})
    own = {line.sha for line, _ in whole.members}
    tags = called.tags if called else frozenset()
    own |= {sha for sha, card in parts.items() if tags and (part := read_part(card.title)) and part.tags == tags}
    return [card for card in parts.values() if card.sha in own]


def _labelled_parts(
    labels: frozenset[str], inquiry: Inquiry, cards: Catalogue, repos: Sequence[RepoId], window: Window | None
) -> dict[Card, int]:
    """Give the parts that carry just these labels, or these among others, each with its number."""
    found = cards.search([Needle((label,)) for label in sorted(labels)], repos, window, _PARTS)
    parts = {card: part for card in found if _is_part(card, inquiry) and (part := read_part(card.title))}
    carrying = {card: part.index for card, part in parts.items() if part.tags >= labels}
    return {card: index for card, index in carrying.items() if parts[card].tags == labels} or carrying


def _is_untold(term: Term, cards: Catalogue) -> bool:
    return not any(form.isascii() for form in term.forms) and math.isinf(cards.rarity(term.forms))


def _landed(card: Card) -> datetime:
    return card.at


def _is_part(card: Card, inquiry: Inquiry) -> bool:
    """Tell whether a commit calls itself a part of something, by whoever is said to have done it."""
    own = not inquiry.people or any(is_person(name, card.author) for name in inquiry.people)
    return own and read_part(card.title) is not None


def _candidates(
    terms: Sequence[Term], weighty: Weights, cards: Catalogue, repos: Sequence[RepoId], window: Window | None
) -> list[Card]:
    """Find what has words of the question; common ones must not crowd out the commits that have two rare ones."""
    found = cards.search([Needle(term.forms, needed=False) for term in terms], repos, window, _CANDIDATES)
    rare = sorted(terms, key=lambda term: -weighty[term.said])[:_TELLING]
    for pair in combinations(rare, 2):
        found += cards.search([Needle(term.forms) for term in pair], repos, window, _OF_PAIR)
    return likely({card.id: card for card in found}.values(), terms, weighty)
