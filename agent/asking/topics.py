"""The words that say what a question is about, each with everything that is as good as it."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from agent.asking import lexicon as words
from agent.asking import silence
from agent.asking.acts import ACTS
from agent.asking.inquiry import Term
from agent.asking.ordinary import is_english, is_ordinary
from agent.asking.senses import senses
from agent.asking.stems import stem
from agent.asking.synonyms import relatives

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_WORD = re.compile(
    r"\d{1,3}-bits?\b|[A-Za-z][A-Za-z0-9]*(?:(?:[+-]|\.(?=\d))[A-Za-z0-9]+)*|\d+[A-Za-z]\w*|(?<![\w.])\d{4}(?![\w.])"
)
_RUN = re.compile(r"[a-z]+(?: [a-z]+)+")
_VERSIONED = re.compile(r"(?<=[a-z])v\d+(?:\.\d+)+$", re.IGNORECASE)
_NUMBERED = r" \d{1,2}(?:\.\d)?(?![\w.]*\w|/|\s*(?:commits?|prs?|issues?|days?|weeks?|times|[个次天周月年日号]))"
_MODEL = re.compile(rf"(?<![\w./¦-])(?!(?:GH|Part|Phase|Step|No|Top|Python|CUDA|Sept)\b)([A-Z][A-Za-z]+){_NUMBERED}")
"""Names that have a number for a second word: Gemma 4."""
_SMALL_MODEL = re.compile(rf"(?<![\w./¦-])([a-z]{{4,}}){_NUMBERED}")
"""The same in haste: gemma 4; of these only what is no word."""
_BITS = re.compile(r"(\d{1,3})-bits?", re.IGNORECASE)
"""How wide a number is: 64-bit, for what code calls int64."""
_JOINED = re.compile(r"[a-z]+(?:-[a-z]+)+")
"""Plain words with hyphens between them."""
_INITIALS = 3
_SHORTEST_STEM = 3
_LONGEST_TERM = 6


def terms_of(rest: str) -> list[Term]:
    """Give the words that say what a question is about, each with its English relatives."""
    found: dict[str, Term] = {}
    rest = _without_phrases(rest)
    small = [one[0] for one in _SMALL_MODEL.finditer(rest) if not is_english(one[1]) and one[1] not in silence.WORDS]
    for model in (*small, *(one[0] for one in _MODEL.finditer(rest) if one[1].lower() not in silence.WORDS)):
        found[model.lower()] = Term(said=model, forms=(model.replace(" ", "-"), model.replace(" ", "")))
        rest = rest.replace(model, " ¦ ")
    short = _abbreviations(rest)
    for word in _WORD.findall(rest):
        if word.lower() not in silence.WORDS and len(word) > 1 and not _acts(word):
            forms = (*_forms(word), *short.get(word.lower(), ()))
            found.setdefault(word.lower(), Term(said=word, forms=forms, weak=is_ordinary(word)))
    plain = silence.PHRASES.sub(" ", rest)
    for run in _HAN.findall(plain):
        for piece in _pieces(run):
            if not _acts(piece.said):
                found.setdefault(piece.said, piece)
    return list(found.values())


def words_said(text: str, patterns: Sequence[re.Pattern[str]]) -> list[Term]:
    """Give what these patterns find in a text as words of a topic: an interface may well be called one."""
    found: list[Term] = []
    for said in (one[0] for pattern in patterns for one in pattern.finditer(text)):
        if _HAN.search(said):
            found += _pieces(said)
        else:
            found += [Term(said=one, forms=_forms(one)) for one in _WORD.findall(said) if len(one) >= _SHORTEST_STEM]
    return list({term.said.lower(): term for term in found}.values())


def _without_phrases(rest: str) -> str:
    """Leave out the verbs of acts that have several words: of "backed it out" neither "backed" nor "out" is a topic."""
    for pattern in (*ACTS.values(), words.CONSEQUENCE):
        for found in pattern.findall(rest) and [one[0] for one in pattern.finditer(rest) if " " in one[0]]:
            first, _, others = found.partition(" ")
            rest = rest.replace(found, f"¦ {others.rpartition(' ')[0]} ¦") if first.isascii() else rest
    return rest


def _abbreviations(rest: str) -> dict[str, tuple[str, ...]]:
    """Give what words that stand side by side are called in short, by each of them: out of memory, OOM."""
    found: dict[str, tuple[str, ...]] = {}
    for run in _RUN.findall(rest.lower()):
        for group in _groups(run.split()):
            if short := _initials(group):
                found |= {word: (*found.get(word, ()), short) for word in group}
    joined = {word: _groups(word.split("-")) for word in _JOINED.findall(rest)}
    return found | {word: tuple(filter(None, map(_initials, groups))) for word, groups in joined.items()}


def _groups(words: Sequence[str]) -> list[Sequence[str]]:
    """Give the words side by side that may have a short name: three, or two of which the other says parallel."""
    several = [words[at : at + _INITIALS] for at in range(len(words) - _INITIALS + 1)]
    return [*several, *(pair for pair in pairwise(words) if pair[1].startswith("parallel"))]


def _initials(words: Sequence[str]) -> str:
    short = "".join(word[0] for word in words)
    return "" if words[-1] in silence.WORDS or short in silence.WORDS or is_ordinary(short) else short


def _acts(word: str) -> bool:
    """Tell whether a word is that of an act or a kind of thing, which are looked at by themselves."""
    patterns = (*ACTS.values(), *words.THINGS.values(), words.BUG)
    return any((found := pattern.search(word)) and len(found[0]) == len(word) for pattern in patterns)


def _forms(word: str) -> tuple[str, ...]:
    if wide := _BITS.fullmatch(word):
        return (word, f"{wide[1]}bit", *(f"{kind}{wide[1]}" for kind in ("int", "uint", "i")))
    if "-" in word or "." in word:
        tail = _VERSIONED.search(word)  # Who writes dsv3.2 for short may find V3.2 in the title.
        return (word, *([word.replace("-", "")] if "-" in word else []), *([tail[0]] if tail else []), *relatives(word))
    base = stem(word)
    # An abbreviation or a short word stands for itself; anything else for whatever begins like it too.
    own = (word,) if word.isupper() or len(base) < _SHORTEST_STEM + 1 else (word, f"{base}*")
    if len(word) == _SHORTEST_STEM and word.islower() and word.endswith("s"):
        own = (word, word[:-1])  # Too short for its ending to be cut off: ids.
    return (*own, *relatives(word), *_chinese().get(base, ())[:_LONGEST_TERM])


@cache
def _chinese() -> dict[str, tuple[str, ...]]:
    """Give the Chinese words that have one English sense alone, by its stem."""
    table: dict[str, tuple[str, ...]] = {}
    for word, stems in senses().items():
        if len(stems) == 1 and len(word) > 1:
            table |= {one: (*table.get(one, ()), word) for one in stems}
    return table


def _pieces(run: str) -> list[Term]:
    """Cut a run of Chinese into words that have an English sense, the longest first, and what is left between them."""
    known, pieces, at, loose = senses(), list[Term](), 0, ""
    while at < len(run):
        length = next((n for n in range(min(_LONGEST_TERM, len(run) - at), 1, -1) if run[at : at + n] in known), 0)
        if length:
            word = run[at : at + length]
            stems = tuple(f"{one}*" if len(one) > _SHORTEST_STEM - 1 else one for one in sorted(known[word]))
            pieces += _loose(loose)
            further = {other for one in known[word] for other in relatives(one)}
            pieces.append(Term(said=word, forms=(word, *stems, *sorted(further - set(known[word])))))
            loose, at = "", at + length
        elif run[at] in silence.SIGNS:
            pieces += _loose(loose)
            loose, at = "", at + 1
        else:
            loose, at = loose + run[at], at + 1
    return pieces + _loose(loose)


def _loose(run: str) -> list[Term]:
    """Take what has no English sense for a manner of speaking, unless something is found that says the same."""
    return [Term(said=run, forms=(run,), weak=True)] if len(run) > 1 else []
