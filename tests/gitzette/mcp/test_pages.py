"""Pages of long texts."""

import re

import pytest

from agent.errors import UsageError
from gitzette.mcp.pages import LONGEST, page_of


def whole(text: str) -> str:
    pages, page = [], 1
    while True:
        shown = page_of(text, page)
        assert len(shown) < LONGEST + 100
        told = re.search(r"\n\n\(page (\d+) of (\d+); (.*)\)\n\Z", shown)
        pages.append(shown[: told.start()] if told else shown)
        if told is None or told[1] == told[2]:
            return "\n".join(pages)
        assert told[3] == f"call again with page={page + 1} for the next one"
        page += 1


@pytest.mark.parametrize("length", [0, 1, 7_999, 8_000, 8_001, 30_000])
def test_pages_together_are_the_whole_text(length: int) -> None:
    text = "".join(f"第 {number} 行 and some words\n" for number in range(2_000))[:length]
    assert whole(text).split() == text.split()


def test_a_line_that_is_longer_than_a_page_is_cut() -> None:
    assert whole("x" * 20_000) == "\n".join(["x" * 8_000, "x" * 8_000, "x" * 4_000])


@pytest.mark.parametrize("page", [0, -1, 2, 10**9])
def test_a_page_that_is_not_there_is_told_with_those_that_are(page: int) -> None:
    with pytest.raises(UsageError, match="from 1 to 1"):
        page_of("short", page)
