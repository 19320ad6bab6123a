"""Whether a name stands in the evidence beside the rest of its sentence, and not just anywhere in a large diff."""

from collections.abc import Iterator, Sequence

from agent.claims import Judgement
from agent.gate.content import stems_of
from agent.gate.ground import Ground, occurs
from agent.gate.named_facts import last_part
from agent.gate.nearness import share_of
from agent.gate.prose import Kind, Token
from agent.gate.reading import Reading, undecided
from agent.gate.stems import Vocabulary, words_of

_HALF = 0.5
_BETWEEN = frozenset("，,；;：:。")


def check_relations(reading: Reading) -> Judgement | None:
    """Look for each name beside the words that the same clause has for it."""
    for clause in _clauses(reading.tokens):
        names = [token for token in clause if token.kind in (Kind.CODE, Kind.NAME, Kind.FLAG) and "/" not in token.text]
        for token in names:
            others = [one for one in clause if one is not token]
            wanted = stems_of(others)
            if wanted and not _together(last_part(token.text), wanted, reading.ground):
                return undecided("relation", f"{token.text!r} stands in the evidence, but not beside the rest")
    return None


def _clauses(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    start = 0
    for place, token in enumerate(tokens):
        if token.kind is Kind.PUNCT and token.text in _BETWEEN:
            yield tokens[start:place]
            start = place + 1
    yield tokens[start:]


def _together(name: str, wanted: Sequence[frozenset[str]], ground: Ground) -> bool:
    return any(name in place and occurs(name, place) and _shares(place, wanted) for place in _places(ground))


def _shares(place: str, wanted: Sequence[frozenset[str]]) -> bool:
    return share_of(Vocabulary(words_of(place)), wanted) >= _HALF


def _places(ground: Ground) -> Iterator[str]:
    """List what belongs together: a fact, some lines of talk, a stretch of a diff with its file."""
    for fact in ground.facts:
        shown = (line for place in fact.places[:2] for line in (place.file, *place.lines))
        yield " ".join(filter(None, (fact.kind, fact.name, fact.old, fact.new, fact.detail, *shown)))
    for number in range(len(ground.said)):
        yield " ".join(ground.said[max(0, number - 1) : number + 2])
    for hunk in ground.hunks:
        yield f"{hunk.file} {hunk.text}"
