"""What a message says it undoes or brings back."""

import pytest
from agent.weaving.undoings import undoings

from tests.patience import within

BODY = "a title (#9)\n\n"


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("Revert #6487, #6485 and #6484 (#6512)", [6487, 6485, 6484]),
        (
            f"{BODY}sorry but I have to revert those 3 PRs\nhttps://git.example/o/r/pull/7809,\n"
            "https://git.example/o/r/pull/7825,\nhttps://git.example/o/r/pull/7861",
            [7809, 7825, 7861],
        ),
        ("common : revert #12 (#13)", [12]),
    ],
)
def test_everything_that_is_undone_is_named(message: str, numbers: list[int]) -> None:
    assert [(one.of.number, one.part, one.again) for one in undoings(message)] == [(n, False, False) for n in numbers]


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("Partially revert #10516 (#10815)", 10516),
        ("Revert parallel tracking from #32588 (#34160)", 32588),
        (f"{BODY}Partially reverts:\n- https://git.example/o/r/pull/9730\n\nit still keeps the rest", 9730),
        (f"{BODY}Revert the cap to the number of tests from\nhttps://git.example/o/r/pull/10016", 10016),
    ],
)
def test_a_part_that_is_undone_is_told_from_the_whole(message: str, number: int) -> None:
    assert [(one.of.number, one.part, one.again) for one in undoings(message)] == [(number, True, False)]


def test_what_comes_back_is_named_itself_or_by_what_had_undone_it() -> None:
    (restored,) = undoings(f"{BODY}Restores the correctness portion of #10922 for the pass.")
    assert (restored.of.number, restored.again, restored.undoer) == (10922, True, False)
    (again,) = undoings(f"{BODY}This PR relands the support to main (reverted in #4171) as well.")
    assert (again.of.number, again.again, again.undoer) == (4171, True, True)


@pytest.mark.parametrize(
    "message",
    [
        f"{BODY}Checked by reverting the clamp to the pre-#10517 shape.",
        f"{BODY}Update PR #25015 revert",
        f"{BODY}* start\n* Revert #12\n\nThis reverts #12",
        f"{BODY}> Reverts #12",
        f"{BODY}Re-land it, after\nrevert https://git.example/o/r/pull/12. Issues are known.",
        "fix: revert to the old path when FA3 is missing (#12)",
        "",
    ],
)
def test_talk_of_reverting_undoes_nothing(message: str) -> None:
    assert undoings(message) == []


def test_hostile_messages_are_read_in_no_time() -> None:
    with within(2):
        for text in ("revert " * 20_000, "Revert " + "the " * 20_000 + "#1", "restore the " * 9_000 + "reverted in "):
            undoings(text)
            undoings(f"{BODY}{text}")
