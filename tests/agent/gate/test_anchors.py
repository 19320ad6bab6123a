"""Every sentence of analysis has an anchor that stands in the evidence it cites and proves something."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.domain.claims import Anchor, Kind

Make = Callable[..., Any]


@pytest.fixture
def wrong(analysis: Make, make_commit: Make) -> Make:
    """Give what is wrong with a sentence about a commit that rests on these words."""
    commit = make_commit()

    def run(anchor: str, text: str = "It is smaller.", file: str | None = None, **about: Any) -> Any:
        return analysis(commit, text=text, anchors=(Anchor(cite=commit.id, text=anchor, file=file),), **about)

    return run


@pytest.mark.parametrize(
    "anchor",
    [
        "Lower the limit of topK (#41)",
        "Lower the limit of topK",
        "The buffer holds 8 entries",
        "The buffer holds 8 entries; p50 drops from 12 ms to 7.4 ms.",
    ],
)
def test_a_whole_sentence_of_the_message_proves_something(wrong: Make, anchor: str) -> None:
    assert wrong(anchor) == []


def test_half_a_sentence_proves_nothing_unless_it_holds_a_literal(wrong: Make) -> None:
    assert "no anchor proves" in wrong("the limit of")[0].reason
    assert wrong("limit of topK", text="The limit of `topK` falls.") == []


@pytest.mark.parametrize(
    ("anchor", "file"),
    [
        ("+    if topK > 8:", None),
        ("if topK > 8:", "src/router/limits.py"),
        ("-    if topK > 22:\n-        raise ValueError(“topK must be at most 22”)", "limits.py"),
        ("TIMEOUT = 30\n    TIMEOUT = 45", None),
    ],
)
def test_changed_lines_stand_with_or_without_their_signs(wrong: Make, anchor: str, file: str | None) -> None:
    assert wrong(anchor, text="`topK` and `TIMEOUT` change.", file=file) == []


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
def test_an_anchor_that_is_not_verbatim_is_refused(wrong: Make, anchor: str, file: str | None) -> None:
    found = wrong(anchor, file=file)
    assert [one.check for one in found] == ["anchor"]
    assert found[0].verdict == "quote"


def test_one_good_anchor_does_not_cover_for_a_false_one(analysis: Make, make_commit: Make) -> None:
    commit = make_commit()
    anchors = tuple(Anchor(cite=commit.id, text=text) for text in ("The buffer holds 8 entries", "It holds 9"))
    (found,) = analysis(commit, text="It is smaller.", anchors=anchors)
    assert found.literal == "It holds 9"


def test_a_sentence_without_an_anchor_or_with_one_of_other_evidence_is_refused(
    analysis: Make, make_commit: Make, make_issue: Make
) -> None:
    assert "no anchor" in analysis(make_commit(), text="It is smaller.", anchors=())[0].reason
    other = Anchor(cite=make_issue().id, text="Overflow for large topK")
    assert "not cited" in analysis(make_commit(), text="It is smaller.", anchors=(other,))[0].reason


def test_sentences_of_a_thread_count_without_bullets_and_emphasis(analysis: Make, make_issue: Make) -> None:
    issue = make_issue(body="Steps:\n\n- **The router** crashes early\n- Then it hangs.")
    anchor = Anchor(cite=issue.id, text="The router crashes early")
    found = analysis(issue, text="It crashes.", anchors=(anchor,))
    assert [one.reason for one in found if "copied" not in one.reason] == []
    assert analysis(issue, text="It hangs.", anchors=(Anchor(cite=issue.id, text="Then it hangs."),)) == []


def test_facts_and_quotations_need_no_anchor_and_free_words_do(analysis: Make, make_commit: Make) -> None:
    fact = {"kind": Kind.FACT, "predicate": "fact", "anchors": ()}
    assert analysis(make_commit(), text="`nowhere` is 99.", **fact) == []
    assert analysis(make_commit(), text="`nowhere` is 99.", kind=Kind.FACT, anchors=()) != []


def test_the_old_value_was_removed_and_the_new_one_added(wrong: Make) -> None:
    title = "Lower the limit of topK"
    assert wrong(title, old="22", new="8") == []
    assert wrong(title, old="`TIMEOUT = 30`", new="TIMEOUT = 45") == []
    assert [one.check for one in wrong(title, old="8", new="22")] == ["old", "new"]
    assert [one.check for one in wrong(title, old="retries = 3")] == ["old"]
