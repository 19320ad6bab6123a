"""People in a sentence: names of those who wrote what is cited stand as one piece, in any script."""

import re
from collections.abc import Iterable, Iterator, Sequence

from agent.gate.prose import Kind, Sentence, Token

_SHORTEST = 2


def with_people(sentence: Sentence, names: Iterable[str]) -> Sequence[Token]:
    """Put one piece in the place of each name."""
    spans = list(_spans(sentence.text, names))
    if not spans:
        return sentence.tokens
    found = [Token(Kind.PERSON, sentence.text[start:end], start, end) for start, end in spans]
    for token in sentence.tokens:
        found.extend(_outside(token, spans))
    return sorted(found, key=lambda token: token.start)


def _spans(text: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Find the names, the longest first, none inside another or inside a longer word."""
    taken: list[tuple[int, int]] = []
    for name in sorted((name for name in names if len(name) >= _SHORTEST), key=len, reverse=True):
        edge = r"(?<![A-Za-z0-9_`/-]){}(?![A-Za-z0-9_`/-])" if name[0].isascii() else "{}"
        for match in re.finditer(edge.format(re.escape(name)), text):
            if all(match.end() <= start or match.start() >= end for start, end in taken):
                taken.append(match.span())
                yield match.span()


def _outside(token: Token, spans: Sequence[tuple[int, int]]) -> Iterator[Token]:
    """Give what of a piece lies outside the names; only a run of Chinese is cut in two."""
    inside = [(start, end) for start, end in spans if start < token.end and end > token.start]
    if not inside:
        yield token
    elif token.kind is Kind.HAN:
        place = token.start
        for start, end in sorted(inside):
            if place < start:
                yield Token(Kind.HAN, token.text[place - token.start : start - token.start], place, start)
            place = max(place, end)
        if place < token.end:
            yield Token(Kind.HAN, token.text[place - token.start :], place, token.end)
