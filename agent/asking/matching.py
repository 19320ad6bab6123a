"""How a commit, and which of its facts, fit a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.asking.deeds import acted, definite, kinds_of, of_kinds
from agent.asking.inquiry import Inquiry, Term, Thing
from agent.asking.names import is_about, is_path, lies_in, share_named, things_of, works_in
from agent.asking.saying import covered, lacking, said_in, sentences, share
from agent.asking.weights import Weights
from agent.card import Card
from agent.facts import Fact

_CALLED = {Thing.DEFAULT: "default", Thing.LIMIT: "limit", Thing.FLAG: "flag", Thing.ENV: "env"}
"""What titles and kinds of facts call a kind of thing."""
_VALUE = 80
_LITTLE = 0.3
_WORDS = 0.62
_FACT_WORDS = 0.3
"""Of a topic, what one fact must have to be about it; its commit says the rest."""


@dataclass(frozen=True)
class Match:
    """A commit that fits a question, and why."""

    card: Card
    facts: tuple[Fact, ...]
    """Its facts that the question is about, those that fit best first."""
    named: float
    """How many of the names it has, between 0 and 1."""
    covered: float
    """How much of the topic's words it has, rare words counting more, between 0 and 1."""
    together: float = 0.0
    """The most of it that one sentence has, or the title with one fact."""
    entitled: float = 0.0
    """How much of it its bare title has."""
    lacks: float = 0.0
    """How much of the topic is in names that it has nowhere."""
    works: bool = False
    """It works inside something that is named: its hunks lie there, or its title says so."""
    nearly: bool = False
    """It lacks something of the question, and fits it better than all others."""

    @property
    def rank(self) -> float:
        """Order by this, the largest first."""
        words = self.covered + 2 * self.together + self.entitled
        return 4 * self.named + words + (0.5 if self.facts else 0.0)


def match(card: Card, inquiry: Inquiry, weights: Weights) -> Match:
    """Tell how a commit fits a question."""
    text = text_of(card)
    # Words may stand on the changed lines alone; a name that only stands there is not what a commit is about.
    had = covered(inquiry.terms, wide_text_of(card), weights)
    entitled, together = _at_once(card, _topic(inquiry), weights, had)
    facts = [fact for fact in card.facts if fits(fact, inquiry, weights)]
    paths = [name for name in inquiry.names if is_path(name)]
    facts = [fact for fact in facts if any(lies_in(fact, path) for path in paths)] or facts
    if len(paths) == len(inquiry.names) > 0 and not facts and share_named(paths, card, text) and definite(inquiry):
        # A fact is noted with one place; the file may be another one that it shows in.
        facts = [fact for fact in card.facts if fits(fact, inquiry.model_copy(update={"names": ()}), weights)]
    return Match(
        card=card,
        facts=tuple(sorted(facts, key=lambda fact: -_strength(fact, inquiry, weights))),
        named=share_named(inquiry.names, card, text),
        covered=had,
        together=together,
        entitled=entitled,
        lacks=lacking(inquiry.terms, text, weights),
        works=any(works_in(name, card) for name in inquiry.names),
    )


def _at_once(card: Card, terms: Sequence[Term], weights: Weights, had: float) -> tuple[float, float]:
    """Tell how much of a topic the title of a commit has, and how much one sentence, or the title with one fact."""
    total = sum(weights.get(term.said, 1.0) for term in terms)
    if not total:
        return float(not terms), float(not terms)
    title = said_in(card.title, terms)
    entitled = share(title, weights, total)
    if had < _LITTLE:
        return entitled, entitled  # No sentence has more than the whole.
    lines = [said_in(line, terms) for line in sentences(card.message.partition("\n")[2])]
    others = [term for term in terms if term.said not in title]
    facts = [title | said_in(words_of_fact(fact), others) for fact in card.facts]
    return entitled, max(share(said, weights, total) for said in (title, *lines, *facts))


def _topic(inquiry: Inquiry) -> tuple[Term, ...]:
    """Give the words of the topic, and those of the kind of thing that it is where titles say that too."""
    kinds = [_CALLED[thing] for thing in inquiry.things if thing in _CALLED] if inquiry.terms else []
    return (*inquiry.terms, *(Term(said=f"{kind}*", forms=(f"{kind}*",)) for kind in kinds))


@lru_cache(maxsize=4_000)
def text_of(card: Card) -> str:
    """Give everything that is known of a commit as one text, without its changed lines."""
    facts = " ".join(
        f"{one.kind.value} {one.name} {one.detail or ''} {(one.old or '')[:120]} {(one.new or '')[:120]}"
        for one in card.facts
    )
    return "\n".join((card.title, *sentences(card.message), " ".join(card.paths), facts))


@lru_cache(maxsize=4_000)
def wide_text_of(card: Card) -> str:
    """Give everything that is known of a commit as one text, with the names on its changed lines."""
    return f"{text_of(card)}\n{' '.join(card.written)}"


# ---------------------------------------------------------------- facts


def fits(fact: Fact, inquiry: Inquiry, weights: Weights) -> bool:
    """Tell whether a fact is about what is asked: by name, else by words, kind and act."""
    if inquiry.names:
        return _about_names(fact, inquiry)
    kinds = [*kinds_of(inquiry), *(thing for thing in inquiry.things if thing is Thing.BREAKING)]
    if kinds and not of_kinds(fact, kinds, inquiry.text):
        return bool(inquiry.terms) and _told(fact, inquiry, weights) >= _WORDS
    if inquiry.terms:
        return _told(fact, inquiry, weights) >= _FACT_WORDS
    if inquiry.versions:
        return any(version.lstrip("vV") in (fact.new or "", fact.old or "") for version in inquiry.versions)
    acts = definite(inquiry)
    return any(acted(fact, act) for act in acts) if acts else bool(kinds)


def _about_names(fact: Fact, inquiry: Inquiry) -> bool:
    """Tell whether a fact is about one of the names; of what a file holds, only what is of the kind asked for."""
    if things := things_of(inquiry.names):
        return any(is_about(fact, name) for name in things)
    if not any(is_about(fact, name) for name in inquiry.names):
        return False
    kinds = kinds_of(inquiry)
    acts = definite(inquiry)
    return (not kinds or of_kinds(fact, kinds, inquiry.text)) and (not acts or any(acted(fact, act) for act in acts))


def _strength(fact: Fact, inquiry: Inquiry, weights: Weights) -> float:
    """Weigh how well a fact fits: its names count most, then the act, then the kind."""
    named = sum(is_about(fact, name) for name in inquiry.names) / max(1, len(inquiry.names))
    words = _told(fact, inquiry, weights) if inquiry.terms else 0.0
    if not named and not words:
        return 0.0
    act = 0.5 if any(acted(fact, act) for act in inquiry.acts) else 0.0
    kind = 0.3 if of_kinds(fact, kinds_of(inquiry), inquiry.text) else 0.0
    value = 0.4 if any(value in ((fact.old or ""), (fact.new or "")) for value in inquiry.values) else 0.0
    return 2 * named + words + act + kind + value


def _told(fact: Fact, inquiry: Inquiry, weights: Weights) -> float:
    """Tell how much of the topic a fact has by itself."""
    text = words_of_fact(fact)
    return covered(inquiry.terms, text, weights)


def words_of_fact(fact: Fact) -> str:
    """Give what a fact says, as words."""
    files = " ".join(place.file for place in fact.places[:1])
    # A signature or a list names so much that any two words stand in it somewhere.
    values = ((fact.old or "")[:_VALUE], (fact.new or "")[:_VALUE])
    return " ".join(one for one in (fact.kind.value, fact.name, fact.detail, *values, files) if one)[:2_000]
