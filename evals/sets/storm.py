"""Requests and storms: what a day costs a server, and that any fault of it ends in the right report or a named gap."""

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta

from agent.domain.base import RepoId
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec
from evals.figures import Figures, Score, Target, measure, share
from evals.github_server.faults import KINDS
from evals.github_server.faults import STORM as PASSING
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.worlds.gold import push_at

_FEW, _MANY = 1, 8
_SECONDS = 120
_LASTING = tuple(kind for kind in KINDS if kind not in ("grow", "redirect_elsewhere"))
"""With limits that last longer than a run may wait: then something must be named as missing."""
_COMMITS = 40
_PATIENCE = Budget(wait_seconds=2, retry_seconds=0.01)
"""Nobody waits a minute for a loopback server: a longer wait than this must end as "missing"."""


@evalset("requests", "what a 40-commit day costs, cold and warm")
async def requests(bench: Bench) -> Figures:
    """Report on forty commits with their pull requests on a busy day, cold and then warm, from both sources."""
    world = bench.world("full")
    repo, day = RepoId(world.notes["squash repository"]), date.fromisoformat(world.notes["busy day"])
    moments = sorted(r.committed_at for r in world.landed if r.repo == repo and r.committed_at.date() == day)
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
        "requests for forty commits beside one a diff, api": measure([spent["api"] - _COMMITS], Target(15, "at most")),
        "git fetches for forty commits, fresh mirror": measure([spent["both fetches"]], Target(3, "at most")),
        "complete when cold, free when warm": share(rows),
    }


@evalset("storm", "the right report, or the missing named, through every fault")
async def storm(bench: Bench) -> Figures:
    """Report through storms of every kind, and compare with the report of a calm day."""
    scores: dict[Sequence[str], list[Score]] = {PASSING: [], _LASTING: []}
    for choice in ("both", "api"):
        calm = await _report(bench, choice)
        for seed in range(1, bench.count(_FEW, _MANY) + 1):
            for kinds, each in scores.items():
                try:
                    async with asyncio.timeout(_SECONDS):
                        report = await _report(bench, choice, seed, kinds)
                    passed = kinds is PASSING and (calm.failures or report.failures)
                    wrong = str(passed) if passed else difference(report, calm)
                except TimeoutError:
                    wrong = f"did not end in {_SECONDS} s"
                each.append(Score(f"{choice} {seed}: {wrong or 'right'}", float(not wrong), f"{choice} {seed}"))
    return {
        "the calm day's report, through faults that pass": share(scores[PASSING]),
        "right, or the missing named, through faults that last": share(scores[_LASTING]),
    }


async def _report(bench: Bench, choice: str, seed: int = 0, kinds: Sequence[str] = ()) -> Report:
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
                return f"{repo}@{row.sha}: other counts than on a calm day"
    return ""
