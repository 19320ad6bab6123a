"""Stories day after day: found over days and repositories, told once, remembered, and the same after a loss."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent.domain.base import RepoId
from agent.domain.links import Act, Story, StoryKind
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from evals.github_server.app import GitHubServer
from evals.worlds.model import World
from evals.worlds.worlds import build
from gitzette.progress import QuietProgress
from gitzette.running import cover
from memory.store import open_memory

TOKEN = "c4nary-stories-51aa"
KERNELS, SERVING = RepoId("northwind-ai/tensorforge"), RepoId("northwind-ai/swiftserve")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("stories", 1, tmp_path_factory.mktemp("world"))


@pytest.fixture
def server(world: World) -> Iterator[GitHubServer]:
    with GitHubServer(world.repos, tokens=(TOKEN,), now=world.now) as server:
        yield server


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
    return [story for story in report.stories if story.kind is kind]


async def test_what_lands_again_is_told_as_an_update_of_the_day_it_was_undone(world: World, tmp_path: Path) -> None:
    undone, again = day_of(world, "undo-2"), day_of(world, "redo-2")
    await told(world, tmp_path, undone, KERNELS)
    report = await told(world, tmp_path, again, KERNELS)
    (story,) = of(report, StoryKind.RELAND)
    assert story.since == undone.isoformat()
    acts = [step.act for step in story.timeline if step.act is not Act.RELEASED]
    assert acts == [Act.LANDED, Act.UNDONE, Act.LANDED_AGAIN]
    assert story.text["en"].startswith(f"Relands {KERNELS}@")
    assert story.text["zh"].startswith(f"重新合入 {KERNELS}@")


async def test_a_part_names_those_that_landed_before_anybody_reported_and_the_one_that_is_missing(
    world: World, tmp_path: Path
) -> None:
    gold = next(one for one in world.stories if one.kind == "series" and one.missing)
    landed = next(row.committed_at.date() for row in world.landed if f"{row.repo}@{row.sha}" == gold.doer)
    report = await told(world, tmp_path, landed, KERNELS)
    story = next(one for one in of(report, StoryKind.SERIES) if gold.doer in one.news)
    assert set(gold.targets) | {gold.doer} == set(story.steps)
    assert story.missing == gold.missing
    (number,) = gold.missing
    assert f"is part {number}" in story.text["en"]
    assert f"标题中没有第 {number} 部分" in story.text["zh"]


async def test_a_version_that_is_taken_in_leads_to_its_tag(world: World, tmp_path: Path) -> None:
    taken = day_of(world, "take-0.5.0")
    (story,) = of(await told(world, tmp_path, taken, KERNELS, SERVING), StoryKind.BUMP)
    assert story.repo == SERVING
    assert [step.act for step in story.timeline] == [Act.UPSTREAM, Act.TAKEN_IN]
    assert story.steps[0] == f"{KERNELS}@v0.5.0"


async def test_a_change_of_another_project_that_is_named_is_told_as_a_reference_and_listed(
    world: World, tmp_path: Path
) -> None:
    day = day_of(world, "said-0")
    report = await told(world, tmp_path, day, KERNELS, SERVING)
    story = next(one for one in of(report, StoryKind.REFERENCE) if one.repo == SERVING)
    assert [step.act for step in story.timeline if step.act is not Act.RELEASED] == [Act.UPSTREAM, Act.REFERS]
    assert story.text["en"].startswith(f"Refers to {KERNELS}@")
    assert any(claim.predicate == "refers to" and claim.about == story.news for claim in report.claims)
    with open_memory(tmp_path / "home", day) as memory:
        assert story.steps in [one.story.steps for one in memory.stories.listed(repo=SERVING)]


async def test_a_tag_is_a_release_with_the_changes_of_stories_that_it_is_the_first_to_have(
    world: World, tmp_path: Path
) -> None:
    undone, tagged = day_of(world, "undo-0"), day_of(world, "release-0.5.0")
    await told(world, tmp_path, undone - timedelta(days=1), KERNELS)
    report = await told(world, tmp_path, tagged, KERNELS)
    assert [one.tag for section in report.sections for one in section.releases] == ["v0.5.0"]
    story = next(one for one in of(report, StoryKind.RELEASED))
    assert story.news == (f"{KERNELS}@v0.5.0",)
    assert story.text["en"].startswith("v0.5.0 was tagged")


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


async def test_a_source_that_cannot_look_back_has_what_earlier_reports_list(
    world: World, tmp_path: Path, server: GitHubServer
) -> None:
    gold = next(one for one in world.stories if one.kind == "series" and len(one.targets) == 1)
    second, first = (
        next(row.committed_at.date() for row in world.landed if f"{row.repo}@{row.sha}" == name)
        for name in (gold.doer, gold.targets[0])
    )
    api = {"source": "api", "github_url": server.url, "token": SecretStr(TOKEN), "repos": (RepoSpec(name=KERNELS),)}
    alone = await told(world, tmp_path / "alone", second, KERNELS, **api)
    assert not any(gold.doer in one.news for one in of(alone, StoryKind.SERIES))
    await told(world, tmp_path / "both", first, KERNELS, **api)
    report = await told(world, tmp_path / "both", second, KERNELS, **api)
    story = next(one for one in of(report, StoryKind.SERIES) if gold.doer in one.news)
    assert gold.targets[0] in story.steps
    assert story.since == first.isoformat()


async def test_a_day_without_news_tells_no_story_again(world: World, tmp_path: Path) -> None:
    undone = day_of(world, "undo-1")
    (story,) = of(await told(world, tmp_path, undone, KERNELS), StoryKind.REVERT)
    after = await told(world, tmp_path, undone + timedelta(days=1), KERNELS)
    assert not any(set(story.steps) & set(one.news) for one in after.stories)
