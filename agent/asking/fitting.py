"""How well a commit fits a whole question, names and words alike: what answers where no definite rule does."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from agent.asking import lexicon, silence
from agent.asking.acts import takes_for_granted
from agent.asking.inquiry import Act, Aim, Inquiry, Term, Thing
from agent.asking.matching import wide_text_of, words_of_fact
from agent.asking.names import bare_file, short_model
from agent.asking.ordinary import is_english
from agent.asking.saying import said_in, sentences, share
from agent.asking.stems import parts
from agent.asking.topics import words_said
from agent.asking.weights import Weights
from agent.card import Card

_FIT, _SURE = 0.35, 0.55
"""What the best commit must have of a question, and what where others fit as well."""
_AHEAD = 0.08
"""How far the best must be ahead of all others."""
_FEW = 3
"""Commits that may fit alike: something, what undid it, what brought it back; or two readings of a question."""
_LIKELY = 40
_WORDS, _TITLE = 2, 0.15
"""How many words the best commit must have, and how much of the topic its title."""
_ENOUGH = 20.0
"""What a commit need have at most, as a sum of weights: who tells of troubles at length asks no more than others."""
_NUMBER = re.compile(r"\s*\(?#\d+\)?")
_QUOTED = re.compile(r"\"(.{10,})\"")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_WORD = re.compile(r"[A-Za-z]\w*")
_COVERED, _TOGETHER, _ENTITLED = 0.2, 0.4, 0.4
_BESIDE = 0.06
"""What a title has more that says two words of a question in a row: that is a name, whoever writes it as one."""
_AGED, _OLD = 0.3, timedelta(days=90)
"""What an old commit lacks of a new one: questions are about what changed of late."""
_KINDS: Mapping[Thing, tuple[str, ...]] = {
    Thing.FLAG: ("flag*", "arg", "args", "option*", "argument*"),
    Thing.ENV: ("env", "envs", "environ*"),
    Thing.DEFAULT: ("default*",),
    Thing.LIMIT: ("limit*", "max", "maximum", "cap", "threshold*", "ceiling"),
    Thing.DEPENDENCY: ("dependen*", "requirement*", "pin", "pinned"),
    Thing.SYMBOL: ("api", "apis", "endpoint*", "interface*", "function*", "method*", "class*"),
    Thing.FILE: ("file*",),
}
_DEEDS: Mapping[Act, tuple[str, ...]] = {
    Act.ADDED: ("add*", "support*", "introduc*", "implement*", "new", "feat*"),
    Act.REMOVED: ("remov*", "delet*", "drop*", "clean*", "strip*", "deprecat*"),
    Act.RENAMED: ("renam*",),
    Act.MOVED: ("mov*", "migrat*", "relocat*"),
    Act.RAISED: ("increas*", "rais*", "rela*", "bump*"),
    Act.LOWERED: ("reduc*", "lower*", "decreas*"),
    Act.DEPRECATED: ("deprecat*",),
    Act.ENABLED: ("enabl*", "default*"),
    Act.DISABLED: ("disabl*", "skip*"),
    Act.FIXED: ("fix*", "bugfix*"),
    Act.REVERTED: ("revert*",),
    Act.RELANDED: ("reland*", "reappl*", "redo*", "restor*"),
    Act.BUMPED: ("bump*", "upgrad*", "updat*"),
}
"""How titles call what was done, and the kinds of things: the same for both languages."""
_OF_ONE = (Aim.WHO, Aim.WHEN, Aim.CHANGES, Aim.EXPLAIN, Aim.STATUS, Aim.FATE)


@dataclass(frozen=True)
class Fit:
    """A commit, and how well it fits a whole question."""

    card: Card
    value: float
    """At most 1: what it has at all, what it says at once, what it is called, less for its age."""
    entitled: float
    """How much of the question its title has."""
    words: int
    """How many words of the question it has, changed lines apart."""


def all_words(inquiry: Inquiry) -> tuple[Term, ...]:
    """Give everything that a question says as words, so that one measure holds for all.

    What was done, the kind of thing and the symptom count like any other word: titles have them too.
    """
    kinds = [Term(said=thing.value, forms=_KINDS[thing]) for thing in inquiry.things if thing in _KINDS]
    deeds = [Term(said=act.value, forms=_DEEDS[act]) for act in inquiry.acts if act in _DEEDS]
    names = [term for name in inquiry.names for term in _named(name)]
    versions = [Term(said=version, forms=(version.lstrip("vV"),)) for version in inquiry.versions]
    terms = (*inquiry.terms, *names, *versions, *kinds, *deeds, *words_said(inquiry.text, [lexicon.BUG]))
    return tuple({term.said.lower(): term for term in reversed(terms)}.values())[::-1]


def side_by_side(text: str) -> tuple[Term, ...]:
    """Give the words that stand next to each other: "performance mode" is how people say `--performance-mode`."""
    words = [(found[0].lower(), found.start(), found.end()) for found in _LATIN.finditer(text)]
    beside = [(one[0], other[0]) for one, other in pairwise(words) if text[one[2] : other[1]] == " "]
    told = [pair for pair in beside if not any(word in silence.WORDS or len(word) < 2 for word in pair)]
    return tuple(Term(said=" ".join(pair), forms=("-".join(pair),)) for pair in told)


def _named(name: str) -> list[Term]:
    """Take a name for two words: the name as it stands, and everything that is called by its parts."""
    pieces = [piece for one in re.split(r"[^A-Za-z0-9]+", bare_file(name)) for piece in parts(one)]
    whole = Term(said=name, forms=tuple(dict.fromkeys(filter(None, (name, bare_file(name), short_model(name))))))
    return [whole, Term(said=" ".join(pieces), forms=("-".join(pieces),))] if len(pieces) > 1 else [whole]


def may_fit(inquiry: Inquiry) -> bool:
    """Tell whether a question is about one matter, which one commit may be the answer to."""
    outright = inquiry.shas or inquiry.numbers or (inquiry.mentions and Thing.COMMIT in inquiry.things)
    return inquiry.aim in _OF_ONE and not outright and len(inquiry.terms) + len(inquiry.names) >= _WORDS


def fit(card: Card, terms: Sequence[Term], weights: Weights, now: datetime, pairs: Sequence[Term] = ()) -> Fit:
    """Tell how well a commit fits the words of a question, and those that stand side by side in it."""
    total = min(_ENOUGH, sum(weights.get(term.said, 1.0) for term in terms)) or 1.0
    title = said_in(card.title, terms)
    lines = [said_in(line, terms) for line in sentences(card.message.partition("\n")[2])]
    lines += [said_in(words_of_fact(fact), terms) for fact in card.facts]
    around = said_in(" ".join((*card.paths, *card.touched)), terms)
    spoken = title.union(around, *lines)
    every = spoken | said_in(" ".join(card.written), terms)
    entitled = share(title, weights, total)
    together = max((share(title | line, weights, total) for line in lines), default=entitled)
    aged = min(1.0, max(0.0, (now - card.at) / _OLD))
    value = _COVERED * share(every, weights, total) + _TOGETHER * together + _ENTITLED * entitled - _AGED * aged
    value += _BESIDE if pairs and said_in(card.title, pairs) else 0.0
    return Fit(card, value, entitled, len(spoken))


def likely(cards: Iterable[Card], terms: Sequence[Term], weights: Weights) -> list[Card]:
    """Give the commits that have most of a question anywhere: only these are worth a closer look."""
    had = {card: share(said_in(wide_text_of(card), terms), weights, 1.0) for card in cards}
    return sorted(had, key=lambda card: -had[card])[:_LIKELY]


def speaks_of_another(title: str, inquiry: Inquiry) -> bool:
    """Tell whether a title has another name where a question has one for what was added, removed or changed otherwise.

    Who asks for a "gemini compatible" endpoint does not mean the "Anthropic compatible" one.
    """
    named = bool(inquiry.names)
    if not any(act in _DEEDS and takes_for_granted(act, inquiry.text, named=named) for act in inquiry.acts):
        return False
    asked, told = ([word.lower() for word in _WORD.findall(words)] for words in (inquiry.text, title))
    return not _named_alone(asked, told).isdisjoint(_named_alone(told, asked))


def _named_alone(words: Sequence[str], others: Sequence[str]) -> set[str]:
    """Give the words that stand behind a name which is not among the others."""
    known = silence.WORDS.union(others)
    return {of for name, of in pairwise(words) if not (name in known or of in silence.WORDS or is_english(name))}


def foremost(fits: Sequence[Fit]) -> list[Fit]:
    """Give the few commits that fit a question well and clearly better than all others; nothing where none does."""
    ranked = sorted(fits, key=lambda one: -one.value)
    if not ranked or ranked[0].value < _FIT or ranked[0].entitled < _TITLE or ranked[0].words < _WORDS:
        return []
    level = [one for one in ranked if one.value > ranked[0].value - _AHEAD]
    alone = all(_is_kin(ranked[0].card, one.card) for one in level)
    return level if len(level) <= _FEW and (alone or ranked[0].value >= _SURE) else []


def _is_kin(one: Card, other: Card) -> bool:
    """Tell whether two commits are about the same by their titles: one undoes the other, or brings it back."""
    mine, theirs = (_NUMBER.sub("", card.title).strip() for card in (one, other))
    return _bare(mine) in theirs or _bare(theirs) in mine


def _bare(title: str) -> str:
    """Give what a title says was undone, or brought back; the whole title where it says no such thing."""
    quoted = _QUOTED.search(title)
    return quoted[1] if quoted else title
