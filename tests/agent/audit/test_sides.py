"""Names and values that a sentence puts on the other side of a diff."""

from collections.abc import Callable

import pytest

from agent.audit.sides import Sides
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]
_LINES = (
    "-limit = None",
    "+limit = DEFAULT",
    "-    first = DEFAULT or old()",
    "-    second = DEFAULT or old()",
    "+    first = None",
    "+    second = None",
)


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        # One line shows the exchange as it is told, though the names went the other way in most.
        (_LINES, False),
        (_LINES[2:], True),
    ],
)
def test_a_line_that_shows_an_exchange_outweighs_all_counting(
    commit: Make, lines: tuple[str, ...], wrong: bool
) -> None:
    told = "`limit` goes from `None` to `DEFAULT`."
    assert bool(Sides().turned(told, [commit("Take the default (#3)", *lines)])) is wrong


@pytest.mark.parametrize(
    ("told", "lines", "wrong"),
    [
        ("`free_it` 被标记为 `DEPRECATED`。", ("-API DEPRECATED(void free_it());", "+API void free_it();"), True),
        ("`free_it` 被标记为 `DEPRECATED`。", ("-API void free_it();", "+API DEPRECATED(void free_it());"), False),
        ("`free_it` 不再标记为 `DEPRECATED`。", ("-API DEPRECATED(void free_it());", "+API void free_it();"), False),
        ("`free_it` 不再被标记为 `DEPRECATED`。", ("-API DEPRECATED(void free_it());", "+API void free_it();"), False),
        ("`free_it` is marked as `DEPRECATED`.", ("-API DEPRECATED(void free_it());", "+API void free_it();"), True),
    ],
)
def test_what_is_marked_did_not_lose_the_mark(commit: Make, told: str, lines: tuple[str, ...], wrong: bool) -> None:
    assert bool(Sides().turned(told, [commit("Change the interface (#3)", *lines)])) is wrong


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("只要消息含 `reason`，就写入 `thinking` 并删掉 `content`。", False),
        ("只要消息含 `reason`，就写入 `thinking` 并删掉 `calls`。", True),
        ("Whenever a message has a `reason`, it deletes `calls`.", True),
        ("删掉 `calls`。", False),
    ],
)
def test_what_is_deleted_each_time_is_the_key_that_the_code_deletes(commit: Make, told: str, wrong: bool) -> None:
    lines = ('-if "calls" in msg and "reason" in msg:', '+if "reason" in msg:', '+    msg.erase("content")')
    assert bool(Sides().turned(told, [commit("Rework the parser (#3)", *lines)])) is wrong
