"""What --date, --since, --until and --partial mean, and what is refused."""

import argparse
from datetime import UTC, datetime
from typing import Any

import pytest

from agent.domain.base import UsageError
from agent.domain.window import Window
from gitzette.arguments import window_of

NOW = datetime(2026, 2, 5, 20, 30, tzinfo=UTC)


def asked(tz: str = "UTC", partial: bool = False, **options: Any) -> Window:
    wanted: dict[str, Any] = {"date": None, "since": None, "until": None, **options}
    return window_of(argparse.Namespace(**wanted, partial=partial), tz, NOW)


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({}, "2026-02-04"),
        ({"tz": "Asia/Shanghai"}, "2026-02-05"),
        ({"date": "yesterday"}, "2026-02-04"),
        ({"since": "2026-02-01", "until": "2026-02-04"}, "2026-02-01..2026-02-03"),
        ({"since": "2026-02-03", "until": "2026-02-04"}, "2026-02-03"),
        ({"since": "2026-02-01"}, "2026-02-01..2026-02-04"),
        (
            {"tz": "Asia/Tokyo", "since": "2026-02-04T06", "until": "2026-02-04T10:00Z"},
            "2026-02-04T0600..2026-02-04T1900",
        ),
    ],
)
def test_a_window_is_what_the_options_say(options: dict[str, Any], label: str) -> None:
    assert asked(**options).label == label


def test_a_day_that_is_not_over_can_be_had_in_part_and_says_so() -> None:
    window = asked(date="today", partial=True)
    assert (window.label, window.partial, window.cutoff) == ("2026-02-05", True, NOW)
    assert asked(date="2026-02-04", partial=True) == asked(date="2026-02-04")
    with pytest.raises(UsageError, match="has not begun"):
        asked(date="2026-02-06", partial=True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"date": "today"}, "2026-02-05 is not over in UTC (it ends at 2026-02-06 00:00 UTC); wait, or use --partial"),
        ({"date": "2026-02-04", "since": "2026-02-01"}, "--date is one day"),
        ({"until": "2026-02-05"}, "--until needs --since"),
        ({"date": "2026-02-30"}, "'2026-02-30' is not a day; write it as 2026-02-04"),
        ({"since": "2026-02-04T25:00"}, "is not a time"),
        ({"since": "2026-02-04", "until": "2026-02-04"}, "is empty: --until is where it ends, itself not included"),
        ({"since": "2026-02-04", "until": "2026-02-09"}, "2026-02-04..2026-02-08 is not over"),
        ({"date": "9999-12-31"}, "out of reach"),
        ({"since": "0001-01-01T00:00+10:00"}, "out of reach"),
        ({"tz": "Mars"}, "unknown time zone 'Mars'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as refused:
        asked(**options)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
