"""Which lines of a run are shown because words in them changed."""

from tools.diff.changed_runs import ChangedLine, Run
from tools.diff.lines_with_changed_words import really_changed


def run_of(*lines: str) -> Run:
    return [ChangedLine(number, line) for number, line in enumerate(lines, 1)]


def test_a_condition_is_shown_as_it_was_and_as_it_is_whichever_side_has_more_words() -> None:
    long = "if is_sum && is_trivial:"
    short = "if is_trivial:"
    for old, new in ((long, short), (short, long)):
        lines = run_of(f"-{old}", "-    first(old)", f"+{new}", "+    first(old)")
        assert [line.text for line in really_changed(lines)] == [f"-{old}", f"+{new}"]


def test_a_call_that_only_gets_another_layout_is_left_out_beside_one_that_loses_an_argument() -> (
    None
):
    lines = run_of(
        "-run(plan, mode)",
        "-close(plan, force=True)",
        "+run(",
        "+    plan,",
        "+    mode,",
        "+)",
        "+close(plan)",
    )
    assert [line.text for line in really_changed(lines)] == [
        "-close(plan, force=True)",
        "+close(plan)",
    ]
