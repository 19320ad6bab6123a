"""Windows and sources: every landed commit is in exactly one of consecutive days, and git and the API tell the same."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, timedelta
from typing import Any

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.window import Window
from agent.ports import CodeSource
from evals.figures import Figures, Score, share
from evals.harness import TOKEN, Bench, evalset, serving
from evals.sets.oracle import between, days_of, first_parent_line, git_dir_of, path_of
from evals.worlds.gold import gold_window
from evals.worlds.model import Repo, World, commit_name
from evals.worlds.worlds import repo_from_mirror
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code import GitHubCode

ZONES = ("UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin")
_MIRROR_DAYS, _MIRROR_COMMITS = 30, 40


@evalset("windows", "consecutive days cover every landed commit exactly once")
async def windows(bench: Bench) -> Figures:
    """Read worlds and mirrors day by day, and compare with what is known to have landed."""
    by_git, by_api, mirrored = list[Score](), list[Score](), list[Score]()
    for world in map(bench.world, ("full", "random")):
        with serving(world.repos, world.now) as server:
            async with GitHubClient(base_url=server.url, token=TOKEN) as client:
                for repo in world.repos:
                    name = RepoId(repo.full_name)
                    by_git += await _days(world, repo, GitSource(name, repo.git_dir))
                    # One window is enough for the API: a request for each day would only repeat the same pages.
                    window = Window(start=world.now - timedelta(days=14), end=world.now, tz="UTC")
                    by_api += await _window(world, repo, GitHubCode(client, name), window)
    for spec in bench.mirrors:
        line = await first_parent_line(spec)
        days, source = days_of(bench, line, _MIRROR_DAYS), GitSource(spec.name, path_of(spec))
        for tz in ZONES[:3]:
            bench.say(f"windows: {spec.name}, {len(days)} days in {tz}")
            found = [sha for day in days for sha in await _shas(source, Window.days(day, day, tz))]
            mirrored += once(sorted(between(line, days, tz)), found, f"{spec.name} {tz}")
    return {
        "exactly once, git": share(by_git),
        "in the right window, api": share(by_api),
        "exactly once, git, mirrors": share(mirrored),
    }


async def _days(world: World, repo: Repo, source: CodeSource) -> list[Score]:
    """Ask for every day on which something landed and its neighbours; days between are empty by the gold."""
    landed = {
        row.committed_at.astimezone(UTC).date()
        for row in world.landed
        if row.repo == repo.full_name
    }
    around = {
        day + timedelta(days=step)
        for day in landed
        for step in (-1, 0, 1)
        if 1971 <= day.year <= 2098
    }
    windows = [Window.days(day, day, tz) for tz in ZONES for day in sorted(around)]
    return [score for window in windows for score in await _window(world, repo, source, window)]


async def _window(world: World, repo: Repo, source: CodeSource, window: Window) -> list[Score]:
    gold = [row.sha for row in gold_window(world, repo.full_name, window.start, window.end)]
    return once(
        gold, await _shas(source, window), f"{repo.full_name} {window.start:%Y-%m-%d} {window.tz}"
    )


async def _shas(source: CodeSource, window: Window) -> list[str]:
    return [row.commit.sha for row in (await source.landed(window)).rows]


def once(gold: list[str], found: list[str], where: str) -> list[Score]:
    """Score each commit that should be there, and each that should not."""
    counts = Counter(found)
    scores = [
        Score(f"{where}: {sha} found {counts[sha]} times", float(counts[sha] == 1), sha)
        for sha in gold
    ]
    return scores + [
        Score(f"{where}: {sha} does not belong there", 0.0, sha)
        for sha in counts.keys() - set(gold)
    ]


@evalset("sources", "git and the API tell the same of every commit")
async def sources(bench: Bench) -> Figures:
    """Read every commit twice and compare, with the members of merges."""
    on_world, on_mirrors = list[Score](), list[Score]()
    for world in map(bench.world, ("full", "random")):
        for repo in world.repos:
            rows = [row for row in world.landed if row.repo == repo.full_name]
            on_world += await _agreement(
                repo, list(dict.fromkeys(sha for row in rows for sha in (row.sha, *row.members)))
            )
    for spec in bench.mirrors:
        newest = [row.sha for row in (await first_parent_line(spec))[:_MIRROR_COMMITS]]
        on_mirrors += await _agreement(repo_from_mirror(spec.name, git_dir_of(spec)), newest)
    return {
        "commits on which git and API agree": share(on_world),
        "commits on which git and API agree, mirrors": share(on_mirrors),
    }


async def _agreement(repo: Repo, shas: Sequence[str]) -> list[Score]:
    """Score each commit 1 when both sources give equal objects, else say which field differs first."""
    name = RepoId(repo.full_name)
    with serving([repo]) as server:
        async with GitHubClient(base_url=server.url, token=TOKEN) as client:
            by_git = {
                change.commit.sha: change
                async for change in GitSource(name, repo.git_dir).changes(shas)
            }
            by_api = {
                change.commit.sha: change async for change in GitHubCode(client, name).changes(shas)
            }
    differences = {sha: difference(by_git.get(sha), by_api.get(sha)) for sha in shas}
    return [
        Score(f"{commit_name(name, sha)}: {text or 'equal'}", float(not text), sha)
        for sha, text in differences.items()
    ]


def difference(one: Change | None, other: Change | None) -> str:
    """Name the first field in which two readings of a commit differ."""
    if one is None or other is None:
        return "not in git" if one is None else "not in the API"
    if len(one.files) != len(other.files):
        return f"{len(one.files)} and {len(other.files)} files"
    pairs: list[tuple[Any, Any]] = [
        (one.commit, other.commit),
        *zip(one.files, other.files, strict=True),
    ]
    for mine, theirs in pairs:
        for field in type(mine).model_fields:
            if getattr(mine, field) != getattr(theirs, field):
                return f"{field}: {getattr(mine, field)!r} and {getattr(theirs, field)!r}"[:300]
    return "" if one == other else "incomplete"
