"""What is left when every rule has spoken: the plain words of a sentence are words of its evidence."""

import re
from collections.abc import Sequence
from functools import cache

from agent.claims import Judgement
from agent.gate import lexicon_en, lexicon_zh
from agent.gate import words_en as en
from agent.gate import words_zh as zh
from agent.gate.families import ABSOLUTES, FORECASTS, OPINIONS
from agent.gate.glossary_zh import glossary
from agent.gate.lists import listed
from agent.gate.prose import Kind, Token
from agent.gate.reading import Reading, undecided
from agent.gate.stems import stem, words_of


@cache
def _free_en() -> frozenset[str]:
    """Stems of English words that need no proof, or are proved by a rule of their own."""
    plain = (en.FUNCTION, en.TRADE, lexicon_en.VERBS, lexicon_en.NOUNS, lexicon_en.OTHERS, en.PRODUCTS)
    lists = (*plain, en.DIRECTION_OF, en.NEGATIONS, en.CAUSES, en.PROVED, *_strong())
    return frozenset(form for words in lists for word in words for form in (word, stem(word)))


def _strong() -> tuple[frozenset[str], ...]:
    return tuple(family.words for family in (*ABSOLUTES, *FORECASTS, *OPINIONS))


@cache
def _free_zh() -> frozenset[str]:
    """Chinese words that need no proof, or are proved by a rule of their own."""
    plain = (zh.FUNCTION, zh.TRADE, lexicon_zh.PLAIN)
    lists = (*plain, zh.DIRECTION_OF, zh.NEGATIONS, zh.CAUSES, zh.PROVED, *_strong())
    return frozenset(word for words in lists for word in words)


def check_content(reading: Reading) -> Judgement | None:
    """Look up each word that nothing else has checked."""
    tokens = reading.tokens
    loose = _loose(reading)
    missing = [
        one.text
        for n, one in enumerate(tokens)
        if one in loose or not (_is_found(one, reading) or _is_joined(tokens, n, reading))
    ]
    if missing:
        return undecided("words", "not in the cited evidence: " + ", ".join(missing))
    return None


_LIMITING = re.compile(r"(?:relax|loosen|tighten|widen|narrow|clamp)")


def _loose(reading: Reading) -> frozenset[Token]:
    """Give words for limits that are said of nothing that was measured, and by nobody else: relaxed ordering."""
    valued = {act.place for act in reading.acts if act.old or act.new}
    return frozenset(
        token
        for place, token in enumerate(reading.tokens)
        if place not in valued
        and _LIMITING.match(token.lower)
        and not any(reading.ground.words.has_stem(one) for one in (stem(token.lower), *_synonyms(stem(token.lower))))
    )


def is_free(word: str) -> bool:
    """Tell whether a word of either language needs no proof."""
    return word in _free_zh() or word in _free_en() or stem(word) in _free_en() or word.isdigit()


def stems_of(tokens: Sequence[Token], *, trade: bool = False) -> list[frozenset[str]]:
    """Give for each word with a meaning of its own the stems that may stand for it in English evidence."""
    free = en.FUNCTION if trade else _free_en()
    found: list[frozenset[str]] = []
    for token in tokens:
        if token.kind is Kind.HAN and token.text in zh.PROVED:
            continue
        if token.kind is Kind.HAN and token.text in glossary():
            found.append(glossary()[token.text])
        elif token.kind is Kind.HAN and trade and token.text in zh.HEADS:
            found.append(listed(zh.HEADS[token.text]))
        elif token.named or token.camel:
            found.append(frozenset(words_of(token.text)))
        elif token.kind is Kind.WORD and not {token.lower, stem(token.lower)} & free:
            found.extend(frozenset({stem(part)}) for part in token.lower.split("-") if part and part not in free)
    return [stems for stems in found if stems]


def _is_found(token: Token, reading: Reading) -> bool:
    ground = reading.ground
    if token.kind is Kind.HAN:
        if token.text in glossary() and any(ground.words.has_stem(one) for one in glossary()[token.text]):
            return True
        return token.text in _free_zh() or token.text in ground.text
    if token.kind is not Kind.WORD or token.camel:
        return True
    return all(_known(part, reading) for part in re.split(r"[-+]", token.lower.replace("’", "'")) if part)


def _is_joined(tokens: Sequence[Token], place: int, reading: Reading) -> bool:
    """Tell whether a word and its neighbour are one name in the evidence: Wan VAE, `wanvae`."""
    pairs = (tokens[n : n + 2] for n in (place - 1, place) if n >= 0)
    words = reading.ground.words
    return any(
        len(pair) == 2 and all(one.kind is Kind.WORD for one in pair) and pair[0].lower + pair[1].lower in words
        for pair in pairs
    )


_CONTRACTED = re.compile(r"(?:'(?:s|ve|re|ll|d|m)|n't)$")


def _known(word: str, reading: Reading) -> bool:
    base = _CONTRACTED.sub("", word)
    if is_free(base) or is_free(base.removesuffix("s")):
        return True
    if reading.ground.words.has(base) or base in _own(reading):
        return True
    return any(reading.ground.words.has_stem(one) for one in _synonyms(stem(base)))


def _own(reading: Reading) -> frozenset[str]:
    return frozenset(part for one in reading.ground.evidence for part in one.repo.lower().replace("-", "/").split("/"))


@cache
def _synonyms(base: str) -> frozenset[str]:
    return frozenset(word for group in en.SYNONYMS if base in {stem(one) for one in group} | group for word in group)
