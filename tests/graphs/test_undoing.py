"""Several reverts in one, a part of something undone, and a revert of a revert, as reports tell them."""

from datetime import UTC, datetime
from pathlib import Path

from agent.domain.base import RepoId, commit_id
from agent.domain.links import Act, Story, StoryKind
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from gitzette.progress import QuietProgress
from gitzette.running import cover
from tests.tools.git.conftest import NOON, Work

REPO = RepoId("acme/engine")


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


def begun(folder: Path) -> Work:
    work = Work(folder / "engine")
    work.write("engine/core.py", lines("core"))
    work.commit("begin")
    return work


async def test_one_commit_that_undoes_two_names_both(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work.write("engine/one.py", lines("one"))
    first = work.commit("feat: bring the first engine (#11)")
    work.write("engine/two.py", lines("two"))
    second = work.commit("feat: bring the second engine (#12)")
    for name in ("one", "two"):
        (work.path / "engine" / f"{name}.py").unlink()
    both = work.commit(f"Take both engines out (#13)\n\nThis reverts commit {first}.\nThis reverts commit {second}.")
    report = await told(work, tmp_path)
    undone = {
        claim.sources[1] for claim in report.claims if claim.predicate == "undoes" and claim.about[0].endswith(both)
    }
    assert undone == {commit_id(REPO, first), commit_id(REPO, second)}


async def test_a_part_that_is_taken_back_is_told_as_a_part(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work.write("engine/core.py", lines("core") + lines("extra") + lines("more"))
    first = work.commit("feat: extra and more (#21)")
    work.write("engine/core.py", lines("core") + lines("more"))
    part = work.commit("[core] Revert the extra limits from #21 (#22)")
    report = await told(work, tmp_path)
    story = of(report, part)
    assert [step.act for step in story.timeline] == [Act.LANDED, Act.PART_UNDONE]
    assert story.steps[0] == commit_id(REPO, first)
    assert story.text["en"].startswith("Reverts a part of acme/engine@")


async def test_who_reverts_a_revert_lands_the_first_one_again(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work.write("engine/core.py", lines("core") + lines("extra"))
    first = work.commit("feat: extra limits (#31)")
    work.write("engine/core.py", lines("core"))
    work.commit("Revert the extra limits from PR 31 (#32)")
    work.write("engine/core.py", lines("core") + lines("extra") + "checked = True\n")
    again = work.commit('Revert "Revert the extra limits from PR 31" (#33)')
    story = of(await told(work, tmp_path), again)
    assert story.kind is StoryKind.RELAND
    assert story.steps[0] == commit_id(REPO, first)
    assert story.timeline[-1].act in (Act.LANDED_AGAIN, Act.PART_AGAIN)


async def test_what_comes_back_in_part_is_never_told_as_whole(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work.write("engine/core.py", lines("core") + lines("extra") + lines("more"))
    first = work.commit("feat: extra and more limits (#51)")
    work.write("engine/core.py", lines("core"))
    work.commit('Revert "feat: extra and more limits (#51)" (#52)')
    work.write("engine/core.py", lines("core") + lines("extra"))
    again = work.commit('Reapply "feat: extra and more limits" (#51) (#53)')
    report = await told(work, tmp_path)
    story = of(report, again)
    assert story.steps[0] == commit_id(REPO, first)
    assert story.timeline[-1].act is Act.PART_AGAIN
    assert not any(one.predicate == "relands" for one in report.claims)


async def test_a_fix_that_sets_back_what_stood_before_undoes_a_part_and_others_change_lines(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work.write("engine/core.py", lines("kernel") + lines("extra"))
    first = work.commit("feat: other limits (#61)")
    work.write("engine/core.py", lines("core") + lines("extra"))
    back = work.commit("fix: wrong limits (#62)")
    work.write("engine/core.py", lines("core") + lines("late"))
    mended = work.commit("fix: name the extra limits (#63)")
    report = await told(work, tmp_path)
    assert [step.act for step in of(report, back).timeline] == [Act.LANDED, Act.PART_UNDONE]
    story = of(report, mended)
    assert (story.kind, story.steps[0]) == (StoryKind.SAME_LINES, commit_id(REPO, first))
    assert "Changes lines that acme/engine@" in story.text["en"]
