"""Recorded: real days that were frozen are reported on again, offline, and held against what plain git says."""

import json
import tempfile
from pathlib import Path

from pydantic import SecretStr

from agent.domain.base import thread_id
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from evals.cases import Crash, attempt
from evals.figures import CRASHED, Score, Target, share
from evals.github_server.app import GitHubServer
from evals.github_server.limits import Allowance
from evals.harness import Bench, EvalSet, Figures
from evals.recording import Day, Recording, expected, recordings
from evals.sets.daily_citations import Sources, judged
from evals.sets.daily_scores import accounted
from evals.worlds.mirror import repo_from_mirror

_TOKEN = "recorded"  # noqa: S105 -- the loopback server's only token


async def run(bench: Bench) -> Figures:
    """Report on every recorded day; a recording that is not here is named and counted."""
    found = list(recordings())
    here = {folder.name for _, folder, _ in found}
    names = sorted({*expected(), *here})
    for name in names:
        if name not in here:
            bench.say(f"recorded: {name} is not here; gitzette eval record makes it from a clone")
    scores: dict[str, list[Score]] = {"ledger": [], "cited": [], "fixed": [], "ran": []}
    for made, folder, days in found:
        for day in days:
            bench.say(f"recorded: {day.id}")
            await _replay(bench, made, folder, day, scores)
    present = [Score(f"{name} is {'here' if name in here else 'missing'}", float(name in here), name) for name in names]
    return {
        "recordings that are here": share(present, Target(0.0)),
        "recorded days that could be reported": share(scores["ran"], Target(1.0)),
        "landed commits in exactly one ledger row": share(scores["ledger"], Target(1.0)),
        "claims whose citations exist, belong there and were read": share(scores["cited"], Target(1.0)),
        "issues told as fixed that pull requests name as closed": share(scores["fixed"], Target(0.9)),
    }


async def _replay(bench: Bench, made: Recording, folder: Path, day: Day, scores: dict[str, list[Score]]) -> None:
    report = await attempt(_report(bench, made, folder, day))
    if isinstance(report, Crash):
        scores["ran"].append(Score(f"{day.id}: {report}", 0.0, day.id, CRASHED))
        return
    scores["ran"].append(Score(f"{day.id}: {len(report.failures)} failures", float(not report.failures), day.id))
    scores["ledger"] += accounted(report, [(made.repo, sha) for sha in day.landed], day.id)
    sources = Sources(paths={made.repo: folder / "repo.git"})
    scores["cited"] += (await judged(report, sources, day.id)).cited
    told = {(link.issue, link.change) for link in report.links if link.may_read_fixed}
    for number, sha in day.fixes:
        pair = (thread_id(made.repo, number), f"{made.repo}@{sha}")
        scores["fixed"].append(Score(f"{day.id}: {pair[0]} ← {sha[:10]}", float(pair in told), f"{day.id}/{number}"))


async def _report(bench: Bench, made: Recording, folder: Path, day: Day) -> Report:
    threads = json.loads((folder / "threads.json").read_text("utf-8"))
    repo = repo_from_mirror(made.repo, folder / "repo.git", threads)
    with (
        tempfile.TemporaryDirectory(prefix="gitzette-recorded-") as home,
        GitHubServer([repo], tokens=(_TOKEN,), allowance=Allowance(token=1_000_000)) as server,
    ):
        settings = Settings(
            repos=(RepoSpec(name=made.repo, path=folder / "repo.git"),),
            out=Path(home) / "out",
            home=Path(home) / "home",
            github_url=server.url,
            token=SecretStr(_TOKEN),
        )
        report, _ = await bench.system.report(settings, Window.days(day.day, day.day, "UTC"))
    return report


RECORDED = EvalSet("recorded", "real days that were frozen, reported on again", run)
