"""Every sentence of analysis has an anchor that stands in the evidence it cites and proves something."""

from typing import Any

import pytest

from agent.domain.claims import Anchor, Judgement, Kind
from tests.agent.gate.conftest import analysis, make_commit, make_issue

COMMIT = make_commit()


def anchored(
    anchor: str, text: str = "It is smaller.", file: str | None = None, **about: Any
) -> list[Judgement]:
    """List what is wrong with a sentence about a commit that rests on these words."""
    return analysis(
        COMMIT, text=text, anchors=(Anchor(cite=COMMIT.id, text=anchor, file=file),), **about
    )


@pytest.mark.parametrize(
    "anchor",
    [
        "Lower the limit of topK (#41)",
        "Lower the limit of topK",
        "The buffer holds 8 entries",
        "The buffer holds 8 entries; p50 drops from 12 ms to 7.4 ms.",
    ],
)
def test_a_whole_sentence_of_the_message_proves_something(anchor: str) -> None:
    assert anchored(anchor) == []


def test_half_a_sentence_proves_nothing_unless_it_holds_a_literal() -> None:
    assert "no anchor proves" in anchored("the limit of")[0].reason
    assert anchored("limit of topK", text="The limit of `topK` falls.") == []


@pytest.mark.parametrize(
    ("anchor", "file"),
    [
        ("+    if topK > 8:", None),
        ("if topK > 8:", "src/router/limits.py"),
        ("-    if topK > 22:\n-        raise ValueError(“topK must be at most 22”)", "limits.py"),
        ("TIMEOUT = 30\n    TIMEOUT = 45", None),
    ],
)
def test_changed_lines_stand_with_or_without_their_signs(anchor: str, file: str | None) -> None:
    assert anchored(anchor, text="`topK` and `TIMEOUT` change.", file=file) == []


@pytest.mark.parametrize(
    ("anchor", "file"),
    [
        ("if topK > 9:", None),
        ("The buffer holds 9 entries", None),
        ("if topK > 22: … TIMEOUT = 30", None),
        ("if topK > 8:", "src/router/other.py"),
        ("", None),
    ],
)
def test_an_anchor_that_is_not_verbatim_is_refused(anchor: str, file: str | None) -> None:
    assert [(one.verdict, one.check) for one in anchored(anchor, file=file)] == [
        ("quote", "anchor")
    ]


def test_one_good_anchor_does_not_cover_for_a_false_one() -> None:
    anchors = tuple(
        Anchor(cite=COMMIT.id, text=text) for text in ("The buffer holds 8 entries", "It holds 9")
    )
    (found,) = analysis(COMMIT, text="It is smaller.", anchors=anchors)
    assert found.literal == "It holds 9"


def test_a_sentence_without_an_anchor_or_with_one_of_other_evidence_is_refused() -> None:
    assert "no anchor" in analysis(COMMIT, text="It is smaller.", anchors=())[0].reason
    other = Anchor(cite=make_issue().id, text="Overflow for large topK")
    assert "not cited" in analysis(COMMIT, text="It is smaller.", anchors=(other,))[0].reason


def test_sentences_of_a_thread_count_without_bullets_and_a_label_is_none() -> None:
    issue = make_issue(
        body="Steps:\n\n- The router\n  crashes early\n- Then it hangs.", labels=("crash",)
    )
    for words in ("The router crashes early", "Then it hangs."):
        assert analysis(issue, text="It fails.", anchors=(Anchor(cite=issue.id, text=words),)) == []
    assert analysis(issue, text="It fails.", anchors=(Anchor(cite=issue.id, text="crash"),)) != []


def test_facts_and_quotations_need_no_anchor_and_free_words_do() -> None:
    assert (
        analysis(COMMIT, text="`nowhere` is 99.", kind=Kind.FACT, predicate="fact", anchors=())
        == []
    )
    assert analysis(COMMIT, text="`nowhere` is 99.", kind=Kind.FACT, anchors=()) != []


def test_the_old_value_was_removed_and_the_new_one_added() -> None:
    title = "Lower the limit of topK"
    assert anchored(title, old="22", new="8") == []
    assert anchored(title, old="`TIMEOUT = 30`", new="TIMEOUT = 45") == []
    assert [one.check for one in anchored(title, old="8", new="22")] == ["old", "new"]
    assert [one.check for one in anchored(title, old="retries = 3")] == ["old"]
