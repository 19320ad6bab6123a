"""Shortening text: what matters stays, with the lines around it, and gaps are counted."""

from agent.packets.lines_in_budget import excerpt
from agent.token_estimates import tokens_of

LINES = [f"line {number} of a long text" for number in range(200)]


def test_a_text_that_fits_is_shown_whole() -> None:
    part = excerpt(LINES[:5], 1_000, keep=[3])
    assert part.text == "\n".join(LINES[:5])
    assert part.is_complete


def test_kept_lines_come_first_then_their_neighbours_then_the_beginning() -> None:
    bare = excerpt(LINES, 30, keep=[120])
    assert bare.text == f"(120 lines left out)\n{LINES[120]}\n(79 lines left out)"
    around = excerpt(LINES, 100, keep=[120])
    assert f"{LINES[119]}\n{LINES[120]}\n{LINES[121]}" in around.text
    assert LINES[0] not in around.text
    roomy = excerpt(LINES, 600, keep=[120])
    assert f"{LINES[108]}\n{LINES[109]}" in roomy.text
    assert roomy.text.startswith(f"{LINES[0]}\n{LINES[1]}")


def test_without_lines_to_keep_the_beginning_is_shown() -> None:
    part = excerpt(LINES, 60)
    assert part.text.startswith("\n".join(LINES[:4]))
    assert part.text.endswith(f"({200 - part.line_count} lines left out)")


def test_an_excerpt_keeps_to_its_tokens() -> None:
    for budget in range(20, 1_500, 37):
        for keep in ([], [0], [199], [10, 50, 90, 130]):
            assert tokens_of(excerpt(LINES, budget, keep).text) <= budget


def test_of_a_line_that_is_too_long_the_beginning_is_shown() -> None:
    part = excerpt(["short", "a very long line " * 400], 100, keep=[1])
    assert "a very long line a very long line" in part.text
    assert tokens_of(part.text) <= 100
