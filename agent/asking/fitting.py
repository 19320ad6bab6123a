"""How well a commit fits a whole question, names and words alike: the last thing that is looked at before refusing."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from agent.asking.inquiry import Aim, Inquiry, Term, Thing
from agent.asking.matching import Match, text_of
from agent.asking.saying import said_in
from agent.asking.topics import kinds_said

_FIT = 0.35
"""What the best commit must have of a question."""
_AHEAD = 0.12
"""How far the best must be ahead of all others."""
_FEW = 3
"""Commits that may fit alike: something, what undid it, what brought it back."""
_WORDS, _TITLE = 2, 0.15
"""How many words the best commit must have, and how much of the topic its title."""
_NUMBER = re.compile(r"\s*\(?#\d+\)?")
_QUOTED = re.compile(r"\"(.{10,})\"")
_COVERED, _TOGETHER, _ENTITLED = 0.3, 0.4, 0.3
_AGED, _OLD = 0.1, timedelta(days=90)
"""What an old commit lacks of a new one: questions are about what changed of late."""
_KINDS = (Thing.SYMBOL, Thing.FILE, Thing.DEPENDENCY)
_OF_ONE = (Aim.WHO, Aim.WHEN, Aim.CHANGES, Aim.EXPLAIN, Aim.STATUS, Aim.FATE)


def as_words(inquiry: Inquiry) -> Inquiry:
    """Take the names and kinds of things in a question for words of it, so that one measure holds for all."""
    names = (Term(said=name, forms=(name,)) for name in inquiry.names)
    kinds = kinds_said(inquiry.text, [thing for thing in inquiry.things if thing in _KINDS])
    return inquiry.model_copy(update={"names": (), "terms": (*inquiry.terms, *names, *kinds)})


def may_fit(inquiry: Inquiry) -> bool:
    """Tell whether a question is about one matter, which one commit may be the answer to."""
    outright = inquiry.shas or inquiry.numbers or inquiry.versions or inquiry.mentions
    return inquiry.aim in _OF_ONE and not outright and len(inquiry.terms) + len(inquiry.names) >= _WORDS


def fit(one: Match, now: datetime) -> float:
    """Tell how well a commit fits, at most 1: what it has at all, what it says at once, what it is called, how new."""
    aged = min(1.0, max(0.0, (now - one.card.at) / _OLD))
    return _COVERED * one.covered + _TOGETHER * one.together + _ENTITLED * one.entitled - _AGED * aged


def foremost(matches: Sequence[Match], inquiry: Inquiry, now: datetime) -> list[Match]:
    """Give the commits that fit a question well and clearly better than all others; nothing where none does."""
    fits = {one.card.id: fit(one, now) for one in matches}
    ranked = sorted(matches, key=lambda one: -fits[one.card.id])
    if not ranked or fits[ranked[0].card.id] < _FIT or ranked[0].entitled < _TITLE:
        return []
    if len(said_in(text_of(ranked[0].card), inquiry.terms)) < _WORDS:
        return []
    level = [one for one in ranked if fits[one.card.id] > fits[ranked[0].card.id] - _AHEAD]
    one_matter = all(_is_kin(ranked[0], one) for one in level)
    return level if one_matter and len(level) <= _FEW else []


def _is_kin(one: Match, other: Match) -> bool:
    """Tell whether two commits are about the same by their titles: one undoes the other, or brings it back."""
    mine, theirs = (_NUMBER.sub("", match.card.title).strip() for match in (one, other))
    return _bare(mine) in theirs or _bare(theirs) in mine


def _bare(title: str) -> str:
    """Give what a title says was undone, or brought back; the whole title where it says no such thing."""
    quoted = _QUOTED.search(title)
    return quoted[1] if quoted else title
