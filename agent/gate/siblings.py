"""Names of one family, told apart by their number: SM90 and SM120, CMP0147 and CMP0194."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from agent.claims import Judgement
from agent.gate.content import stems_of
from agent.gate.ground import Ground
from agent.gate.named_facts import last_part
from agent.gate.prose import Kind, Token, clauses
from agent.gate.reading import Reading, undecided
from agent.gate.stems import vocabulary

_MEMBER = re.compile(r"([A-Za-z]{2,})[-_]?(\d{2,4})")
_LINES, _LONGEST = 8000, 400


def check_siblings(reading: Reading) -> Judgement | None:
    """Doubt a member of a family where the line that fits the clause best has another one."""
    for clause in clauses(reading.tokens):
        members = [(token, match) for token in clause if (match := _member(token))]
        for token, match in members:
            family, number = match[1].lower(), match[2]
            alone = sum(other[1].lower() == family for _, other in members) == 1
            if alone and not _fits(family, number, [one for one in clause if one is not token], reading.ground):
                return undecided(
                    "relation", f"{token.text} stands in the evidence, but of this it has another {match[1]}"
                )
    return None


def _member(token: Token) -> re.Match[str] | None:
    return _MEMBER.fullmatch(token.text) if token.kind is Kind.WORD else None


def _fits(family: str, number: str, others: Sequence[Token], ground: Ground) -> bool:
    words, names = stems_of(others, trade=True), [last_part(one.text).lower() for one in others if one.named]
    best, own = 0, 0
    for numbers, line in _lines(ground, family):
        known = vocabulary(line)
        score = sum(any(known.has_stem(one) for one in group) for group in words) + sum(name in line for name in names)
        best = max(best, score)
        if number in numbers:
            own = max(own, score)
    # A word or two more is chance.
    return own + 1 >= best


@lru_cache(maxsize=128)
def _lines(ground: Ground, family: str) -> tuple[tuple[frozenset[str], str], ...]:
    """List the lines that have a member of the family, with the numbers of those they have."""
    form = re.compile(rf"(?<![a-z]){re.escape(family)}[-_ ]?(\d{{2,4}})(?!\d)")
    found = ((frozenset(form.findall(line)), line) for line in islice(_all(ground), _LINES))
    return tuple((numbers, line) for numbers, line in found if numbers)


def _all(ground: Ground) -> Iterator[str]:
    yield from (line.lower() for line in ground.said)
    for hunk in ground.hunks:
        yield from (line[:_LONGEST].lower() for line in (*hunk.added, *hunk.removed, *hunk.around))
