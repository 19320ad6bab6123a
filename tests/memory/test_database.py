"""The database: what is stored stays, what is not ours to read is left alone, and two runs get along."""

import multiprocessing
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlite_utils import Database

from agent.domain import Coverage, Issue, Notice, NoticeKind, Threads
from agent.errors import StorageError
from agent.ids import RepoId
from agent.window import Window
from memory.answers import Answers
from memory.database import FILE_NAME, database_in_memory, open_database, writing
from memory.issues import OpenIssues
from memory.landings import Landings
from memory.runs import Runs

REPO = RepoId("octo/repo")
TODAY = date(2026, 2, 4)


@pytest.fixture
def db() -> Iterator[Database]:
    with closing(database_in_memory()) as database:
        yield database


def threads(*issues: Issue) -> Threads:
    return Threads(coverage=Coverage.READ, issues=issues)


def issue(number: int, state: str, title: str = "Crash") -> Issue:
    moment = datetime(2026, 2, 4, tzinfo=UTC)
    return Issue.model_validate(
        {
            "repo": REPO,
            "number": number,
            "title": title,
            "body": "",
            "state": state,
            "state_reason": None,
            "author": None,
            "labels": (),
            "created_at": moment,
            "updated_at": moment,
            "closed_at": moment if state == "closed" else None,
            "comments": 0,
            "reactions": 0,
        }
    )


def refusal(home: Path) -> str:
    with pytest.raises(StorageError) as refused:
        open_database(home)
    assert len(str(refused.value).splitlines()) == 1
    return str(refused.value)


def test_a_new_home_gets_a_database_that_only_its_owner_reads(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    with closing(open_database(home)) as db:
        assert {"answers", "landed", "tips", "runs", "open_issues"} <= set(db.table_names())
        with writing(db):
            db.execute("insert into answers values ('k', x'00', '2026-02-04')")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in home.iterdir()}
    assert modes[FILE_NAME] == 0o600
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_what_was_stored_is_there_after_opening_again(tmp_path: Path) -> None:
    began = datetime(2026, 2, 5, 0, 10, tzinfo=UTC)
    window = Window.days(TODAY, TODAY, "UTC")
    with closing(open_database(tmp_path)) as db:
        Answers(db, TODAY).put("key", b"\0value")
        Landings(db).remember(REPO, window, tip="a" * 40, rows=["b" * 40], late=[])
        OpenIssues(db).remember(REPO, threads(issue(1, "open")))
        Runs(db).begin("r1", window.key, began)
    with closing(open_database(tmp_path)) as db:
        assert Answers(db, TODAY).get("key") == b"\0value"
        assert Landings(db).known_tip(REPO, Window.days(date(2026, 2, 5), date(2026, 2, 5), "UTC")) == "a" * 40
        assert OpenIssues(db).known_open(REPO) == {1}
        assert [(run.id, run.status) for run in Runs(db).latest()] == [("r1", "running")]


def test_a_database_of_a_newer_version_is_refused_and_not_changed(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as db:
        row = {"migration_set": "gitzette", "name": "m999_future", "applied_at": "2099-01-01"}
        db.table("_sqlite_migrations").insert(row)
    before = (tmp_path / FILE_NAME).read_bytes()
    told = refusal(tmp_path)
    assert "was written by a newer Gitzette (m999_future); update Gitzette" in told
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to have a header" * 40, b"\0" * 4096])
def test_a_damaged_file_is_refused_and_not_changed(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / FILE_NAME
    file.write_bytes(content)
    os.utime(file, (1_000_000, 1_000_000))
    assert "it was left as it is: move it away to start anew" in refusal(tmp_path)
    assert file.read_bytes() == content
    assert file.stat().st_mtime == 1_000_000
    assert [found.name for found in tmp_path.iterdir()] == [FILE_NAME]


def test_a_file_damaged_in_the_middle_is_told_in_one_line_when_it_is_used(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as db:
        answers = Answers(db, TODAY)
        for number in range(200):
            answers.put(f"key {number}", b"x" * 500)
    file = tmp_path / FILE_NAME
    quarter = file.stat().st_size // 4
    file.write_bytes(file.read_bytes()[: 3 * quarter] + b"\xff" * quarter)
    with closing(open_database(tmp_path)) as db, pytest.raises(StorageError, match="cannot be used") as refused:
        Answers(db, TODAY)
    assert len(str(refused.value).splitlines()) == 1


def test_a_home_that_is_a_file_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("mine")
    assert refusal(tmp_path / "home").startswith(f"cannot open {tmp_path / 'home' / FILE_NAME}")


def test_a_database_that_is_a_folder_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    assert refusal(tmp_path).startswith("cannot open")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "check the permissions or set GITZETTE_HOME" in refusal(tmp_path)


def _write_much(home: Path, me: int, gate: "multiprocessing.synchronize.Barrier") -> None:
    gate.wait(30)
    with closing(open_database(home)) as db:
        landings, answers = Landings(db), Answers(db, TODAY)
        for number in range(25):
            window = Window.days(TODAY, TODAY + timedelta(days=number), "UTC")
            landings.remember(RepoId(f"octo/{me}"), window, tip="a" * 40, rows=[f"{number:040x}"], late=[])
            answers.put(f"{me} {number}", b"x")
            answers.get(f"{me} {number}")


def test_runs_that_start_at_the_same_moment_do_not_disturb_one_another(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(3)
    runs = [context.Process(target=_write_much, args=(tmp_path, me, gate)) for me in range(3)]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert [run.exitcode for run in runs] == [0, 0, 0]
    with closing(open_database(tmp_path)) as db:
        assert db.table("answers").count == db.table("landed").count == 75


def test_a_second_connection_sees_what_the_first_has_written(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as one, closing(open_database(tmp_path)) as two:
        Answers(one, TODAY).put("key", b"1")
        assert Answers(two, TODAY).get("key") == b"1"
        Answers(two, TODAY).put("key", b"2")
        assert Answers(one, TODAY).get("key") == b"2"


def test_a_write_that_fails_half_way_leaves_nothing(db: Database) -> None:
    landings = Landings(db)
    window = Window.days(TODAY, TODAY, "UTC")
    landings.remember(REPO, window, tip="a" * 40, rows=["b" * 40], late=[])

    def broken() -> Iterator[str]:
        yield "c" * 40
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        landings.remember(REPO, window, tip="d" * 40, rows=broken(), late=[])
    assert [row["sha"] for row in db.table("landed").rows] == ["b" * 40]
    assert not db.conn.in_transaction


def test_a_table_that_is_gone_is_told_in_one_line(db: Database) -> None:
    answers = Answers(db, TODAY)
    db.execute("drop table answers")
    with pytest.raises(StorageError, match=r"the memory \(memory.db\) cannot be used: no such table"):
        answers.get("key")


def test_answers_that_nobody_used_for_sixty_days_are_forgotten(db: Database) -> None:
    early = Answers(db, TODAY)
    early.put("old", b"1")
    early.put("used", b"2")
    assert Answers(db, TODAY + timedelta(days=60)).get("used") == b"2"
    late = Answers(db, TODAY + timedelta(days=61))
    assert (late.get("old"), late.get("used")) == (None, b"2")
    assert Answers(db, TODAY + timedelta(days=122)).get("used") is None


def test_an_answer_is_replaced_and_may_be_empty(db: Database) -> None:
    answers = Answers(db, TODAY)
    answers.put("key", b"1")
    answers.put("key", b"")
    assert answers.get("key") == b""
    assert answers.get("other") is None
    assert db.table("answers").count == 1


def test_runs_are_listed_newest_first_with_how_they_ended(db: Database) -> None:
    runs, began = Runs(db), datetime(2026, 2, 5, 0, 10, tzinfo=UTC)
    for number in range(4):
        runs.begin(f"r{number}", "2026-02-04 UTC", began + timedelta(minutes=number))
    runs.end("r1", "done", began + timedelta(hours=1), {"requests": 12, "名": "值"})
    found = runs.latest(limit=3)
    assert [(run.id, run.status, run.finished) for run in found] == [
        ("r3", "running", None),
        ("r2", "running", None),
        ("r1", "done", "2026-02-05T01:10:00+00:00"),
    ]
    assert found[2].details == {"requests": 12, "名": "值"}


def test_a_listing_that_was_cut_short_stays_known_as_such(db: Database) -> None:
    issues = OpenIssues(db)
    cut = Notice(kind=NoticeKind.OPEN_CAPPED, about=("300",))
    issues.remember(REPO, threads(issue(1, "open")).model_copy(update={"notices": (cut,)}))
    issues.remember(REPO, threads(issue(2, "open")))
    assert issues.cut_short(REPO) == cut
    assert issues.cut_short(RepoId("other/repo")) is None


def test_open_issues_are_added_and_closed_ones_dropped(db: Database) -> None:
    issues = OpenIssues(db)
    issues.remember(REPO, threads(issue(1, "open"), issue(2, "open")))
    issues.remember(REPO, threads(issue(1, "closed"), issue(2, "open", "Crash on start"), issue(3, "closed")))
    issues.remember(RepoId("other/repo"), threads())
    assert issues.known_open(REPO) == {2}
    assert issues.known_open(RepoId("other/repo")) == frozenset()
    assert [row["title"] for row in db.table("open_issues").rows] == ["Crash on start"]


def test_a_database_that_somebody_holds_is_told_as_locked(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as db, closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        db.execute("PRAGMA busy_timeout = 10")
        answers = Answers(db, TODAY)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="database is locked"):
            answers.put("key", b"1")
        other.rollback()
        answers.put("key", b"1")
