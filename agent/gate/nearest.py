"""The line of the evidence that is most like a literal, for whoever repairs the sentence."""

import re
from collections.abc import Iterator, Sequence

from agent.gate.evidence_text import SearchText, fold_case

_PART = re.compile(r"[A-Za-z]+|[0-9]+")
_SHORTEST, _BEGINNING = 3, 4
_LOOKED_AT, _LONGEST = 200, 200


def nearest(literal: str, texts: Sequence[SearchText], others: Sequence[str] = ()) -> str:
    """Find the line that shares most parts with a literal, else with the other literals of its sentence."""
    parts = _parts((literal,))
    for wanted in (parts, [part[:_BEGINNING] for part in parts if len(part) > _BEGINNING], _parts(others)):
        if lines := list(_lines(wanted, texts)):
            best = min(lines, key=lambda line: (-_shared(line, parts or wanted), len(line)))
            return best if len(best) <= _LONGEST else f"{best[: _LONGEST - 1]}…"
    return ""


def _parts(literals: Sequence[str]) -> list[str]:
    found = (fold_case(part) for literal in literals for part in _PART.findall(literal))
    wanted = (part for part in found if len(part) >= (_SHORTEST if part.isdigit() else _SHORTEST - 1))
    return list(dict.fromkeys(wanted))[:12]


def _lines(parts: Sequence[str], texts: Sequence[SearchText]) -> Iterator[str]:
    """Give the lines with a part; only the first finds of each are looked at, so that large diffs stay cheap."""
    for part in parts:
        for text in texts[:20]:
            at, looked = text.folded.find(part), 0
            while at >= 0 and looked < _LOOKED_AT:
                line, place = text.line_at(at)
                yield " ".join(line[max(0, place - _LONGEST) : place + _LONGEST].split())
                at, looked = text.folded.find(part, at + len(line) - place + 1), looked + 1


def _shared(line: str, parts: Sequence[str]) -> int:
    folded = fold_case(line)
    return sum(len(part) for part in parts if part in folded)
