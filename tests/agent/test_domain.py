"""Commits: what they call themselves, and how they share what comes again."""

import pytest

from agent.domain.base import Frozen
from agent.domain.commits import Person, compact
from tests.made_commits import made_commit


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("Speed up\r\n\r\nBecause.", "Speed up"),
        ("\r\n \r\nSpeed up  \r\n", "Speed up"),
        ("", ""),
    ],
)
def test_the_subject_is_the_first_line_that_says_something(message: str, subject: str) -> None:
    assert made_commit(message).subject == made_commit(message).title == subject


@pytest.mark.parametrize(
    ("message", "parents", "title"),
    [
        ("Merge pull request #12 from me/fix\n\nFix the router\n\nMore.", 2, "Fix the router"),
        ("Merge pull request #12 from me/fix", 2, "Merge pull request #12 from me/fix"),
        ("Merge branch 'main' into fix\n\nText", 2, "Merge branch 'main' into fix"),
        ("Merge pull request #12 from me/fix\n\nNot a merge", 1, "Merge pull request #12 from me/fix"),
    ],
)
def test_a_merge_is_called_by_what_it_merged(message: str, parents: int, title: str) -> None:
    assert made_commit(message, parents=("b" * 40,) * parents).title == title


class Signed(Frozen):
    """What somebody did to a file."""

    by: Person
    path: str


def test_people_and_paths_that_come_again_are_kept_once() -> None:
    first, second = (
        compact(Signed(by=Person(name="Mira", email="mira@example.com"), path="/".join(("src", "limits.py"))))
        for _ in range(2)
    )
    assert first == second
    assert first.by is second.by
    assert first.path is second.path
