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
