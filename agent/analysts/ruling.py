"""What a judge is asked, what its ruling is worth, and what the writer of a refused sentence is told."""

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
Text = Mapping[Language, str]  # A sentence in each language
_ELLIPSIS = ("...", "…", "[…]")
_MIN_QUOTE = 3  # Characters of a line of a quotation that is looked up
_MAX_ANCHOR = 600  # Characters of an anchor that its writer is shown again when it was refused


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
class Case:
    """Sentences about one thing that are to be judged, and how to show their evidence."""

    account: str
    claims: Sequence[Claim]
    show: Callable[[Sequence[Claim], int], str]
    """Returns the evidence of some of the claims in about so many tokens."""
    controls: Callable[[str], Sequence[Text]] = lambda _: ()
    """Returns sentences about something else, of which a piece of evidence does not speak."""
    required: Callable[[Claim], Sequence[str]] = lambda _: ()
    """Returns passages of the evidence that must be shown for a claim to be judged."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """One question to a judge: sentences, their evidence, and sentences about something else."""

    account: str
    evidence: str
    claims: Sequence[Claim]
    controls: Sequence[Text] = ()


@dataclass(kw_only=True)
class Verdicts:
    """What the judge made of sentences."""

    admitted: list[Claim] = field(default_factory=list)
    refused: list[tuple[Claim, Judgement]] = field(default_factory=list)
    judging: Judging = field(default_factory=Judging)


def objection(ruling: Ruling, evidence: str) -> Judgement | None:
    """Return why a sentence is refused: the verdict, or a quotation that is not in the evidence."""
    if ruling.verdict not in PASSING:
        return Judgement(
            verdict="unsupported",
            check="judge",
            reason=f"the judge calls it {ruling.verdict}",
            literal=ruling.covers[:200],
            nearest=ruling.quote[:300],
        )
    if not is_shown(ruling.quote, evidence):
        return Judgement(
            verdict="unsupported",
            check="judge quote",
            reason="the judge rests on words that the evidence does not have",
            nearest=ruling.quote[:300],
        )
    return None


def is_shown(quote: str, evidence: str) -> bool:
    """Return True if a quotation occurs in the evidence, line by line and around dots."""
    for dots in _ELLIPSIS:
        quote = quote.replace(dots, "\n")
    parts = [normal(line.lstrip("+- ")) for line in quote.splitlines()]
    wanted = [part for part in parts if len(part) >= _MIN_QUOTE]
    full_text = normal("\n".join(line.lstrip("+- ") for line in evidence.splitlines()))
    return bool(wanted) and all(part in full_text for part in wanted)


def can_be_repaired(refused: Refused) -> bool:
    """Return True if another wording may help: not where the judge failed or no diff can be read."""
    return all(reason.check not in ("no judge", "control", "no diff") for reason in refused.reasons)


def refusal_text(number: str, refused: Refused) -> str:
    """Return what was refused and why, with the nearest evidence."""
    lines = [f"{number}. {' / '.join(refused.claim.text.values())}"]
    for anchor in refused.claim.anchors:
        lines.append(f"   anchor: {anchor.text[:_MAX_ANCHOR]}")
    for judgement in refused.reasons:
        nearest = f" The evidence has: {judgement.nearest}" if judgement.nearest else ""
        lines.append(f"   refused: {judgement.reason}.{nearest}")
    return "\n".join(lines)
