"""The memory of published reports: what a lost one takes back from them."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from sqlite_utils import Database

from agent.domain import Coverage, Notice, NoticeKind
from agent.ids import RepoId
from agent.report import Report, RepoSection, ThreadLine
from agent.window import Window
from memory.archive import Archive
from memory.database import FILE_NAME, database_in_memory, open_database
from memory.issues import OpenIssues
from memory.landings import Landings
from memory.recall import Recall

REPO = RepoId("octo/engine")
CUT = Notice(kind=NoticeKind.OPEN_CAPPED, about=("300",))
Event = Literal["opened", "closed", "not planned"]


@pytest.fixture
def db() -> Iterator[Database]:
    with closing(database_in_memory()) as database:
        yield database


def window(day: int) -> Window:
    chosen = date(2026, 2, 1) + timedelta(days=day)
    return Window.days(chosen, chosen, "UTC")


def report(
    day: int, *issues: tuple[int, Event], tip: str, known: str | None = None, first: str | None = None
) -> Report:
    at = datetime(2026, 2, 1, tzinfo=UTC) + timedelta(days=day)
    lines = [ThreadLine(number=n, title="Crash", author=None, event=event, at=at, labels=()) for n, event in issues]
    section = RepoSection(
        repo=REPO,
        branch="main",
        tip=tip * 40,
        known_tip=None if known is None else known * 40,
        first_tip=None if first is None else first * 40,
        coverage=Coverage.PARTIAL,
        coverage_notices=(CUT,),
        issues=tuple(lines),
    )
    return Report(window=window(day), repos=(REPO,), sections=(section,), ledger=())


def test_open_issues_are_not_in_reports_and_are_listed_anew(db: Database) -> None:
    days = [
        report(1, (1, "opened"), (2, "opened"), (2, "closed"), tip="a"),
        report(0, (4, "opened"), (1, "closed"), tip="b"),
        report(2, (3, "opened"), (4, "not planned"), tip="c"),
    ]
    Archive(db).rebuild(days)
    assert OpenIssues(db).known_open(REPO) == frozenset()
    assert OpenIssues(db).cut_short(REPO) == CUT


def test_late_is_counted_from_the_tips_that_counted_before_the_memory_was_lost(db: Database) -> None:
    """Day 2 was reported before day 1, and day 1 once more when the branch had moved on."""
    Archive(db).rebuild([report(2, tip="d", known="a", first="c"), report(1, tip="e", known="", first="b")])
    landings = Landings(db)
    assert landings.known_tip(REPO, window(1)) is None
    assert landings.known_tip(REPO, window(2)) == "a" * 40
    assert landings.known_tip(REPO, window(3)) == "c" * 40


def test_reports_of_earlier_versions_are_counted_in_the_order_of_their_days(db: Database) -> None:
    Archive(db).rebuild([report(2, tip="b"), report(1, tip="a")])
    assert Landings(db).known_tip(REPO, window(2)) == "a" * 40


def test_what_is_known_is_not_overwritten_by_files(db: Database) -> None:
    archive = Archive(db)
    archive.remember(report(1, tip="a"))
    archive.rebuild([report(1, (7, "opened"), tip="f")])
    assert Landings(db).known_tip(REPO, window(2)) == "a" * 40
    assert OpenIssues(db).known_open(REPO) == frozenset()
    assert archive.unknown({window(1).key, window(2).key}) == {window(2).key}


def _remember_on_and_on(home: Path, first: int) -> None:
    with closing(open_database(home)) as db:
        for day in range(first, first + 20):
            Archive(db).remember(report(day % 28, (day + 1, "opened"), tip="a"))


def test_runs_at_the_same_time_remember_every_report_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    runs = [context.Process(target=_remember_on_and_on, args=(tmp_path, first)) for first in (0, 4, 8)]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert [run.exitcode for run in runs] == [0, 0, 0]
    with closing(open_database(tmp_path)) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
        assert db.table("published").count == 28
        assert db.table("statements").count == db.execute("select count(*) from statement_words").fetchone()[0] == 28
        assert len(Recall(db).search("crash", limit=50)) == 28


def test_a_run_killed_while_it_remembers_leaves_whole_reports(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    for delay in range(4):
        run = context.Process(target=_remember_on_and_on, args=(tmp_path, delay))
        run.start()
        while not (tmp_path / FILE_NAME).exists() or _count(tmp_path) < 3 * (delay + 1):
            assert run.is_alive() or run.exitcode == 0
        os.kill(run.pid or 0, signal.SIGKILL)
        run.join(30)
    with closing(open_database(tmp_path)) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
        assert db.table("published").count == db.table("statements").count == db.table("tips").count


def _count(home: Path) -> int:
    with closing(open_database(home)) as db:
        return int(db.table("published").count)
