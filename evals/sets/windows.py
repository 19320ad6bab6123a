"""Windows: consecutive days cover every landed commit exactly once, in any time zone."""

from collections import Counter
from datetime import UTC, date, timedelta

from agent.domain.base import RepoId
from agent.domain.window import Window
from agent.sources import CodeSource
from evals.figures import Figures, Score, share
from evals.harness import TOKEN, Bench, EvalSet, serving
from evals.sets.oracle import between, days_of, first_parent_line, path_of
from evals.worlds.gold import gold_window
from evals.worlds.model import Repo, World
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code import GitHubCode

ZONES = ("UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin")
_MIRROR_DAYS = 30


async def run(bench: Bench) -> Figures:
    """Read worlds and mirrors day by day, and compare with what is known to have landed."""
    by_git, by_api, mirrored = list[Score](), list[Score](), list[Score]()
    for world in map(bench.world, ("full", "random")):
        with serving(world.repos, world.now) as server:
            async with GitHubClient(base_url=server.url, token=TOKEN) as client:
                for repo in world.repos:
                    name = RepoId(repo.full_name)
                    for tz in ZONES:
                        by_git += await _days(world, repo, GitSource(name, repo.git_dir), tz)
                    # One window is enough for the API: a request for each day would only repeat the same pages.
                    window = Window(start=world.now - timedelta(days=14), end=world.now, tz="UTC")
                    by_api += await _window(world, repo, GitHubCode(client, name), window)
    for spec in bench.mirrors:
        line = await first_parent_line(spec)
        days = days_of(bench, line, _MIRROR_DAYS)
        source = GitSource(spec.name, path_of(spec))
        for tz in ZONES[:3]:
            bench.say(f"windows: {spec.name}, {len(days)} days in {tz}")
            found = [sha for day in days for sha in await _shas(source, Window.days(day, day, tz))]
            mirrored += once(sorted(between(line, days, tz)), found, f"{spec.name} {tz}")
    return {
        "exactly once, git": share(by_git),
        "in the right window, api": share(by_api),
        "exactly once, git, mirrors": share(mirrored),
    }


async def _days(world: World, repo: Repo, source: CodeSource, tz: str) -> list[Score]:
    """Ask for every day on which something landed and its neighbours; days between are empty by the gold."""
    landed = {row.committed_at.astimezone(UTC).date() for row in world.landed if row.repo == repo.full_name}
    around: set[date] = {
        day + timedelta(days=step) for day in landed for step in (-1, 0, 1) if 1971 <= day.year <= 2098
    }
    return [score for day in sorted(around) for score in await _window(world, repo, source, Window.days(day, day, tz))]


async def _window(world: World, repo: Repo, source: CodeSource, window: Window) -> list[Score]:
    gold = [row.sha for row in gold_window(world, repo.full_name, window.start, window.end)]
    return once(gold, await _shas(source, window), f"{repo.full_name} {window.start:%Y-%m-%d} {window.tz}")


async def _shas(source: CodeSource, window: Window) -> list[str]:
    return [row.commit.sha for row in (await source.landed(window)).rows]


def once(gold: list[str], found: list[str], where: str) -> list[Score]:
    """Score each commit that should be there, and each that should not."""
    counts = Counter(found)
    scores = [Score(f"{where}: {sha} found {counts[sha]} times", float(counts[sha] == 1), sha) for sha in gold]
    return scores + [Score(f"{where}: {sha} does not belong there", 0.0, sha) for sha in counts.keys() - set(gold)]


WINDOWS = EvalSet("windows", "consecutive days cover every landed commit exactly once", run)
