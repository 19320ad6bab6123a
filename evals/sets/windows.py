"""Windows and sources: each landed commit is in exactly one day, and git and the API agree on it."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, timedelta

from pydantic import BaseModel

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.window import Window
from agent.ports import CodeSource
from evals.figures import Figures, Score, share
from evals.harness import TOKEN, Bench, evalset, serving
from evals.mirror_commits import between, days_of, first_parent_line, git_dir_of, path_of
from evals.worlds.data_model import Repo, World, commit_name
from evals.worlds.true_ledger import gold_window
from evals.worlds.worlds import repo_from_mirror
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.code_source import GitHubCode

ZONES = ("UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin")
_WORLDS = {"full": "Asia/Shanghai", "random": "America/New_York"}
"""The worlds that are read, each with the one zone of a small run: on each side of UTC."""
_SOURCES_STEP = 6  # A small run compares each sixth commit of git and API
_MIRROR_DAYS = 30
_MIRROR_ZONES = ZONES[:3]
_MIRROR_COMMITS = 40
_YEARS = range(1971, 2099)  # Days of commits whose clocks are farther off are not read
_MAX_DIFFERENCE = 300  # Characters


@evalset("windows", "consecutive days cover every landed commit exactly once")
async def windows(bench: Bench) -> Figures:
    """Read worlds and mirrors day by day, and compare with what landed."""
    by_git: list[Score] = []
    by_api: list[Score] = []
    mirrored: list[Score] = []
    for name, zone in _WORLDS.items():
        world = bench.world(name)
        zones = ZONES if bench.full else (zone,)
        with serving(world.repos, world.now) as server:
            async with GitHubClient(base_url=server.url, token=TOKEN) as client:
                for repo in world.repos:
                    repo_id = RepoId(repo.full_name)
                    source = GitSource(repo_id, repo.git_dir)
                    by_git += await _read_days(world, repo, source, zones)
                    # One window is enough for the API: each day would request the same pages.
                    window = Window(start=world.now - timedelta(days=14), end=world.now, tz="UTC")
                    by_api += await _read_window(world, repo, GitHubCode(client, repo_id), window)
    for spec in bench.mirrors:
        line = await first_parent_line(spec)
        days = days_of(bench, line, _MIRROR_DAYS)
        source = GitSource(spec.name, path_of(spec))
        for tz in _MIRROR_ZONES:
            bench.say(f"windows: {spec.name}, {len(days)} days in {tz}")
            shas: list[str] = []
            for day in days:
                shas += await _landed_shas(source, Window.days(day, day, tz))
            mirrored += once(sorted(between(line, days, tz)), shas, f"{spec.name} {tz}")
    return {
        "exactly once, git": share(by_git),
        "in the right window, api": share(by_api),
        "exactly once, git, mirrors": share(mirrored),
    }


async def _read_days(
    world: World, repo: Repo, source: CodeSource, zones: Sequence[str]
) -> list[Score]:
    """Read every day on which something landed and its neighbours; all others are empty."""
    days: set[date] = set()
    for row in world.landed:
        day = row.committed_at.astimezone(UTC).date()
        if row.repo == repo.full_name and day.year in _YEARS:
            days.update((day - timedelta(days=1), day, day + timedelta(days=1)))
    scores: list[Score] = []
    for tz in zones:
        for day in sorted(days):
            scores += await _read_window(world, repo, source, Window.days(day, day, tz))
    return scores


async def _read_window(world: World, repo: Repo, source: CodeSource, window: Window) -> list[Score]:
    rows = gold_window(world, repo.full_name, window.start, window.end)
    shas = await _landed_shas(source, window)
    where = f"{repo.full_name} {window.start:%Y-%m-%d} {window.tz}"
    return once([row.sha for row in rows], shas, where)


async def _landed_shas(source: CodeSource, window: Window) -> list[str]:
    landing = await source.landed(window)
    return [row.commit.sha for row in landing.rows]


def once(gold: list[str], shas: list[str], where: str) -> list[Score]:
    """Score each commit that should be there, and each that should not."""
    counts = Counter(shas)
    scores = []
    for sha in gold:
        count = counts[sha]
        scores.append(Score(f"{where}: {sha} found {count} times", float(count == 1), sha))
    for sha in counts.keys() - set(gold):
        scores.append(Score(f"{where}: {sha} does not belong there", 0.0, sha))
    return scores


@evalset("sources", "git and the API tell the same of every commit")
async def sources(bench: Bench) -> Figures:
    """Read every commit from both sources and compare, the members of merges included."""
    on_world: list[Score] = []
    on_mirrors: list[Score] = []
    for world in map(bench.world, _WORLDS):
        for repo in world.repos:
            shas: dict[str, None] = {}
            for row in world.landed:
                if row.repo == repo.full_name:
                    shas.update(dict.fromkeys((row.sha, *row.members)))
            on_world += await _agreement(repo, list(shas)[:: bench.count(_SOURCES_STEP, 1)])
    for spec in bench.mirrors:
        line = await first_parent_line(spec)
        newest = [row.sha for row in line[:_MIRROR_COMMITS]]
        on_mirrors += await _agreement(repo_from_mirror(spec.name, git_dir_of(spec)), newest)
    return {
        "commits on which git and API agree": share(on_world),
        "commits on which git and API agree, mirrors": share(on_mirrors),
    }


async def _agreement(repo: Repo, shas: Sequence[str]) -> list[Score]:
    """Score each commit: 1 if both sources return equal objects, else name a field that differs."""
    name = RepoId(repo.full_name)
    with serving([repo]) as server:
        async with GitHubClient(base_url=server.url, token=TOKEN) as client:
            by_git = await _changes(GitSource(name, repo.git_dir), shas)
            by_api = await _changes(GitHubCode(client, name), shas)
    scores = []
    for sha in dict.fromkeys(shas):
        field = difference(by_git.get(sha), by_api.get(sha))
        reason = f"{commit_name(name, sha)}: {field or 'equal'}"
        scores.append(Score(reason, float(not field), sha))
    return scores


async def _changes(source: CodeSource, shas: Sequence[str]) -> dict[str, Change]:
    return {change.commit.sha: change async for change in source.changes(shas)}


def difference(in_git: Change | None, in_api: Change | None) -> str:
    """Return the first field in which two readings of a commit differ, or an empty string."""
    if in_git is None:
        return "not in git"
    if in_api is None:
        return "not in the API"
    if len(in_git.files) != len(in_api.files):
        return f"{len(in_git.files)} and {len(in_api.files)} files"
    pairs: list[tuple[BaseModel, BaseModel]] = [(in_git.commit, in_api.commit)]
    pairs += zip(in_git.files, in_api.files, strict=True)
    for of_git, of_api in pairs:
        for field in type(of_git).model_fields:
            git_value = getattr(of_git, field)
            api_value = getattr(of_api, field)
            if git_value != api_value:
                return f"{field}: {git_value!r} and {api_value!r}"[:_MAX_DIFFERENCE]
    return "" if in_git == in_api else "incomplete"
