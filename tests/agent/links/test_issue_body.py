"""Of the body of an issue, dumps of machines and the beginnings of logs are left out."""

import pytest

from agent.links.issue_body import frames_in, reported_text

SETTINGS = [f"library_{number}==1.{number}" for number in range(10)]


@pytest.mark.parametrize(
    ("settings", "words", "is_dump"), [(7, 3, True), (6, 4, False), (7, 0, False), (8, 0, True)]
)
def test_a_block_of_eight_lines_of_which_seven_in_ten_are_settings_is_a_dump(
    settings: int, words: int, *, is_dump: bool
) -> None:
    block = [*SETTINGS[:settings], *["the server hangs"] * words]
    assert reported_text("\n".join(block)) == ("" if is_dump else "\n".join(block))


def test_settings_with_a_traceback_are_no_dump() -> None:
    block = [*SETTINGS, 'File "/opt/router/serve.py", line 7, in serve']
    assert reported_text("\n".join(block)) == "\n".join(block)


def test_of_a_log_the_last_lines_are_kept_and_a_fence_ends_with_its_own_mark() -> None:
    log = [f"step number {number} is done" for number in range(30)]
    text = reported_text("\n".join(["```", *log, "```", "It hangs."]))
    # The closing fence is one of the last twenty lines.
    assert text.splitlines() == [*log[11:], "```", "It hangs."]
    after = [f"sentence {number} of the report" for number in range(30)]
    text = reported_text("\n".join(["```", "a", "~~~", "b", "```", *after]))
    assert text.splitlines()[-30:] == after


def test_questions_of_a_form_are_left_out_with_what_nobody_filled_in() -> None:
    body = "### The bug\nIt hangs.\n- [x] I searched\n_No response_\n<!-- say more -->"
    assert reported_text(body).split() == ["It", "hangs."]


def test_the_last_three_frames_of_a_traceback_count_each_once_the_newest_first() -> None:
    frames = ["a/b/one.py:f", "a/two.py:g", "three.py:h", "x/four.py:i", "x/four.py:i"]
    lines = []
    for frame in frames:
        path, function = frame.split(":")
        lines.append(f'File "{path}", line 7, in {function}')
    assert frames_in("\n".join(lines)) == ("x/four.py:i", "three.py:h", "a/two.py:g")
