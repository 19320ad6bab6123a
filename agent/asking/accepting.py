"""Which of the commits that have something of a question really are about it."""

import re
from collections.abc import Sequence

from agent.asking.acts import ACTS
from agent.asking.deeds import acted, definite, kinds_of, of_thing
from agent.asking.inquiry import Act, Aim, Inquiry, Thing
from agent.asking.lexicon import THINGS
from agent.asking.matching import Match, text_of
from agent.asking.names import has_name, plain, things_of
from agent.asking.phrases import has_phrase
from agent.asking.saying import covered, has_namelike
from agent.asking.weights import Weights
from agent.card import Card

_NAMED_WORDS, _WORDS, _TITLE_WORDS = 0.34, 0.62, 0.3
_LACKING = 0.25
_PAIR = 2
_CLOSE, _NEARLY, _LITTLE = 0.75, 0.9, 0.3
_SEVERAL = re.compile(
    r"\b(?:commits|changes|prs|pulls|requests|list|all|every)\b|哪些|列出|列一下|所有|全部", re.IGNORECASE
)
_OF_ONE = (Aim.WHO, Aim.WHEN, Aim.CHANGES, Aim.EXPLAIN, Aim.STATUS, Aim.FATE)


def accepted(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Keep the commits that really are about what is asked; where a fix is, those first that call themselves one."""
    if Act.FIXED in inquiry.acts and not inquiry.broad and _wants_one(inquiry):
        fixing = [one for one in matches if ACTS[Act.FIXED].search(one.card.title)]
        if found := _accepted(fixing, inquiry):
            return found
    return _accepted(matches, inquiry)


def _accepted(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Keep the commits that have every name, and most of the topic."""
    enough = _NAMED_WORDS if inquiry.names else _WORDS
    whole = [one for one in matches if one.named == 1.0] or _either(matches, inquiry)
    heard = any(one.covered for one in matches)
    if inquiry.names and not heard and any(has_namelike(term.said) for term in inquiry.terms):
        return []  # It names something else besides that nothing here has.
    if not inquiry.names:
        whole = [one for one in whole if one.lacks < _LACKING]
    fitting = [one for one in whole if one.covered >= enough or (inquiry.names and (one.facts or not heard))]
    spoken = [one for one in whole if one.covered >= _WORDS]
    if inquiry.names and inquiry.terms and spoken and not things_of(inquiry.names):
        fitting = [one for one in whole if one.covered >= enough]  # A file says where; the words say what.
    if inquiry.names and not any(has_namelike(term.said) for term in inquiry.terms):
        fitting = fitting or whole  # The name is what is asked about; the words describe it as somebody else would.
    if not inquiry.names and not inquiry.mentions:
        fitting = [one for one in fitting if one.together >= _TITLE_WORDS or one.facts]
    fitting = _of_kind(_with_phrases(_foremost(fitting, inquiry), inquiry), inquiry)
    # Where facts tell it, a commit that merely has the words somewhere is another matter.
    most = max((one.together for one in fitting), default=0.0)
    fitting = [one for one in fitting if one.together >= _LITTLE * most]
    telling = [one for one in fitting if one.facts and (one.together >= _NEARLY * most or not _wants_one(inquiry))]
    by_kind = bool(kinds_of(inquiry))
    if spoken and telling and inquiry.terms and not any(one in spoken for one in telling):
        return [one for one in fitting if one in spoken]  # Facts about the name alone are about something else of it.
    telling = [one for one in fitting if telling and (one in telling or _titled(one, inquiry))]
    if telling and (by_kind or (things_of(inquiry.names))):
        if by_kind or definite(inquiry) or inquiry.values or inquiry.aim is Aim.WHEN:
            return telling
        return [one for one in fitting if one.facts or one.works]
    if inquiry.names and not things_of(inquiry.names) and definite(inquiry) and not _SEVERAL.search(inquiry.text):
        return [one for one in fitting if one.works] or fitting
    return fitting


def _titled(one: Match, inquiry: Inquiry) -> bool:
    """Tell whether a commit has the whole topic for its title."""
    return bool(inquiry.terms) and one.entitled >= _NEARLY and (one.works or not inquiry.names)


def _foremost(matches: list[Match], inquiry: Inquiry) -> list[Match]:
    """Where some commits say the topic at once, leave out those that have its words scattered over them."""
    most = max((one.together for one in matches), default=0.0) if _wants_one(inquiry) else 0.0
    return [one for one in matches if one.together >= _CLOSE * most]


def _wants_one(inquiry: Inquiry) -> bool:
    """Tell whether a question describes one matter, and does not ask for everything that has a name or a word."""
    named = things_of(inquiry.names) or (inquiry.names and not inquiry.terms)
    return not (named or inquiry.mentions or _SEVERAL.search(inquiry.text)) and inquiry.aim in _OF_ONE


def _with_phrases(matches: list[Match], inquiry: Inquiry) -> list[Match]:
    """Where commits have words of the topic side by side as the question has them, the others mean something else."""
    for phrase in inquiry.phrases:
        together = [one for one in matches if _has_together(phrase, one.card) or _goes_back(one, inquiry)]
        loose = matches if inquiry.names or len(phrase) > _PAIR else [one for one in matches if one.together >= _WORDS]
        matches = together or loose
    return matches


def _goes_back(one: Match, inquiry: Inquiry) -> bool:
    """Tell whether a commit takes back or brings back what is asked about, where such a thing is asked about."""
    acts = [act for act in (Act.REVERTED, Act.RELANDED) if act in inquiry.acts]
    return one.together >= _WORDS and any(acted(fact, act) for fact in one.card.facts for act in acts)


def _of_kind(matches: list[Match], inquiry: Inquiry) -> list[Match]:
    """Where a question is about a default or a limit, keep the commits that have one, by their facts or their title."""
    for thing in (one for one in inquiry.things if one in (Thing.DEFAULT, Thing.LIMIT) and not inquiry.names):
        said = THINGS[thing].search
        own = [one for one in matches if said(one.card.title) or any(of_thing(fact, thing) for fact in one.facts)]
        matches = own or matches
    return matches


def _has_together(phrase: tuple[str, ...], card: Card) -> bool:
    facts = (f"{fact.name} {fact.detail or ''}" for fact in card.facts)
    return has_phrase(phrase, "\n".join((card.title, card.message, *card.paths, *facts)))


def _either(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Take several names for several things, where no commit has them all and each has one of its own."""
    if len(inquiry.names) < 2:
        return []
    partly = [one for one in matches if one.named > 0]
    found = {name for name in inquiry.names for one in partly if has_name(name, one.card, text_of(one.card))}
    return partly if len(found) == len(inquiry.names) else []


def speaks_of(text: str, inquiry: Inquiry, weights: Weights) -> bool:
    """Tell whether a thread is about what is asked: every name is in it, and most of the topic's words."""
    lower = text.lower()
    named = all(
        re.search(rf"(?<![a-z0-9_]){re.escape(plain(name)).replace('_', '[-_ ]?')}", lower) for name in inquiry.names
    )
    return named and covered(inquiry.terms, text, weights) >= (_NAMED_WORDS if inquiry.names else _WORDS)
