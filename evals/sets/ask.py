"""Ask: without a model the evidence that answers stands high in the ranked list; with one, what is said is borne out.

A scripted model says what the evidence plainly says: nothing of it may fail gate or judge. A real one (`--model-url`)
is graded by what must be cited, what must be said, and whether it abstains where nothing answers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from agent.domain.base import RepoId
from agent.domain.claims import Verdict
from agent.questions import Reply
from evals.figures import Figures, Score, Target, share
from evals.harness import Bench, EvalSet, serving, specs_of, through
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer

_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_FIRST = 20
"""Ten commits and ten threads."""
_STEP = 5
"""One of so many questions is asked where few are enough."""
Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Question:
    """One question, and what a right answer has: one of each group."""

    id: str
    lang: str
    text: str
    repos: tuple[RepoId, ...]
    abstain: bool
    cites: Groups
    says: Groups
    not_says: tuple[str, ...]
    nearest: Groups
    """What is cited against a false premise."""


def questions() -> list[Question]:
    """Read the questions that are shipped."""
    text = (files("evals") / "sets" / "data" / "questions_world.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [_question(row, row["target"]) for row in rows]


def _question(row: Mapping[str, Any], target: Mapping[str, Any]) -> Question:
    return Question(
        id=row["id"],
        lang=row["lang"],
        text=row["question"],
        repos=tuple(map(RepoId, row["repos"])),
        abstain=target["abstain"],
        cites=tuple(map(tuple, target["cites"])),
        says=tuple(map(tuple, target["says"])),
        not_says=tuple(target["not_says"]),
        nearest=tuple(map(tuple, target.get("nearest", ()))),
    )


async def run(bench: Bench) -> Figures:
    """Let a memory that knows the whole world answer, first without a model, then with one."""
    world, asked = bench.world("full"), questions()[:: bench.count(_STEP, 1)]
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
    claims = [(one, claim) for one, reply in zip(asked, replies, strict=True) for claim in reply.claims]
    held = [
        Score(
            f"{one.id}: {claim.id}", float(claim.judgement is not None and claim.judgement.verdict is Verdict.SUPPORTED)
        )
        for one, claim in claims
    ]
    ranked = {
        lang: _ranked([one for one in asked if lang in ("", one.lang)], asked, plain) for lang in ("", "en", "zh")
    }
    return {
        **{_name(lang): share(scores, Target(0.5)) for lang, scores in ranked.items()},
        "claims of answers that hold": share(held),
        **(graded(asked, replies) if bench.model else {}),
    }


def _name(lang: str) -> str:
    return f"required evidence among the first twenty{f', {lang}' if lang else ''}"


def _ranked(chosen: Sequence[Question], asked: Sequence[Question], replies: Sequence[Reply]) -> list[Score]:
    """Score what must be cited by whether it stands in the ranked list."""
    first = {one.id: {hit.id for hit in reply.evidence[:_FIRST]} for one, reply in zip(asked, replies, strict=True)}
    return [
        Score(f"{one.id} {one.text[:90]}: {group[0]}", float(bool(first[one.id] & set(group))), f"{one.id} {group[0]}")
        for one in chosen
        for group in one.cites
    ]


def graded(asked: Sequence[Question], replies: Sequence[Reply]) -> Figures:
    """Grade the answers of a real model."""
    pairs: Mapping[bool, list[tuple[Question, Reply]]] = {True: [], False: []}
    for one, reply in zip(asked, replies, strict=True):
        pairs[one.abstain].append((one, reply))
    right = [Score(f"{one.id} {one.text[:90]}: {wrong_with(one, reply)}", float(not wrong_with(one, reply)), one.id)
             for one, reply in pairs[False]]  # fmt: skip
    needless = [Score(f"{one.id} {one.text[:90]}", float(reply.abstained), one.id) for one, reply in pairs[False]]
    silent = [Score(f"{one.id} {one.text[:90]}", float(reply.abstained), one.id) for one, reply in pairs[True]]
    premise = [
        Score(f"{one.id}: {_uncited(one.nearest, reply)}", float(not _uncited(one.nearest, reply)), one.id)
        for one, reply in pairs[True]
        if one.nearest
    ]
    return {
        "right answers": share(right, Target(0.85)),
        "abstained where nothing answers": share(silent, Target(0.98)),
        "abstained without need": share(needless, Target(0.05, "at most")),
        "truth cited against a false premise": share(premise, Target(0.8)),
    }


def wrong_with(question: Question, reply: Reply) -> str:
    """Say what is wrong with an answer; nothing where it is right."""
    if reply.abstained:
        return "abstained"
    if problem := _uncited(question.cites, reply):
        return problem
    text = reply.answer.lower()
    if missing := [group[0] for group in question.says if not any(one.lower() in text for one in group)]:
        return f"does not say {missing[0]!r}"
    said = next((one for one in question.not_says if one.lower() in text), None)
    return f"says {said!r}" if said else ""


def _uncited(groups: Groups, reply: Reply) -> str:
    missing = [group[0] for group in groups if not set(reply.cites) & set(group)]
    return f"does not cite {missing[0]}" if missing else ""


ASK = EvalSet("ask", "questions about a world's changes, in two languages", run)
