"""Ask: without a model the evidence that answers stands high in the ranked list; with one, what is said is borne out.

A scripted model says what the evidence plainly says: nothing of it may fail gate or judge. A real one (`--model-url`)
is graded by what must be cited, what must be said, and whether it abstains where nothing answers.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files

from pydantic import BaseModel, Field

from agent.domain.base import RepoId
from agent.questions import Reply
from evals.figures import Figures, Score, Target, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer

_DATA = files("evals") / "sets" / "data" / "questions_world.jsonl"
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_FIRST = 20  # Ten commits and ten threads
_STEP = 10  # One of so many questions is asked where few are enough


class ExpectedAnswer(BaseModel):
    """What a right answer has: one of each group."""

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
    """Let a memory that knows the whole world answer, first without a model, then with one."""
    shipped = [
        AskQuestion.model_validate(json.loads(line))
        for line in _DATA.read_text("utf-8").splitlines()
    ]
    world, asked = bench.world("full"), shipped[:: bench.count(_STEP, 1)]
    texts = [(one.text, one.repos) for one in asked]
    with (
        serving(world.repos, world.now) as server,
        ModelServer(honest, context=65_536) as scripted,
        bench.settings(specs_of(world), **through(server)) as settings,
    ):
        plain = await bench.system.ask(settings, texts, world.now, _BEGINNING)
        model = bench.model or {"model": scripted.model, "model_url": scripted.url}
        settings = settings.model_copy(update={"analyst": "model", **model})
        replies = await bench.system.ask(settings, texts, world.now, _BEGINNING)
    held = []
    for one, reply in zip(asked, replies, strict=True):
        for claim in reply.claims:
            good = claim.judgement is not None and claim.judgement.verdict == "supported"
            held.append(Score(f"{one.id}: {claim.id}", float(good), claim.id))
    return {
        "required evidence among the first twenty": share(ranked(asked, plain), Target(0.5)),
        "claims of answers that hold": share(held),
        **(graded(asked, replies) if bench.model else {}),
    }


def ranked(asked: Sequence[AskQuestion], replies: Sequence[Reply]) -> list[Score]:
    """Score what must be cited by whether it stands in the ranked list."""
    scores = []
    for one, reply in zip(asked, replies, strict=True):
        first = {hit.id for hit in reply.evidence[:_FIRST]}
        for group in one.target.cites:
            case = f"{one.id} {group[0]}"
            scores.append(
                Score(f"{case}: {one.text[:90]}", float(bool(first & set(group))), case, one.lang)
            )
    return scores


def graded(asked: Sequence[AskQuestion], replies: Sequence[Reply]) -> Figures:
    """Grade the answers of a real model: what it says, and that it abstains where nothing answers."""
    scores: dict[bool, list[Score]] = {False: [], True: []}
    for one, reply in zip(asked, replies, strict=True):
        wrong = wrong_with(one, reply)
        scores[one.target.abstain].append(
            Score(f"{one.id} {one.text[:90]}: {wrong}", float(not wrong), one.id)
        )
    return {
        "right answers": share(scores[False], Target(0.85)),
        "abstained where nothing answers": share(scores[True], Target(0.98)),
    }


def wrong_with(question: AskQuestion, reply: Reply) -> str:
    """Say what is wrong with an answer; nothing where it is right."""
    target, text = question.target, reply.answer.lower()
    if reply.abstained or target.abstain:
        return "" if reply.abstained == target.abstain else reply.outcome
    if missing := [group[0] for group in target.cites if not set(reply.cites) & set(group)]:
        return f"does not cite {missing[0]}"
    if missing := [
        group[0] for group in target.says if not any(one.lower() in text for one in group)
    ]:
        return f"does not say {missing[0]!r}"
    return next((f"says {one!r}" for one in target.not_says if one.lower() in text), "")
