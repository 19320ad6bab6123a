"""A story is told in a paragraph that a model writes, held to what is known of its steps."""

from pathlib import Path

from agent.domain.links import Story
from evals.model_server.server import ModelServer
from tests.scripted_analysis import Clone, Scripted, of, run

TITLE = 'Revert "Let routes grow"'


async def story_told(folder: Path, day: str) -> tuple[Story, str]:
    """Report on a revert whose story a model tells with this day."""
    clone = Clone(folder / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    earlier = clone.commit("Let routes grow", 0, router__py="MAX_ROUTES = 90\n")
    message = f"{TITLE}\n\nThis reverts commit {earlier}."
    clone.commit(message, 9, router__py="MAX_ROUTES = 22\n")
    paragraph = {
        "story": "s1",
        "en": f"Routes could grow since {earlier[:7]}; this was taken back on {day}.",
        "zh": f"自 {earlier[:7]} 起路由可以增长；{day} 被撤销。",
    }
    with ModelServer(Scripted(stories=[paragraph]), context=32_768) as server:
        covered = await run(folder, server, clone)
        (question,) = of(server, "StoryTexts")
    (story,) = [story for story in covered.report.stories if story.kind == "revert"]
    return story, question


async def test_a_paragraph_that_code_and_judge_admit_tells_the_story(tmp_path: Path) -> None:
    story, question = await story_told(tmp_path, "2026-02-04")
    first, last = (step.cite.sha[:7] for step in story.timeline[:2])
    assert f"“Let routes grow”: landed on 2026-02-01 ({first}), taken back on" in question
    assert story.paragraph["en"] == (
        f"Routes could grow since {first}; this was taken back on 2026-02-04."
    )
    # The report is asked for in English: other languages have the template.
    assert story.paragraph["zh"].endswith(f"2026-02-04 被撤销（{last}）。")


async def test_a_paragraph_with_a_day_that_no_step_has_gives_way_to_the_template(
    tmp_path: Path,
) -> None:
    story, _ = await story_told(tmp_path, "2026-02-05")
    first, last = (step.cite.sha[:7] for step in story.timeline[:2])
    assert story.paragraph["en"] == (
        f"“Let routes grow”: landed on 2026-02-01 ({first}), taken back on 2026-02-04 ({last})."
    )
