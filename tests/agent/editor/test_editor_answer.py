"""What an editor answers counts for commits that it was shown, each once, and in every language."""

from typing import Any

import pytest

from agent.domain.base import Language, RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.placement import Importance
from agent.editor.editor_answer import edition_shape, groups, proposals, tokens_per_commit
from agent.editor.reasons_and_labels import EditorWords, reason_of
from agent.editor.rows import CommitRow

LANGUAGES: tuple[Language, ...] = ("en", "zh")


def row(number: int) -> CommitRow:
    commit = EvidenceId.commit(RepoId("octo/router"), f"{number}" * 40)
    return CommitRow(f"c{number}", commit, f"Lower limit {number} to 8", (), ())


ROWS = {one.handle: one for one in map(row, (1, 2, 3))}


def answer(**content: Any) -> Any:
    return edition_shape(LANGUAGES).model_validate(content)


def place(commit: str, tier: int, en: str = "lower limit", zh: str = "上限更低") -> dict[str, Any]:
    return {"commit": commit, "tier": tier, "reason_en": en, "reason_zh": zh}


def test_each_commit_that_was_shown_is_placed_once_in_a_tier_that_exists() -> None:
    places = [
        place("[c2]", 3),
        place("`c1`.", 0, zh=""),
        place("c2", 1),
        place("c9", 3),
        place("c3", -1),
    ]
    placed = proposals(answer(places=places), ROWS, LANGUAGES)
    assert [(one.sha[0], one.importance) for one in placed] == [
        ("2", Importance.MUST_KNOW),
        ("1", Importance.NOISE),
    ]
    assert placed[0].reasons == {"en": "lower limit", "zh": "上限更低"}
    assert placed[1].reasons == {}  # It lacks a language


@pytest.mark.parametrize(
    ("handles", "label_zh", "members"),
    [
        (["c1", "[c3]"], "上限", ["c1", "c3"]),
        (["c1", "c1"], "上限", None),
        (["c1", "c9"], "上限", None),
        (["c1", "c2"], "", None),
    ],
)
def test_a_group_has_two_commits_that_were_shown_and_a_label_in_every_language(
    handles: list[str], label_zh: str, members: list[str] | None
) -> None:
    group = {"commits": handles, "label_en": "limits", "label_zh": label_zh}
    words = list(groups(answer(groups=[group]), ROWS, LANGUAGES))
    expected = [] if members is None else [members]
    assert [[one.handle for one in labelled.rows] for labelled in words] == expected


def test_an_answer_needs_more_tokens_for_each_language() -> None:
    assert (
        tokens_per_commit(("en",)) < tokens_per_commit(LANGUAGES) < 2 * tokens_per_commit(("en",))
    )


TWELVE = "the limit of it is now 8 and no more than that"


@pytest.mark.parametrize(
    ("text", "is_too_long"),
    [
        (TWELVE, False),
        (f"{TWELVE} now", True),
        ("l" * 120, False),
        ("l" * 121, True),
    ],
)
def test_a_reason_has_twelve_words_or_120_characters(text: str, *, is_too_long: bool) -> None:
    checks = [no.check for no in reason_of(row(1), {"en": text}).objections()]
    assert ("length" in checks) is is_too_long


@pytest.mark.parametrize(
    ("text", "is_too_long"),
    [(f"{TWELVE} and so on", False), ("l" * 100, False), ("l" * 101, True)],
)
def test_a_label_has_100_characters_however_many_words(text: str, *, is_too_long: bool) -> None:
    label = EditorWords("label1", (row(1), row(2)), {"en": text})
    assert ("length" in [no.check for no in label.objections()]) is is_too_long
