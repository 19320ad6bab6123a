"""Short forms of everyday speech are written in full, and names are left alone."""

import pytest

from agent.asking.spelling import written_out


@pytest.mark.parametrize(
    ("said", "full"),
    [
        ("whats the default", "what's the default"),
        ("dont count w/ tests", "don't count with tests"),
        ("从啥改成啥了", "从什么改成什么了"),
        ("会咋样", "会怎样"),
        ("咋修的", "怎么修的"),
    ],
)
def test_what_is_written_fast_is_written_in_full(said: str, full: str) -> None:
    assert written_out(said) == full


@pytest.mark.parametrize("name", ["im.py", "docs/whats.md", "dont-care", "`im`", "dim"])
def test_names_are_left_as_they_are(name: str) -> None:
    assert written_out(name) == name
