"""Requests: how many a 40-commit day costs, cold and warm, and how many fetches a fresh mirror needs."""

from datetime import date, timedelta

from agent.domain.base import RepoId
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec
from evals.figures import Figures, Score, Target, measure, share
from evals.harness import Bench, EvalSet, serving, through
from evals.worlds.gold import push_at
from evals.worlds.model import World

_COMMITS = 40


async def run(bench: Bench) -> Figures:
    """Report on a stretch of forty commits, cold and then warm, from both sources."""
    world = bench.world("full")
    repo, window = forty_commits(world)
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
        complete = len(report.ledger) == _COMMITS and not report.failures
        rows.append(Score(f"{choice}: {len(report.ledger)} rows, {report.failures}", float(complete), f"{choice} cold"))
        told = f"{choice}: {warm.requests} requests, {warm.free} of them free"
        rows.append(Score(told, float(warm.requests == warm.free), f"{choice} warm"))
    return {
        "requests for forty commits, both sources": measure([spent["both"]], Target(12, "at most")),
        "requests for forty commits beside one a diff, api": measure([spent["api"] - _COMMITS], Target(15, "at most")),
        "git fetches for forty commits, fresh mirror": measure([spent["both fetches"]], Target(3, "at most")),
        "complete when cold, free when warm": share(rows),
    }


def forty_commits(world: World) -> tuple[RepoId, Window]:
    """Find a stretch of forty commits with their pull requests on the world's busy day."""
    repo = world.notes["squash repository"]
    day = date.fromisoformat(world.notes["busy day"])
    moments = sorted(r.committed_at for r in world.landed if r.repo == repo and r.committed_at.date() == day)
    return RepoId(repo), Window(start=moments[-_COMMITS], end=moments[-1] + timedelta(seconds=1), tz="UTC")


REQUESTS = EvalSet("requests", "what a 40-commit day costs, cold and warm", run)
