"""What a sentence sets against one another, a instead of b: the first must have come, the second gone."""

import re
from collections.abc import Iterator, Sequence

from agent.claims import Judgement
from agent.gate.closeness import share_of
from agent.gate.content import stems_of
from agent.gate.ground import Ground
from agent.gate.prose import Kind, Token
from agent.gate.reading import Reading, undecided
from agent.gate.stems import vocabulary

Stems = list[frozenset[str]]
_MARKS = (("instead", "of"), ("rather", "than"), ("in", "place", "of"), ("而不是",), ("而非",), ("而不再",))
_SAID = re.compile(r"\b(?:instead of|rather than|in place of|not)\b|而不是|而非", re.IGNORECASE)
_STOPS, _COMMAS = frozenset("；;。:："), frozenset("，,()（）")
_REPLACED = re.compile(r"replac(?:e[sd]?|ing)|substitut\w+|swap\w*")
_TURNED = frozenset({"换成", "换为", "换回", "换成了", "替换为", "替换成", "改成", "改为", "变成", "变为", "改回"})
_GIVEN = frozenset({"把", "将", "被", "由", "从"})


def check_contrasts(reading: Reading) -> Judgement | None:
    """Hold the order of the two to what people say, and where they do not say it to the sides of the diff."""
    for new, old in _pairs(reading.tokens):
        came, went = _apart(stems_of(new, trade=True), stems_of(old, trade=True))
        if came and went and _order(came, went, reading.ground) < 0:
            return undecided("contrast", "what is said to have come stands on the side of what went")
    return None


def _pairs(tokens: Sequence[Token]) -> Iterator[tuple[Sequence[Token], Sequence[Token]]]:
    """Give what came and what went."""
    lower = [token.lower for token in tokens]
    for place in range(len(tokens)):
        for mark in _MARKS:
            if tuple(lower[place : place + len(mark)]) == mark and place:
                yield tokens[_back(tokens, place) : place], _until(tokens, place + len(mark))
        if tokens[place].kind is Kind.WORD and _REPLACED.fullmatch(lower[place]):
            yield from _replaced(tokens, place)
        if lower[place] in _TURNED:
            start = _back(tokens, place, _COMMAS)
            given = next((n for n in range(start, place) if lower[n] in _GIVEN), None)
            if given is not None:
                cut = given if lower[given] == "被" else given + 1
                old = tokens[start:cut] if lower[given] == "被" else tokens[cut:place]
                yield _until(tokens, place + 1), old


def _replaced(tokens: Sequence[Token], place: int) -> Iterator[tuple[Sequence[Token], Sequence[Token]]]:
    """Read `replaces a with b` and `a is replaced by b`."""
    rest = _until(tokens, place + 1)
    means = next((n for n, token in enumerate(rest) if token.lower in ("with", "by")), None)
    if means is not None:
        yield rest[means + 1 :], rest[:means] or tokens[_back(tokens, place) : place]


def _back(tokens: Sequence[Token], place: int, more: frozenset[str] = frozenset()) -> int:
    stops = _STOPS | more
    ends = (n + 1 for n in range(place - 1, -1, -1) if tokens[n].kind is Kind.PUNCT and tokens[n].text in stops)
    return next(ends, 0)


def _until(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    stops = _STOPS | _COMMAS
    ends = (n for n in range(place, len(tokens)) if tokens[n].kind is Kind.PUNCT and tokens[n].text in stops)
    return tokens[place : next(ends, len(tokens))]


def _apart(new: Stems, old: Stems) -> tuple[Stems, Stems]:
    """Leave out what both have in common: it tells nothing."""
    both = frozenset(stem for one in new for stem in one) & frozenset(stem for one in old for stem in one)
    return [one for one in new if not one & both], [one for one in old if not one & both]


def _order(came: Stems, went: Stems, ground: Ground) -> float:
    """Say by how much the evidence has them in this order; less than nothing where it has the other one."""
    told = sum(_told(line, came, went) for line in (*ground.said, *ground.remarks))
    if told:
        return told
    return sum(
        share_of(hunk.added_words, came)
        - share_of(hunk.removed_words, came)
        + share_of(hunk.removed_words, went)
        - share_of(hunk.added_words, went)
        for hunk in ground.hunks
    )


def _told(line: str, came: Stems, went: Stems) -> float:
    mark = _SAID.search(line)
    if mark is None or len(line[: mark.start()].split()) < 2:
        return 0.0
    left, right = vocabulary(line[: mark.start()]), vocabulary(line[mark.end() :])
    fits = share_of(left, came) * share_of(right, went)
    return fits - share_of(left, went) * share_of(right, came)
