"""Which functions of a commit are the most notable, and which of them change alike."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from agent.domain.surface import SurfaceChange
from tools.diff.changed_lines_by_function import ChangedFunction, FunctionChange
from tools.diff.changed_runs import Weight

_MAX_TITLE_WORDS = 2  # More words of a title say nothing more for a function that has them
_WORD = re.compile(r"[A-Za-z_][\w-]{3,}")
_PART_OF_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""A word of a name, between underscores or capitals: `chat` and `template` of `ChatTemplate`."""


class RankedFunction(NamedTuple):
    """A function with what changes in it."""

    function: ChangedFunction
    change: FunctionChange


class FunctionRanking:
    """The order of functions: by the title of a commit, who uses them, and what changes in them."""

    def __init__(self, title: str, surface: SurfaceChange | None) -> None:
        self._title_words = _title_words(title)
        self._surface = surface

    def groups(
        self, changes: Mapping[ChangedFunction, FunctionChange]
    ) -> Iterable[list[RankedFunction]]:
        """Return the functions that change alike together, the most notable first."""
        ranked = [RankedFunction(function, change) for function, change in changes.items()]
        groups: dict[Hashable, list[RankedFunction]] = defaultdict(list)
        for entry in sorted(ranked, key=self._order):
            groups[entry.change.word_difference or entry.change.texts].append(entry)
        return groups.values()

    def is_named(self, function: ChangedFunction, change: FunctionChange) -> bool:
        """Return True if the title has a word of code that stands in a function or its name."""
        words = _words_of(function, change)
        for word in self._title_words:
            if word in words and _is_identifier(word):
                return True
            if "-" in word and word.replace("-", "_") in function.name:
                return True
        return False

    def is_public(self, function: ChangedFunction) -> bool:
        """Return True for a function that users import, or that is in a class which they import."""
        if self._surface is None:
            return False
        top = function.name.partition(".")[0]
        return bool(self._surface.public_path(function.file, top))

    def _order(self, entry: RankedFunction) -> tuple[bool, bool, bool, int, bool, int]:
        """Return the sort key of a function: what the title names, then what most speaks for.

        Bodies in which nothing decides come later, and those that are written anew come last.
        """
        function, change = entry
        return (
            not self.is_named(function, change),
            change.is_rewritten,
            change.weight <= Weight.BODY,
            -self._count_reasons(function, change),
            not change.is_short,
            -len(change.lines),
        )

    def _count_reasons(self, function: ChangedFunction, change: FunctionChange) -> int:
        """Count what speaks for a function: its weight, a comment, words of the title, its users."""
        reasons = int(change.weight) + change.is_explained
        title_words = self._title_words & _words_of(function, change)
        reasons += min(len(title_words), _MAX_TITLE_WORDS)
        return reasons + self.is_public(function) - function.is_private


def _title_words(title: str) -> frozenset[str]:
    """Return the words of a title that lines may have, without the number of its pull request."""
    words: set[str] = set()
    for word in _WORD.findall(title):
        words.add(word.removesuffix("s").lower() if word.istitle() or word.islower() else word)
    return frozenset(words)


def _is_identifier(word: str) -> bool:
    """Return True for a word of code: with underscores, digits or capitals inside."""
    return "_" in word or any(sign.isdigit() or sign.isupper() for sign in word[1:])


def _words_of(function: ChangedFunction, change: FunctionChange) -> set[str]:
    """Return the names in the changed lines of a function, and the parts of these names."""
    words: set[str] = set()
    for text in (function.name, *(line.bare for line in change.lines if line.is_code)):
        for word in _WORD.findall(text):
            words.add(word)
            parts = _PART_OF_NAME.findall(word)
            words.update(part.lower().removesuffix("s") for part in parts)
    return words
