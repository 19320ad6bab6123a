"""Several reverts in one, a part of something undone, and a revert of a revert, as reports tell them."""

from datetime import UTC, datetime
from pathlib import Path

from agent.domain.base import RepoId, commit_id
from agent.domain.links import Story
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from gitzette.progress import QuietProgress
from gitzette.running import cover
from tests.made_repos import NOON, Work

REPO, CORE = RepoId("acme/engine"), "engine/core.py"


def lines(name: str) -> str:
    return "".join(f"{name}_{number} = limit_of_{name}({number})\n" for number in range(9))


async def told(work: Work, folder: Path) -> Report:
    day = NOON.date()
    settings = Settings(
        repos=(RepoSpec(name=REPO, path=work.path),), out=folder / "out", home=folder / "home", source="git"
    )
    window = Window.days(day, day, "UTC")
    return (await cover(settings, {}, window, settings.repos, datetime.now(UTC), QuietProgress())).report


def of(report: Report, doer: str) -> Story:
    return next(story for story in report.stories if commit_id(REPO, doer) in story.news and len(story.steps) > 1)


async def test_who_reverts_a_revert_lands_the_first_one_again(work: Work, tmp_path: Path) -> None:
    work.commit("begin", {CORE: lines("core")})
    first = work.commit("feat: extra limits (#31)", {CORE: lines("core") + lines("extra")})
    work.commit('Revert "feat: extra limits (#31)" (#32)', {CORE: lines("core")})
    checked = {CORE: lines("core") + lines("extra") + "checked = True\n"}
    again = work.commit('Revert "Revert "feat: extra limits (#31)"" (#33)', checked)
    story = of(await told(work, tmp_path), again)
    assert story.kind == "reland"
    assert story.steps[0] == commit_id(REPO, first)
    assert story.timeline[-1].act in ("landed again", "a part landed again")


async def test_what_comes_back_in_part_is_never_told_as_whole(work: Work, tmp_path: Path) -> None:
    work.commit("begin", {CORE: lines("core")})
    first = work.commit("feat: extra and more limits (#51)", {CORE: lines("core") + lines("extra") + lines("more")})
    work.commit('Revert "feat: extra and more limits (#51)" (#52)', {CORE: lines("core")})
    again = work.commit('Reapply "feat: extra and more limits" (#51) (#53)', {CORE: lines("core") + lines("extra")})
    report = await told(work, tmp_path)
    story = of(report, again)
    assert story.steps[0] == commit_id(REPO, first)
    assert story.timeline[-1].act == "a part landed again"
    assert not any(one.predicate == "relands" for one in report.claims)
