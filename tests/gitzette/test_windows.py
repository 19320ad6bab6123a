"""What --date, --since, --until and --partial mean, and what is refused."""

import argparse
from datetime import UTC, datetime
from typing import Any

import pytest

from agent.domain.errors import UsageError
from agent.domain.window import Window
from gitzette.settings_from_arguments import window_of

NOW = datetime(2026, 2, 5, 20, 30, tzinfo=UTC)


def asked(tz: str = "UTC", partial: bool = False, **options: Any) -> Window:
    arguments: dict[str, Any] = {"date": None, "since": None, "until": None, **options}
    return window_of(argparse.Namespace(**arguments, partial=partial), tz, NOW)


def test_a_window_is_what_the_options_say() -> None:
    assert asked().label == asked(date="yesterday").label == "2026-02-04"
    assert asked(tz="Asia/Shanghai").label == "2026-02-05"
    assert asked(since="2026-02-01").label == "2026-02-01..2026-02-04"
    assert asked(since="2026-02-03", until="2026-02-04").label == "2026-02-03"
    hours = asked(tz="Asia/Tokyo", since="2026-02-04T06", until="2026-02-04T10:00Z")
    assert hours.label == "2026-02-04T0600..2026-02-04T1900"
    part = asked(date="today", partial=True)
    assert (part.label, part.partial, part.cutoff) == ("2026-02-05", True, NOW)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            {"date": "today"},
            "2026-02-05 is not over in UTC (it ends at 2026-02-06 00:00 UTC); wait, or use --partial",
        ),
        ({"date": "2026-02-06", "partial": True}, "has not begun"),
        ({"date": "2026-02-04", "since": "2026-02-01"}, "--date is one day"),
        ({"date": "2026-02-30"}, "'2026-02-30' is not a day; write it as 2026-02-04"),
        ({"since": "2026-02-04", "until": "2026-02-04"}, "until is where it ends, not included"),
        ({"tz": "Mars"}, "unknown time zone 'Mars'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        asked(**options)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)
