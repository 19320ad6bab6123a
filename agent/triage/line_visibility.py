"""The visibility of changed lines to users: what they read, set or run into, before other code."""

import re

_MAX_WIDTH = 320  # Characters of a line that are looked at
_SIGNS = re.compile(r"(?:[\W_]*[^\W_]){4}")  # The letters and digits of a line that says something
_MIN_SPACES = 2  # In a string that is a sentence and not a name
_IMPORT = re.compile(
    r"\s*(?:import\s|from\s+\S+\s+import\b|#\s*include\b|use\s+[\w:]+|using\s+(?!\w+\s*=)|namespace\b|package\s)"
)
_LICENCE = re.compile(r"spdx-license|copyright|licen[cs]ed under", re.IGNORECASE)
_CLASSIFIER = re.compile(r"\s*[\"'][A-Z][\w /-]+ :: [^\"']+[\"'],?")
"""How a package names on PyPI what it is for; what it requires stands elsewhere."""
_STRING = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'")
_MAX_STRING = 160  # Characters of a string that is a sentence
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]{2,}")
_FAILS = re.compile(r"\b(?:raise|throw|panic|deprecated)\b|#error\b")
"""How languages write errors and deprecations; an assertion speaks to users only by its words."""


def is_informative(text: str) -> bool:
    """Return False for imports, licences and lines without words; the text has no sign in front."""
    if is_import(text) or is_licence(text) or _CLASSIFIER.fullmatch(text):
        return False
    return _SIGNS.match(text) is not None


def is_import(text: str) -> bool:
    """Return True for a line that takes names from another file; the text has no sign in front."""
    return _IMPORT.match(text) is not None


def is_licence(text: str) -> bool:
    """Return True for a line that names a licence or who has the copyright."""
    return _LICENCE.search(text) is not None


def is_visible_to_users(text: str) -> bool:
    """Return True for flags, errors and sentences in strings; the text has no sign in front."""
    text = text[:_MAX_WIDTH]
    if _FLAG.search(text) or _FAILS.search(text):
        return True
    # Short strings are read as well: what stands between two of them is code.
    strings = [match[1] or match[2] or "" for match in _STRING.finditer(text)]
    return any(map(_is_sentence, strings))


def _is_sentence(string: str) -> bool:
    return len(string) <= _MAX_STRING and string.strip().count(" ") >= _MIN_SPACES
