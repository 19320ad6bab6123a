"""Questions to a judge, its rulings, and the reasons for the writer of a refused sentence."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from pydantic import BaseModel, Field

from agent.domain.account import Judging
from agent.domain.base import Language
from agent.domain.claims import Claim, Judgement, Kind, Refused
from agent.gate.searchable_evidence_text import normal

Opinion = Literal["stated", "inferred", "narrow", "unsupported", "contradicted"]
PASSING: tuple[Opinion, ...] = ("stated", "inferred")  # The sentence stands as it is
ControlKind = Literal["elsewhere", "twin", "reach"]
"""A true sentence about something else, a proven fact of the same commit turned round, or a sentence
about the commit that is moved to what it leaves alone."""
Text = Mapping[Language, str]  # A sentence in each language
_ELLIPSIS = ("[...]", "[…]", "...", "…")  # Those in brackets first, which have the others in them
_MIN_QUOTE = 3  # Characters of a line of a quotation that is looked up
_MAX_PROBLEM = 400  # Characters of a judge's objection that the writer is shown
_MAX_QUOTE = 600  # Characters of the deciding lines that the writer is shown
_WORDS: dict[Opinion, str] = {"narrow": "too wide"}
_MAX_ANCHOR = 600  # Characters of an anchor that its writer is shown again when it was refused


class Ruling(BaseModel):
    """What a judge makes of one sentence: the deciding lines first, then what they show, then the verdict."""

    id: str
    quote: str = Field(
        default="", description="the words or diff lines of the evidence, verbatim, that decide"
    )
    covers: str = Field(default="", description="the words of the sentence that the quote covers")
    problem: str = Field(
        default="",
        description="the words that must go, or the condition that is missing; empty if it stands",
    )
    needs: str = Field(
        default="",
        description="the definition, caller or line that would decide and is not shown; else empty",
    )
    verdict: Opinion = "unsupported"


class Rulings(BaseModel):
    """What a judge makes of a batch."""

    rulings: list[Ruling] = Field(default_factory=list)


class Control(NamedTuple):
    """A sentence that a judge must refuse, hidden among the others."""

    text: Text
    kind: ControlKind = "elsewhere"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Sentences about one thing that are to be judged, and how to show their evidence."""

    account: str
    claims: Sequence[Claim]
    show: Callable[[Sequence[Claim], int], str]
    """Returns the evidence of some of the claims in about so many tokens."""
    controls: Callable[[str], Sequence[Control]] = lambda _: ()
    """Returns sentences that a judge who reads some evidence must refuse."""
    required: Callable[[Claim], Sequence[str]] = lambda _: ()
    """Returns passages of the evidence that must be shown for a claim to be judged."""
    prompt: str = "judge"  # The file in agent/prompts


@dataclass(frozen=True, kw_only=True)
class Batch:
    """One question to a judge: sentences, their evidence, and sentences that must be refused."""

    account: str
    evidence: str
    claims: Sequence[Claim]
    controls: Sequence[Control] = ()
    prompt: str = "judge"

    def controls_of_pass(self, number: int) -> list[Control]:
        """Return one control of each kind for the first or the second reading."""
        chosen = []
        for kind in get_args(ControlKind):
            controls = [control for control in self.controls if control.kind == kind]
            chosen += controls[number : number + 1] or controls[:1]
        return chosen


Outcome = Literal["standing", "narrowed", "refuted"]


@dataclass(kw_only=True)
class Verdicts:
    """The verdicts of the judge on sentences."""

    admitted: list[Claim] = field(default_factory=list)
    refused: list[tuple[Claim, Judgement]] = field(default_factory=list)
    controls: Judging = field(default_factory=Judging)  # How it did on sentences that are false
    admitted_controls: list[Control] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)  # By the ids of the claims
    needs: dict[str, str] = field(default_factory=dict)
    """What the judge would have to see to decide about a sentence, by the id of its claim."""

    @property
    def judging(self) -> Judging:
        """The figures for the footer."""
        counts = Counter(self.outcomes.values())
        return self.controls + Judging(
            standing=counts["standing"], narrowed=counts["narrowed"], refuted=counts["refuted"]
        )

    @property
    def void_claims(self) -> list[Claim]:
        """The claims that were judged beside a control that the judge admitted."""
        return [claim for claim, judgement in self.refused if judgement.check == "control"]

    def rule(self, claim: Claim, rulings: tuple[Ruling, Ruling], evidence: str, judge: str) -> None:
        """Settle a claim by two rulings: one "no" refuses it, one "inferred" makes it inferred."""
        first, second = rulings
        for ruling in rulings:
            if ruling.needs.strip():
                self.needs.setdefault(claim.id, ruling.needs.strip())
        for ruling in rulings:
            if refusal := objection(ruling, evidence):
                self.refused.append((claim, refusal))
                self.outcomes[claim.id] = "narrowed" if ruling.verdict == "narrow" else "refuted"
                return
        standing = second if second.verdict == "inferred" else first
        self.admitted.append(_admitted(claim, standing, judge))
        self.outcomes[claim.id] = "standing"

    def add(self, other: "Verdicts") -> None:
        """Add what the judge made of other sentences."""
        self.admitted += other.admitted
        self.refused += other.refused
        self.controls += other.controls
        self.admitted_controls += other.admitted_controls
        self.outcomes |= other.outcomes
        self.needs |= other.needs

    def replaced_by(self, second: "Verdicts", claims: Sequence[Claim]) -> "Verdicts":
        """Return verdicts in which some claims have been judged anew."""
        ids = {claim.id for claim in claims}
        kept = Verdicts(
            admitted=[claim for claim in self.admitted if claim.id not in ids],
            refused=[refusal for refusal in self.refused if refusal[0].id not in ids],
            controls=self.controls,
            admitted_controls=list(self.admitted_controls),
            outcomes={name: outcome for name, outcome in self.outcomes.items() if name not in ids},
            needs={name: need for name, need in self.needs.items() if name not in ids},
        )
        kept.add(second)
        return kept


def _admitted(claim: Claim, ruling: Ruling, judge: str) -> Claim:
    """Return a claim as what the judge calls it; advice stays advice, what is inferred stays so."""
    kind = Kind(ruling.verdict) if claim.kind is Kind.STATED else claim.kind
    judgement = Judgement(verdict="supported", check="judge")
    return claim.model_copy(update={"kind": kind, "judged_by": judge, "judgement": judgement})


def objection(ruling: Ruling, evidence: str) -> Judgement | None:
    """Return why a sentence is refused: the verdict, or a quotation that is not in the evidence."""
    if ruling.verdict not in PASSING:
        reason = f"the judge calls it {_WORDS.get(ruling.verdict, ruling.verdict)}"
        if ruling.problem:
            reason += f": {ruling.problem[:_MAX_PROBLEM]}"
        return Judgement(
            verdict="unsupported",
            check="judge",
            reason=reason,
            literal=ruling.covers[:200],
            nearest=ruling.quote[:_MAX_QUOTE],
        )
    if not is_shown(ruling.quote, evidence):
        return Judgement(
            verdict="unsupported",
            check="judge quote",
            reason="the judge rests on words that the evidence does not have",
            nearest=ruling.quote[:_MAX_QUOTE],
        )
    return None


def is_shown(quote: str, evidence: str) -> bool:
    """Return True if a quotation occurs in the evidence, line by line and around dots."""
    for dots in _ELLIPSIS:
        quote = quote.replace(dots, "\n")
    parts = [normal(line.lstrip("+- ")) for line in quote.splitlines()]
    quoted_lines = [part for part in parts if len(part) >= _MIN_QUOTE]
    full_text = normal("\n".join(line.lstrip("+- ") for line in evidence.splitlines()))
    return bool(quoted_lines) and all(part in full_text for part in quoted_lines)


def can_be_repaired(refused: Refused) -> bool:
    """Return True if another wording may help: not where the judge failed or no diff can be read."""
    return all(reason.check not in ("no judge", "control", "no diff") for reason in refused.reasons)


def deciding_lines(refused: Sequence[Refused]) -> list[str]:
    """Return the lines of the evidence that decided against sentences."""
    lines: list[str] = []
    for refusal in refused:
        lines += [reason.nearest for reason in refusal.reasons if reason.nearest]
    return lines


def refusal_text(number: str, refused: Refused) -> str:
    """Return what was refused and why, with the nearest evidence."""
    lines = [f"{number}. {' / '.join(refused.claim.text.values())}"]
    for anchor in refused.claim.anchors:
        lines.append(f"   anchor: {anchor.text[:_MAX_ANCHOR]}")
    for judgement in refused.reasons:
        nearest = f" The evidence has: {judgement.nearest}" if judgement.nearest else ""
        lines.append(f"   refused: {judgement.reason}.{nearest}")
    return "\n".join(lines)
