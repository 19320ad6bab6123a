"""Whether a text says what a question is about, and how much of it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from agent.asking.inquiry import Inquiry, Term
from agent.asking.names import plain
from agent.asking.ordinary import is_english
from agent.asking.stems import Vocabulary, parts, words_of
from agent.asking.weights import Weights

_NAMELIKE = re.compile(r"[A-Za-z0-9][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
"""Capitals or digits inside a word."""

_SENTENCE = re.compile(r"(?<=[.!?。！？；;])\s+|\n")
_TRAILER = re.compile(r"\s*(?:[A-Z][\w-]*-by:|\(cherry picked|https?://\S+$)", re.IGNORECASE)


def sentences(message: str) -> list[str]:
    """Cut a message into what its author says; who signed it says nothing."""
    return [one for one in _SENTENCE.split(message) if one.strip() and not _TRAILER.match(one)]


def covered(terms: Sequence[Term], text: str, weights: Weights) -> float:
    """Tell how much of the topic a text has, between 0 and 1."""
    vocabulary = _vocabulary(text)
    told = [(term, weights.get(term.said, 1.0)) for term in terms]
    total = sum(weight for _, weight in told)
    found = sum(weight for term, weight in told if weight and _says(term, vocabulary, text))
    return found / total if total else float(not terms)


def share(said: frozenset[str], weights: Weights, total: float) -> float:
    """Tell how much of a topic of this weight some of its words are."""
    return sum(weights.get(word, 1.0) for word in said) / total


def said_in(text: str, terms: Sequence[Term]) -> frozenset[str]:
    """Give the words of a topic that a text has."""
    vocabulary = _vocabulary(text)
    return frozenset(term.said for term in terms if _says(term, vocabulary, text))


def lacking(terms: Sequence[Term], text: str, weights: Weights) -> float:
    """Tell how much of a topic is in names that a text has not: others may say a word differently, not a name."""
    named = [term for term in terms if term.said.isascii() and not term.weak and not is_english(term.said)]
    total = sum(weights.get(term.said, 1.0) for term in terms)
    return sum(weights.get(one.said, 1.0) for one in named if not _says(one, _vocabulary(text), text)) / (total or 1.0)


def has_namelike(word: str) -> bool:
    """Tell whether a word is written as names are."""
    return _NAMELIKE.search(word) is not None


def says_most(text: str, inquiry: Inquiry) -> bool:
    """Tell whether a line has all names, and at least half of the words, that a question is about."""
    terms = [term for term in inquiry.terms if not term.weak] or list(inquiry.terms)
    said = {term.said: _says(term, _vocabulary(text), text) for term in terms}
    named = all(said[term.said] for term in terms if _NAMELIKE.search(term.said) or term.said[0].isupper())
    return named and 2 * sum(said.values()) >= len(terms)


def says_any(text: str, inquiry: Inquiry) -> bool:
    """Tell whether a text has any of the words that a question is about."""
    return bool(said_in(text, inquiry.terms))


def is_called(name: str, inquiry: Inquiry) -> bool:
    """Tell whether a name is made of the words that a question is about, and of little else."""
    words = parts(name)
    own = [word for word in words if any(_says(term, _vocabulary(word), word) for term in inquiry.terms)]
    return says_most(name, inquiry) and 2 * len(own) >= len(words)


def _says(term: Term, vocabulary: Vocabulary, text: str) -> bool:
    for form in term.forms:
        if not form.isascii() or ("." in form and "-" not in form) or form.isdigit():
            if plain(form) in plain(text):
                return True
        elif "-" in form:
            if _numbered(form):
                if re.search(rf"(?<![a-z0-9]){re.escape(plain(form)).replace('_', '[_ ]?')}(?!\d|\.\d)", plain(text)):
                    return True
            elif plain(form) in plain(text) or all(vocabulary.has(part) for part in form.split("-")):
                return True
        elif form.endswith("*"):
            if vocabulary.has_stem(form[:-1]):
                return True
        elif vocabulary.has(form):
            return True
    return False


def _numbered(form: str) -> bool:
    """Tell whether a form ends in a number of its own, which says nothing elsewhere."""
    return form.rpartition("-")[2].replace(".", "").isdigit()


@lru_cache(maxsize=4_000)
def _vocabulary(text: str) -> Vocabulary:
    return Vocabulary(words_of(text))
