"""Check that an old value stands on the removed side of a cited commit, and a new value on the added side."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal as Side

from agent.domain.claims import Claim, Judgement, Verdict
from agent.domain.evidence import CommitEvidence, Dossier
from agent.gate.evidence_text import SearchText
from agent.gate.literals import Literal
from agent.gate.lookup import Lookup
from agent.gate.nearest import nearest
from agent.gate.patches import patch_lines
from agent.gate.quotes import short

_TICKS = re.compile("^`+|`+$")
_WORDS = {"old": "removed", "new": "added"}


def check_sides(claim: Claim, dossier: Dossier) -> Iterator[Judgement]:
    """Look for the old and the new value of a sentence."""
    commits = [one for cite in claim.sources if isinstance(one := dossier.found[cite], CommitEvidence)]
    sides: tuple[tuple[Side["old", "new"], str], ...] = (("old", claim.old), ("new", claim.new))
    for side, value in sides:
        value = " ".join(_TICKS.sub("", value.strip()).split())
        if not value:
            continue
        texts = [_side(one, side) for one in commits]
        if not _stands(value, texts):
            reason = (
                f"{short(value)!r} is given as the {side} value, and no {_WORDS[side]} line of what is cited has it"
            )
            near = nearest(value, texts)
            yield Judgement(verdict=Verdict.UNSUPPORTED, reason=reason, check=side, literal=short(value), nearest=near)


def _stands(value: str, texts: Sequence[SearchText]) -> bool:
    where = Lookup(evidence=(), texts=tuple(texts), known=frozenset(), tz="UTC")
    return where.stands(Literal("code", value))


def _side(commit: CommitEvidence, side: Side["old", "new"]) -> SearchText:
    """Lay out one side of a diff: its lines, the paths of that side, and what facts give as its values."""
    mark, gone = ("-", "removed") if side == "old" else ("+", "added")
    lines: list[str] = []
    for file in commit.change.files:
        lines += [line.text for line in patch_lines(file.patch or "") if line.mark == mark]
        moved = file.previous_path is not None and file.previous_path != file.path
        if file.status == gone or moved:
            lines.append((file.previous_path if side == "old" and moved else file.path) or "")
    lines += [value for fact in commit.facts if (value := fact.old if side == "old" else fact.new)]
    return SearchText("\n".join(lines))
