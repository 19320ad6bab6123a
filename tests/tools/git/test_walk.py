"""Titles of the landed line, looked for in what was walked for a window or by git."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from agent.domain.base import RepoId
from agent.domain.window import Window
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.git.conftest import Work

DAY = datetime(2026, 2, 4, tzinfo=UTC)
WINDOW = Window(start=DAY, end=DAY + timedelta(days=1), tz="UTC")
LONG_AGO = DAY - timedelta(days=400)


def source(work: "Work") -> GitSource:
    return GitSource(RepoId("ada/engine"), work.path)


def history(work: "Work") -> list[str]:
    messages: list[tuple[str | bytes, datetime]] = [
        ("Revert: too old to be told", DAY - timedelta(days=500)),
        ("\n\n  REVERT the cache\nsecond line", DAY - timedelta(days=300)),
        ("Tidy\n\nThis reverts nothing", DAY - timedelta(days=200)),
        ('Revert "Größe" (#7)'.encode("latin-1"), DAY - timedelta(days=2)),
    ]
    shas = [work.commit(message, at=at, config=("i18n.commitEncoding=UTF-8",)) for message, at in messages]
    work.git("checkout", "--quiet", "-b", "side")
    work.write("a.py", "a = 1\n")
    work.commit("on the side: revert")
    work.git("checkout", "--quiet", "main")
    merge = "Merge pull request #12 from ada/side\n\nRevert what came first\n\nmore"
    work.git("merge", "--quiet", "--no-ff", "-m", merge, "side", env={"GIT_COMMITTER_DATE": f"@{work.seconds} +0000"})
    work.write("a.py", "a = 2\n")
    return [*shas, work.git("rev-parse", "HEAD"), work.commit("the last")]


async def test_the_same_titles_are_found_by_git_and_in_what_was_walked_for_the_window(work: "Work") -> None:
    shas = history(work)
    walked, fresh = source(work), source(work)
    await walked.landed(WINDOW)
    for upto in (shas[-1], shas[-2], shas[3]):
        for pattern in ("revert|rollback", r"\(#(7|8)\)|^Merge pull request #(12|13) ", "came first"):
            expected = await fresh.headed(pattern, upto=upto, since=LONG_AGO)
            assert await walked.headed(pattern, upto=upto, since=LONG_AGO) == expected
    found = await walked.headed("revert", upto=shas[-1], since=LONG_AGO)
    assert [head.sha for head in found.found] == [shas[4], shas[3], shas[1]]


async def test_titles_from_before_what_was_walked_are_found_too(work: "Work") -> None:
    shas = history(work)
    walked = source(work)
    await walked.landed(WINDOW)
    found = await walked.headed("revert", upto=shas[-1], since=DAY - timedelta(days=900))
    assert [head.sha for head in found.found] == [shas[4], shas[3], shas[1], shas[0]]


async def test_a_commit_that_landed_after_the_first_look_is_seen_by_the_next(work: "Work") -> None:
    history(work)
    walked = source(work)
    before = await walked.landed(WINDOW)
    work.write("a.py", "a = 3\n")
    sha = work.commit("later")
    after = await walked.landed(WINDOW)
    assert [row.commit.sha for row in after.rows] == [sha, *(row.commit.sha for row in before.rows)]
