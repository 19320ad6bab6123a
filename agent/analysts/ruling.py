"""What a judge is asked for, what its ruling is worth, and what the writer of a refused sentence is told."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, Field

from agent.domain.base import Language
from agent.domain.claims import Claim, Judgement, Refused
from agent.domain.spending import Judging
from agent.gate.text import normal

Opinion = Literal["stated", "inferred", "unsupported", "contradicted"]
PASSING: tuple[Opinion, ...] = ("stated", "inferred")
_ELLIPSIS = ("...", "…", "[…]")
_SHORTEST = 3
_TOLD = 600  # Characters of an anchor that its writer is shown again when it was refused


class Ruling(BaseModel):
    """What a judge makes of one sentence: the proof first, then what it covers, then the verdict."""

    id: str
    quote: str = Field(
        default="", description="the words or diff lines of the evidence, verbatim, that decide"
    )
    covers: str = Field(default="", description="the words of the sentence that the quote covers")
    verdict: Opinion = "unsupported"


class Rulings(BaseModel):
    """What a judge makes of a batch."""

    rulings: list[Ruling] = Field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Sentences about one thing, the evidence that they were written from, and sentences about something else."""

    account: str
    evidence: str
    claims: Sequence[Claim]
    controls: Sequence[Mapping[Language, str]] = ()
    narrowed: Callable[[Sequence[str]], str] | None = None
    """Gives the part of the evidence around some words: the second reading need not see all of it again."""


@dataclass(kw_only=True)
class Verdicts:
    """What the judge made of a batch."""

    admitted: list[Claim] = field(default_factory=list)
    refused: list[tuple[Claim, Judgement]] = field(default_factory=list)
    judging: Judging = field(default_factory=Judging)


def objection(ruling: Ruling, evidence: str) -> Judgement | None:
    """Say why a sentence is refused: the verdict, or a quotation that is not in the evidence."""
    if ruling.verdict not in PASSING:
        reason = f"the judge calls it {ruling.verdict}"
        told = {"literal": ruling.covers[:200], "nearest": ruling.quote[:300]}
        return Judgement(verdict="unsupported", check="judge", reason=reason, **told)
    if not is_shown(ruling.quote, evidence):
        reason = "the judge rests on words that the evidence does not have"
        return Judgement(
            verdict="unsupported", check="judge quote", reason=reason, nearest=ruling.quote[:300]
        )
    return None


def is_shown(quote: str, evidence: str) -> bool:
    """Tell whether a judge's quotation stands in what it was shown, line by line and around dots."""
    for dots in _ELLIPSIS:
        quote = quote.replace(dots, "\n")
    parts = [normal(line.lstrip("+- ")) for line in quote.splitlines()]
    wanted = [part for part in parts if len(part) >= _SHORTEST]
    whole = normal("\n".join(line.lstrip("+- ") for line in evidence.splitlines()))
    return bool(wanted) and all(part in whole for part in wanted)


def can_be_repaired(one: Refused) -> bool:
    """Return True if another wording may help: not where the judge failed or no diff can be read."""
    return all(no.check not in ("no judge", "control", "no diff") for no in one.reasons)


def refusal_text(number: str, one: Refused) -> str:
    """Tell what was refused and why, with the evidence that is nearest."""
    lines = [f"{number}. {' / '.join(one.claim.text.values())}"]
    lines += [f"   anchor: {anchor.text[:_TOLD]}" for anchor in one.claim.anchors]
    for no in one.reasons:
        near = f" The evidence has: {no.nearest}" if no.nearest else ""
        lines.append(f"   refused: {no.reason}.{near}")
    return "\n".join(lines)
