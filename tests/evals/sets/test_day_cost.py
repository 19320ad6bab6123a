"""What a day costs: how the days are chosen and programs are timed."""

import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from agent.errors import InputError
from agent.settings import RepoSpec
from evals.sets.day_cost import choose_days, timed
from evals.sets.oracle import Row

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)


def line(*counts: int) -> list[Row]:
    """One count of commits for each day, from the first of February on."""
    return [
        Row(f"{day:02}{number:038}", NOON + timedelta(days=day))
        for day, count in enumerate(counts)
        for number in range(count)
    ]


def test_the_day_with_about_as_many_commits_as_wanted_is_chosen_over_all_mirrors(tmp_path: Path) -> None:
    lines = {
        RepoSpec.parse(f"ada/one={tmp_path}"): line(3, 9, 1, 2),
        RepoSpec.parse(f"ada/two={tmp_path}"): line(3, 2, 1, 2),
    }
    assert choose_days(lines, 10, longest=1) == [date(2026, 2, 2)]


def test_a_window_is_made_of_as_few_days_in_a_row_as_have_enough_commits(tmp_path: Path) -> None:
    lines = {RepoSpec.parse(f"ada/one={tmp_path}"): line(4, 4, 4, 12, 1)}
    assert choose_days(lines, 16, longest=5) == [date(2026, 2, 3), date(2026, 2, 4)]


def test_the_last_day_is_not_chosen_because_it_may_not_be_over(tmp_path: Path) -> None:
    lines = {RepoSpec.parse(f"ada/one={tmp_path}"): line(4, 5, 20)}
    assert choose_days(lines, 20, longest=1) == [date(2026, 2, 2)]


def test_a_program_is_timed_with_what_it_uses_of_the_processor() -> None:
    spent = timed([sys.executable, "-c", "sum(range(3_000_000))"])
    assert 0 < spent.processor <= spent.clock * 4


def test_a_program_that_fails_is_told_with_its_last_words() -> None:
    with pytest.raises(InputError, match="no such day"):
        timed([sys.executable, "-c", "raise SystemExit('no such day')"])
