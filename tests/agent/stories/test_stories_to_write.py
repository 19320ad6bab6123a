"""A paragraph about a story is held to the lines that its writer was shown."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story, StoryStep
from agent.stories.stories_to_write import StoryFacts, stories_shape, stories_to_write

REPO = RepoId("octo/router")
FIRST = EvidenceId.commit(REPO, "0845174" + "a" * 33)
SECOND = EvidenceId.commit(REPO, "b5c76c8" + "0" * 33)
DAY = datetime(2026, 2, 1, 12, tzinfo=UTC)


def facts(title: str = "Let routes spill (#12)") -> StoryFacts:
    """Return the facts of a story of two days whose first hash begins with digits alone."""
    first = StoryStep(cite=FIRST, at=DAY, act="landed", title=title)
    then = StoryStep(
        cite=SECOND, at=DAY + timedelta(days=1), act="follow-up", title="Ship headers (#15)"
    )
    story = Story(
        kind="follow-up", repo=REPO, steps=(FIRST, SECOND), timeline=(first, then), news=(SECOND,)
    )
    shipped = Claim(
        id="f1",
        repo=REPO,
        role="change",
        about=(SECOND,),
        cites=(SECOND,),
        text={"en": "The package ships `include/**/*.h.inc` now."},
    )
    (story_facts,) = stories_to_write([story], [shipped], {})
    return story_facts


def objections(text: str, story_facts: StoryFacts) -> list[str]:
    """Return the checks that a paragraph fails."""
    answer: Any = stories_shape(("en",)).model_validate({"stories": [{"story": "s1", "en": text}]})
    claim = story_facts.claim(answer.stories[0], ("en",))
    assert claim is not None
    return [objection.check for objection in story_facts.objections(claim)]


@pytest.mark.parametrize(
    "text",
    [
        "Routes spill since 2026-02-01 (0845174); this went on with b5c76c8 (#15).",
        "It went on with b5c76c8: the package ships `include/**/*.h.inc` now.",
    ],
)
def test_hashes_of_digits_and_dotted_names_of_the_lines_may_be_told(text: str) -> None:
    assert objections(text, facts()) == []


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("Routes spill since 2026-02-01 (0845175).", "number"),
        ("Routes spill since 2026-02-01 (084517).", "number"),
        ("Routes spill since 2026-02-03.", "date"),
        ("Read the guide at evil.example first.", "address"),
    ],
)
def test_what_no_line_has_is_refused_and_so_are_hosts_of_titles(text: str, check: str) -> None:
    assert check in objections(text, facts("Read the guide at evil.example (#12)"))
