"""Stories day after day: found over days and repositories, told once, remembered, and the same after a loss."""

import shutil
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story, StoryKind
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from evals.worlds.data_model import World
from gitzette.day_run import run_day
from gitzette.terminal_output import QuietProgress
from tests.built_once import built_world
from tests.made_repos import NOON, Work

KERNELS = RepoId("northwind-ai/tensorforge")
SERVING = RepoId("northwind-ai/swiftserve")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return built_world(tmp_path_factory, "stories")


def day_of(world: World, key: str) -> date:
    """Find the day on which a piece of work landed."""
    sha = next(value for name, value in world.notes.items() if name.endswith(f": {key}"))
    return next(row.committed_at.date() for row in world.landed if row.id == sha)


async def report_of(folder: Path, day: date, clones: Mapping[RepoId, Path]) -> Report:
    """Report on a day, in the home and the output folder of the days before."""
    specs = tuple(RepoSpec(name=name, path=path) for name, path in clones.items())
    settings = Settings(repos=specs, out=folder / "out", home=folder / "home")
    window = Window.days(day, day, "UTC")
    return (
        await run_day(settings, {}, window, settings.repos, datetime.now(UTC), QuietProgress())
    ).report


def kernels(world: World) -> dict[RepoId, Path]:
    return {KERNELS: world.repo(KERNELS).git_dir}


def of(report: Report, kind: StoryKind) -> list[Story]:
    return [story for story in report.stories if story.kind == kind]


async def test_what_lands_again_is_an_update_of_the_day_it_was_undone_and_the_same_when_the_memory_was_lost(
    world: World, tmp_path: Path
) -> None:
    undone = day_of(world, "undo-2")
    again = day_of(world, "redo-2")
    both = kernels(world) | {SERVING: world.repo(SERVING).git_dir}
    pages = []
    await report_of(tmp_path / "kept", undone, both)
    shutil.copytree(tmp_path / "kept", tmp_path / "lost")
    for file in (tmp_path / "lost" / "home").glob("memory.db*"):
        file.unlink()
    reports = []
    for name in ("kept", "lost"):
        reports.append(await report_of(tmp_path / name, again, both))
        pages.append((tmp_path / name / "out" / "reports" / f"{again}.json").read_bytes())
    assert pages[0] == pages[1]
    (story,) = of(reports[-1], "reland")
    assert story.since == undone.isoformat()
    acts = [step.act for step in story.timeline if step.act != "released"]
    assert acts == ["landed", "undone", "landed again"]
    assert story.text["en"].startswith(f"Relands {KERNELS}@")
    assert story.text["zh"].startswith(f"重新合入 {KERNELS}@")


async def test_a_day_without_news_tells_no_story_again(world: World, tmp_path: Path) -> None:
    undone = day_of(world, "undo-1")
    (story,) = of(await report_of(tmp_path, undone, kernels(world)), "revert")
    after = await report_of(tmp_path, undone + timedelta(days=1), kernels(world))
    assert not any(set(story.steps) & set(later_story.news) for later_story in after.stories)


def lines(*names: str) -> str:
    return "".join(
        f"{name}_{number} = limit_of_{name}({number})\n" for name in names for number in range(9)
    )


async def landed(folder: Path, *changes: tuple[str, str]) -> tuple[Report, Story, str]:
    """Land changes of one file, and give the last one's story and the first one's name."""
    work = Work(folder / "engine")
    shas = []
    for title, text in (("begin", lines("core")), *changes):
        work.write("engine/core.py", text)
        shas.append(EvidenceId.commit(KERNELS, work.commit(title)))
    report = await report_of(folder, NOON.date(), {KERNELS: work.path})
    return (
        report,
        next(story for story in report.stories if shas[-1] in story.news and len(story.steps) > 1),
        shas[1],
    )


async def test_who_reverts_a_revert_lands_the_first_one_again(tmp_path: Path) -> None:
    _, story, first = await landed(
        tmp_path,
        ("feat: extra limits (#31)", lines("core", "extra")),
        ('Revert "feat: extra limits (#31)" (#32)', lines("core")),
        (
            'Revert "Revert "feat: extra limits (#31)"" (#33)',
            lines("core", "extra") + "checked = True\n",
        ),
    )
    assert (story.kind, story.steps[0]) == ("reland", first)
    assert story.timeline[-1].act in ("landed again", "a part landed again")


async def test_what_comes_back_in_part_is_never_told_as_whole(tmp_path: Path) -> None:
    report, story, first = await landed(
        tmp_path,
        ("feat: extra and more limits (#51)", lines("core", "extra", "more")),
        ('Revert "feat: extra and more limits (#51)" (#52)', lines("core")),
        ('Reapply "feat: extra and more limits" (#51) (#53)', lines("core", "extra")),
    )
    assert (story.steps[0], story.timeline[-1].act) == (first, "a part landed again")
    assert not any(claim.predicate == "relands" for claim in report.claims)
