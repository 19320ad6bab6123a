"""What an audit makes of what a report says of its days as a whole: authors, reverts, sums, the largest, the first."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
WORKSHOP = ("acme/workshop",)
_DAYS = "# acme/workshop, 2026-03-14 to 2026-03-15 (UTC)"
_LIST = """- [`<lay>`](<lay:url>) Lay out the workshop (#40)
- [`<press>`](<press:url>) Warm the press (#41)
- [`<pin>`](<pin:url>) Pin the kernels (#42)
"""


async def _wrong(audit: Audit, text: str, repos: tuple[str, ...] = WORKSHOP) -> list[tuple[int, str]]:
    outcome = await audit(text, repos=repos)
    return [(one.line, one.kind) for one in outcome.findings if one.wrong]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("5 commits landed, from 3 different authors.", False),
        ("5 commits landed, from five different authors.", True),
        ("期间共 5 个提交，来自 3 位作者。", False),
        ("期间共 5 个提交，来自 4 位作者。", True),
        ("Bo Chen made 2 commits, reviewed by four people.", False),
        ("One revert in the period.", False),
        ("Three reverts in the period.", True),
        ("5 commits landed; none of them is a revert.", True),
        ("5 commits landed; one of them is a revert.", False),
        ("期间没有回滚提交。", True),
        ("The two reverts of last week are history.", False),
    ],
)
async def test_authors_and_reverts_of_the_days_are_counted(audit: Audit, sentence: str, wrong: bool) -> None:
    assert await _wrong(audit, f"{_DAYS}\n\n{sentence}\n") == ([(3, "count")] if wrong else [])


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Taken together they add 27 lines and delete 12.", False),
        ("Taken together they add 52 lines and delete 12.", True),
        ("合计新增 27 行，删除 12 行。", False),
        ("合计新增 25 行，删除 21 行。", True),
        ("The largest commit by added lines is <lay> (+13), followed by <jig> (+6).", False),
        ("The largest commit by added lines is <jig> (+6), followed by <pin> (+5).", True),
        ("The largest commit by added lines is <lay> (+13), followed by <pin> (+5).", True),
        ("The largest commit by deleted lines is <unjig>.", False),
        ("The largest press change is <press>.", False),
    ],
)
async def test_lines_of_the_days_are_summed_up_and_compared(audit: Audit, sentence: str, wrong: bool) -> None:
    assert set(await _wrong(audit, f"{_DAYS}\n\n- {sentence}\n")) == ({(3, "statistics")} if wrong else set())


async def test_a_number_right_behind_a_hash_is_what_that_commit_adds(audit: Audit) -> None:
    text = f"{_DAYS}\n\nMost lines came with <lay> (+13), some with <jig> (+7).\n"
    assert await _wrong(audit, text) == [(3, "statistics")]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Of these three, `<pin>` was merged last (10:00) and `<lay>` first.", False),
        ("Of these three, `<pin>` was merged last (10:00) and `<press>` first.", True),
        ("The last commit of the weekend is `<unjig>`.", False),
        ("The last commit of the weekend is `<pin>`.", True),
        ("The first merge came at 08:00 UTC, the last at 10:00 UTC.", False),
        ("The first merge came at 09:00 UTC.", True),
    ],
)
async def test_the_first_and_the_last_are_found_by_their_time(audit: Audit, sentence: str, wrong: bool) -> None:
    assert await _wrong(audit, f"{_DAYS}\n\n{_LIST}\n{sentence}\n") == ([(7, "date")] if wrong else [])


async def test_a_hash_that_a_commit_pins_is_none_that_the_report_cites(audit: Audit) -> None:
    text = f"""{_DAYS}

| Change | Commit | Author |
|---|---|---|
| `KERNELS` `0123abcd` → `<rope>` | <pin> | Chris P |
"""
    assert await _wrong(audit, text, repos=("acme/workshop", "acme/kernels")) == []


async def test_who_signs_an_entry_right_behind_its_hash_is_no_title(audit: Audit) -> None:
    text = f"{_DAYS}\n\n* [`<press>`](<press:url>) by Bo Chen (#41): the press is warmed.\n"
    assert await _wrong(audit, text) == []


async def test_a_sum_in_all_behind_two_files_is_not_that_of_the_last(audit: Audit) -> None:
    lines = "* [`<pin>`](<pin:url>) changes `Dockerfile` and `shop/bench.py` ({0} in all).\n"
    assert await _wrong(audit, f"{_DAYS}\n\n{lines.format('+4/-4')}") == []
    assert await _wrong(audit, f"{_DAYS}\n\n{lines.format('+4/-3')}") == [(3, "statistics")]


@pytest.mark.parametrize(("name", "wrong"), [("SHOP_WARM_UP", False), ("SHOP_HEAT_UP", True)])
async def test_a_variable_that_an_overview_calls_new_is_in_a_commit_of_the_days(
    audit: Audit, name: str, wrong: bool
) -> None:
    lead = f"{_DAYS}\n\nThe new variable of the week is `{name}`.\n\n## Commits\n\n{_LIST}"
    whole = f"{lead}- [`<jig>`](<jig:url>) Add a jig (#43)\n- [`<unjig>`](<unjig:url>) takes the jig away (#44)\n"
    assert await _wrong(audit, whole) == ([(3, "identifier")] if wrong else [])
    # What the report leaves out may have it.
    assert await _wrong(audit, lead) == []


@pytest.mark.parametrize(("who", "wrong"), [("Bo Chen", False), ("Chris P", True)])
async def test_whose_the_change_was_that_is_taken_back_is_asked_of_that_change(
    audit: Audit, who: str, wrong: bool
) -> None:
    text = f"""{_DAYS}

## What was reverted?

Ada Lovelace backed out [#43](https://github.com/acme/workshop/pull/43) in [`<unjig>`](<unjig:url>) (#44).

The reverted change was {who}'s.
"""
    assert await _wrong(audit, text) == ([(7, "author")] if wrong else [])
