"""Stories day after day: found over days and repositories, told once, remembered, and the same after a loss."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent.ids import RepoId
from agent.pages import report_page
from agent.report import Report
from agent.settings import RepoSpec, Settings
from agent.stories import Act, Story, StoryKind
from agent.web import Web
from agent.window import Window
from evals.github_server.app import GitHubServer
from evals.worlds.model import World
from evals.worlds.saga.world import GOLD, OWNER
from evals.worlds.worlds import build
from gitzette.progress import QuietProgress
from gitzette.running import cover
from memory.store import open_memory

TOKEN = "c4nary-stories-51aa"
WEB = Web("https://git.example")
KERNELS, SERVING = RepoId(f"{OWNER}/tensorforge"), RepoId(f"{OWNER}/swiftserve")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("saga", 1, tmp_path_factory.mktemp("world"))


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
    assert [step.act for step in story.timeline] == [Act.LANDED, Act.UNDONE, Act.LANDED_AGAIN]
    page = report_page(report, "en", WEB)
    assert re.search(rf"^- \*\*Update since {undone}\*\*: \[`\w{{7}}`\]\(\S+\): Relands \[\S+\.$", page, re.MULTILINE)
    assert f"- {undone} [" in page
    assert re.search(rf"\*\*自 {undone} 以来的更新\*\*：\[\S+：重新合入 ", report_page(report, "zh", WEB, "ledger"))


async def test_a_part_names_those_that_landed_before_anybody_reported_and_the_one_that_is_missing(
    world: World, tmp_path: Path
) -> None:
    gold = next(one for one in json.loads(world.notes[GOLD]) if one["kind"] == "series" and one["missing"])
    landed = next(row.committed_at.date() for row in world.landed if f"{row.repo}@{row.sha}" == gold["doer"])
    report = await told(world, tmp_path, landed, KERNELS)
    story = next(one for one in of(report, StoryKind.SERIES) if gold["doer"] in one.news)
    assert set(gold["targets"]) | {gold["doer"]} == set(story.steps)
    assert story.missing == tuple(gold["missing"])
    (number,) = gold["missing"]
    assert f"part {number} has not landed" in report_page(report, "en", WEB)
    assert f"第 {number} 部分尚未合入" in report_page(report, "zh", WEB)


async def test_a_version_that_is_taken_in_leads_back_to_the_commit_that_set_it(world: World, tmp_path: Path) -> None:
    released, taken = day_of(world, "release-0.5.0"), day_of(world, "take-0.5.0")
    await told(world, tmp_path, released, KERNELS, SERVING)
    (story,) = of(await told(world, tmp_path, taken, KERNELS, SERVING), StoryKind.BUMP)
    assert (story.repo, story.since) == (SERVING, released.isoformat())
    assert [step.cite.partition("@")[0] for step in story.timeline] == [KERNELS, SERVING]


async def test_what_is_taken_up_of_another_project_is_told_in_both_languages_and_listed(
    world: World, tmp_path: Path
) -> None:
    brought, used = day_of(world, "lend-0"), day_of(world, "borrow-0")
    await told(world, tmp_path, brought, KERNELS, SERVING)
    report = await told(world, tmp_path, used, KERNELS, SERVING)
    story = next(one for one in of(report, StoryKind.ADOPTION) if "gather_paged_rows" in one.text["en"])
    assert (story.repo, story.since) == (SERVING, brought.isoformat())
    assert [step.act for step in story.timeline] == [Act.UPSTREAM, Act.TAKEN_UP]
    assert re.search(r"Uses `gather_paged_rows`, which \[\S+ brought\.", report_page(report, "en", WEB))
    assert re.search(r"使用了 `gather_paged_rows`，由 \[\S+ 引入。", report_page(report, "zh", WEB, "ledger"))
    with open_memory(tmp_path / "home", used) as memory:
        assert story.steps in [one.story.steps for one in memory.stories.listed(repo=SERVING)]


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
    gold = next(one for one in json.loads(world.notes[GOLD]) if one["kind"] == "series" and len(one["targets"]) == 1)
    second, first = (
        next(row.committed_at.date() for row in world.landed if f"{row.repo}@{row.sha}" == name)
        for name in (gold["doer"], gold["targets"][0])
    )
    api = {"source": "api", "github_url": server.url, "token": SecretStr(TOKEN), "repos": (RepoSpec(name=KERNELS),)}
    alone = await told(world, tmp_path / "alone", second, KERNELS, **api)
    assert not any(gold["doer"] in one.news for one in of(alone, StoryKind.SERIES))
    await told(world, tmp_path / "both", first, KERNELS, **api)
    report = await told(world, tmp_path / "both", second, KERNELS, **api)
    story = next(one for one in of(report, StoryKind.SERIES) if gold["doer"] in one.news)
    assert gold["targets"][0] in story.steps
    assert story.since == first.isoformat()


async def test_a_day_without_news_tells_no_story_again(world: World, tmp_path: Path) -> None:
    undone = day_of(world, "undo-1")
    (story,) = of(await told(world, tmp_path, undone, KERNELS), StoryKind.REVERT)
    after = await told(world, tmp_path, undone + timedelta(days=1), KERNELS)
    assert not any(set(story.steps) & set(one.news) for one in after.stories)
