"""Windows: consecutive days cover every landed commit exactly once, in any time zone."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from agent.domain.base import RepoId
from agent.domain.window import Window
from agent.sources import CodeSource
from evals.figures import Score, Target, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, EvalSet, Figures
from evals.sets.oracle import between, days_of, first_parent_line, git_dir_of, last_days
from evals.worlds.gold import gold_window
from evals.worlds.model import Repo, World
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code import GitHubCode

ZONES = ("UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin")
_MIRROR_ZONES = ZONES[:3]
_MIRROR_DAYS = 30
_TOKEN = "windows"  # noqa: S105 -- the loopback server's only token
_ALL = Target(1.0)


async def run(bench: Bench) -> Figures:
    """Read worlds and mirrors day by day, and compare with what is known to have landed."""
    by_git: list[Score] = []
    by_api: list[Score] = []
    for world in map(bench.world, ("full", "random")):
        with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now) as server:
            async with GitHubClient(base_url=server.url, token=_TOKEN) as client:
                for repo in world.repos:
                    bench.say(f"windows: {repo.full_name}")
                    name = RepoId(repo.full_name)
                    by_git += await _world_days(world, repo, GitSource(name, repo.git_dir), ZONES)
                    by_api += await _whole_span(world, repo, GitHubCode(client, name))
    return {
        "exactly once, git": share(by_git, _ALL),
        "in the right window, api": share(by_api, _ALL),
        "exactly once, git, mirrors": share(await _mirrors(bench), _ALL),
    }


async def _world_days(world: World, repo: Repo, source: CodeSource, zones: Iterable[str]) -> list[Score]:
    """Ask for every day on which something landed and its neighbours; days between are empty by the gold."""
    scores: list[Score] = []
    for tz in zones:
        days = _days_around(world, repo)
        found = {day: await _shas(source, Window.days(day, day, tz)) for day in days}
        for day in days:
            window = Window.days(day, day, tz)
            gold = [row.sha for row in gold_window(world, repo.full_name, window.start, window.end)]
            scores += _compare(gold, found[day], f"{repo.full_name} {day} {tz}")
    return scores


def _days_around(world: World, repo: Repo) -> list[date]:
    landed = {row.committed_at.astimezone(UTC).date() for row in world.landed if row.repo == repo.full_name}
    around = {day + timedelta(days=step) for day in landed for step in (-1, 0, 1) if 1971 <= day.year <= 2098}
    return sorted(around)


async def _whole_span(world: World, repo: Repo, source: CodeSource) -> list[Score]:
    """Ask the API for the busiest week once: a request for each day would only repeat the same pages."""
    end = world.now
    window = Window(start=end - timedelta(days=14), end=end, tz="UTC")
    gold = [row.sha for row in gold_window(world, repo.full_name, window.start, window.end)]
    return _compare(gold, await _shas(source, window), f"{repo.full_name} by the API")


async def _shas(source: CodeSource, window: Window) -> list[str]:
    return [row.commit.sha for row in (await source.landed(window)).rows]


def _compare(gold: list[str], found: list[str], where: str) -> list[Score]:
    """Score each commit that should be there, and each that should not."""
    counts = Counter(found)
    scores = [Score(f"{where}: {sha} found {counts[sha]} times", float(counts[sha] == 1)) for sha in gold]
    return scores + [Score(f"{where}: {sha} does not belong there", 0.0) for sha in counts.keys() - set(gold)]


async def _mirrors(bench: Bench) -> list[Score]:
    scores: list[Score] = []
    for spec in bench.mirrors:
        assert spec.path is not None
        line = await first_parent_line(git_dir_of(spec.path))
        newest = max((row.at for row in line), default=datetime.now(UTC))
        days = days_of(bench.span) if bench.span else last_days(newest, _MIRROR_DAYS)
        source = GitSource(spec.name, spec.path)
        for tz in _MIRROR_ZONES:
            bench.say(f"windows: {spec.name}, {len(days)} days in {tz}")
            found = [sha for day in days for sha in await _shas(source, Window.days(day, day, tz))]
            scores += _compare(sorted(between(line, days, tz)), found, f"{spec.name} {tz}")
    return scores


WINDOWS = EvalSet("windows", "consecutive days cover every landed commit exactly once", run)
