"""How well a commit fits a whole question, names and words alike: the last thing that is looked at before refusing."""

import re
from collections.abc import Sequence

from agent.asking.inquiry import Aim, Inquiry, Term
from agent.asking.matching import Match, text_of
from agent.asking.saying import said_in

_FIT = 0.45
"""What the best commit must have of a question."""
_AHEAD = 0.1
"""How far the best must be ahead of all others."""
_FEW = 3
"""Commits that may fit alike: something, what undid it, what brought it back."""
_WORDS = 2
_NUMBER = re.compile(r"\s*\(?#\d+\)?")
_QUOTED = re.compile(r"\"(.{10,})\"")
_COVERED, _TOGETHER, _ENTITLED = 0.4, 0.4, 0.2
_OF_ONE = (Aim.WHO, Aim.WHEN, Aim.CHANGES, Aim.EXPLAIN, Aim.STATUS, Aim.FATE)


def as_words(inquiry: Inquiry) -> Inquiry:
    """Take the names of a question for words of it, so that one measure holds for both."""
    names = (Term(said=name, forms=(name,)) for name in inquiry.names)
    return inquiry.model_copy(update={"names": (), "terms": (*inquiry.terms, *names)})


def may_fit(inquiry: Inquiry) -> bool:
    """Tell whether a question is about one matter, which one commit may be the answer to."""
    outright = inquiry.shas or inquiry.numbers or inquiry.versions or inquiry.mentions
    return inquiry.aim in _OF_ONE and not outright and len(inquiry.terms) + len(inquiry.names) >= _WORDS


def fit(one: Match) -> float:
    """Tell how well a commit fits, between 0 and 1: what it has at all, what it says at once, what it is called."""
    return _COVERED * one.covered + _TOGETHER * one.together + _ENTITLED * one.entitled


def foremost(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Give the commits that fit a question well and clearly better than all others; nothing where none does."""
    ranked = sorted(matches, key=lambda one: -fit(one))
    if not ranked or fit(ranked[0]) < _FIT or len(said_in(text_of(ranked[0].card), inquiry.terms)) < _WORDS:
        return []
    level = [one for one in ranked if fit(one) > fit(ranked[0]) - _AHEAD]
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
