"""Commits: what they call themselves, and what is counted over their files."""

import pytest

from agent.domain.base import Frozen
from agent.domain.commits import FileChange, Person, compact
from tests.made_commits import made_change, made_commit


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("Speed up", "Speed up"),
        ("Speed up\n\nBecause.", "Speed up"),
        ("Speed up\r\n\r\nBecause.", "Speed up"),
        ("\n\nSpeed up\n", "Speed up"),
        ("\r\n \r\nSpeed up  \r\n", "Speed up"),
        ("修复\n", "修复"),
        ("", ""),
        ("\n", ""),
    ],
)
def test_the_subject_is_the_first_line_that_says_something(message: str, subject: str) -> None:
    assert made_commit(message).subject == made_commit(message).title == subject


@pytest.mark.parametrize(
    ("message", "parents", "title"),
    [
        ("Merge pull request #12 from me/fix\n\nFix the router\n\nMore.", 2, "Fix the router"),
        ("Merge pull request #12 from me/fix\r\n\r\nFix the router\r\n", 2, "Fix the router"),
        ("Merge pull request #12 from me/fix\n \nFix the router", 2, "Fix the router"),
        ("Merge pull request #12 from me/fix", 2, "Merge pull request #12 from me/fix"),
        ("Merge pull request #12 from me/fix\n\n  \n", 2, "Merge pull request #12 from me/fix"),
        ("Merge branch 'main' into fix\n\nText", 2, "Merge branch 'main' into fix"),
        ("Merge pull request #12 from me/fix\n\nNot a merge", 1, "Merge pull request #12 from me/fix"),
    ],
)
def test_a_merge_is_called_by_what_it_merged(message: str, parents: int, title: str) -> None:
    assert made_commit(message, parents=("b" * 40,) * parents).title == title


def test_a_change_counts_its_files_and_those_that_nobody_could_read() -> None:
    files = (
        FileChange(path="a.py", status="modified", additions=3, deletions=1, patch="@@"),
        FileChange(path="b.bin", status="added", additions=0, deletions=0),
        FileChange(path="c.py", status="modified", additions=0, deletions=0, unreadable="the blob is not here"),
    )
    change = made_change(*files)
    assert (change.additions, change.deletions) == (3, 1)
    assert [file.path for file in change.unreadable] == ["c.py"]


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
