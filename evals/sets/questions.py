"""Questions: an answer cites what it must, says what it must, and stays away where the evidence is not there."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from agent.asking.query import Reply
from agent.domain.base import RepoId
from agent.domain.claims import Verdict
from agent.settings.values import RepoSpec, Settings
from evals.figures import Score, Target, share
from evals.github_server.app import GitHubServer
from evals.github_server.responses import Allowance
from evals.harness import Bench, EvalSet, Figures
from evals.model_server.server import ModelServer
from evals.sets.perfect_model import PerfectModel
from evals.worlds.model import World

_TOKEN = "questions"  # noqa: S105 -- the loopback server's only token
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_WRONG = -2.0
_FIRST = 20
"""Ten commits and ten threads."""
_LOOKUPS = ("what-changed", "status", "explain", "who", "when-value", "mentions", "count", "fate", "compare", "broke")


@dataclass(frozen=True)
class Question:
    """One question, and what a right answer has."""

    id: str
    split: str
    lang: str
    kind: str
    topic: str
    text: str
    repos: tuple[RepoId, ...]
    abstain: bool
    cites: tuple[tuple[str, ...], ...]
    says: tuple[tuple[str, ...], ...]
    not_says: tuple[str, ...]
    nearest: tuple[tuple[str, ...], ...]


@dataclass
class Tally:
    """The scores of one part of the questions."""

    correct: list[Score] = field(default_factory=list)
    abstained: list[Score] = field(default_factory=list)
    over: list[Score] = field(default_factory=list)
    cited: list[Score] = field(default_factory=list)
    corrected: list[Score] = field(default_factory=list)
    risk: list[Score] = field(default_factory=list)


def questions(name: str = "questions_world") -> list[Question]:
    """Read the questions that are shipped."""
    text = (files("evals") / "sets" / "data" / f"{name}.jsonl").read_text("utf-8")
    return [_question(json.loads(line)) for line in text.splitlines() if line.strip()]


def _question(row: Mapping[str, Any]) -> Question:
    target = row["target"]
    return Question(
        id=row["id"],
        split=row["split"],
        lang=row["lang"],
        kind=row["kind"],
        topic=row["topic"],
        text=row["question"],
        repos=tuple(map(RepoId, row["repos"])),
        abstain=target["abstain"],
        cites=tuple(map(tuple, target["cites"])),
        says=tuple(map(tuple, target["says"])),
        not_says=tuple(target["not_says"]),
        nearest=tuple(map(tuple, target.get("nearest", ()))),
    )


async def run(bench: Bench) -> Figures:
    """Let a memory that knows the whole world answer every question."""
    world = bench.world("full")
    tallies: dict[str, Tally] = {}
    asked = questions()
    with (
        ExitStack() as stack,
        GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now, allowance=Allowance(token=1_000_000)) as server,
        tempfile.TemporaryDirectory(dir=bench.folder) as home,
    ):
        settings = settings_of(world, server, Path(home))
        if bench.analyst == "model":
            model = stack.enter_context(ModelServer(PerfectModel(asked), name="perfect", context=65_536))
            settings = settings.model_copy(update={"analyst": "model", "model": "perfect", "model_url": model.url})
        bench.say("questions: reading the world")
        replies = await bench.system.ask(settings, [(one.text, one.repos) for one in asked], world.now, _BEGINNING)
    if bench.analyst == "rules":
        return _ranked(asked, replies)
    for one, reply in zip(asked, replies, strict=True):
        for part in (one.split, f"{one.split}, {one.lang}"):
            grade(one, reply, tallies.setdefault(part, Tally()))
    return {name: figure for part in sorted(tallies) for name, figure in _figures(part, tallies[part]).items()}


def _ranked(asked: Sequence[Question], replies: Sequence[Reply]) -> Figures:
    """Without a model: the share of what must be cited that stands in the ranked list."""
    scores: dict[str, list[Score]] = {}
    for one, reply in zip(asked, replies, strict=True):
        first = {hit.id for hit in reply.evidence[:_FIRST]}
        for group in one.cites:
            score = Score(f"{one.id} {one.text[:90]}: {group[0]}", float(bool(first & set(group))))
            for part in (one.split, f"{one.split}, {one.lang}"):
                scores.setdefault(part, []).append(score)
    return {f"{part}: required evidence among the first twenty": share(scores[part], Target(0.5)) for part in scores}


def settings_of(world: World, server: GitHubServer, home: Path) -> Settings:
    """Point Gitzette at the world and its server."""
    specs = tuple(RepoSpec(name=RepoId(repo.full_name), path=repo.git_dir) for repo in world.repos)
    return Settings(repos=specs, github_url=server.url, token=SecretStr(_TOKEN), home=home, out=home / "out")


def grade(question: Question, reply: Reply, tally: Tally) -> None:
    """Score one answer."""
    where = f"{question.id} {question.text[:90]}"
    tally.cited += [
        Score(
            f"{where}: {claim.id}", float(claim.judgement is not None and claim.judgement.verdict is Verdict.SUPPORTED)
        )
        for claim in reply.claims
    ]
    if question.abstain:
        tally.abstained.append(Score(f"{where}: answered", float(reply.abstained)))
        if question.nearest:
            tally.corrected.append(
                Score(f"{where}: the truth is not cited", float(_cites(question.nearest, reply) == ""))
            )
        return
    if question.cites:
        tally.over.append(Score(f"{where}: abstained", 0.0 if not reply.abstained else 1.0))
    # A count has nothing that must be cited, and the scripted model knows only the number.
    if question.topic in _LOOKUPS and question.cites:
        problem = wrong_with(question, reply)
        tally.correct.append(Score(f"{where}: {problem}", float(not problem)))
        # A wrong answer costs more than none.
        tally.risk.append(Score(f"{where}: {problem}", 1.0 if not problem else 0.0 if reply.abstained else _WRONG))


def wrong_with(question: Question, reply: Reply) -> str:
    """Say what is wrong with an answer; nothing where it is right."""
    if reply.abstained:
        return "abstained"
    if problem := _cites(question.cites, reply):
        return problem
    text = reply.answer.lower()
    for group in question.says:
        if not any(one.lower() in text for one in group):
            return f"does not say {group[0]!r}"
    said = next((one for one in question.not_says if one.lower() in text), None)
    return f"says {said!r}" if said else ""


def _cites(groups: Sequence[Sequence[str]], reply: Reply) -> str:
    cited = set(reply.cites)
    missing = [group[0] for group in groups if not cited & set(group)]
    return f"does not cite {missing[0]}" if missing else ""


def _figures(part: str, tally: Tally) -> Figures:
    return {
        f"{part}: right answers": share(tally.correct, Target(0.98)),
        f"{part}: right answers less twice the wrong ones": share(tally.risk, Target(0.8)),
        f"{part}: abstained where nothing answers": share(tally.abstained, Target(1.0)),
        f"{part}: abstained without need": share(tally.over, Target(0.05, "at most")),
        f"{part}: truth cited against a false premise": share(tally.corrected, Target(0.8)),
        f"{part}: claims that hold": share(tally.cited, Target(1.0)),
    }


QUESTIONS = EvalSet("questions", "questions about a world's changes, in two languages, answered with citations", run)
