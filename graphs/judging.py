"""The judge: a separate question that sees only sentences and evidence, asked twice, with controls."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from agent.domain.account import Account, Judging, fallback, subject_of
from agent.domain.claims import Claim, Judgement
from agent.domain.evidence_id import EvidenceId
from agent.judging.case_batches import BatchPlanner, judge_prompt
from agent.judging.rulings import (
    PASSING,
    Batch,
    Case,
    Control,
    ControlKind,
    Ruling,
    Rulings,
    Verdicts,
)
from agent.model_errors import ContextExceeded, ModelError
from agent.prompt_sizes import MAX_SHRINKS
from agent.prompt_templates import fenced
from tools.chat.requests_and_replies import Handles

if TYPE_CHECKING:
    from graphs.run_context import RunContext

T = TypeVar("T")
_SHRINK = 0.7
"""How much of the evidence is shown again where a server counts more tokens than we do."""
_AUTHORS_WORDS = "(printed as the author's words)"
_ADMITTED_CONTROL: dict[ControlKind, str] = {
    "elsewhere": "the judge admitted a sentence about another commit",
    "twin": "the judge admitted a sentence that reverses a proven fact of this commit",
    "reach": "the judge admitted a sentence that is moved to what this commit leaves alone",
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
    case: Case, context: "RunContext", about: EvidenceId | None, *, together: bool = False
) -> tuple[Verdicts, Account]:
    """Judge the sentences of a case; those beside an admitted control are judged once more.

    They are then judged beside other controls, so that one wrong ruling on a planted sentence costs
    no true one: each alone, or all `together` where they share long evidence and there are other
    controls. What is beside an admitted control again is refused.
    """
    verdicts, account = await judged_or_refused(case, context, about)
    void_claims = verdicts.void_claims
    if not void_claims:
        return verdicts, account
    other_controls = _other_controls(case, verdicts.admitted_controls)
    parts: list[Sequence[Claim]] = [[claim] for claim in void_claims]
    if together and any(control not in verdicts.admitted_controls for control in case.controls("")):
        parts = [void_claims]
    questions = []
    for claims in parts:
        part = replace(case, claims=claims, controls=other_controls)
        questions.append(judged_or_refused(part, context, about))
    outcomes = await asyncio.gather(*questions)
    for claims, (second, second_account) in zip(parts, outcomes, strict=True):
        verdicts = verdicts.replaced_by(second, claims)
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
    """Ask twice at the same time, the second time in reverse order and beside other controls.

    One "no" is enough to refuse a sentence. A judge that admits a control voids the batch.
    """
    verdicts = Verdicts()
    first, second = await read_twice(batch, context)
    for reading in (first, second):
        verdicts.controls += _control_counts(reading.controls, reading.admitted_controls)
    verdicts.admitted_controls = first.admitted_controls or second.admitted_controls
    if verdicts.admitted_controls:
        reason = _ADMITTED_CONTROL[verdicts.admitted_controls[0].kind]
        void = Judgement(verdict="undecided", check="control", reason=reason)
        verdicts.refused = [(claim, void) for claim in batch.claims]
        return verdicts
    judge = context.require_models().names["judging"]
    for claim in batch.claims:
        rulings = (first.rulings[claim.id], second.rulings[claim.id])
        verdicts.rule(claim, rulings, batch.evidence, judge)
    return verdicts


async def read_twice(batch: Batch, context: "RunContext") -> tuple["Reading", "Reading"]:
    """Ask about a batch twice at the same time, the second time in reverse order."""
    before = context.require_models().answers_before(batch.account, subject_of(_topic(batch)))
    return await _both(
        _read(batch, 0, "first reading", context, before),
        _read(batch, 1, "second reading", context, before),
    )


async def _both(first: Awaitable[T], second: Awaitable[T]) -> tuple[T, T]:
    """Wait for two questions that are asked at the same time; raise the error of one after both ended."""
    outcomes = await asyncio.gather(first, second, return_exceptions=True)
    answers: list[T] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        answers.append(outcome)
    return answers[0], answers[1]


class Reading(NamedTuple):
    """The rulings of a judge in one question."""

    rulings: Mapping[str, Ruling]  # By the ids of the claims
    controls: Sequence[Control]
    admitted_controls: list[Control]


async def _read(
    batch: Batch, number: int, label: str, context: "RunContext", before: int
) -> Reading:
    """Ask about a batch beside the controls of this pass, the second time in reverse order.

    `before` is how many answers were waited for before both readings.
    """
    controls = batch.controls_of_pass(number)
    question = replace(batch, controls=controls)
    rulings = await _ruled(question, context, label, backwards=number == 1, before=before)
    ruling_by_id: dict[str, Ruling] = {}
    for position, claim in enumerate(batch.claims):
        ruling_by_id[claim.id] = rulings[str(position)]
    return Reading(ruling_by_id, controls, _admitted_controls(controls, rulings))


def _admitted_controls(controls: Sequence[Control], rulings: Mapping[str, Ruling]) -> list[Control]:
    """Return the controls that the judge wrongly let pass."""
    admitted: list[Control] = []
    for position, control in enumerate(controls):
        if rulings[f"x{position}"].verdict in PASSING:
            admitted.append(control)
    return admitted


def _control_counts(controls: Sequence[Control], admitted: Sequence[Control]) -> Judging:
    """Count the controls of a question; those that were admitted are not caught."""
    hidden = Counter(control.kind for control in controls)
    let_pass = Counter(control.kind for control in admitted)
    return Judging(
        controls=len(controls),
        caught=len(controls) - len(admitted),
        twins=hidden["twin"],
        caught_twins=hidden["twin"] - let_pass["twin"],
        moved=hidden["reach"],
        caught_moved=hidden["reach"] - let_pass["reach"],
    )


def _topic(batch: Batch) -> str:
    """Return what a batch is about, as the topics of its questions begin."""
    return f"{batch.prompt} {_subject(batch)}"


def _subject(batch: Batch) -> str:
    return next(iter(batch.claims[0].about), batch.account)


async def _ruled(
    batch: Batch,
    context: "RunContext",
    label: str,
    *,
    backwards: bool = False,
    before: int | None = None,
) -> dict[str, Ruling]:
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
    answer = await context.ask(
        "judging",
        batch.account,
        form.name,
        {**form.values, form.slot: fenced(batch.evidence, context.mark)},
        Rulings,
        about=f"{_subject(batch)}, {label}",
        handles=Handles("id", sentences),
        answers_before=before,
    )
    ruling_by_name = {ruling.id.strip("[] "): ruling for ruling in answer.rulings}
    return {key: ruling_by_name.get(name, Ruling(id=name)) for key, name in names.items()}


def _shuffled(sentences: dict[str, str], batch: Batch) -> list[str]:
    """Return the keys in an order that is the same in every run, whatever was left out of the batch."""
    seed = batch.evidence[:200]

    def digest(key: str) -> str:
        return hashlib.sha256(f"{seed} {sentences[key]}".encode()).hexdigest()

    return sorted(sentences, key=digest)
