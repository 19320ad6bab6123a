"""Which days a long window takes."""

from datetime import UTC, date, datetime, timedelta

from evals.sets.long_window import last_days_with
from evals.sets.oracle import Row


def test_a_window_ends_before_the_newest_day_and_has_about_as_many_commits_as_wanted() -> None:
    newest = datetime(2026, 2, 10, 12, tzinfo=UTC)
    line = [Row(f"{number:040x}", newest - timedelta(hours=6 * number)) for number in range(40)]
    days = last_days_with(line, 12)
    assert days[-1] == date(2026, 2, 9)
    landed = sum(days[0] <= row.at.date() <= days[-1] for row in line)
    assert 12 <= landed <= 16
    assert last_days_with(line, 1_000)[0] == line[-1].at.date()
