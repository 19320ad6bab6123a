"""Times are read as people write them, in both languages."""

from datetime import UTC, date, datetime

import pytest

from agent.asking.periods import period_of
from agent.window import Window

NOW = datetime(2026, 4, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what landed on March 12?", date(2026, 3, 12), date(2026, 3, 12)),
        ("3.13 那天改了什么", date(2026, 3, 13), date(2026, 3, 13)),
        ("3 月 14 号和 15 号改了什么", date(2026, 3, 14), date(2026, 3, 15)),
        ("二月份合了多少个提交", date(2026, 2, 1), date(2026, 2, 28)),
        ("which February commit dropped it", date(2026, 2, 1), date(2026, 2, 28)),
        ("what changed last week", date(2026, 3, 23), date(2026, 3, 29)),
        ("上周改了什么", date(2026, 3, 23), date(2026, 3, 29)),
        ("昨天合了什么", date(2026, 4, 1), date(2026, 4, 1)),
    ],
)
def test_a_time_is_a_stretch_of_days(text: str, first: date, last: date) -> None:
    period = period_of(text, NOW, "UTC")
    assert period is not None
    whole = Window.days(first, last, "UTC")
    assert (period.window.start, period.window.end) == (whole.start, whole.end)


@pytest.mark.parametrize(
    "text",
    ["is that its name today?", "is it still there today?", "到今天还在吗", "may I use it?", "unknown on main today"],
)
def test_a_manner_of_speaking_names_no_time(text: str) -> None:
    assert period_of(text, NOW, "UTC") is None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("it fails since last week", date(2026, 3, 23)),
        ("上周开始报错", date(2026, 3, 23)),
        ("slower since last month", date(2026, 3, 1)),
        ("it charges more since ~March 27", date(2026, 3, 27)),
    ],
)
def test_what_is_so_since_a_time_is_so_until_now(text: str, first: date) -> None:
    period = period_of(text, NOW, "UTC")
    assert period is not None
    assert period.window.start.date() == first
    assert period.window.cutoff == NOW
