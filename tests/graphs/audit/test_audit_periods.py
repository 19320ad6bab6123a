"""Which days a report is about, and what it files under each of them."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
ENGINE = ("acme/engine",)
_ENTRIES = """
- <tune> Tune the default (#10)
- <flag> [Feature] Add --max-batch to the server (#12)
- [`<start>`](<start:url>) Start the engine (#1)
"""


@pytest.mark.parametrize(
    "title",
    [
        "# Engine weekly: March 4–10, 2026",
        "# Engine weekly: March 4 - March 10, 2026",
        "# Engine, 4 to 10 March 2026",
        "# Engine 周报（2026年3月4日至10日）",
        "# Engine 2026-03-04 ~ 03-10",
        "# Engine 2026/03/04 - 03/10",
    ],
)
async def test_a_range_of_days_in_words_or_figures_is_one_window(audit: Audit, title: str) -> None:
    outcome = await audit(f"{title}\n{_ENTRIES}", repos=ENGINE)
    assert outcome.summary["window"]["label"] == "2026-03-04..2026-03-10"
    assert outcome.reasons() == ["out-of-scope"]


@pytest.mark.parametrize("title", ["# Weekly, 2026-W11", "# 2026年第11周", "# Weekly news of 2026-03-15"])
async def test_a_week_by_its_number_or_by_one_date_is_seven_days(audit: Audit, title: str) -> None:
    outcome = await audit(f"{title}\n\n- <flag> new flag\n- <fix> overflow\n- <drop> python\n", repos=ENGINE)
    assert outcome.wrong() == {}
    assert outcome.summary["window"]["label"] == "2026-03-09..2026-03-15"


async def test_a_commit_under_another_day_of_the_week_is_misfiled(audit: Audit) -> None:
    outcome = await audit(
        """# Engine, March 8–11, 2026

## 2026-03-08

- <tune> Tune the default (#10)

## March 10, 2026

- <flag> [Feature] Add --max-batch to the server (#12)
- <drop> Drop python 3.9 (#15)
""",
        repos=ENGINE,
    )
    assert outcome.reasons() == ["metadata"]
    assert next(iter(outcome.wrong())).endswith("under 2026-03-10")
