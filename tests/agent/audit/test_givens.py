"""Defaults that a sentence gives a name, by a value, by a word for a switch, or in a list."""

from collections.abc import Callable

import pytest

from agent.audit.givens import given_otherwise
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("`run` accepts `warm`, off by default.", False),
        ("`run` accepts `warm`, on by default.", True),
        ("`warm` is disabled by default.", False),
        ("`warm` is enabled by default.", True),
        ("新增参数 `warm`，默认关闭。", False),
        ("新增参数 `warm`，默认开启。", True),
        ("`level`, on by default.", False),
    ],
)
def test_a_switch_is_on_by_default_where_the_change_has_it_so(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit("Add a switch (#3)", "+def run(", "+    warm: bool = False,", "+    level: int = 3,", "+):")
    assert bool(given_otherwise(sentence, [change])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("New variables with defaults: `SHOP_DIR` (`dumps`), `SHOP_SIZE` (20), `SHOP_COUNT` (1000).", False),
        ("New variables with defaults: `SHOP_DIR` (`dumps`), `SHOP_SIZE` (20), `SHOP_COUNT` (100).", True),
        ("新增变量及默认值：`SHOP_SIZE`（20）、`SHOP_COUNT`（100）。", True),
        ("New variables are tested with: `SHOP_COUNT` (100).", False),
    ],
)
def test_a_list_of_defaults_gives_each_name_its_own(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit(
        "Read the limits from outside (#3)",
        '+SIZE = float(os.environ.get("SHOP_SIZE", "20"))',
        '+COUNT = int(os.environ.get("SHOP_COUNT", "1000"))',
    )
    assert bool(given_otherwise(sentence, [change])) is wrong
