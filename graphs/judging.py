"""The judge: a separate question that sees only sentences and evidence, asked twice, with controls."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from agent.analysts.batches import BatchPlanner, judge_prompt
from agent.analysts.ruling import (
    PASSING,
    Batch,
    Case,
    Control,
    ControlKind,
    Outcome,
    Ruling,
    Rulings,
    Verdicts,
    objection,
)
from agent.domain.claims import Claim, Judgement, Kind
from agent.domain.evidence_id import EvidenceId
from agent.domain.spending import Account, Judging, fallback
from agent.prompting import ContextExceeded, ModelError, fenced
from agent.sizing import MAX_SHRINKS
from tools.chat.messages import Handles

if TYPE_CHECKING:
    from graphs.run_context import RunContext

T = TypeVar("T")
_SHRINK = 0.7
"""How much of the evidence is shown again where a server counts more tokens than we do."""
_AUTHORS_WORDS = "(printed as the author's words)"
_ADMITTED_CONTROL: dict[ControlKind, str] = {
    "elsewhere": "the judge admitted a sentence about another commit",
    "twin": "the judge admitted a sentence that reverses a proven fact of this commit",
}


async def judged_or_refused(
    case: Case, context: "RunContext", about: EvidenceId | None
) -> tuple[Verdicts, Account]:
    """Judge the sentences of a case; those whose judge does not answer are refused.

    The account has what went wrong; what the verdicts count is not in it.
    """

    async def judge_batch(batch: Batch) -> Verdicts:
        return await judged(batch, context)

    verdicts = Verdicts()
    account = Account()
    for claims, outcome in await judged_in_batches(case, context, judge_batch):
        if isinstance(outcome, ModelError):
            reason = str(outcome)[:200]
            absent = Judgement(verdict="undecided", check="no judge", reason=reason)
            verdicts.refused += [(claim, absent) for claim in claims]
            account += fallback("judging", outcome, about)
        else:
            verdicts.add(outcome)
    return verdicts, account


async def judged_again_if_void(
    case: Case, context: "RunContext", about: EvidenceId | None
) -> tuple[Verdicts, Account]:
    """Judge the sentences of a case; those beside an admitted control are judged once more.

    Each of these is then judged alone and beside other controls, so that one wrong ruling on a
    planted sentence costs no true one. What is beside an admitted control again is refused.
    """
    verdicts, account = await judged_or_refused(case, context, about)
    void_claims = verdicts.void_claims
    if not void_claims:
        return verdicts, account
    other_controls = _other_controls(case, verdicts.admitted_controls)
    for claim in void_claims:
        alone = replace(case, claims=[claim], controls=other_controls)
        second, second_account = await judged_or_refused(alone, context, about)
        verdicts = verdicts.replaced_by(second, [claim])
        account += second_account
    left_out = len(verdicts.void_claims)
    verdicts.controls += Judging(judged_again=len(void_claims), void=left_out)
    return verdicts, account


def _other_controls(case: Case, admitted: Sequence[Control]) -> Callable[[str], Sequence[Control]]:
    """Return the controls of a case without those that were admitted, if others are left."""

    def controls(evidence: str) -> Sequence[Control]:
        every = case.controls(evidence)
        others = [control for control in every if control not in admitted]
        return others or every

    return controls


async def judged_in_batches(
    case: Case,
    context: "RunContext",
    judge_batch: Callable[[Batch], Awaitable[T]],
    shrinks: int = 0,
) -> list[tuple[Sequence[Claim], T | ModelError]]:
    """Divide a case into batches that fit, and judge each; an error ends one batch and no other.

    Where the server counts more tokens than we do, a batch is divided again, with less evidence.
    """
    limit = await context.question_limit("judging", case.account)
    planner = BatchPlanner(case, limit, _SHRINK**shrinks)

    async def outcomes_of(claims: Sequence[Claim]) -> list[tuple[Sequence[Claim], T | ModelError]]:
        try:
            return [(claims, await judge_batch(planner.batch(claims)))]
        except ContextExceeded as error:
            if shrinks == MAX_SHRINKS:
                return [(claims, error)]
        except ModelError as error:
            return [(claims, error)]
        part = replace(case, claims=claims)
        return await judged_in_batches(part, context, judge_batch, shrinks + 1)

    outcomes_by_part = await asyncio.gather(*map(outcomes_of, planner.parts()))
    return list(chain.from_iterable(outcomes_by_part))


async def judged(batch: Batch, context: "RunContext") -> Verdicts:
    """Ask twice about the same evidence, the second time in reverse order and only of what passed.

    One "no" is enough to refuse a sentence. A judge that admits a control voids the batch.
    """
    verdicts = Verdicts()
    standing: dict[str, Ruling] = {}  # The rulings on what passed so far, by the id of the claim
    claims = list(batch.claims)
    for number in (0, 1):
        if not claims:
            break
        controls = batch.controls_of_pass(number)
        question = replace(batch, claims=claims, controls=controls)
        rulings = await ruled(question, context, backwards=number == 1)
        admitted = _admitted_controls(controls, rulings)
        verdicts.controls += _control_counts(controls, admitted)
        if admitted:
            verdicts.admitted_controls += admitted
            reason = _ADMITTED_CONTROL[admitted[0].kind]
            void = Judgement(verdict="undecided", check="control", reason=reason)
            verdicts.refused += [(claim, void) for claim in claims]
            return verdicts
        passed = []
        for position, claim in enumerate(claims):
            ruling = rulings[str(position)]
            needs = ruling.needs.strip()
            if needs:
                verdicts.needs[claim.id] = needs
            if refusal := objection(ruling, batch.evidence):
                verdicts.refused.append((claim, refusal))
                verdicts.outcomes[claim.id] = _refusal_outcome(ruling)
                continue
            passed.append(claim)
            if claim.id not in standing or ruling.verdict == "inferred":
                standing[claim.id] = ruling
        claims = passed
    judge = context.asked.names["judging"]
    verdicts.admitted = [_admitted(claim, standing[claim.id], judge) for claim in claims]
    verdicts.outcomes |= {claim.id: "standing" for claim in claims}
    return verdicts


def _admitted_controls(controls: Sequence[Control], rulings: Mapping[str, Ruling]) -> list[Control]:
    """Return the controls that the judge wrongly let pass."""
    admitted: list[Control] = []
    for position, control in enumerate(controls):
        if rulings[f"x{position}"].verdict in PASSING:
            admitted.append(control)
    return admitted


def _control_counts(controls: Sequence[Control], admitted: Sequence[Control]) -> Judging:
    """Count the controls of a question; those that were admitted are not caught."""
    twins = [control for control in controls if control.kind == "twin"]
    admitted_twins = [control for control in admitted if control.kind == "twin"]
    return Judging(
        controls=len(controls),
        caught=len(controls) - len(admitted),
        twins=len(twins),
        caught_twins=len(twins) - len(admitted_twins),
    )


def _refusal_outcome(ruling: Ruling) -> Outcome:
    return "narrowed" if ruling.verdict == "narrow" else "refuted"


def _admitted(claim: Claim, ruling: Ruling, judge: str) -> Claim:
    """Return a claim as what the judge calls it; advice stays advice, what is inferred stays so."""
    kind = Kind(ruling.verdict) if claim.kind is Kind.STATED else claim.kind
    judgement = Judgement(verdict="supported", check="judge")
    return claim.model_copy(update={"kind": kind, "judged_by": judge, "judgement": judgement})


async def ruled(batch: Batch, context: "RunContext", *, backwards: bool) -> dict[str, Ruling]:
    """Return the rulings of one question; a sentence without a ruling is unsupported.

    Those on claims have their positions in the batch as keys, those on controls `x0`, `x1`.
    """
    texts: dict[str, str] = {}
    for position, claim in enumerate(batch.claims):
        texts[str(position)] = " / ".join(claim.text.values())
    languages = batch.claims[0].text.keys()
    for position, control in enumerate(batch.controls):
        words = [text for lang, text in control.text.items() if lang in languages]
        texts[f"x{position}"] = " / ".join(words)
    order = _shuffled(texts, batch)
    if backwards:
        order.reverse()
    names = {key: f"s{number}" for number, key in enumerate(order, start=1)}
    sentences = {name: texts[key] for key, name in names.items()}
    printed = dict(sentences)
    for position, claim in enumerate(batch.claims):
        if claim.attributed:
            name = names[str(position)]
            printed[name] = f"{_AUTHORS_WORDS} {sentences[name]}"
    form = judge_prompt(batch.prompt, printed, context.mark)
    subject = next(iter(batch.claims[0].about), batch.account)
    answer = await context.ask(
        "judging",
        batch.account,
        form.name,
        {**form.values, form.slot: fenced(batch.evidence, context.mark)},
        Rulings,
        about=f"{subject}, {'second' if backwards else 'first'} reading",
        handles=Handles("id", sentences),
    )
    ruling_by_name = {ruling.id.strip("[] "): ruling for ruling in answer.rulings}
    return {key: ruling_by_name.get(name, Ruling(id=name)) for key, name in names.items()}


def _shuffled(sentences: dict[str, str], batch: Batch) -> list[str]:
    """Return the keys in an order that is the same in every run, whatever was left out of the batch."""
    seed = batch.evidence[:200]

    def digest(key: str) -> str:
        return hashlib.sha256(f"{seed} {sentences[key]}".encode()).hexdigest()

    return sorted(sentences, key=digest)
