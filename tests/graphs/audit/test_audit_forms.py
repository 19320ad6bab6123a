"""Forms in which reports tell values, counts, people and fixes, right and wrong."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
WORKSHOP, DEPOT = ("acme/workshop",), ("acme/depot",)
_SHOP = "# acme/workshop, 2026-03-14 to 2026-03-15 (UTC)"
_STORE = "# acme/depot, 2026-03-16 (UTC)"
_PULL = "https://github.com/acme/workshop/pull/41"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("- [`<pin>`](<pin:url>): when the image goes from 7.0 to 7.1, it may break.", False),
        ("- [`<press>`](<press:url>): the commit message says Closes #39.", False),
        ("- [`<jig>`](<jig:url>): the commit message says Closes #39.", True),
        ("- [`<jig>`](<jig:url>)：提交信息写明 Fixes #38。", True),
        ("- [`<jig>`](<jig:url>): `shop/jig.py` is new, 6 lines.", False),
        ("- [`<jig>`](<jig:url>): `shop/jig.py` is new, 9 lines.", True),
        (f"- [`<press>`](<press:url>) ([#41]({_PULL})) warms the press.", False),
        (f"- [`<press>`](<press:url>) ([commit 41]({_PULL})) warms the press.", True),
        ("- [`<press>`](<press:url>)：Bo Chen 让 `press` 先预热。", False),
        ("- [`<press>`](<press:url>)：Ada Lovelace 让 `press` 先预热。", True),
        ("- [`<press>`](<press:url>)（作者：Bo Chen）让 `press` 先预热。", False),
        ("- Thanks to Ada Lovelace for [`<press>`](<press:url>).", True),
        ("- Ada Lovelace 的 [`<press>`](<press:url>) 让 `press` 先预热。", True),
    ],
)
async def test_hedges_messages_sizes_labels_and_people_are_read_as_they_are_meant(
    audit: Audit, text: str, wrong: bool
) -> None:
    outcome = await audit(f"{_SHOP}\n\n{text}\n", repos=WORKSHOP)
    assert bool(outcome.reasons()) is wrong


@pytest.mark.parametrize(("count", "wrong"), [("2", False), ("4", True), ("four", True)])
async def test_a_count_without_its_noun_is_of_commits_too(audit: Audit, count: str, wrong: bool) -> None:
    told = f"On 2026-03-10 (UTC) **acme/engine** took 3 commits on main and **acme/kernels** took {count}."
    outcome = await audit(f"# Report, 2026-03-10 (UTC)\n\n{told}\n", repos=("acme/engine", "acme/kernels"))
    assert bool(outcome.reasons()) is wrong


@pytest.mark.parametrize(("path", "wrong"), [("tools/guard.py", False), ("tools/log.py", True)])
async def test_what_both_touch_is_touched_by_each(audit: Audit, path: str, wrong: bool) -> None:
    text = f"## The guard\n\n[`<turn>`](<turn:url>) and [`<undo>`](<undo:url>).\n\nBoth touch `{path}` (2 lines).\n"
    outcome = await audit(f"# acme/tools, 2026-03-12 (UTC)\n\n{text}", repos=("acme/tools",))
    assert bool(outcome.reasons()) is wrong


async def test_two_changes_of_one_entry_count_as_two(audit: Audit) -> None:
    entry = "### Turn the guard round (#4), and its revert (#8)\n\n[`<turn>`](<turn:url>)\n[`<undo>`](<undo:url>)\n"
    text = f"# acme/tools, 2026-03-12 (UTC)\n\n#### High (2)\n\n{entry}"
    assert not (await audit(text, repos=("acme/tools",))).reasons()


async def test_the_largest_of_the_month_is_not_for_a_daily_report(audit: Audit) -> None:
    text = f"{_STORE}\n\nThe largest change of the month is [`<options>`](<options:url>).\n"
    assert (await audit(text, repos=DEPOT)).reasons()
