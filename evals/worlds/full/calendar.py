"""The days of the full world that have a name."""

from datetime import date, timedelta

from evals.worlds.dice import Dice

FIRST, LAST = date(2026, 2, 2), date(2026, 3, 31)
PRESENT = "2026-04-02"
EMPTY_DAY = "2026-03-15"
BUSY_DAY = "2026-03-12"
BUSY_COUNT = 210
FORTY_DAY = "2026-03-18"
"""Forty commits of the squash repository: a day as large projects have it."""
FORTY_COUNT = 40
RELEASE_DAY = "2026-03-05"
AMERICAN_DST = "2026-03-08"
EUROPEAN_DST = "2026-03-29"


def working_days(dice: Dice, weekday: tuple[int, int], weekend: tuple[int, int]) -> list[tuple[str, int]]:
    """Say how much lands on each day; on the empty day nothing does, anywhere, and the busy ones are planned apart."""
    rows = []
    for i in range((LAST - FIRST).days + 1):
        day = FIRST + timedelta(days=i)
        count = dice.between(*(weekend if day.weekday() > 4 else weekday))
        if day.isoformat() not in (EMPTY_DAY, BUSY_DAY, FORTY_DAY):
            rows.append((day.isoformat(), count))
    return rows
