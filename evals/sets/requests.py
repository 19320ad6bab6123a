"""Requests: how many a 40-commit day costs, cold and warm, and how many fetches a fresh mirror needs."""

import tempfile
from datetime import date, timedelta
from pathlib import Path

from pydantic import SecretStr

from agent.domain.base import RepoId
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec, Settings, SourceChoice
from evals.figures import Score, Target, measure, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, EvalSet, Figures
from evals.worlds.gold import push_at
from evals.worlds.model import World

_TOKEN = "requests"  # noqa: S105 -- the loopback server's only token
_COMMITS = 40


async def run(bench: Bench) -> Figures:
    """Report on a stretch of forty commits, cold and then warm, from both sources."""
    world = bench.world("full")
    repo, window = forty_commits(world)
    both, api, fetches = [], [], []
    rows: list[Score] = []
    for choice in ("both", "api"):
        with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now) as server, _home() as home:
            # The morning after: nothing has landed since.
            server.set_push(repo, push_at(world.repo(repo), window.end))
            settings = _settings(server, repo, choice, home)
            report, spent = await bench.system.report(settings, window)
            complaint = f"{choice}: {len(report.ledger)} rows, {report.failures}"
            rows.append(Score(complaint, float(len(report.ledger) == _COMMITS and not report.failures)))
            if choice == "both":
                both.append(float(spent.requests))
                fetches.append(float(server.git_fetches))
            else:
                api.append(float(spent.requests - _COMMITS))
            _, again = await bench.system.report(settings, window)
            asked = f"{choice}: {again.requests} requests, {again.free} of them free"
            rows.append(Score(asked, float(again.requests == again.free)))
    return {
        "requests for forty commits, both sources": measure(both, Target(12, "at most")),
        "requests for forty commits beside one a diff, api": measure(api, Target(15, "at most")),
        "git fetches for forty commits, fresh mirror": measure(fetches, Target(3, "at most")),
        "complete when cold, free when warm": share(rows, Target(1.0)),
    }


def forty_commits(world: World) -> tuple[RepoId, Window]:
    """Find a stretch of forty commits with their pull requests on the world's busy day."""
    repo = world.notes["squash repository"]
    day = date.fromisoformat(world.notes["busy day"])
    moments = sorted(r.committed_at for r in world.landed if r.repo == repo and r.committed_at.date() == day)
    start, end = moments[-_COMMITS], moments[-1] + timedelta(seconds=1)
    return RepoId(repo), Window(start=start, end=end, tz="UTC")


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
        budget=Budget(api_diffs=_COMMITS),
    )


REQUESTS = EvalSet("requests", "what a 40-commit day costs, cold and warm", run)
