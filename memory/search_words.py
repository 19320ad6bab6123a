"""The words of a search: text prepared for full text search, in documents and in questions.

The databases find and rank words. What they cannot do is done here: Chinese, which has no spaces,
is cut into pairs of characters, and identifiers are cut into their parts.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from memory.column_values import clean

_HAN = (
    "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<word>(?:(?![{_HAN}])\w)+)")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,64}", re.ASCII)
_MAX_WORD = 120  # Characters of a word that are indexed
_MAX_TERMS = 60  # Terms of a question that are searched for
_SPLIT_CACHE = 65_536  # The same names occur in text after text


class IndexedText(NamedTuple):
    """A text as it is indexed; each value is words separated by spaces."""

    words: str  # Everything but Chinese, in lower case and in order
    parts: str  # The parts of identifiers, so that `num tokens` finds `maxNumTokens`
    pairs: str  # Chinese as overlapping pairs of characters, and the last character of each run


class Term(NamedTuple):
    """A word of a question, and what it is searched by: a word and its parts, or Chinese."""

    text: str
    word: str = ""
    parts: str = ""  # The parts of an identifier, separated by spaces
    han: str = ""  # A pair of characters, or a single one that begins a pair


class Phrase(NamedTuple):
    """Words that must occur whole and one behind the other."""

    words: str
    pairs: str

    def occurs_in(self, texts: Iterable[str], pairs: str) -> bool:
        """Return True if one of the texts holds the words, and the pairs are in order too."""
        if self.pairs and f" {self.pairs} " not in f" {pairs} ":
            return False
        return not self.words or any(f" {self.words} " in f" {text} " for text in texts)


def indexed_text(text: str) -> IndexedText:
    """Return the words, the parts of identifiers and the pairs of Chinese characters of a text."""
    words: list[str] = []
    parts: list[str] = []
    pairs: list[str] = []
    for run in _runs(text):
        if run["han"]:
            pairs += _pairs(run["han"])
            pairs.append(run["han"][-1])
        else:
            words.append(_word(run))
            parts += _identifier_parts(run["word"])
    return IndexedText(" ".join(words), " ".join(parts), " ".join(pairs))


def indexed_columns(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the words of each text under its name, and `parts` and `pairs` of all together."""
    columns: dict[str, str] = {}
    parts: list[str] = []
    pairs: list[str] = []
    for name, text in texts.items():
        indexed = indexed_text(text)
        columns[name] = indexed.words
        parts.append(indexed.parts)
        pairs.append(indexed.pairs)
    columns["parts"] = " ".join(filter(None, parts))
    columns["pairs"] = " ".join(filter(None, pairs))
    return columns


def terms_of(text: str) -> list[Term]:
    """Return every word of a question once; Chinese by pairs of characters.

    A character that stands alone begins any number of words: it counts if there is nothing else.
    """
    terms: dict[str, Term] = {}
    single_characters: dict[str, Term] = {}
    for run in _runs(text):
        if run["han"] and len(run["han"]) == 1:
            character = run["han"]
            single_characters[character] = Term(character, han=character)
        elif run["han"]:
            for pair in _pairs(run["han"]):
                terms.setdefault(pair, Term(pair, han=pair))
        else:
            word = _word(run)
            parts = " ".join(_identifier_parts(run["word"]))
            terms.setdefault(word, Term(run["word"], word=word, parts=parts))
    return list((terms or single_characters).values())[:_MAX_TERMS]


def phrase_of(text: str) -> Phrase:
    """Return the words of a text, to be found whole and in their order."""
    words: list[str] = []
    pairs: list[str] = []
    for run in _runs(text):
        if run["han"]:
            pairs += _pairs(run["han"]) or [run["han"]]
        else:
            words.append(_word(run))
    return Phrase(" ".join(words), " ".join(pairs))


def _runs(text: str) -> Iterator[re.Match[str]]:
    return _RUN.finditer(unicodedata.normalize("NFKC", clean(text)))


def _word(run: re.Match[str]) -> str:
    return run["word"][:_MAX_WORD].lower()


def _pairs(run: str) -> list[str]:
    """Return overlapping pairs of characters: most words of Chinese have two."""
    return [run[start : start + 2] for start in range(len(run) - 1)]


@lru_cache(maxsize=_SPLIT_CACHE)
def _identifier_parts(word: str) -> tuple[str, ...]:
    """Return the parts of an identifier; plain words and hashes have none."""
    if _HASH.fullmatch(word):
        return ()
    parts = tuple(part.lower() for part in _PART.findall(word[:_MAX_WORD]))
    return parts if len(parts) > 1 else ()
