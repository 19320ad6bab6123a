"""Storm: whatever a server does, a run gives the right report or names exactly what is missing, and it ends."""

import asyncio
from collections.abc import Sequence
from datetime import date

from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget, SourceChoice
from evals.figures import Figures, Score, share
from evals.github_server.faults import KINDS
from evals.github_server.faults import STORM as PASSING
from evals.harness import Bench, EvalSet, serving, specs_of, through

_FEW, _MANY = 2, 8
_SECONDS = 120
_LASTING = tuple(kind for kind in KINDS if kind not in ("grow", "redirect_elsewhere"))
"""With limits that last longer than a run may wait: then something must be named as missing."""


async def run(bench: Bench) -> Figures:
    """Report through storms of every kind, and compare with the report of a calm day."""
    passing, lasting = list[Score](), list[Score]()
    choices: tuple[SourceChoice, ...] = ("both", "api")
    for choice in choices:
        calm = await _report(bench, choice)
        passing.append(Score(f"{choice}: calm: {calm.failures}", float(not calm.failures), f"{choice} calm"))
        for seed in range(1, bench.count(_FEW, _MANY) + 1):
            passing.append(await _weathered(bench, choice, seed, PASSING, calm))
            lasting.append(await _weathered(bench, choice, seed, _LASTING, calm))
    return {
        "the calm day's report, through faults that pass": share(passing),
        "right, or the missing named, through faults that last": share(lasting),
    }


async def _weathered(bench: Bench, choice: SourceChoice, seed: int, kinds: Sequence[str], calm: Report) -> Score:
    case = f"{choice}, seed {seed}"
    try:
        async with asyncio.timeout(_SECONDS):
            report = await _report(bench, choice, seed, kinds)
    except TimeoutError:
        return Score(f"{case}: did not end in {_SECONDS} s", 0.0, case)
    wrong = report.failures[0].message if kinds is PASSING and report.failures else difference(report, calm)
    return Score(f"{case}: {wrong or 'right'}", float(not wrong), case)


def difference(report: Report, calm: Report) -> str:
    """Say what a report tells otherwise than the calm one without naming it as missing."""
    sections = {section.repo: section for section in report.sections}
    for expected in calm.sections:
        repo = expected.repo
        stages = {failure.stage for failure in report.failures if failure.repo == repo}
        if "code" in stages:
            continue
        rows, wanted = report.rows(repo), calm.rows(repo)
        if repo not in sections:
            return f"{repo} is missing and not named"
        if [row.sha for row in rows] != [row.sha for row in wanted]:
            return f"{repo}: other commits than on a calm day"
        if "threads" not in stages and sections[repo] != expected:
            return f"{repo}: another section than on a calm day"
        for row, right in zip(rows, wanted, strict=True):
            told = (row.files, row.additions, row.deletions)
            if row.files is not None and told != (right.files, right.additions, right.deletions):
                return f"{repo}@{row.sha}: other counts than on a calm day"
            if row.files is None and right.files is not None and "diffs" not in stages:
                return f"{repo}@{row.sha}: counts are missing and not named"
    return ""


async def _report(bench: Bench, choice: SourceChoice, seed: int = 0, kinds: Sequence[str] = ()) -> Report:
    """Run once in a fresh home, so that nothing is answered from memory."""
    world = bench.world("demo", 1)
    day = date.fromisoformat(world.notes["reported day"])
    # Nobody waits a minute for a loopback server: a longer wait than this must end as "missing".
    patience = Budget(wait_seconds=2, retry_seconds=0.01)
    with serving(world.repos, world.now) as server:
        if kinds:
            server.faults.storm(seed, 0.3, kinds)
        more = through(server) | {"source": choice, "budget": patience}
        with bench.settings(specs_of(world, cloned=False), **more) as settings:
            return (await bench.system.report(settings, Window.days(day, day, "UTC")))[0]


STORM = EvalSet("storm", "the right report, or the missing named, through every fault", run)
