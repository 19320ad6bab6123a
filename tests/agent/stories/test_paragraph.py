"""A story is told as one paragraph with its steps in order, and a release by its tag."""

from datetime import UTC, datetime, timedelta

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Story, StoryKind, StoryStep
from agent.stories.paragraph import story_paragraph, story_title

REPO = RepoId("octo/router")
DAY = datetime(2026, 2, 1, 12, tzinfo=UTC)
TITLE = "Let routes spill (#12)"


def step(number: int, act: Act, title: str = TITLE, tag: str = "") -> StoryStep:
    cite = EvidenceId.commit(REPO, str(number) * 40)
    if tag:
        cite = EvidenceId(f"{REPO}@{tag}")
    return StoryStep(cite=cite, at=DAY + timedelta(days=number), act=act, title=title)


def story(kind: StoryKind, *steps: StoryStep) -> Story:
    cites = tuple(step.cite for step in steps if step.act != "released")
    return Story(kind=kind, repo=REPO, steps=cites, timeline=steps)


RELANDED = story(
    "reland",
    step(1, "landed"),
    step(3, "undone", f'Revert "{TITLE}"'),
    step(6, "landed again", f"Reland {TITLE}"),
    step(8, "released", "", tag="v0.6.3"),
)


def test_the_steps_of_a_story_stand_in_one_paragraph_with_days_reason_and_release() -> None:
    reasons = {EvidenceId.commit(REPO, "3" * 40): EvidenceId.thread(REPO, 40)}
    assert story_paragraph(RELANDED, "en", reasons) == (
        "“Let routes spill (#12)”: landed on 2026-02-02 (1111111), taken back on 2026-02-04"
        " (3333333) because of #40, landed again on 2026-02-07 (6666666); first releases"
        " with steps of it: v0.6.3."
    )
    assert story_paragraph(RELANDED, "zh") == (
        "“Let routes spill (#12)”：2026-02-02 合入（1111111），2026-02-04 被撤销（3333333），"
        "2026-02-07 重新合入（6666666）；首次随 v0.6.3 发布。"
    )


def test_a_release_is_called_by_its_tag_and_not_by_its_first_commit() -> None:
    released = story("released", step(1, "landed"), step(8, "released", "Router 0.6", tag="v0.6.3"))
    assert story_title(released) == "v0.6.3"
    assert story_title(RELANDED) == TITLE


def test_another_change_of_a_story_has_its_own_title() -> None:
    continued = story(
        "follow-up",
        step(1, "landed"),
        step(2, "landed", "Count spilled routes (#15)"),
        step(4, "follow-up", "Print the count of spilled routes (#19)"),
    )
    assert story_paragraph(continued, "en") == (
        "“Let routes spill (#12)”: landed on 2026-02-02 (1111111), “Count spilled routes (#15)”"
        " landed on 2026-02-03 (2222222), continued on 2026-02-05 (4444444)."
    )
    assert "“Count spilled routes (#15)”2026-02-03 合入" in story_paragraph(continued, "zh")
