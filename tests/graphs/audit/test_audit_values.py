"""What an audit makes of values, flags, names and outcomes that a report tells otherwise than the change."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
WORKSHOP = ("acme/workshop",)
_DAYS = "# acme/workshop, 2026-03-14 to 2026-03-15 (UTC)"


async def _is_wrong(audit: Audit, text: str) -> bool:
    outcome = await audit(f"{_DAYS}\n\n{text}\n", repos=WORKSHOP)
    return bool(outcome.reasons())


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("[`<press>`](<press:url>) gives `press` a new argument `warm`, `True` by default.", False),
        ("[`<press>`](<press:url>) gives `press` a new argument `warm`, `False` by default.", True),
        ("[`<press>`](<press:url>) 新增参数 `warm`，默认为 `True`。", False),
        ("[`<press>`](<press:url>) 新增参数 `warm`，默认为 `False`。", True),
        ("[`<press>`](<press:url>) keeps `force`, which defaults to 2.", False),
        ("[`<press>`](<press:url>) keeps `force`, which defaults to 90.", True),
        ("[`<press>`](<press:url>) declares modes 90 and 100 with `requires`.", False),
        ("[`<press>`](<press:url>) declares modes 80 and 90 with `requires`.", True),
        ("[`<pin>`](<pin:url>): `choose` now returns two values instead of three.", False),
        ("[`<pin>`](<pin:url>): `choose` now returns three values instead of two.", True),
    ],
)
async def test_what_a_name_is_given_is_read_from_the_diff(audit: Audit, sentence: str, wrong: bool) -> None:
    assert await _is_wrong(audit, f"- {sentence}") is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("[`<pin>`](<pin:url>): `CUSTOM` changes from the empty string to `None`.", False),
        ("[`<pin>`](<pin:url>): `CUSTOM` changes from `None` to the empty string.", True),
        ("[`<pin>`](<pin:url>) takes the image from 7.1 to 7.0.", False),
        ("[`<pin>`](<pin:url>) takes the image from 7.0 to 7.1.", True),
        ("[`<pin>`](<pin:url>) 把镜像从 7.1 降到 7.0。", False),
        ("[`<pin>`](<pin:url>) 把镜像从 7.0 升到 7.1。", True),
        ("[`<pin>`](<pin:url>): `--node-size` becomes `--nnodes`.", False),
        ("[`<pin>`](<pin:url>): `--node-size` becomes `--num-nodes`.", True),
    ],
)
async def test_values_and_flags_that_went_the_other_way_are_wrong(audit: Audit, sentence: str, wrong: bool) -> None:
    assert await _is_wrong(audit, f"- {sentence}") is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("[`<jig>`](<jig:url>) introduces `run_jig_test`.", False),
        ("[`<jig>`](<jig:url>) introduces `run_big_jig`, too.", True),
        ("[`<press>`](<press:url>): the message says that `test_press.py` mostly passes.", False),
        ("[`<press>`](<press:url>): the message says that `test_press.py` fails completely.", True),
        ("[`<press>`](<press:url>): the check did not run, so that HEAT was always disabled.", False),
        ("[`<press>`](<press:url>): the check did not run, so that HEAT was always enabled.", True),
        ("[`<press>`](<press:url>): the message reports ~1% uplift for small plates.", False),
        ("[`<press>`](<press:url>): the message reports ~10% uplift for small plates.", True),
    ],
)
async def test_names_outcomes_and_shares_are_those_of_the_change(audit: Audit, sentence: str, wrong: bool) -> None:
    assert await _is_wrong(audit, f"- {sentence}") is wrong


@pytest.mark.parametrize(("number", "wrong"), [(39, False), (38, True)])
async def test_an_issue_that_is_said_to_be_closed_by_a_commit_is_named_in_it(
    audit: Audit, number: int, wrong: bool
) -> None:
    link = f"[#{number}](https://github.com/acme/workshop/issues/{number})"
    assert await _is_wrong(audit, f"- {link} is closed by the warm press `<press>`.") is wrong


@pytest.mark.parametrize(("day", "wrong"), [("14 March", False), ("15 March", True)])
async def test_a_day_that_is_said_of_both_entries_below_is_that_of_each(audit: Audit, day: str, wrong: bool) -> None:
    text = f"""Two commits, both on {day}:

* [`<press>`](<press:url>) by Bo Chen (#41): the press is warmed.
* [`<pin>`](<pin:url>) by Chris P (#42): the kernels are pinned.
"""
    assert await _is_wrong(audit, text) is wrong
