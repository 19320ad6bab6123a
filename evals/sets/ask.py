"""Ask: without a model, the evidence that answers a question ranks high; with one, answers hold.

A scripted model says what the evidence plainly says: none of it may fail gate or judge. A real one
(`--model-url`) is graded by what it must cite, what it must say, and whether it abstains where the
evidence has no answer.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.resources import files

from pydantic import BaseModel, Field

from agent.domain.base import RepoId
from agent.questions_and_replies import Reply
from evals.figures import Figure, Figures, Score, Target, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer

_DATA = files("evals") / "sets" / "data" / "questions_world.jsonl"
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_TOP = 20  # Ten commits and ten threads
_STEP = 10  # A small run asks each tenth question
_EXCERPT = 90  # Characters of a question in a reason


class ExpectedAnswer(BaseModel):
    """A right answer: it has one word or citation of each group."""

    abstain: bool
    cites: list[list[str]]
    says: list[list[str]]
    not_says: list[str]


class AskQuestion(BaseModel):
    """One question with its answer."""

    id: str
    lang: str
    text: str = Field(alias="question")
    repos: list[RepoId]
    target: ExpectedAnswer


@evalset("ask", "questions about a world's changes, in two languages")
async def run(bench: Bench) -> Figures:
    """Ask a database with the whole world, first without a model, then with one."""
    world = bench.world("full")
    questions = _shipped_questions()[:: bench.count(_STEP, 1)]
    texts = [(question.text, question.repos) for question in questions]
    with (
        serving(world.repos, world.now) as server,
        ModelServer(honest, context=65_536) as scripted,
        bench.settings(specs_of(world), **through(server)) as settings,
    ):
        by_rules = await bench.system.ask(settings, texts, world.now, _BEGINNING)
        model = bench.model or {"model": scripted.model, "model_url": scripted.url}
        settings = settings.model_copy(update={"analyst": "model", **model})
        by_model = await bench.system.ask(settings, texts, world.now, _BEGINNING)
    figures = {
        "required evidence among the first twenty": share(ranked(questions, by_rules), Target(0.5)),
        "claims of answers that hold": share(_claim_scores(questions, by_model)),
    }
    if bench.model:
        figures |= graded(questions, by_model)
    return figures


def _shipped_questions() -> list[AskQuestion]:
    lines = _DATA.read_text("utf-8").splitlines()
    return [AskQuestion.model_validate(json.loads(line)) for line in lines]


def _claim_scores(questions: Sequence[AskQuestion], replies: Sequence[Reply]) -> Iterator[Score]:
    """Score each claim of the answers by whether it was judged to be supported."""
    for question, reply in zip(questions, replies, strict=True):
        for claim in reply.claims:
            supported = claim.judgement is not None and claim.judgement.verdict == "supported"
            yield Score(f"{question.id}: {claim.id}", float(supported), claim.id)


def ranked(questions: Sequence[AskQuestion], replies: Sequence[Reply]) -> Iterator[Score]:
    """Score what must be cited by whether it is at the top of the ranked list."""
    for question, reply in zip(questions, replies, strict=True):
        top = {hit.id for hit in reply.evidence[:_TOP]}
        for group in question.target.cites:
            case = f"{question.id} {group[0]}"
            reason = f"{case}: {question.text[:_EXCERPT]}"
            yield Score(reason, float(bool(top & set(group))), case, question.lang)


def graded(questions: Sequence[AskQuestion], replies: Sequence[Reply]) -> dict[str, Figure]:
    """Grade the answers of a real model: what it says, and that it abstains where it should."""
    answered: list[Score] = []
    abstained: list[Score] = []
    for question, reply in zip(questions, replies, strict=True):
        fault = wrong_with(question, reply)
        reason = f"{question.id} {question.text[:_EXCERPT]}: {fault}"
        scores = abstained if question.target.abstain else answered
        scores.append(Score(reason, float(not fault), question.id))
    return {
        "right answers": share(answered, Target(0.85)),
        "abstained where nothing answers": share(abstained, Target(0.98)),
    }


def wrong_with(question: AskQuestion, reply: Reply) -> str:
    """Return what is wrong with an answer, or an empty string."""
    target = question.target
    text = reply.answer.lower()
    if reply.abstained or target.abstain:
        return "" if reply.abstained == target.abstain else reply.outcome
    for group in target.cites:
        if not set(reply.cites) & set(group):
            return f"does not cite {group[0]}"
    for group in target.says:
        if not any(words.lower() in text for words in group):
            return f"does not say {group[0]!r}"
    for words in target.not_says:
        if words.lower() in text:
            return f"says {words!r}"
    return ""
