"""Storm: whatever a server does, a run gives the right report or names exactly what is missing, and it ends."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from agent.domain.base import RepoId
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec, Settings, SourceChoice
from evals.figures import Score, Target, share
from evals.github_server.app import GitHubServer
from evals.github_server.faults import KINDS
from evals.github_server.faults import STORM as PASSING
from evals.harness import Bench, EvalSet, Figures
from evals.worlds.model import World
from evals.worlds.worlds import build

_TOKEN = "storm"  # noqa: S105 -- the loopback server's only token
_SEEDS = range(1, 9)
_SECONDS = 120
_HARD = tuple(kind for kind in KINDS if kind not in ("grow", "redirect_elsewhere"))
"""With limits that last longer than a run may wait: then something must be named as missing."""


async def run(bench: Bench) -> Figures:
    """Report through storms of every kind, and compare with the report of a calm day."""
    passing: list[Score] = []
    lasting: list[Score] = []
    for choice in ("both", "api"):
        calm = await _report(bench, choice)
        passing.append(Score(f"{choice}: calm: {calm.failures}", float(not calm.failures)))
        for seed in _SEEDS[:2] if bench.small else _SEEDS:
            bench.say(f"storm: {choice}, seed {seed}")
            passing.append(await _weathered(bench, choice, seed, PASSING, calm))
            lasting.append(await _weathered(bench, choice, seed, _HARD, calm))
    return {
        "the calm day's report, through faults that pass": share(passing, Target(1.0)),
        "right, or the missing named, through faults that last": share(lasting, Target(1.0)),
    }


async def _weathered(bench: Bench, choice: SourceChoice, seed: int, kinds: Sequence[str], calm: Report) -> Score:
    where = f"{choice}, seed {seed}"
    try:
        async with asyncio.timeout(_SECONDS):
            report = await _report(bench, choice, seed, kinds)
    except TimeoutError:
        return Score(f"{where}: did not end in {_SECONDS} s", 0.0)
    if kinds is PASSING and report.failures:
        return Score(f"{where}: {report.failures[0].message}", 0.0)
    wrong = difference(report, calm)
    return Score(f"{where}: {wrong or 'right'}", float(wrong is None))


def difference(report: Report, calm: Report) -> str | None:
    """Say what a report tells otherwise than the calm one without naming it as missing."""
    for repo in calm.repos:
        stages = {failure.stage for failure in report.failures if failure.repo == repo}
        if "code" in stages:
            continue
        sections = {section.repo: section for section in report.sections}
        section, expected = sections.get(repo), next(s for s in calm.sections if s.repo == repo)
        rows, wanted = report.rows(repo), calm.rows(repo)
        if section is None:
            return f"{repo} is missing and not named"
        if [row.sha for row in rows] != [row.sha for row in wanted]:
            return f"{repo}: other commits than on a calm day"
        if "threads" not in stages and section != expected:
            return f"{repo}: another section than on a calm day"
        for row, right in zip(rows, wanted, strict=True):
            counted = row.files is not None
            if counted and (row.files, row.additions, row.deletions) != (right.files, right.additions, right.deletions):
                return f"{repo}@{row.sha}: other counts than on a calm day"
            if not counted and right.files is not None and "diffs" not in stages:
                return f"{repo}@{row.sha}: counts are missing and not named"
    return None


async def _report(bench: Bench, choice: SourceChoice, seed: int = 0, kinds: Sequence[str] = ()) -> Report:
    """Run once in a fresh home, so that nothing is answered from memory."""
    world = build("demo", 1, bench.folder / "demo")
    day = world.notes["reported day"]
    window = Window.model_validate({"start": f"{day}T00:00:00Z", "end": f"{day}T23:59:59Z", "tz": "UTC"})
    with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now) as server, tempfile.TemporaryDirectory() as name:
        if kinds:
            server.faults.storm(seed, 0.3, kinds)
        report, _ = await bench.system.report(_settings(world, server, choice, Path(name)), window)
    return report


def _settings(world: World, server: GitHubServer, choice: SourceChoice, folder: Path) -> Settings:
    return Settings(
        repos=tuple(RepoSpec(name=RepoId(repo.full_name)) for repo in world.repos),
        source=choice,
        out=folder / "out",
        home=folder / "home",
        github_url=server.url,
        git_url=server.git_url,
        token=SecretStr(_TOKEN),
        # Nobody waits a minute for a loopback server: a longer wait than this must end as "missing".
        budget=Budget(wait_seconds=2, retry_seconds=0.01),
    )


STORM = EvalSet("storm", "the right report, or the missing named, through every fault", run)
