"""Warnings that matter to users: those that say of a setting, or of what one could set, that it is not done as asked.

A warning is new where no line that went says nearly the same: one that moved or was put into other words is none, and
neither is an error that is only warned of now, which is told as an error that is gone.
"""

import re
from collections.abc import Sequence

from tools.diff.draft import Draft
from tools.diff.hunks import Patch
from tools.diff.likeness import likeness
from tools.diff.reading import Site

_STEMS = (
    *("gnor", "isabl", "upport", "all", "off", "verr", "orc", "etting", "eset", "efault", "hang", "djust", "lamp"),
    *("app", "evert", "witch", "requires", "instead", "effect", "ompatible", "automatically"),
)
"""One of these is in all that is told; they are looked for in the text of a hunk, before any message is read."""
_WARNERS = ("warn", "WARN", "WRN")
_NOT_AS_ASKED = re.compile(
    r"(?<!can be )(?<!safely )\bignored\b|\bignor(?:ing|es)\b|\bdisabl(?:ed|ing|es)\b"
    r"|\b(?:turn|switch)(?:ed|ing) off\b|\bfall(?:s|ing)?[ -]?back\b|\b(?:will|to) fallback\b|\bfallback to\b"
    r"|\bunsupported\b|(?:\bnot|n't)(?: \w+){0,2} support(?:ed)?\b|\bonly(?: \w+){0,4} support(?:s|ed)?\b"
    r"|\boverrid(?:ing|den|es)\b|\boverrul|\bforc(?:ed|ing|es)\b"
    r"|(?:\A|[,:] |\band )setting\b.*(?:\bto\b|=)|\breset to\b|\bdefaulting to\b"
    r"|\b(?:adjust|chang|clamp|capp|revert|switch)(?:ed|ing)\b.*\bto\b|\bautomatically set\b"
    r"|\brequires\b|\b(?:will|using|uses|running)\b.*\binstead\b(?! of\b)"
    r"|\bno effect\b|\bincompatible\b|\bnot compatible\b",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"\W*disable\b", re.IGNORECASE)
"""Begins a message in the way of a title: `Disable fused kernels for this model`."""
_SENTENCES = re.compile(r"(?<=[.;!])\s+|[,;]\s+(?=(?:please|consider|try)\b)", re.IGNORECASE)
_ADVICE = re.compile(
    r"^\W*(?:to|use|pass|install|upgrade|set|see|increase|make sure)\b"
    r"|\b(?:please|consider|try|you (?:can|may|should|might)|recommend\w*|for (?:best|optimal))\b",
    re.IGNORECASE,
)
"""What a user may do about it is not what happens."""
_MISHAP = re.compile(
    r"\bfail(?:ed|ure|s)?\b|\berrors?\b|\bexceptions?\b|\btimed out\b|\btimeout\b"
    r"|\b(?:stale|duplicate[ds]?|late|orphan\w*|malformed|unexpected\w*|unreadable|corrupt\w*|mismatch\w*)\b"
    r"|^\W*(?:could not|unable|received|cannot (?:read|parse|find|open|determine|get)|no(?: [\w-]+){1,4} found)\b"
    r"|\breq(?:uest)?(?:[ _]?id)?s?[ =:'\"]*(?:%[srd]|\{)",
    re.IGNORECASE,
)
"""What went wrong at some moment, or with one request, was nobody's setting."""
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|%[\w.]*[a-z]")
_LETTERS = re.compile(r"[^\W\d_]")
_FEWEST = 20
"""Letters of a message without which it is all in what is put into it."""
_ALIKE = 0.55
_SAYING = ("warning", "error")


def may_caution(text: str) -> bool:
    """Tell at a glance whether a text may have such a warning."""
    return any(word in text for word in _WARNERS) and any(stem in text for stem in _STEMS)


def cautions(message: str | None) -> bool:
    """Tell whether a message says that something is not done as a user asked, or could ask."""
    if not message or len(_LETTERS.findall(_PLACEHOLDER.sub("", message))) < _FEWEST:
        return False
    sentences = _SENTENCES.split(message)
    for at, sentence in enumerate(sentences):
        said = _NOT_AS_ASKED.search(sentence) or (at == 0 and _ORDERED.match(sentence))
        if said and not _ADVICE.search(sentence):
            return not any(_MISHAP.search(one) for one in sentences[: at + 1])
    return False


def without_old_warnings(gone: Sequence[Site], come: list[Site]) -> list[Site]:
    """Leave out warnings of which the same function said nearly the same before, as a warning or as an error."""
    before = [site for site in gone if site.kind in _SAYING and site.value]
    if not before:
        return come
    return [site for site in come if site.kind != "warning" or not any(_is_reworded(one, site) for one in before)]


def is_all_new(draft: Draft, patch: Patch) -> bool:
    """Tell whether the commit adds all lines of a warning, but for a bracket that git takes from its neighbour."""
    first, last = draft.where.new or (0, 0)
    return all(line in patch.added for line in (range(first + 1, last) if last > first + 1 else (first, last)))


def _is_reworded(one: Site, other: Site) -> bool:
    mine, its = (_PLACEHOLDER.sub("", site.value or "") for site in (one, other))
    return one.scope == other.scope and likeness(mine, its, _ALIKE) >= _ALIKE
