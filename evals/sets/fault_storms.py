"""Storms of faults: what a day costs GitHub, and right reports through all faults of servers and models."""

import asyncio
from collections.abc import Iterable, Sequence, Set
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.ledger import LedgerRow
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec
from evals.figures import Figure, Figures, Score, Target, measure, share
from evals.github_server.faults import KINDS as FAULTS
from evals.github_server.faults import STORM as PASSING
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.model_server.honest import honest
from evals.model_server.requests_and_answers import ModelRequest
from evals.model_server.server import KINDS as MOODS
from evals.model_server.server import ModelServer, Mood
from evals.parallel_cases import CaseCount, in_processes, processor_count
from evals.worlds.data_model import World
from evals.worlds.true_ledger import push_at

_FEW_STORMS = 1
_MANY_STORMS = 8
_STORM_RATE = 0.3
_MAX_SECONDS = 120  # Of a report through a storm
_LASTING = tuple(kind for kind in FAULTS if kind not in ("grow", "redirect_elsewhere"))
"""Faults with limits that last longer than a run may wait: then the report names what is missing."""
_COMMITS = 40
_SHORT_WAIT = Budget(wait_seconds=5, retry_seconds=0.01)
"""A longer wait than this must end as "missing".

A limit that passes takes up to 2.2 s, since its end is given in whole seconds and a client waits
one more; twice in a row 4 s.
"""
_FEW_MODEL_STORMS = 8
_MANY_MODEL_STORMS = 200
_CANARY = "sk-canary-5d1c0ffee5d1c0ffee5d1c0ffee"
_ANSWER_SECONDS = 0.5
_MODEL_SECONDS = 8.0
_SLACK_SECONDS = 90.0  # Of a report, beside what its model may take
_MAX_CONCURRENT = 4
_MODEL_BUDGET = Budget(
    deep=8,
    retry_seconds=0.01,
    answer_seconds=_ANSWER_SECONDS,
    model_seconds=_MODEL_SECONDS,
    model_calls=60,
)
_FEATURES = ("schema", "tools", "stream", "usage")
_LACKING_RATE = 0.15  # How often a server lacks each feature


@evalset("requests", "what a 40-commit day costs, cold and warm")
async def requests_of_a_day(bench: Bench) -> Figures:
    """Report on forty commits with their pull requests, cold and then warm, from both sources."""
    world = bench.world("full")
    repo = RepoId(world.notes["squash repository"])
    window = _last_commits(world, repo)
    requests: dict[str, int] = {}
    fetches: dict[str, int] = {}
    complete: list[Score] = []
    for source in ("both", "api"):
        with serving(world.repos, world.now) as server:
            # The morning after: nothing has landed since.
            server.set_push(repo, push_at(world.repo(repo), window.end))
            values = through(server) | {"source": source, "budget": Budget(api_diffs=_COMMITS)}
            with bench.settings([RepoSpec(name=repo)], **values) as settings:
                report, cold = await bench.system.report(settings, window)
                requests[source] = cold.requests
                fetches[source] = server.git_fetches
                _, warm = await bench.system.report(settings, window)
        reason = f"{source}: {len(report.ledger)} rows, {report.failures}, warm {warm}"
        has_all = len(report.ledger) == _COMMITS and not report.failures
        complete.append(Score(reason, float(has_all and warm.requests == warm.free), source))
    return {
        "requests for forty commits, both sources": measure(
            [requests["both"]], Target(12, "at most")
        ),
        "requests for forty commits beside one a diff, api": measure(
            [requests["api"] - _COMMITS], Target(15, "at most")
        ),
        "git fetches for forty commits, fresh mirror": measure(
            [fetches["both"]], Target(3, "at most")
        ),
        "complete when cold, free when warm": share(complete),
    }


def _last_commits(world: World, repo: RepoId) -> Window:
    """Return the window of the last forty commits on the busy day."""
    day = date.fromisoformat(world.notes["busy day"])
    moments = []
    for row in world.landed:
        if row.repo == repo and row.committed_at.date() == day:
            moments.append(row.committed_at)
    moments.sort()
    return Window(start=moments[-_COMMITS], end=moments[-1] + timedelta(seconds=1), tz="UTC")


@evalset("storm", "the right report, or the missing named, through every fault")
async def storm(bench: Bench) -> Figures:
    """Report through storms of every kind, and compare with the report of a calm day."""
    passing: list[Score] = []
    lasting: list[Score] = []
    for source in ("both", "api"):
        calm = await _report_through(bench, source)
        for seed in range(1, bench.count(_FEW_STORMS, _MANY_STORMS) + 1):
            passing.append(await _storm_score(bench, source, seed, PASSING, calm))
            lasting.append(await _storm_score(bench, source, seed, _LASTING, calm))
    return {
        "the calm day's report, through faults that pass": share(passing),
        "right, or the missing named, through faults that last": share(lasting),
    }


async def _storm_score(
    bench: Bench, source: str, seed: int, kinds: Sequence[str], calm: Report
) -> Score:
    case = f"{source} {seed}"
    fault = await _fault_through(bench, source, seed, kinds, calm)
    return Score(f"{case}: {fault or 'right'}", float(not fault), case)


async def _fault_through(
    bench: Bench, source: str, seed: int, kinds: Sequence[str], calm: Report
) -> str:
    """Report through a storm; return what is wrong with the report, or an empty string."""
    try:
        async with asyncio.timeout(_MAX_SECONDS):
            report = await _report_through(bench, source, seed, kinds)
    except TimeoutError:
        return f"did not end in {_MAX_SECONDS} s"
    failures = calm.failures or report.failures
    if kinds is PASSING and failures:
        return str(failures)
    return difference(report, calm)


async def _report_through(
    bench: Bench, source: str, seed: int = 0, kinds: Sequence[str] = ()
) -> Report:
    """Run once in an empty home, so that nothing is answered from memory."""
    world = bench.world("demo", 1)
    day = date.fromisoformat(world.notes["reported day"])
    with serving(world.repos, world.now) as server:
        if kinds:
            server.faults.storm(seed, _STORM_RATE, kinds)
        values = through(server) | {"source": source, "budget": _SHORT_WAIT}
        return await bench.report(specs_of(world, cloned=False), day, **values)


def difference(report: Report, calm: Report) -> str:
    """Return the difference from the calm report that a report does not name as missing."""
    for expected in calm.sections:
        fault = _section_difference(report, calm, expected)
        if fault:
            return fault
    return ""


def _section_difference(report: Report, calm: Report, expected: RepoSection) -> str:
    repo = expected.repo
    failed_stages = {failure.stage for failure in report.failures if failure.repo == repo}
    if "code" in failed_stages:
        return ""
    sections = {section.repo: section for section in report.sections}
    rows = report.rows(repo)
    calm_rows = calm.rows(repo)
    if repo not in sections or [row.sha for row in rows] != [row.sha for row in calm_rows]:
        return f"{repo}: other commits than on a calm day"
    section = sections[repo]
    if "diffs" in failed_stages:
        # The files of commits whose diffs are missing are not counted.
        section = section.model_copy(update={"files": expected.files})
    if "threads" not in failed_stages and section != expected:
        return f"{repo}: another section than on a calm day"
    for row, calm_row in zip(rows, calm_rows, strict=True):
        if row.files is None and "diffs" in failed_stages:
            continue
        if _counts(row) != _counts(calm_row):
            return f"{row.id}: other counts than on a calm day"
    return ""


def _counts(row: LedgerRow) -> tuple[int | None, ...]:
    return (row.files, row.additions, row.deletions)


class ModelStormRun(NamedTuple):
    """The faults of a report through a storm of a model; empty strings where all was well."""

    report_fault: str
    leak: str = ""
    silence: str = ""


class ReportedDay(NamedTuple):
    """A report, and the first file of the run that holds the key."""

    report: Report
    leaking_file: str | None


@evalset("model-storm", "right reports in time, whatever a model and its server do")
async def model_storm(bench: Bench) -> Figures:
    """Report through random mixtures of everything that models and servers do wrong."""
    seeds = range(bench.count(_FEW_MODEL_STORMS, _MANY_MODEL_STORMS))
    count = bench.count(1, processor_count())
    parts = [seeds[first::count] for first in range(count)]
    runs_by_seed: dict[int, ModelStormRun] = {}
    for part, part_runs in zip(parts, await in_processes(_storm_runs, bench, parts), strict=True):
        runs_by_seed.update(zip(part, part_runs, strict=True))
    runs = [runs_by_seed[seed] for seed in seeds]
    return {
        "right reports, in time": _storm_share(run.report_fault for run in runs),
        "runs without the key in any file": _storm_share(run.leak for run in runs),
        "runs that say what the model wrote or failed at": _storm_share(
            run.silence for run in runs
        ),
    }


async def _storm_runs(bench: Bench, seeds: Sequence[int]) -> list[ModelStormRun]:
    """Report through the storms of some seeds; one process takes a part of them."""
    calm = (await _reported(bench, None)).report
    slots = asyncio.Semaphore(_MAX_CONCURRENT)
    count = CaseCount(bench.say, "model-storm", len(seeds))

    async def storm_run(seed: int) -> ModelStormRun:
        async with slots:
            run = await _model_storm_run(bench, seed, calm)
        count.add()
        return run

    return await asyncio.gather(*map(storm_run, seeds))


async def _model_storm_run(bench: Bench, seed: int, calm: Report) -> ModelStormRun:
    max_seconds = _MODEL_SECONDS + _SLACK_SECONDS
    try:
        async with asyncio.timeout(max_seconds):
            with _stormy_server(seed) as server:
                reported = await _reported(bench, server)
    except TimeoutError:
        return ModelStormRun(f"did not end in {max_seconds:g} s")
    report = reported.report
    leak = f"the key stands in {reported.leaking_file}" if reported.leaking_file else ""
    silence = "" if _accounts_for_model(report) else "neither words of the model nor why not"
    return ModelStormRun(wrong_with(report, calm), leak, silence)


def _accounts_for_model(report: Report) -> bool:
    """Return True if a report has words of the model, or says why it has none."""
    if any(claim.free for claim in report.claims):
        return True
    accounts = [section.account for section in report.sections]
    accounts.append(report.account)
    return any(account.fallbacks for account in accounts)


def _storm_share(faults: Iterable[str]) -> Figure:
    scores = []
    for seed, fault in enumerate(faults):
        scores.append(Score(f"seed {seed}: {fault or 'well'}", float(not fault), str(seed)))
    return share(scores)


def _stormy_server(seed: int) -> ModelServer:
    """Serve an honest model in a mixture of moods; each seed has its own kinds and rate."""
    dice = Random(f"model storm {seed}")  # noqa: S311 -- no secret
    kinds = dice.sample(MOODS, dice.randint(1, len(MOODS)))
    rate = dice.choice((0.2, 0.5, 0.8, 1.0))
    without = tuple(feature for feature in _FEATURES if dice.random() < _LACKING_RATE)

    def mood(request: ModelRequest) -> Mood | None:
        roll = Random(f"{seed} {request.number}")  # noqa: S311 -- no secret
        if roll.random() >= rate:
            return None
        return Mood(roll.choice(kinds), 2 * _ANSWER_SECONDS)

    # Only a model with a large context is offered tools.
    return ModelServer(honest, mood, without=without, context=dice.choice((None, 65_536)))


def wrong_with(report: Report, calm: Report) -> str:
    """Return the fault of a report written with a model, compared with that of rules."""
    # That a model failed at everything is said as it should be, and another figure holds that.
    failures = [failure for failure in report.failures if failure.stage != "model"]
    if failures:
        return f"incomplete: {failures[0].message}"
    if [row.sha for row in report.ledger] != [row.sha for row in calm.ledger]:
        return "other commits than on a calm day"
    # The model chooses what is read closely; facts about what is read anyway must be there.
    deep = {row.id for row in calm.ledger if row.depth == "deep"}
    facts = {claim.id for claim in calm.claims if deep & set(claim.about)}
    missing = facts - {claim.id for claim in report.claims}
    if missing:
        return f"{min(missing)} is not told"
    landed = {row.sha for row in calm.ledger}
    for claim in report.claims:
        fault = _claim_fault(claim, landed)
        if fault:
            return fault
    return ""


def _claim_fault(claim: Claim, landed: Set[str]) -> str:
    if claim.judgement is None or not claim.judgement.passed:
        return f"{claim.id} did not pass the gate"
    if not claim.free:
        return ""
    if not claim.judged_by:
        return f"{claim.id} was read by no judge"
    cited = {cite.revision for cite in claim.cites if not cite.is_thread}
    if not cited <= landed:
        return f"{claim.id} cites what is not of the day"
    return ""


async def _reported(bench: Bench, server: ModelServer | None) -> ReportedDay:
    """Run once in an empty home, and search everything that the run left behind."""
    world = bench.world("demo", 1)
    day = date.fromisoformat(world.notes["reported day"])
    window = Window.days(day, day, "UTC")
    model: dict[str, Any] = {}
    if server is not None:
        model = {"analyst": "model", "model": server.model, "model_url": server.url}
    specs = specs_of(world)
    with bench.settings(specs, source="git", budget=_MODEL_BUDGET, **model) as settings:
        environ = {"OPENAI_API_KEY": _CANARY}
        report, _ = await bench.system.report(settings, window, environ)
        return ReportedDay(report, leak_in(settings.out.parent, _CANARY))


def leak_in(folder: Path, secret: str) -> str | None:
    """Return the name of the first file that holds a secret."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and secret.encode() in path.read_bytes():
            return path.name
    return None
