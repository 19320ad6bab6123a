"""Windows: days as people in a zone live them, each second in exactly one."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agent.domain.errors import UsageError
from agent.domain.window import Window, midnight, zone

SMALL = settings(max_examples=80, derandomize=True, deadline=None)
_NAMES = """
UTC Asia/Shanghai America/New_York America/Santiago America/Havana Africa/Cairo Australia/Lord_Howe Asia/Kathmandu
Pacific/Kiritimati Pacific/Apia America/Nuuk Asia/Beirut
"""
ZONES = _NAMES.split()


def day_in(tz: str, text: str) -> Window:
    day = date.fromisoformat(text)
    return Window.days(day, day, tz)


@pytest.mark.parametrize(
    ("tz", "day", "start", "hours"),
    [
        ("UTC", "2026-02-04", "2026-02-04T00:00", 24),
        ("Asia/Shanghai", "2026-02-04", "2026-02-03T16:00", 24),
        ("America/New_York", "2026-03-08", "2026-03-08T05:00", 23),
        ("America/New_York", "2026-11-01", "2026-11-01T04:00", 25),
        ("America/Santiago", "2026-09-06", "2026-09-06T04:00", 23),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00", 24),
    ],
)
def test_a_day_is_as_long_as_it_was_there(tz: str, day: str, start: str, hours: float) -> None:
    window = day_in(tz, day)
    assert window.start == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert window.end - window.start == timedelta(hours=hours)
    assert window.label == day


def test_a_day_that_the_calendar_skipped_is_refused() -> None:
    with pytest.raises(UsageError, match="2011-12-30 does not exist in Pacific/Apia"):
        day_in("Pacific/Apia", "2011-12-30")
    with pytest.raises(UsageError, match="ends before it starts: 2026-02-04 to 2026-02-03"):
        Window.days(date(2026, 2, 4), date(2026, 2, 3), "UTC")
    for day in ("0001-01-01", "1969-12-31", "2100-01-01", "9999-12-31"):
        with pytest.raises(UsageError, match=f"{day} is out of reach"):
            day_in("Asia/Shanghai", day)


@SMALL
@given(tz=st.sampled_from(ZONES), first=st.dates(date(1975, 1, 1), date(2060, 1, 1)))
def test_thirty_days_in_a_row_leave_no_gap_and_no_overlap(tz: str, first: date) -> None:
    windows: list[Window] = []
    for offset in range(30):
        day = first + timedelta(days=offset)
        if midnight(day, tz) != midnight(day + timedelta(days=1), tz):
            windows.append(Window.days(day, day, tz))
    assert [window.end for window in windows[:-1]] == [window.start for window in windows[1:]]
    assert (
        len({window.label for window in windows})
        == len({window.key for window in windows})
        == len(windows)
    )
    for window in windows:
        assert window.start in window
        assert window.end - timedelta(seconds=1) in window
        assert window.end not in window
        assert window.start - timedelta(seconds=1) not in window
    # Every hour, and the seconds around it, belongs to the day that the wall clock shows.
    moment = windows[0].start
    while moment < windows[2].end:
        owners = [window for window in windows[:3] if moment in window]
        assert [window.label for window in owners] == [f"{moment.astimezone(zone(tz)):%Y-%m-%d}"]
        moment += timedelta(minutes=30)


def test_a_window_of_hours_is_named_with_hours() -> None:
    start = datetime(2026, 2, 4, 6, tzinfo=UTC)
    assert (
        Window(start=start, end=start + timedelta(hours=6), tz="UTC").label
        == "2026-02-04T0600..2026-02-04T1200"
    )
    abroad = Window(
        start=datetime(2026, 2, 4, tzinfo=UTC),
        end=datetime(2026, 2, 5, tzinfo=UTC),
        tz="Asia/Shanghai",
    )
    assert abroad.label == "2026-02-04T0800..2026-02-05T0800"


def test_an_hour_that_the_clock_shows_twice_is_remembered_as_two() -> None:
    end = datetime(2026, 11, 1, 8, tzinfo=UTC)
    before, after = (
        Window(start=datetime(2026, 11, 1, hour, 30, tzinfo=UTC), end=end, tz="America/New_York")
        for hour in (5, 6)
    )
    assert before.label == after.label
    assert before.key != after.key


def test_a_window_read_too_early_holds_nothing_from_then_on_and_keeps_its_key() -> None:
    full_day = day_in("UTC", "2026-02-04")
    noon = datetime(2026, 2, 4, 12, 0, 0, 999_999, tzinfo=UTC)
    cut = full_day.cut_at(noon)
    assert (cut.partial, full_day.partial, cut.key) == (True, False, full_day.key)
    assert datetime(2026, 2, 4, 11, 59, 59, tzinfo=UTC) in cut
    assert datetime(2026, 2, 4, 12, tzinfo=UTC) not in cut
    with pytest.raises(UsageError, match="has not begun: it starts at 2026-02-04 00:00 UTC"):
        full_day.cut_at(datetime(2026, 2, 3, tzinfo=UTC))


@pytest.mark.parametrize(
    "name",
    ["", "utc", "Mars/Olympus", "America", "../x", "UTC\0", "localtime", "right/UTC", "A" * 5000],
)
def test_an_unknown_zone_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(UsageError, match="unknown time zone") as refused:
        zone(name)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "values",
    [
        {"start": "2026-02-04T00:00:00", "end": "2026-02-05T00:00:00Z", "tz": "UTC"},
        {"start": "2026-02-05T00:00:00Z", "end": "2026-02-05T00:00:00Z", "tz": "UTC"},
        {"start": "2026-02-05T00:00:00Z", "end": "2026-02-04T00:00:00Z", "tz": "UTC"},
        {"start": "2026-02-04T00:00:00Z", "end": "2026-02-05T00:00:00Z", "tz": "Mars/Olympus"},
    ],
)
def test_a_stored_window_that_makes_no_sense_is_refused(values: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Window.model_validate(values)
