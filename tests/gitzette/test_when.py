"""When: what --date, --since, --until and --partial mean, and what is refused."""

import argparse
from datetime import UTC, datetime

import pytest

from agent.errors import UsageError
from agent.window import Window
from gitzette.arguments import window_of

NOW = datetime(2026, 2, 5, 20, 30, tzinfo=UTC)


def asked(tz: str = "UTC", now: datetime = NOW, partial: bool = False, **options: str) -> Window:
    wanted = {"date": None, "since": None, "until": None, **options}
    return window_of(argparse.Namespace(**wanted, partial=partial), tz, now)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_nothing_asked_means_yesterday_where_the_report_is_made_for() -> None:
    assert asked().label == "2026-02-04"
    assert asked("Asia/Shanghai").label == "2026-02-05"


def test_a_day_can_be_named() -> None:
    assert asked(date="2026-01-31").label == "2026-01-31"
    assert asked(date="yesterday").label == "2026-02-04"


def test_today_is_refused_until_it_is_over() -> None:
    with pytest.raises(UsageError) as refused:
        asked(date="today")
    assert str(refused.value) == (
        "2026-02-05 is not over in UTC (it ends at 2026-02-06 00:00 UTC); "
        "wait, or use --partial for a report labelled as such"
    )


def test_today_can_be_had_in_part_and_says_so() -> None:
    window = asked(date="today", partial=True)
    assert (window.label, window.partial, window.cutoff) == ("2026-02-05", True, NOW)


def test_partial_changes_nothing_for_a_day_that_is_over() -> None:
    assert asked(date="2026-02-04", partial=True) == asked(date="2026-02-04")


def test_a_day_is_over_in_the_second_it_ends() -> None:
    assert asked(date="2026-02-04", now=utc("2026-02-05T00:00")).label == "2026-02-04"
    with pytest.raises(UsageError, match="is not over"):
        asked(date="2026-02-04", now=utc("2026-02-04T23:59:59"))


def test_tomorrow_cannot_be_had_even_in_part() -> None:
    with pytest.raises(UsageError, match="has not begun"):
        asked(date="2026-02-06", partial=True)


def test_until_is_the_first_day_that_is_not_included() -> None:
    assert asked(since="2026-02-01", until="2026-02-04").label == "2026-02-01..2026-02-03"
    assert asked(since="2026-02-03", until="2026-02-04").label == "2026-02-03"


def test_since_alone_runs_to_the_beginning_of_today() -> None:
    assert asked(since="2026-02-01").label == "2026-02-01..2026-02-04"
    assert asked("Asia/Shanghai", since="2026-02-01").label == "2026-02-01..2026-02-05"


def test_a_time_without_a_zone_is_the_reports_own() -> None:
    window = asked("Asia/Shanghai", since="2026-02-04T06:00", until="2026-02-04T18:00")
    assert (window.start, window.end) == (utc("2026-02-03T22:00"), utc("2026-02-04T10:00"))
    assert window.label == "2026-02-04T0600..2026-02-04T1800"


def test_a_time_with_a_zone_keeps_it() -> None:
    window = asked("Asia/Shanghai", since="2026-02-04T06:00+01:00", until="2026-02-04T18:00Z")
    assert (window.start, window.end) == (utc("2026-02-04T05:00"), utc("2026-02-04T18:00"))


def test_a_day_that_begins_after_a_clock_change_starts_at_its_first_instant() -> None:
    window = asked("America/Santiago", now=utc("2026-09-10T00:00"), since="2026-09-06", until="2026-09-07")
    assert window == asked("America/Santiago", now=utc("2026-09-10T00:00"), date="2026-09-06")
    assert window.start == utc("2026-09-06T04:00")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"date": "2026-02-04", "since": "2026-02-01"}, "--date is one day"),
        ({"date": "2026-02-04", "until": "2026-02-05"}, "--date is one day"),
        ({"until": "2026-02-05"}, "--until needs --since"),
        ({"date": "02/04/2026"}, "'02/04/2026' is not a day; write it as 2026-02-04"),
        ({"date": "2026-02-30"}, "'2026-02-30' is not a day"),
        ({"date": "2026-02-04T06:00"}, "is not a day"),
        ({"since": "noon"}, "'noon' is not a time; write it as 2026-02-04 or 2026-02-04T06:00"),
        ({"since": "2026-02-04T25:00"}, "is not a time"),
        ({"since": "2026-02-04", "until": "soon"}, "'soon' is not a time"),
        ({"since": "2026-02-04", "until": "2026-02-04"}, "is empty: --until is where it ends, itself not included"),
        ({"since": "2026-02-04", "until": "2026-02-03"}, "is empty"),
        ({"since": "2026-02-05"}, "from 2026-02-05 to today is empty"),
        ({"since": "2026-02-04", "until": "2026-02-09"}, "2026-02-04..2026-02-08 is not over"),
        ({"date": "9999-12-31"}, "out of reach"),
        ({"date": "0001-01-01"}, "out of reach"),
        ({"since": "0001-01-01T00:00+10:00"}, "out of reach"),
        ({"since": "2026-02-04", "until": "9999-12-31T23:59"}, "out of reach"),
        ({"since": "2026-02-04", "until": "9999-12-31"}, "out of reach"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, str], told: str) -> None:
    given = argparse.Namespace(**({"date": None, "since": None, "until": None} | options), partial=False)
    with pytest.raises(UsageError) as refused:
        window_of(given, "UTC", NOW)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown time zone 'Mars'"):
        asked("Mars")
