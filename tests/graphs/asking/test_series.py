"""The numbered parts of one piece of work are found by the label that is named, and gaps between them are told."""

from collections.abc import Awaitable, Callable

import pytest

from agent.asking.reply import Reply

Ask = Callable[[str], Awaitable[Reply]]


@pytest.mark.parametrize(
    ("question", "gap"),
    [
        ("How many of the numbered [Pool][k/N] patches landed, and is any number missing?", "1, 2, 4 are there"),
        ("[Pool][k/N] 这个系列合了几个？缺哪个编号？", "没有第 3 部分"),
    ],
)
async def test_only_parts_with_the_label_are_counted(ask_series: Ask, question: str, gap: str) -> None:
    reply = await ask_series(question)
    assert reply.answer.startswith("3 ")
    assert len(reply.cites) == 3
    assert "Draw" not in reply.answer
    assert gap in reply.answer


async def test_a_series_without_a_gap_is_told_as_such(ask_series: Ask) -> None:
    reply = await ask_series("which parts of the [View] series landed?")
    assert len(reply.cites) == 2
    assert "no number is missing" in reply.answer


async def test_a_label_that_no_part_carries_counts_no_other_series(ask_series: Ask) -> None:
    assert (await ask_series("how many of the [Mesh][k/N] patches landed?")).abstained
