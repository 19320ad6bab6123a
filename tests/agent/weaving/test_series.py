"""Which parts are of one series."""

from datetime import UTC, datetime, timedelta

from agent.sources import Headline
from agent.weaving.series import series_of

START = datetime(2026, 1, 14, 15, tzinfo=UTC)


def landed(number: int, hours: float, title: str, author: str = "Mira") -> Headline:
    return Headline(sha=f"{number:040x}", at=START + timedelta(hours=hours), author=author, title=title)


def test_a_first_part_does_not_join_a_second_part_that_landed_before_it() -> None:
    heads = [
        landed(1, 0, "[1/N] Reorganize multimodal processing code"),
        landed(2, 10, "[2/N] Move cache factories to MM registry"),
        landed(3, 21, "[3/N] Group together media-related code"),
        landed(4, 120, "[1/N] Initialize MM components in context managers (A-D)"),
        landed(5, 125, "[2/N] Initialize MM components in context managers (E-H)"),
    ]
    assert [[part.index for _, part in one.members] for one in series_of(heads)] == [[1, 2, 3], [1, 2]]


def test_bare_numbers_of_two_people_or_of_distant_days_are_not_one_series() -> None:
    heads = [
        landed(1, 0, "[1/N] Reorganize the code of inputs"),
        landed(2, 5, "[2/N] Move factories elsewhere", author="Jo"),
        landed(3, 24 * 20, "[2/N] Group what belongs together"),
    ]
    assert all(len(one.members) == 1 for one in series_of(heads))
