"""Requests: how many a 40-commit day costs, cold and warm, and how many fetches a fresh mirror needs."""

import tempfile
from collections import Counter
from datetime import date
from pathlib import Path

from pydantic import SecretStr

from agent.ids import RepoId
from agent.settings import Budget, RepoSpec, Settings, SourceChoice
from agent.window import Window
from evals.figures import Score, Target, measure, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, EvalSet, Figures
from evals.worlds.model import World

_TOKEN = "requests"  # noqa: S105 -- the loopback server's only token
_DIFFS = 60


async def run(bench: Bench) -> Figures:
    """Report on the day that comes nearest to forty commits, cold and then warm, from both sources."""
    world = bench.world("full")
    repo, day, landed = forty_commit_day(world)
    window = Window.days(day, day, "UTC")
    both, api, fetches = [], [], []
    warm: list[Score] = []
    for choice in ("both", "api"):
        with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now) as server, _home() as home:
            settings = _settings(server, repo, choice, home)
            report, spent = await bench.system.report(settings, window)
            complaint = f"{choice}: {report.failures}" if report.failures else f"{choice}: {len(report.ledger)} rows"
            warm.append(Score(complaint, float(len(report.ledger) == landed and not report.failures)))
            if choice == "both":
                both.append(float(spent.requests))
                fetches.append(float(server.git_fetches))
            else:
                api.append(float(spent.requests - landed))
            _, again = await bench.system.report(settings, window)
            asked = f"{choice}: {again.requests} requests, {again.free} of them free"
            warm.append(Score(asked, float(again.requests == again.free)))
    return {
        f"requests for {landed} commits, both sources": measure(both, Target(12, "at most")),
        f"requests for {landed} commits beside one a diff, api": measure(api, Target(15, "at most")),
        f"git fetches for {landed} commits, fresh mirror": measure(fetches, Target(3, "at most")),
        "complete when cold, free when warm": share(warm, Target(1.0)),
    }


def forty_commit_day(world: World) -> tuple[RepoId, date, int]:
    """Find the repository and day whose number of landed commits is nearest to forty."""
    days = Counter((row.repo, row.committed_at.date()) for row in world.landed if row.dropped_by is None)
    (repo, day), count = min(days.items(), key=lambda item: (abs(item[1] - 40), item[0]))
    return RepoId(repo), day, count


def _home() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="gitzette-requests-")


def _settings(server: GitHubServer, repo: RepoId, choice: SourceChoice, home: str) -> Settings:
    return Settings(
        repos=(RepoSpec(name=repo),),
        source=choice,
        out=Path(home) / "out",
        home=Path(home) / "home",
        github_url=server.url,
        git_url=server.git_url,
        token=SecretStr(_TOKEN),
        budget=Budget(api_diffs=_DIFFS),
    )


REQUESTS = EvalSet("requests", "what a 40-commit day costs, cold and warm", run)
