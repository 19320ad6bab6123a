"""Model storm: whatever a model and its server do, a run publishes a right report in time and leaks nothing."""

import asyncio
from datetime import date
from pathlib import Path
from random import Random

from agent.domain.ledger import Depth
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget
from evals.figures import Figures, Score, share
from evals.harness import Bench, evalset, specs_of
from evals.model_server.honest import honest
from evals.model_server.server import KINDS, ModelServer, Mood
from evals.model_server.talk import Asked

_FEW, _MANY = 8, 200
_CANARY = "sk-canary-5d1c0ffee5d1c0ffee5d1c0ffee"
_ANSWER_SECONDS, _MODEL_SECONDS, _SLACK = 0.5, 8.0, 90.0
_AT_ONCE = 4
_BUDGET = Budget(
    deep=8, retry_seconds=0.01, answer_seconds=_ANSWER_SECONDS, model_seconds=_MODEL_SECONDS, model_calls=60
)


@evalset("model-storm", "right reports in time, whatever a model and its server do")
async def run(bench: Bench) -> Figures:
    """Report through random mixtures of everything that models and servers do wrong."""
    calm, _ = await _reported(bench, None)
    few = asyncio.Semaphore(_AT_ONCE)

    async def one(seed: int) -> tuple[str, str, str]:
        async with few:
            try:
                async with asyncio.timeout(_MODEL_SECONDS + _SLACK):
                    with _storm(seed) as server:
                        report, leaked = await _reported(bench, server)
            except TimeoutError:
                return f"did not end in {_MODEL_SECONDS + _SLACK:g} s", "", ""
            accounts = (report.account, *(section.account for section in report.sections))
            told = any(claim.free for claim in report.claims) or any(one.fallbacks for one in accounts)
            silent = "" if told else "neither words of the model nor why not"
            return wrong_with(report, calm), f"the key stands in {leaked}" if leaked else "", silent

    runs = await asyncio.gather(*map(one, range(bench.count(_FEW, _MANY))))
    right, kept, wrote = (
        share([Score(f"seed {seed}: {text or 'well'}", float(not text), str(seed)) for seed, text in enumerate(column)])
        for column in zip(*runs, strict=True)
    )
    return {
        "right reports, in time": right,
        "runs without the key in any file": kept,
        "runs that say what the model wrote or failed at": wrote,
    }


def _storm(seed: int) -> ModelServer:
    """Serve an honest model in a mixture of moods; each run has its own kinds and its own rate."""
    dice = Random(f"model storm {seed}")  # noqa: S311 -- no secret
    kinds = dice.sample(KINDS, dice.randint(1, len(KINDS)))
    rate = dice.choice((0.2, 0.5, 0.8, 1.0))
    without = tuple(one for one in ("schema", "tools", "stream", "usage") if dice.random() < 0.15)

    def mood(asked: Asked) -> Mood | None:
        roll = Random(f"{seed} {asked.number}")  # noqa: S311 -- no secret
        return Mood(roll.choice(kinds), 2 * _ANSWER_SECONDS) if roll.random() < rate else None

    # Only a model with room to loop is offered tools.
    return ModelServer(honest, mood, without=without, context=dice.choice((None, 65_536)))


def wrong_with(report: Report, calm: Report) -> str:
    """Say what is wrong with a report that a model helped with, held against the one that rules write alone."""
    if report.failures:
        return f"incomplete: {report.failures[0].message}"
    if [row.sha for row in report.ledger] != [row.sha for row in calm.ledger]:
        return "other commits than on a calm day"
    # How closely something is read is the model's choice; what code says of what it reads anyway is not.
    deep = {f"{row.repo}@{row.sha}" for row in calm.ledger if row.depth is Depth.DEEP}
    facts = {claim.id for claim in calm.claims if set(claim.about) & deep}
    if missing := facts - {claim.id for claim in report.claims}:
        return f"{min(missing)} is not told"
    known = {row.sha for row in calm.ledger}
    for claim in report.claims:
        if claim.judgement is None or not claim.judgement.passed:
            return f"{claim.id} did not pass the gate"
        if claim.free and not claim.judged_by:
            return f"{claim.id} was read by no judge"
        if claim.free and not {cite.rpartition("@")[2] for cite in claim.cites if "@" in cite} <= known:
            return f"{claim.id} cites what is not of the day"
    return ""


async def _reported(bench: Bench, server: ModelServer | None) -> tuple[Report, str | None]:
    """Run once in a fresh home, and look through everything that it left behind."""
    world = bench.world("demo", 1)
    day = date.fromisoformat(world.notes["reported day"])
    model = {"analyst": "model", "model": server.model, "model_url": server.url} if server else {}
    with bench.settings(specs_of(world), source="git", budget=_BUDGET, **model) as settings:
        window, environ = Window.days(day, day, "UTC"), {"OPENAI_API_KEY": _CANARY}
        report, _ = await bench.system.report(settings, window, environ)
        return report, leak_in(settings.out.parent, _CANARY)


def leak_in(folder: Path, secret: str) -> str | None:
    """Name the first file that holds a secret."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return next((path.name for path in files if secret.encode() in path.read_bytes()), None)
