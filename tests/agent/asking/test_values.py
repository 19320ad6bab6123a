"""The values that a line tells are found in whichever order and language they stand."""

import pytest

from agent.asking.values import turn_of, values_of


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("changed from 64 to 128", ("64", "128")),
        ("从 fail 改成 recompute", ("fail", "recompute")),
        ("Change the dtype from int64 to uint64 (#19)", ("int64", "uint64")),
        ("raise the limit", None),
    ],
)
def test_old_and_new_are_told_together(text: str, turn: tuple[str, str] | None) -> None:
    assert turn_of(text) == turn


def test_only_numbers_are_values_by_themselves() -> None:
    assert values_of("from slow to fast, then to 12") == ("12",)


@pytest.mark.parametrize("text", ["from 8000 to what", "端口从 8000 换成多少了"])
def test_the_old_value_may_be_told_alone(text: str) -> None:
    assert values_of(text) == ("8000",)
