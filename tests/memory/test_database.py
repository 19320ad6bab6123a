"""The database: what is stored stays, what is not ours to read is left alone, and two runs get along."""

import multiprocessing
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from agent.domain.base import RepoId, StorageError
from agent.domain.window import Window
from agent.models import Capabilities
from memory.artefacts import JsonCodec
from memory.database import FILE_NAME, Database
from memory.recorder import Call
from memory.reports import Landings
from memory.store import HttpCache, ModelServers, open_database

REPO = RepoId("octo/repo")
TODAY = date(2026, 2, 4)
WINDOW = Window.days(TODAY, TODAY, "UTC")
TEXT = JsonCodec("text", TypeAdapter(str))
HELLO = Call("x.y", REPO, "hello")


def refusal(home: Path) -> str:
    with pytest.raises(StorageError) as refused:
        open_database(home)
    assert len(str(refused.value).splitlines()) == 1
    return str(refused.value)


def test_a_new_home_gets_a_database_that_only_its_owner_reads(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    with closing(open_database(home)) as db:
        HttpCache(db, TODAY).put("key", b"\0")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in home.iterdir()}
    assert FILE_NAME in modes
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_what_was_stored_is_there_after_opening_again_and_in_a_second_connection(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as db:
        HttpCache(db, TODAY).put("key", b"\0value")
        Landings(db).put(REPO, WINDOW, tip="a" * 40, owned={"b" * 40: False})
    with closing(open_database(tmp_path)) as one, closing(open_database(tmp_path)) as two:
        assert HttpCache(one, TODAY).get("key") == b"\0value"
        assert Landings(one).known_tip(REPO, Window.days(date(2026, 2, 5), date(2026, 2, 5), "UTC")) == "a" * 40
        HttpCache(one, TODAY).put("key", b"")
        assert HttpCache(two, TODAY).get("key") == b""


def test_a_database_from_before_the_numbers_is_refused_and_not_changed(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as old, old:
        old.execute("create table runs (id text primary key)")
    before = (tmp_path / FILE_NAME).read_bytes()
    assert "from before this one; move it away to start anew" in refusal(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes()[100:] == before[100:]


def test_a_database_of_a_newer_version_is_refused_and_not_changed(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as db:
        db.execute("update schema_version set version = 99")
    before = (tmp_path / FILE_NAME).read_bytes()
    assert "was written by a newer Gitzette; update Gitzette or move the file away" in refusal(tmp_path)
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


def test_a_home_or_a_database_that_is_something_else_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("mine")
    assert refusal(tmp_path / "home").startswith(f"cannot open {tmp_path / 'home' / FILE_NAME}")
    (tmp_path / FILE_NAME).mkdir()
    assert "check the permissions or set GITZETTE_HOME" in refusal(tmp_path)


def _write_much(home: Path, me: int, gate: "multiprocessing.synchronize.Barrier") -> None:
    gate.wait(30)
    with closing(open_database(home)) as db:
        landings, cache = Landings(db), HttpCache(db, TODAY)
        for number in range(25):
            window = Window.days(TODAY, TODAY + timedelta(days=number), "UTC")
            landings.put(RepoId(f"octo/{me}"), window, tip="a" * 40, owned={f"{number:040x}": False})
            cache.put(f"{me} {number}", b"x")


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
        assert db.rows("select count(*) from http_cache") == db.rows("select count(*) from landed") == [(75,)]


def test_a_write_that_fails_half_way_leaves_nothing(db: Database) -> None:
    def broken() -> Iterator[dict[str, str]]:
        yield {"key": "one", "used": ""}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), db.transaction(), db.transaction():
        db.insert("http_cache", broken())
    assert db.rows("select * from http_cache") == []
    with db.transaction():
        db.upsert("http_cache", [{"key": "one", "used": "1"}, {"key": "one", "used": "2"}], ("key",))
        db.insert_missing("http_cache", [{"key": "one", "used": "3"}])
    assert db.rows("select used from http_cache where key = any(?)", [["one", "two"]]) == [("2",)]


def test_answers_that_nobody_used_for_sixty_days_are_forgotten(db: Database) -> None:
    early = HttpCache(db, TODAY)
    early.put("old", b"1")
    early.put("used", b"2")
    assert HttpCache(db, TODAY + timedelta(days=60)).get("used") == b"2"
    late = HttpCache(db, TODAY + timedelta(days=61))
    assert (late.get("old"), late.get("used")) == (None, b"2")
    assert HttpCache(db, TODAY + timedelta(days=122)).get("used") is None


def test_what_a_model_server_can_do_is_known_for_two_weeks_at_most(db: Database) -> None:
    def servers(days: int) -> ModelServers:
        today = TODAY + timedelta(days=days)
        return ModelServers(HttpCache(db, today), today)

    found = Capabilities(context=4_096)
    servers(0).put("http://one", "m", found)
    assert servers(0).get("http://one", "m") == found
    assert servers(0).get("http://two", "m") is None
    assert servers(14).get("http://one", "m") is None
