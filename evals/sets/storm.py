"""Requests and storms: what a day costs a server, and a right report whatever GitHub, a model or its server do."""

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec
from evals.figures import Figures, Score, Target, measure, share
from evals.github_server.faults import KINDS as FAULTS
from evals.github_server.faults import STORM as PASSING
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.model_server.honest import honest
from evals.model_server.server import KINDS as MOODS
from evals.model_server.server import ModelServer, Mood
from evals.model_server.talk import ModelRequest
from evals.processes import in_processes, processor_count
from evals.worlds.gold import push_at

_FEW_STORMS, _STORMS = 1, 8
_SECONDS = 120
_LASTING = tuple(kind for kind in FAULTS if kind not in ("grow", "redirect_elsewhere"))
"""With limits that last longer than a run may wait: then something must be named as missing."""
_COMMITS = 40
_PATIENCE = Budget(wait_seconds=5, retry_seconds=0.01)
"""Nobody waits a minute for a loopback server: a longer wait than this must end as "missing". A limit that passes takes
up to 2.2 s, since its end is told in whole seconds and a client waits one more; twice in a row 4 s."""


@evalset("requests", "what a 40-commit day costs, cold and warm")
async def requests(bench: Bench) -> Figures:
    """Report on forty commits with their pull requests on a busy day, cold and then warm, from both sources."""
    world = bench.world("full")
    repo, day = (
        RepoId(world.notes["squash repository"]),
        date.fromisoformat(world.notes["busy day"]),
    )
    moments = sorted(
        r.committed_at for r in world.landed if r.repo == repo and r.committed_at.date() == day
    )
    window = Window(start=moments[-_COMMITS], end=moments[-1] + timedelta(seconds=1), tz="UTC")
    spent: dict[str, int] = {}
    rows: list[Score] = []
    for choice in ("both", "api"):
        with serving(world.repos, world.now) as server:
            # The morning after: nothing has landed since.
            server.set_push(repo, push_at(world.repo(repo), window.end))
            more = through(server) | {"source": choice, "budget": Budget(api_diffs=_COMMITS)}
            with bench.settings([RepoSpec(name=repo)], **more) as settings:
                report, cold = await bench.system.report(settings, window)
                spent[choice], spent[f"{choice} fetches"] = cold.requests, server.git_fetches
                _, warm = await bench.system.report(settings, window)
        told = f"{choice}: {len(report.ledger)} rows, {report.failures}, warm {warm}"
        complete = len(report.ledger) == _COMMITS and not report.failures
        rows.append(Score(told, float(complete and warm.requests == warm.free), choice))
    return {
        "requests for forty commits, both sources": measure([spent["both"]], Target(12, "at most")),
        "requests for forty commits beside one a diff, api": measure(
            [spent["api"] - _COMMITS], Target(15, "at most")
        ),
        "git fetches for forty commits, fresh mirror": measure(
            [spent["both fetches"]], Target(3, "at most")
        ),
        "complete when cold, free when warm": share(rows),
    }


@evalset("storm", "the right report, or the missing named, through every fault")
async def storm(bench: Bench) -> Figures:
    """Report through storms of every kind, and compare with the report of a calm day."""
    scores: dict[Sequence[str], list[Score]] = {PASSING: [], _LASTING: []}
    for choice in ("both", "api"):
        calm = await _through(bench, choice)
        for seed in range(1, bench.count(_FEW_STORMS, _STORMS) + 1):
            for kinds, each in scores.items():
                try:
                    async with asyncio.timeout(_SECONDS):
                        report = await _through(bench, choice, seed, kinds)
                    passed = kinds is PASSING and (calm.failures or report.failures)
                    wrong = str(passed) if passed else difference(report, calm)
                except TimeoutError:
                    wrong = f"did not end in {_SECONDS} s"
                each.append(
                    Score(
                        f"{choice} {seed}: {wrong or 'right'}", float(not wrong), f"{choice} {seed}"
                    )
                )
    return {
        "the calm day's report, through faults that pass": share(scores[PASSING]),
        "right, or the missing named, through faults that last": share(scores[_LASTING]),
    }


async def _through(bench: Bench, choice: str, seed: int = 0, kinds: Sequence[str] = ()) -> Report:
    """Run once in a fresh home, so that nothing is answered from memory."""
    world = bench.world("demo", 1)
    with serving(world.repos, world.now) as server:
        if kinds:
            server.faults.storm(seed, 0.3, kinds)
        more = through(server) | {"source": choice, "budget": _PATIENCE}
        return await bench.report(
            specs_of(world, cloned=False), date.fromisoformat(world.notes["reported day"]), **more
        )


def difference(report: Report, calm: Report) -> str:
    """Say what a report tells otherwise than the calm one without naming it as missing."""
    sections = {section.repo: section for section in report.sections}
    for expected in calm.sections:
        repo = expected.repo
        stages = {failure.stage for failure in report.failures if failure.repo == repo}
        rows, wanted = report.rows(repo), calm.rows(repo)
        if "code" in stages:
            continue
        if repo not in sections or [row.sha for row in rows] != [row.sha for row in wanted]:
            return f"{repo}: other commits than on a calm day"
        if "threads" not in stages and sections[repo] != expected:
            return f"{repo}: another section than on a calm day"
        for row, right in zip(rows, wanted, strict=True):
            told = (row.files, row.additions, row.deletions)
            if told != (right.files, right.additions, right.deletions) and not (
                row.files is None and "diffs" in stages
            ):
                return f"{row.id}: other counts than on a calm day"
    return ""


_FEW_MODELS, _MODELS = 8, 200
_CANARY = "sk-canary-5d1c0ffee5d1c0ffee5d1c0ffee"
_ANSWER_SECONDS, _MODEL_SECONDS, _SLACK = 0.5, 8.0, 90.0
_AT_ONCE = 4
_BUDGET = Budget(
    deep=8,
    retry_seconds=0.01,
    answer_seconds=_ANSWER_SECONDS,
    model_seconds=_MODEL_SECONDS,
    model_calls=60,
)


@evalset("model-storm", "right reports in time, whatever a model and its server do")
async def model_storm(bench: Bench) -> Figures:
    """Report through random mixtures of everything that models and servers do wrong."""
    seeds = range(bench.count(_FEW_MODELS, _MODELS))
    count = bench.count(1, processor_count())
    bench.world("demo", 1)  # Built once, before several processes look for it
    parts = [seeds[first::count] for first in range(count)]
    runs_by_seed: dict[int, _StormRun] = {}
    for part, stormy_runs in zip(parts, await in_processes(_storms, bench, parts), strict=True):
        runs_by_seed.update(zip(part, stormy_runs, strict=True))
    runs = [runs_by_seed[seed] for seed in seeds]
    right, kept, wrote = (
        share(
            [
                Score(f"seed {seed}: {text or 'well'}", float(not text), str(seed))
                for seed, text in enumerate(column)
            ]
        )
        for column in zip(*runs, strict=True)
    )
    return {
        "right reports, in time": right,
        "runs without the key in any file": kept,
        "runs that say what the model wrote or failed at": wrote,
    }


class _StormRun(NamedTuple):
    """What is wrong with a run through a storm; each is empty where all is well."""

    fault: str
    leak: str
    silence: str


async def _storms(bench: Bench, seeds: Sequence[int]) -> list[_StormRun]:
    calm, _ = await _reported(bench, None)
    slots = asyncio.Semaphore(_AT_ONCE)

    async def through_storm(seed: int) -> _StormRun:
        async with slots:
            try:
                async with asyncio.timeout(_MODEL_SECONDS + _SLACK):
                    with _storm(seed) as server:
                        report, leaked = await _reported(bench, server)
            except TimeoutError:
                return _StormRun(f"did not end in {_MODEL_SECONDS + _SLACK:g} s", "", "")
        leak = f"the key stands in {leaked}" if leaked else ""
        return _StormRun(wrong_with(report, calm), leak, _silence(report))

    return await asyncio.gather(*map(through_storm, seeds))


def _silence(report: Report) -> str:
    """Return a complaint if a report has no words of the model and does not say why."""
    accounts = (report.account, *(section.account for section in report.sections))
    if any(claim.free for claim in report.claims):
        return ""
    if any(account.fallbacks for account in accounts):
        return ""
    return "neither words of the model nor why not"


def _storm(seed: int) -> ModelServer:
    """Serve an honest model in a mixture of moods; each model_storm has its own kinds and its own rate."""
    dice = Random(f"model storm {seed}")  # noqa: S311 -- no secret
    kinds = dice.sample(MOODS, dice.randint(1, len(MOODS)))
    rate = dice.choice((0.2, 0.5, 0.8, 1.0))
    without = tuple(one for one in ("schema", "tools", "stream", "usage") if dice.random() < 0.15)

    def mood(asked: ModelRequest) -> Mood | None:
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
    deep = {row.id for row in calm.ledger if row.depth == "deep"}
    facts = {claim.id for claim in calm.claims if set(claim.about) & deep}
    if missing := facts - {claim.id for claim in report.claims}:
        return f"{min(missing)} is not told"
    known = {row.sha for row in calm.ledger}
    for claim in report.claims:
        if claim.judgement is None or not claim.judgement.passed:
            return f"{claim.id} did not pass the gate"
        if claim.free and not claim.judged_by:
            return f"{claim.id} was read by no judge"
        if (
            claim.free
            and not {cite.revision for cite in claim.cites if not cite.is_thread} <= known
        ):
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
