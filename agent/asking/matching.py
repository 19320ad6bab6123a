"""Which commits and which of their facts a question means."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.asking.inquiry import Act, Aim, Inquiry, Term, Thing
from agent.asking.lexicon import THINGS
from agent.asking.names import has_name, is_about, is_path, lies_in, plain, share_named, things_of, works_in
from agent.asking.ordinary import is_english
from agent.asking.phrases import has_phrase
from agent.asking.weights import Weights
from agent.card import Card
from agent.facts import Fact, FactKind, Severity
from agent.gate.stems import Vocabulary, parts, words_of

K = FactKind
_ACTED: Mapping[Act, tuple[str, ...]] = {
    Act.ADDED: ("-added", "registered"),
    Act.REMOVED: ("-removed", "unregistered"),
    Act.RENAMED: ("-renamed",),
    Act.MOVED: ("-moved", "-renamed"),
    Act.RAISED: ("-changed",),
    Act.LOWERED: ("-changed",),
    Act.CHANGED: ("-changed", "-renamed", "-reordered", "-required", "-added", "-removed", "-moved"),
    Act.DEPRECATED: ("deprecated",),
    Act.REVERTED: ("revert",),
    Act.RELANDED: ("reland",),
    Act.BUMPED: (
        "dependency-changed",
        "limit-changed",
        "constant-changed",
        "version-changed",
        "image-changed",
        "dependency-added",
    ),
}
_THINGS: Mapping[Thing, tuple[str, ...]] = {
    Thing.FLAG: ("flag-",),
    Thing.ENV: ("env-",),
    Thing.DEPENDENCY: ("dependency-", "image-"),
    Thing.DEFAULT: (
        "parameter-default",
        "flag-default",
        "env-default",
        "field-changed",
        "constant-changed",
        "config-key-changed",
    ),
    Thing.LIMIT: ("limit-", "constant-"),
    Thing.REVERT: ("revert",),
    Thing.SYMBOL: ("symbol-", "route-"),
    Thing.PICK: ("cherry-pick",),
}
_CALLED = {Thing.DEFAULT: "default", Thing.LIMIT: "limit", Thing.FLAG: "flag", Thing.ENV: "env"}
"""What titles and kinds of facts call a kind of thing."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_NAMELIKE = re.compile(r"[A-Za-z0-9][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
"""Capitals or digits inside a word."""
ON, OFF = frozenset(("1", "true", "on", "yes")), frozenset(("0", "false", "off", "no"))
_VERSION = re.compile(r"\d+(?:\.\d+){2,}|(?<=[=<>~v])\d+\.\d+")


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
    titled: float
    """The same in its title and facts alone."""
    together: float = 0.0
    """The most of it that one sentence has, or the title with one fact."""
    entitled: float = 0.0
    """How much of it its bare title has."""
    lacks: float = 0.0
    """How much of the topic is in names that it has nowhere."""
    works: bool = False
    """It works inside something that is named: its hunks lie there, or its title says so."""

    @property
    def rank(self) -> float:
        """Order by this, the largest first."""
        words = self.covered + 2 * self.together + self.entitled
        return 4 * self.named + words + (0.5 if self.facts else 0.0)


def match(card: Card, inquiry: Inquiry, weights: Weights) -> Match:
    """Tell how a commit fits a question."""
    text, core = _text(card), _core(card)
    # Words may stand on the changed lines alone; a name that only stands there is not what a commit is about.
    wide = f"{text}\n{' '.join(card.written)}"
    covered = _covered(inquiry.terms, _vocabulary(wide), wide, weights)
    entitled, together = _at_once(card, _topic(inquiry), weights, covered)
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
        covered=covered,
        titled=_covered(
            [term for term in inquiry.terms if not term.weak] or inquiry.terms, _vocabulary(core), core, weights
        ),
        together=together,
        entitled=entitled,
        lacks=_lacking(inquiry.terms, text, weights),
        works=any(works_in(name, card) for name in inquiry.names),
    )


_NAMED_WORDS, _WORDS, _TITLE_WORDS = 0.34, 0.62, 0.3
_LACKING = 0.25
_PAIR, _FEW = 2, 3
_VALUE = 80
_LITTLE = 0.3
_HALF, _AHEAD, _CLOSE, _NEARLY = 0.5, 0.1, 0.75, 0.9
_OF_ONE = (Aim.WHO, Aim.WHEN, Aim.CHANGES, Aim.EXPLAIN, Aim.STATUS, Aim.FATE)
_FACT_WORDS = 0.3
"""Of a topic, what one fact must have to be about it; its commit says the rest."""


def accepted(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Keep the commits that really are about what is asked: every name is there, and most of the topic."""
    enough = _NAMED_WORDS if inquiry.names else _WORDS
    whole = [one for one in matches if one.named == 1.0] or _either(matches, inquiry)
    heard = any(one.covered for one in matches)
    if not inquiry.names:
        whole = [one for one in whole if one.lacks < _LACKING]
    fitting = [one for one in whole if one.covered >= enough or (inquiry.names and (one.facts or not heard))]
    spoken = [one for one in whole if one.covered >= _WORDS]
    if inquiry.names and inquiry.terms and spoken and not things_of(inquiry.names):
        fitting = [one for one in whole if one.covered >= enough]  # A file says where; the words say what.
    if inquiry.names and not any(_NAMELIKE.search(term.said) for term in inquiry.terms):
        fitting = fitting or whole  # The name is what is asked about; the words describe it as somebody else would.
    if not inquiry.names and not inquiry.mentions:
        fitting = [one for one in fitting if one.titled >= _TITLE_WORDS or one.facts]
    if not fitting and not inquiry.names:
        fitting = _leading(whole, inquiry)
    fitting = _of_kind(_with_phrases(_foremost(fitting, inquiry), inquiry), inquiry)
    # Where facts tell it, a commit that merely has the words somewhere is another matter.
    most = max((one.together for one in fitting), default=0.0)
    telling = [one for one in fitting if one.facts and (inquiry.names or one.together >= _NEARLY * most)]
    by_kind = any(thing in _THINGS for thing in inquiry.things)
    if spoken and telling and inquiry.terms and not any(one in spoken for one in telling):
        return [one for one in fitting if one in spoken]  # Facts about the name alone are about something else of it.
    if telling and (by_kind or (things_of(inquiry.names))):
        if by_kind or definite(inquiry) or inquiry.values or inquiry.aim is Aim.WHEN:
            return telling
        return [one for one in fitting if one.facts or one.works]
    return fitting


def _leading(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Take the few commits that say at least half of the topic at once where all others say clearly less of it."""
    ranked = sorted(matches, key=lambda one: -one.together - one.entitled)
    if not ranked or ranked[0].together < _HALF or len(_said_in(_text(ranked[0].card), inquiry.terms)) < _PAIR:
        return []
    most = ranked[0].together + ranked[0].entitled
    level = [one for one in ranked if one.together + one.entitled > most - _AHEAD]
    return level if len(level) <= _FEW else []


def _foremost(matches: list[Match], inquiry: Inquiry) -> list[Match]:
    """Where some commits say the topic at once, leave out those that have its words scattered over them."""
    if inquiry.names or inquiry.mentions or inquiry.aim not in _OF_ONE:
        return matches
    most = max((one.together for one in matches), default=0.0)
    return [one for one in matches if one.together >= _CLOSE * most]


def _with_phrases(matches: list[Match], inquiry: Inquiry) -> list[Match]:
    """Where commits have words of the topic side by side as the question has them, the others mean something else."""
    for phrase in inquiry.phrases:
        together = [one for one in matches if one.entitled >= _NEARLY or _has_together(phrase, one.card)]
        loose = matches if inquiry.names or len(phrase) > _PAIR else [one for one in matches if one.titled >= _WORDS]
        matches = together or loose
    return matches


def _of_kind(matches: list[Match], inquiry: Inquiry) -> list[Match]:
    """Where a question is about a default or a limit, keep the commits that have one, by their facts or their title."""
    for thing in (one for one in inquiry.things if one in (Thing.DEFAULT, Thing.LIMIT) and not inquiry.names):
        said = THINGS[thing].search
        own = [one for one in matches if said(one.card.title) or any(of_thing(fact, thing) for fact in one.facts)]
        matches = own or matches
    return matches


def _has_together(phrase: tuple[str, ...], card: Card) -> bool:
    return has_phrase(phrase, "\n".join((_core(card), card.message, *card.paths)))


def _either(matches: Sequence[Match], inquiry: Inquiry) -> list[Match]:
    """Take several names for several things, where no commit has them all and each has one of its own."""
    if len(inquiry.names) < 2:
        return []
    partly = [one for one in matches if one.named > 0]
    found = {name for name in inquiry.names for one in partly if has_name(name, one.card, _text(one.card))}
    return partly if len(found) == len(inquiry.names) else []


def speaks_of(text: str, inquiry: Inquiry, weights: Weights) -> bool:
    """Tell whether a thread is about what is asked: every name is in it, and most of the topic's words."""
    lower = text.lower()
    named = all(
        re.search(rf"(?<![a-z0-9_]){re.escape(plain(name)).replace('_', '[-_ ]?')}", lower) for name in inquiry.names
    )
    return named and _covered(inquiry.terms, _vocabulary(text), text, weights) >= (
        _NAMED_WORDS if inquiry.names else _WORDS
    )


def says_most(text: str, inquiry: Inquiry) -> bool:
    """Tell whether a line has all names, and at least half of the words, that a question is about."""
    terms = [term for term in inquiry.terms if not term.weak] or list(inquiry.terms)
    said = {term.said: _says(term, _vocabulary(text), text) for term in terms}
    named = all(said[term.said] for term in terms if _NAMELIKE.search(term.said) or term.said[0].isupper())
    return named and 2 * sum(said.values()) >= len(terms)


def says_any(text: str, inquiry: Inquiry) -> bool:
    """Tell whether a text has any of the words that a question is about."""
    return bool(_said_in(text, inquiry.terms))


def is_called(name: str, inquiry: Inquiry) -> bool:
    """Tell whether a name is made of the words that a question is about, and of little else."""
    words = parts(name)
    own = [word for word in words if any(_says(term, _vocabulary(word), word) for term in inquiry.terms)]
    return says_most(name, inquiry) and 2 * len(own) >= len(words)


def acted(fact: Fact, act: Act) -> bool:
    """Tell whether a fact is of the kind of thing that is said to have happened."""
    kind = fact.kind.value
    if act is Act.BROKEN:
        return fact.severity is Severity.BREAKING
    if act in (Act.RAISED, Act.LOWERED):
        rising = direction(fact)
        return rising is not None and rising == (act is Act.RAISED)
    if act in (Act.ENABLED, Act.DISABLED):
        return switched(fact) is (act is Act.ENABLED)
    return any(kind.endswith(end) or kind == end for end in _ACTED.get(act, ()))


def switched(fact: Fact) -> bool | None:
    """Tell whether something was turned on; None where it was not turned either way."""
    old, new = plain(fact.old or ""), plain(fact.new or "")
    return new in ON if old in ON | OFF and new in ON | OFF and old != new else None


def direction(fact: Fact) -> bool | None:
    """Tell whether a number went up; None where there is no number, or no change of one."""
    versions = [_VERSION.search(value or "") for value in (fact.old, fact.new)]
    if all(versions):
        old, new = (tuple(map(int, one[0].split("."))) for one in versions if one)
        return None if old == new else new > old
    numbers = [_NUMBER.search(value or "") for value in (fact.old, fact.new)]
    before, after = (float(one[0]) if one else None for one in numbers)
    return None if before is None or after is None or before == after else after > before


def of_thing(fact: Fact, thing: Thing) -> bool:
    """Tell whether a fact is about the kind of thing that a question speaks of."""
    if thing is Thing.BREAKING:
        return fact.severity is Severity.BREAKING
    return fact.kind.value.startswith(_THINGS.get(thing, ("",)))


# ---------------------------------------------------------------- names and words


def fits(fact: Fact, inquiry: Inquiry, weights: Weights) -> bool:
    """Tell whether a fact is about what is asked: by name, else by words, kind and act."""
    if inquiry.names:
        return _about_names(fact, inquiry)
    kinds = [thing for thing in inquiry.things if thing in _THINGS or thing is Thing.BREAKING]
    if kinds and not any(of_thing(fact, thing) for thing in kinds):
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
    kinds = [thing for thing in inquiry.things if thing in _THINGS]
    acts = definite(inquiry)
    return (not kinds or any(of_thing(fact, thing) for thing in kinds)) and (
        not acts or any(acted(fact, act) for act in acts)
    )


def definite(inquiry: Inquiry) -> list[Act]:
    """Give the acts that facts can show."""
    return [act for act in inquiry.acts if act in _ACTED and act is not Act.CHANGED]


def _strength(fact: Fact, inquiry: Inquiry, weights: Weights) -> float:
    """Weigh how well a fact fits: its names count most, then the act, then the kind."""
    named = sum(is_about(fact, name) for name in inquiry.names) / max(1, len(inquiry.names))
    words = _told(fact, inquiry, weights) if inquiry.terms else 0.0
    if not named and not words:
        return 0.0
    act = 0.5 if any(acted(fact, act) for act in inquiry.acts) else 0.0
    kind = 0.3 if any(of_thing(fact, thing) for thing in inquiry.things if thing in _THINGS) else 0.0
    value = 0.4 if any(value in ((fact.old or ""), (fact.new or "")) for value in inquiry.values) else 0.0
    return 2 * named + words + act + kind + value


def _told(fact: Fact, inquiry: Inquiry, weights: Weights) -> float:
    """Tell how much of the topic a fact has by itself."""
    text = _words_of(fact)
    return _covered(inquiry.terms, _vocabulary(text), text, weights)


def _words_of(fact: Fact) -> str:
    files = " ".join(place.file for place in fact.places[:1])
    # A signature or a list names so much that any two words stand in it somewhere.
    values = ((fact.old or "")[:_VALUE], (fact.new or "")[:_VALUE])
    return " ".join(one for one in (fact.kind.value, fact.name, fact.detail, *values, files) if one)[:2_000]


def _covered(terms: Sequence[Term], vocabulary: Vocabulary, text: str, weights: Weights) -> float:
    """Tell how much of the topic a text has, between 0 and 1."""
    told = [(term, weights.get(term.said, 1.0)) for term in terms]
    total = sum(weight for _, weight in told)
    found = sum(weight for term, weight in told if weight and _says(term, vocabulary, text))
    return found / total if total else float(not terms)


def _at_once(card: Card, terms: Sequence[Term], weights: Weights, covered: float) -> tuple[float, float]:
    """Tell how much of a topic the title of a commit has, and how much one sentence, or the title with one fact."""
    total = sum(weights.get(term.said, 1.0) for term in terms)
    if not total:
        return float(not terms), float(not terms)
    title = _said_in(card.title, terms)
    entitled = _share(title, weights, total)
    if covered < _LITTLE:
        return entitled, entitled  # No sentence has more than the whole.
    lines = [_said_in(line, terms) for line in card.message.split("\n")[1:] if line.strip()]
    others = [term for term in terms if term.said not in title]
    facts = [title | _said_in(_words_of(fact), others) for fact in card.facts]
    return entitled, max(_share(said, weights, total) for said in (title, *lines, *facts))


def _topic(inquiry: Inquiry) -> tuple[Term, ...]:
    """Give the words of the topic, and those of the kind of thing that it is where titles say that too."""
    kinds = [_CALLED[thing] for thing in inquiry.things if thing in _CALLED] if inquiry.terms else []
    return (*inquiry.terms, *(Term(said=f"{kind}*", forms=(f"{kind}*",)) for kind in kinds))


def _share(said: frozenset[str], weights: Weights, total: float) -> float:
    return sum(weights.get(word, 1.0) for word in said) / total


def _said_in(text: str, terms: Sequence[Term]) -> frozenset[str]:
    vocabulary = _vocabulary(text)
    return frozenset(term.said for term in terms if _says(term, vocabulary, text))


def _lacking(terms: Sequence[Term], text: str, weights: Weights) -> float:
    """Tell how much of a topic is in names that a text has not: others may say a word differently, not a name."""
    named = [term for term in terms if term.said.isascii() and not term.weak and not is_english(term.said)]
    total = sum(weights.get(term.said, 1.0) for term in terms)
    return sum(weights.get(one.said, 1.0) for one in named if not _says(one, _vocabulary(text), text)) / (total or 1.0)


def _says(term: Term, vocabulary: Vocabulary, text: str) -> bool:
    for form in term.forms:
        if not form.isascii() or "." in form or form.isdigit():
            if plain(form) in plain(text):
                return True
        elif "-" in form:
            if plain(form) in plain(text) or all(vocabulary.has(part) for part in form.split("-")):
                return True
        elif form.endswith("*"):
            if vocabulary.has_stem(form[:-1]):
                return True
        elif vocabulary.has(form):
            return True
    return False


@lru_cache(maxsize=4_000)
def _vocabulary(text: str) -> Vocabulary:
    return Vocabulary(words_of(text))


@lru_cache(maxsize=4_000)
def _text(card: Card) -> str:
    facts = " ".join(
        f"{one.kind.value} {one.name} {one.detail or ''} {(one.old or '')[:120]} {(one.new or '')[:120]}"
        for one in card.facts
    )
    return "\n".join((card.title, card.message, " ".join(card.paths), facts))


@lru_cache(maxsize=4_000)
def _core(card: Card) -> str:
    return "\n".join(
        (card.title, " ".join(f"{one.kind.value} {one.name} {one.detail or ''}" for one in card.facts[:20]))
    )
