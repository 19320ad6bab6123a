"""Words brought down to what they share with their relatives: schedules, scheduled, scheduler."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

from agent.lists import listed

_ENDINGS = listed(
    "izations isations ization isation ations ically ation ingly ments ities ement ously ances ences ating ators ment "
    "ness able ible ings ates ated ator ance ence ancy ency ions ical ally ized ised izes ises izer izing ising ivity "
    "ing ion ers est ies ied ive ize ise ity ous ful als ate ed er es ly al or ic s y e"
)
_LONGEST = 8
_SHORTEST = 3
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*|[0-9]+[A-Za-z][A-Za-z0-9]*")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Cut endings off an English word as long as three letters remain."""
    word = word.lower().replace("’", "'").removesuffix("'s").replace("-", "")
    for _ in range(3):
        if word.endswith("ss") or (shorter := _shortened(word)) == word:
            break
        word = shorter
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word


def _shortened(word: str) -> str:
    """Cut off the longest ending that leaves enough."""
    for length in range(min(_LONGEST, len(word) - _SHORTEST), 0, -1):
        if word[-length:] in _ENDINGS:
            return word[:-length]
    return word


def parts(name: str) -> list[str]:
    """Split an identifier into its words: kvCache_len gives kv, cache, len."""
    return [piece.lower() for piece in _PART.findall(name)]


def words_of(text: str) -> set[str]:
    """Every word of a text without capitals, identifiers whole and in parts."""
    found: set[str] = set()
    for name in set(_WORD.findall(text)):
        found.add(name.lower())
        found.add(name.lower().replace("_", ""))
        found.update(parts(name))
        found.update(piece.lower() for piece in name.split("_") if piece)
    return found


class Vocabulary:
    """The words of some evidence, found by how they begin."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted(set(words))
        self._stems = frozenset(stem(word) for word in self._words)

    def has(self, word: str) -> bool:
        """Tell whether a relative of the word occurs."""
        base = stem(word)
        return base in self._stems or (len(base) > _SHORTEST and self.has_stem(base))

    def __contains__(self, word: str) -> bool:
        """Tell whether this very word occurs, whole or as a part of a name."""
        place = bisect_left(self._words, word)
        return place < len(self._words) and self._words[place] == word

    def has_stem(self, wanted: str) -> bool:
        """Tell whether a word begins like this; short ones must be the whole word."""
        if wanted.endswith("i") and len(wanted) > _SHORTEST and self.has_stem(wanted[:-1] + "y"):
            return True
        if wanted in self._stems:
            return True
        place = bisect_left(self._words, wanted)
        if place == len(self._words):
            return False
        found = self._words[place]
        return found == wanted or (len(wanted) >= _SHORTEST and found.startswith(wanted))


@lru_cache(maxsize=20_000)
def vocabulary(text: str) -> Vocabulary:
    """Give the words of a line, which many sentences are held against."""
    return Vocabulary(words_of(text))
