"""Runs of Chinese characters cut into the words that the gate knows."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from agent.gate import words_zh as zh
from agent.gate.families import ABSOLUTES, FORECASTS, OPINIONS
from agent.gate.glossary_zh import glossary
from agent.gate.lexicon_zh import PLAIN
from agent.gate.prose import Kind, Token

_LONGEST = 8
# What a cut costs: 移除了 is a verb and a particle, not 移 and 除了.
_UNKNOWN, _WORD, _VERB = 100, 10, 7


@cache
def known() -> frozenset[str]:
    """Every Chinese word that some list holds."""
    lists = (
        zh.NEGATIONS,
        zh.NO_NEGATIONS,
        zh.CAUSES,
        zh.FUNCTION,
        zh.TRADE,
        PLAIN,
        zh.DIRECTION_OF,
        zh.HEADS,
        glossary(),
    )
    strong = (family.words for family in (*ABSOLUTES, *FORECASTS, *OPINIONS))
    return frozenset(word for group in (*lists, *strong) for word in group)


@lru_cache(maxsize=4096)
def segmented(run: str) -> tuple[str, ...]:
    """Cut a run so that as few characters as possible stay unknown, then in as few words as possible."""
    words = known()
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, len(run) + 1):
        options = [(best[end - 1][0] + _UNKNOWN, end - 1)]
        for start in range(max(0, end - _LONGEST), end):
            word = run[start:end]
            if word in words:
                options.append((best[start][0] + (_VERB if word in zh.DIRECTION_OF else _WORD), start))
        best.append(min(options))
    return tuple(_joined(run, best))


def _joined(run: str, best: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Walk back over the best cuts; neighbours that are unknown make one piece."""
    cuts, end = list[str](), len(run)
    while end:
        start = best[end][1]
        cuts.append(run[start:end])
        end = start
    unknown = ""
    for piece in reversed(cuts):
        if piece in known():
            if unknown:
                yield unknown
            unknown = ""
            yield piece
        else:
            unknown += piece
    if unknown:
        yield unknown


def cut(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Replace each run of Chinese by its words."""
    found: list[Token] = []
    for token in tokens:
        if token.kind is not Kind.HAN:
            found.append(token)
            continue
        place = token.start
        for word in segmented(token.text):
            found.append(Token(Kind.HAN, word, place, place + len(word)))
            place += len(word)
    return tuple(found)
