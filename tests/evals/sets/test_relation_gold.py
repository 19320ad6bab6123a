"""What a report asserts of commits, compared with what readers found."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.errors import UsageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Story, StoryKind, StoryStep
from evals.sets.relation_gold import FullNames, GoldRelation, asserted_steps, read_gold

REPO = RepoId("octo/router")
CACHE = EvidenceId.commit(REPO, "a" * 40)
MEND = EvidenceId.commit(REPO, "b" * 40)
PART = EvidenceId.commit(REPO, "c" * 40)
TITLES = {CACHE: "Cache routes (#5)", MEND: "Keep routes", PART: "[2/2] Cache more"}
NAMES = FullNames(TITLES)


def step(cite: EvidenceId, act: Act, day: int, *after: EvidenceId) -> StoryStep:
    return StoryStep(cite=cite, at=datetime(2026, 2, day, tzinfo=UTC), act=act, after=after)


def told(kind: StoryKind, *steps: StoryStep) -> list[tuple[str, str, str]]:
    cites = tuple(step.cite for step in steps)
    story = Story(kind=kind, repo=REPO, steps=cites, timeline=steps, news=cites[-1:])
    assertions = asserted_steps([story], NAMES)
    return [(told.pair.commit, told.relation, told.pair.other) for told in assertions]


def test_stories_assert_what_their_news_have_to_do_with_earlier_steps() -> None:
    landed = step(CACHE, "landed", 1)
    assert told("follow-up", landed, step(MEND, "mended", 2, CACHE)) == [
        (MEND, "introduced by", CACHE)
    ]
    assert told("revert", landed, step(MEND, "undone", 2)) == [(MEND, "reverts", CACHE)]
    parts = (step(CACHE, "part", 1), step(MEND, "part", 2), step(PART, "part", 3))
    assert told("series", *parts) == [(PART, "continues", CACHE), (PART, "continues", MEND)]


def test_bare_references_assert_nothing() -> None:
    assert told("reference", step(CACHE, "landed", 1), step(MEND, "refers", 2, CACHE)) == []


def test_a_release_is_the_first_with_its_commits() -> None:
    tag = EvidenceId.tag(REPO, "v1.2.0")
    steps = (step(CACHE, "landed", 1), step(MEND, "landed", 2), step(tag, "released", 3))
    assert told("released", *steps) == [
        (CACHE, "first released in", tag),
        (MEND, "first released in", tag),
    ]


def test_a_short_hash_and_a_pull_request_name_the_commit_that_landed() -> None:
    assert NAMES.full("octo/router@aaaaaaa") == CACHE
    assert NAMES.full("octo/router#5") == CACHE
    assert NAMES.full("octo/router#6") == "octo/router#6"
    assert NAMES.full("octo/router@ddddddd") == "octo/router@ddddddd"


@pytest.mark.parametrize(
    ("other", "relation", "kind"),
    [
        ("octo/router#7", "fixes", "issues"),
        ("octo/router@aaaaaaa", "introduced by", "regressions"),
        ("octo/router@aaaaaaa", "lands again", "reverts and re-lands"),
        ("octo/worker@aaaaaaa", "continues", "across repositories"),
        ("octo/router@v1.2.0", "first released in", "releases"),
    ],
)
def test_relations_are_counted_by_kind(other: str, relation: str, kind: str) -> None:
    gold = GoldRelation.model_validate(
        {"commit": "octo/router@bbbbbbb", "other": other, "relation": relation}
    )
    assert gold.counted_as == kind


def test_gold_is_a_list_or_an_object_with_traps(tmp_path: Path) -> None:
    relation = {"commit": MEND, "other": CACHE, "relation": "introduced by"}
    file = tmp_path / "gold.json"
    file.write_text(json.dumps([relation]), encoding="utf-8")
    assert len(read_gold(file).relations) == 1
    file.write_text(json.dumps({"relations": [relation], "traps": [{"other": "octo/router#8"}]}))
    assert len(read_gold(file).traps) == 1
    file.write_text(json.dumps([relation | {"relation": "resembles"}]), encoding="utf-8")
    with pytest.raises(UsageError, match=r"gold\.json cannot be read"):
        read_gold(file)
