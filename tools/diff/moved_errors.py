"""The pairing of errors that only moved or were reworded: they are neither new nor gone."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from tools.diff.located_differences import Difference

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions

_WORD = re.compile(r"[A-Za-z_]\w*")
_GAP = re.compile(r"\{[^{}]*\}|%[sdrfi]|\d+")
"""What a message fills in: values between braces, and numbers."""
_ALIKE = 0.5  # The share of common words from which two messages say the same
_MIN_WORDS = 2  # A message of one word is no proof that it is the same error
_LONGEST_SOUGHT = 40  # Characters of a message that are looked for in a whole file
_MAX_MESSAGES = 400  # Messages of a side that are compared word by word


def without_moved_errors(
    differences: Sequence[Difference], files: Sequence["Versions"]
) -> list[Difference]:
    """Return the differences without errors that the commit has on both sides."""
    # A whole function that came or went may hold the other side of a single error.
    old_messages = _messages(files, is_old=True)
    new_messages = _messages(files, is_old=False)
    kept: list[Difference] = []
    for difference in differences:
        if difference.kind == "error-added" and _is_among(difference.new, old_messages):
            continue
        if difference.kind == "error-removed" and _is_among(difference.old, new_messages):
            continue
        if difference.kind in ("error-added", "error-removed") and _stays_in_file(difference):
            continue
        kept.append(difference)
    return kept


def _messages(files: Sequence["Versions"], *, is_old: bool) -> list[str]:
    messages: list[str] = []
    for versions in files:
        declarations = versions.old if is_old else versions.new
        for declaration in declarations:
            if declaration.kind == "error" and "message" in declaration.parts:
                messages.append(declaration.parts["message"])
    return messages[:_MAX_MESSAGES]


def _is_among(message: str | None, messages: Sequence[str]) -> bool:
    return any(_says_the_same(message or "", other) for other in messages)


def _stays_in_file(difference: Difference) -> bool:
    """Return True if the other version of the file has the beginning of the message, too."""
    message = difference.new or difference.old or ""
    texts = difference.newest.versions.texts
    start = _GAP.split(message)[0].strip()[:_LONGEST_SOUGHT]
    if not texts or len(_WORD.findall(start)) < _MIN_WORDS:
        return False
    other = texts[0] if difference.kind == "error-added" else texts[1]
    return start.encode("utf-8", "replace") in other


def _says_the_same(old: str, new: str) -> bool:
    """Return True if two messages have most of their words in common."""
    old_words = _words(old)
    new_words = _words(new)
    if min(old_words.total(), new_words.total()) < _MIN_WORDS:
        return old == new
    common = (old_words & new_words).total()
    return common / max(old_words.total(), new_words.total()) >= _ALIKE


def has_same_words(old: str, new: str) -> bool:
    """Return True if two messages differ in nothing but numbers and in what they fill in."""
    return _words(old) == _words(new)


@lru_cache(maxsize=4_000)
def _words(message: str) -> Counter[str]:
    return Counter(_WORD.findall(_GAP.sub(" ", message).lower()))
