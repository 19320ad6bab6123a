"""How text becomes words that can be found again: Chinese by pairs of characters, identifiers whole and in parts."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_HAN = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<word>(?:(?![{_HAN}])\w)+)")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,64}", re.ASCII)
_LONGEST_WORD = 120
_MOST_ASKED, _MOST_TERMS = 8, 60
_SHORTEST_BEGINNING = 4


@dataclass(frozen=True)
class Indexed:
    """The words of a text, as the index takes them: separated by spaces, in their order."""

    words: str
    parts: str
    """The parts of identifiers: `maxNumTokens` and `max_num_tokens` are both found by `num tokens`."""


def indexed(text: str) -> Indexed:
    """Take a text apart for the index."""
    words: list[str] = []
    parts: list[str] = []
    for found in _runs(text):
        if found["han"]:
            words += [*_pairs(found["han"]), found["han"][-1]]
        else:
            words.append(found["word"][:_LONGEST_WORD].lower())
            parts += _split(found["word"])
    return Indexed(" ".join(words), " ".join(parts))


@dataclass(frozen=True)
class Term:
    """One word of a question, and how the index is asked for it."""

    text: str
    match: str


def terms(text: str) -> list[Term]:
    """Give every word of a text once: identifiers whole or by their parts side by side, Chinese by pairs.

    Each word goes in quotation marks: what somebody searches for is never a command to the index.
    """
    found: dict[str, Term] = {}
    for run in _runs(text):
        if run["han"]:
            for pair in _pairs(run["han"]) or [run["han"]]:
                found.setdefault(pair, Term(pair, f'"{pair}"'))
        else:
            found.setdefault(run["word"].lower(), Term(run["word"], _word(run["word"], "")))
    return list(found.values())[:_MOST_TERMS]


def queries(text: str) -> list[str]:
    """Give what to ask the index for, the strictest first: every word, every word's beginning, any word or pair."""
    runs = list(dict.fromkeys((found["han"] or "", found["word"] or "") for found in _runs(text)))
    asked = runs[:_MOST_ASKED]
    exact = [_han(han) if han else _word(word, "") for han, word in asked]
    begun = [_han(han) if han else _word(word, "*") for han, word in asked]
    loose = [term.match for term in terms(text)]
    forms = [" AND ".join(exact), " AND ".join(begun), " OR ".join(loose)]
    return [form for form in dict.fromkeys(forms) if form]


def has_han(text: str) -> bool:
    """Tell whether there is Chinese in the text."""
    return any(found["han"] for found in _runs(text))


def _runs(text: str) -> Iterator[re.Match[str]]:
    return _RUN.finditer(unicodedata.normalize("NFKC", text))


def _pairs(run: str) -> list[str]:
    """Cut a run of characters into overlapping pairs: Chinese has no spaces, and most of its words have two."""
    return [run[at : at + 2] for at in range(len(run) - 1)]


# The same names stand in text after text.
@lru_cache(maxsize=65_536)
def _split(word: str) -> tuple[str, ...]:
    """Cut an identifier at underscores, capitals and digits; a plain word has no parts, and neither has a hash."""
    if _HASH.fullmatch(word):
        return ()
    parts = tuple(part.lower() for part in _PART.findall(word[:_LONGEST_WORD]))
    return parts if len(parts) > 1 else ()


def _han(run: str) -> str:
    # A single character is found as the beginning of a pair, or as the end of a run.
    return f'"{" ".join(_pairs(run))}"' if len(run) > 1 else f'"{run}"*'


def _word(word: str, beginning: str) -> str:
    """Ask for a word as it stands, or for the parts of one in their order."""
    star = beginning if len(word) >= _SHORTEST_BEGINNING else ""
    whole = f'"{word[:_LONGEST_WORD].lower()}"{star}'
    parts = _split(word)
    return f'({whole} OR parts : "{" ".join(parts)}")' if parts else whole
