"""What it means that words stand somewhere exactly: the one normalisation, and no fuzzy credit."""

import re
import string
import unicodedata
from functools import lru_cache

_MARKS = str.maketrans({**dict.fromkeys("‘’‚‛′‹›´", "'"), **dict.fromkeys("“”„‟″«»「」『』", '"')})
# Translating a large text costs much more than seeing that there is nothing to translate.
_QUOTATION_MARK = re.compile("[‘’‚‛′‹›´“”„‟″«»「」『』]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ELLIPSIS = re.compile(r"\[\s*(?:\.\s?){3,6}\]|\(\s*(?:\.\s?){3,6}\)|\.{3,6}")
_WORD = re.compile(r"[A-Za-z0-9_]")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_TRIES = 20_000
BREAK = "\0"
"""Stands between stretches that do not touch, so that no quotation reaches over it."""


def normal(text: str) -> str:
    """Normalise compatibility forms, quotation marks, Markdown's escapes and white space."""
    return " ".join(_ESCAPE.sub(r"\1", plain_marks(text)).split())


def plain_marks(text: str) -> str:
    """Normalise compatibility forms and quotation marks; lines stay as they are."""
    if text.isascii():
        return text
    if _QUOTATION_MARK.search(text):
        text = text.translate(_MARKS)
    if unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", text).translate(_MARKS)


def fold_case(text: str) -> str:
    """Write ASCII letters in lower case."""
    return text.translate(_LOWER)


def stands_in(quote: str, normalised: str, *, gaps: bool = True) -> bool:
    """Tell whether a quote is in a text, both normalised; where gaps may be, an ellipsis stands for one."""
    if _find(quote, normalised, 0) is not None:
        return True
    parts = [part.strip() for part in _ELLIPSIS.split(quote)]
    said = [part for part in parts if part]
    if len(parts) < 2 or not said or not gaps:
        return False
    position: int | None = 0
    for part in said:
        position = _find(part, normalised, position or 0)
        if position is None:
            return False
    return True


def _find(part: str, text: str, start: int) -> int | None:
    """Find where whole words of a text end; half a word is another word, half a number another number."""
    if not part:
        return None
    at, tries = text.find(part, start), 0
    while at >= 0 and tries < _TRIES:
        end = at + len(part)
        if not _cuts(text, at) and not _cuts(text, end):
            return end
        at, tries = text.find(part, at + 1), tries + 1
    return None


def _cuts(text: str, at: int) -> bool:
    """Tell whether a cut at this place would go through a word or a number."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _WORD.match(before) and _WORD.match(after):
        return True
    # The point of a decimal or version belongs to the number; the one that ends a sentence does not.
    return (before.isdigit() and after == "." and text[at + 1 : at + 2].isdigit()) or (
        before == "." and after.isdigit() and at > 1 and text[at - 2].isdigit()
    )


@lru_cache(maxsize=512)
def normalised(text: str) -> str:
    """Normalise a text of the evidence, once however often it is quoted."""
    return normal(text)
