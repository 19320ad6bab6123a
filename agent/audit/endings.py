"""Whether the last word of an entry that has no end sign is a whole one."""

import re
from collections import Counter

from agent.audit.changes import Changes
from agent.audit.page import Page
from agent.audit.statement import Finding, Statement, wrong

_WORD = re.compile(r"[A-Za-z_]\w{2,60}")
# What only inflects a word, or joins another one to it; "large" and "larger" are no forms of "larg".
_INFLECTED = re.compile(r"(?:s|ed|ing|ings|\d\w*|_\w*|[A-Z]\w*)")
_DERIVED = re.compile(r"(?:es|d|r|er|ers|ly|able|ment)")


class Endings:
    """Knows the words of one report and of the changes that it speaks of."""

    def __init__(self, page: Page, changes: Changes) -> None:
        self._page = Counter(_WORD.findall(page.text))
        self._changes = changes
        self._read: dict[str, frozenset[str]] = {}

    def finding(self, statement: Statement) -> Finding | None:
        """Find the word that a last one is the beginning of; None where it is one itself, or of none."""
        word = statement.params["word"]
        change = self._changes.of(statement.about, statement)
        if change is not None and change.id not in self._read:
            self._read[change.id] = frozenset(word for text in change.texts for word in _WORD.findall(text))
        known = self._read[change.id] if change is not None else frozenset[str]()
        if self._page[word] > 1 or word in known or {word.lower(), word.capitalize()} & (known | self._elsewhere(word)):
            return None
        longer = sorted(one for one in {*self._page, *known} if one.startswith(word) and one != word)
        rests = [one[len(word) :] for one in longer]
        if any(map(_INFLECTED.fullmatch, rests)) or all(map(_DERIVED.fullmatch, rests)):
            return None
        return statement.ruled(wrong("cut off"), f"the last word is the beginning of “{longer[0]}”")

    def _elsewhere(self, word: str) -> set[str]:
        return {one for one in (word.lower(), word.capitalize()) if one != word and self._page[one]}
