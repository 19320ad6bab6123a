"""The sentences of a case are judged together only if each sees the evidence that it rests on."""

from collections.abc import Mapping, Sequence

import pytest

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.judging.case_batches import BatchPlanner
from agent.judging.rulings import Case, Control
from agent.model_errors import ContextExceeded
from agent.packets.token_budgets import BUDGET
from agent.prompt_sizes import QuestionLimit

MORE_THAN_FITS = "value = read_the_limit(request)\n" * 10_000


def claims(*texts: str) -> list[Claim]:
    sentences: list[Claim] = []
    for number, text in enumerate(texts, start=1):
        about = {"id": f"k{number}", "repo": RepoId("octo/router"), "role": "effect"}
        sentences.append(Claim.model_validate({**about, "text": {"en": text}}))
    return sentences


def limit(*, tokens: int = 6_000, answer_tokens: int = 10_000) -> QuestionLimit:
    return QuestionLimit(tokens=tokens, answer_tokens=answer_tokens, system="", mark="c0ffee")


def parts(case: Case, question: QuestionLimit) -> list[list[str]]:
    """Return the ids of the claims of each batch."""
    return [[one.id for one in part] for part in BatchPlanner(case, question).parts()]


def case_with(
    sentences: Sequence[Claim],
    *,
    required: Mapping[str, Sequence[str]],
    alone: str,
    together: str = "def route():",
) -> Case:
    """Make a case whose evidence is too long, and which shows more of it to a claim of its own."""

    def show(shown_for: Sequence[Claim], budget: int) -> str:
        if budget == BUDGET:
            return MORE_THAN_FITS
        return alone if len(shown_for) == 1 else together

    return Case(
        account="octo/router",
        claims=sentences,
        show=show,
        required=lambda one: required.get(one.id, ()),
    )


TWO = claims("Large values are refused.", "The limit falls.")


@pytest.mark.parametrize(
    ("required", "alone", "expected"),
    [
        # One claim gains by a question of its own.
        ({"k1": ["if topK > 8:"]}, "if topK > 8:", [["k1"], ["k2"]]),
        # It gains one passage of two.
        ({"k1": ["if topK > 8:", "TIMEOUT = 45"]}, "if topK > 8:", [["k1"], ["k2"]]),
        # What is missing would be missing there, too.
        ({"k1": ["TIMEOUT = 45"]}, "if topK > 8:", [["k1", "k2"]]),
        # Nothing is missing.
        ({"k1": ["def route():"]}, "if topK > 8:", [["k1", "k2"]]),
        ({}, "if topK > 8:", [["k1", "k2"]]),
    ],
)
def test_claims_are_parted_if_one_of_them_would_see_more_alone(
    required: dict[str, list[str]], alone: str, expected: list[list[str]]
) -> None:
    assert parts(case_with(TWO, required=required, alone=alone), limit()) == expected


def test_claims_whose_whole_evidence_fits_are_judged_together() -> None:
    asked: list[str] = []

    def required(one: Claim) -> list[str]:
        asked.append(one.id)
        return ["nowhere"]

    case = Case(account="a", claims=TWO, show=lambda *_: "if topK > 8:", required=required)
    assert parts(case, limit()) == [["k1", "k2"]]
    assert asked == []


@pytest.mark.parametrize(
    ("answer_tokens", "expected"),
    [(1_000, [["k1", "k2"]]), (999, [["k1"], ["k2"]])],
)
def test_the_rulings_about_claims_and_three_controls_fit_into_an_answer(
    answer_tokens: int, expected: list[list[str]]
) -> None:
    case = Case(account="a", claims=TWO, show=lambda *_: "if topK > 8:")
    assert parts(case, limit(answer_tokens=answer_tokens)) == expected


def test_long_sentences_leave_room_for_evidence() -> None:
    long = claims("The limit falls. " * 150, "The timeout grows. " * 150)
    case = case_with(long, required={}, alone="if topK > 8:")
    assert parts(case, limit(tokens=3_000)) == [["k1"], ["k2"]]
    assert parts(case, limit(tokens=30_000)) == [["k1", "k2"]]


def test_claims_are_parted_where_their_evidence_cannot_be_shortened() -> None:
    case = case_with(TWO, required={}, alone="if topK > 8:", together=MORE_THAN_FITS)
    assert parts(case, limit()) == [["k1"], ["k2"]]


def test_a_batch_has_evidence_that_fits_beside_the_longest_controls_and_controls_made_for_it() -> (
    None
):
    def show(_: Sequence[Claim], budget: int) -> str:
        return "+" * min(budget, 8_000)

    def controls(evidence: str) -> list[Control]:
        asked.append(evidence)
        return [Control({"en": "It is so."}), Control({"en": "The limit falls. " * 100})]

    asked: list[str] = []
    case = Case(account="a", claims=TWO, show=show, controls=controls, prompt="judge_day")
    batch = BatchPlanner(case, limit()).batch(TWO)
    assert asked == ["", batch.evidence]
    assert (batch.claims, len(batch.controls), batch.prompt) == (TWO, 2, "judge_day")
    without = Case(account="a", claims=TWO, show=show, prompt="judge_day")
    assert len(batch.evidence) < len(BatchPlanner(without, limit()).batch(TWO).evidence) - 600
    half = BatchPlanner(without, limit(), share=0.5).batch(TWO)
    assert len(half.evidence) < len(BatchPlanner(without, limit()).batch(TWO).evidence) * 0.6
    with pytest.raises(ContextExceeded):
        BatchPlanner(case, limit(tokens=900)).batch(TWO)
