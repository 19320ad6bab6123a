"""Stories day after day: found over days and repositories, told once, remembered, and the same after a loss."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.links import Story, StoryKind
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from evals.worlds.model import World
from evals.worlds.worlds import build
from gitzette.progress import QuietProgress
from gitzette.running import cover

KERNELS, SERVING = RepoId("northwind-ai/tensorforge"), RepoId("northwind-ai/swiftserve")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("stories", 1, tmp_path_factory.mktemp("world"))


def day_of(world: World, key: str) -> date:
    """Find the day on which a piece of work landed."""
    sha = next(value for name, value in world.notes.items() if name.endswith(f": {key}"))
    return next(row.committed_at.date() for row in world.landed if f"{row.repo}@{row.sha}" == sha)


async def told(world: World, folder: Path, day: date, *repos: RepoId, **more: object) -> Report:
    """Report on a day, in the home and the output folder of the days before."""
    specs = tuple(RepoSpec(name=repo, path=world.repo(repo).git_dir) for repo in repos)
    values = {"repos": specs, "out": folder / "out", "home": folder / "home"}
    settings = Settings.model_validate(values | more)
    window = Window.days(day, day, "UTC")
    return (await cover(settings, {}, window, settings.repos, datetime.now(UTC), QuietProgress())).report


def of(report: Report, kind: StoryKind) -> list[Story]:
    return [story for story in report.stories if story.kind == kind]


async def test_what_lands_again_is_told_as_an_update_of_the_day_it_was_undone(world: World, tmp_path: Path) -> None:
    undone, again = day_of(world, "undo-2"), day_of(world, "redo-2")
    await told(world, tmp_path, undone, KERNELS)
    report = await told(world, tmp_path, again, KERNELS)
    (story,) = of(report, "reland")
    assert story.since == undone.isoformat()
    acts = [step.act for step in story.timeline if step.act != "released"]
    assert acts == ["landed", "undone", "landed again"]
    assert story.text["en"].startswith(f"Relands {KERNELS}@")
    assert story.text["zh"].startswith(f"重新合入 {KERNELS}@")


async def test_the_second_days_report_is_the_same_to_the_byte_when_the_memory_was_lost(
    world: World, tmp_path: Path
) -> None:
    first, second = day_of(world, "undo-2"), day_of(world, "redo-2")
    pages = []
    for name, lost in (("kept", False), ("lost", True)):
        folder = tmp_path / name
        await told(world, folder, first, KERNELS, SERVING)
        if lost:
            for file in (folder / "home").glob("memory.db*"):
                file.unlink()
        await told(world, folder, second, KERNELS, SERVING)
        pages.append((folder / "out" / "reports" / f"{second}.json").read_bytes())
    assert b'"since": "' + str(first).encode() in pages[0]
    assert pages[0] == pages[1]


async def test_a_day_without_news_tells_no_story_again(world: World, tmp_path: Path) -> None:
    undone = day_of(world, "undo-1")
    (story,) = of(await told(world, tmp_path, undone, KERNELS), "revert")
    after = await told(world, tmp_path, undone + timedelta(days=1), KERNELS)
    assert not any(set(story.steps) & set(one.news) for one in after.stories)
