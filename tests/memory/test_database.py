"""The database: what is stored stays, what is not ours to read is left alone, and two runs get along."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from agent.domain.errors import StorageError
from memory.http_cache import HttpCache
from memory.sqlite.connection import FILE_NAME
from memory.sqlite.database import SqliteDatabase
from memory.store import open_database
from tests.databases import AnyDatabase

TODAY = date(2026, 2, 4)


def open_sqlite(home: Path) -> SqliteDatabase:
    db = open_database(home)
    assert isinstance(db, SqliteDatabase)
    return db


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


def test_a_database_from_before_the_numbers_is_refused_and_not_changed(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as old, old:
        old.execute("create table runs (id text primary key)")
    before = (tmp_path / FILE_NAME).read_bytes()
    assert "from before this one; move it away to start anew" in refusal(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes()[100:] == before[100:]


def test_a_database_of_a_newer_version_is_refused_and_not_changed(tmp_path: Path) -> None:
    with closing(open_sqlite(tmp_path)) as db:
        db.execute("update schema_version set version = 99")
    before = (tmp_path / FILE_NAME).read_bytes()
    assert "was written by a newer Gitzette; update Gitzette or move the file away" in refusal(
        tmp_path
    )
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to have a header" * 40, b"\0" * 4096]
)
def test_a_damaged_file_is_refused_and_not_changed(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / FILE_NAME
    file.write_bytes(content)
    os.utime(file, (1_000_000, 1_000_000))
    assert "it was left as it is: move it away to start anew" in refusal(tmp_path)
    assert file.read_bytes() == content
    assert file.stat().st_mtime == 1_000_000
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_a_write_that_fails_half_way_leaves_nothing(db: AnyDatabase) -> None:
    def broken() -> Iterator[dict[str, str]]:
        yield {"key": "one", "used": ""}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), db.transaction(), db.transaction():
        db.insert("http_cache", broken())
    assert db.rows("select * from http_cache") == []
    with db.transaction():
        db.upsert(
            "http_cache", [{"key": "one", "used": "1"}, {"key": "one", "used": "2"}], ("key",)
        )
        db.insert_missing("http_cache", [{"key": "one", "used": "3"}])
    assert db.select("http_cache", ["used"], {"key": ["one", "two"]}) == [("2",)]


def test_a_home_that_is_a_file_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("mine")
    assert str(tmp_path / "home") in refusal(tmp_path / "home")
    assert (tmp_path / "home").read_text() == "mine"


def test_a_database_that_somebody_holds_is_told_as_locked_and_used_when_it_is_free(
    tmp_path: Path,
) -> None:
    path = tmp_path / FILE_NAME
    with closing(open_sqlite(tmp_path)) as db, closing(sqlite3.connect(path)) as other:
        db.execute("pragma busy_timeout = 10")
        cache = HttpCache(db, TODAY)
        other.execute("begin immediate")
        with pytest.raises(StorageError, match="database is locked"):
            cache.put("key", b"1")
        other.rollback()
        cache.put("key", b"1")
        assert cache.get("key") == b"1"


def test_answers_that_nobody_used_for_sixty_days_are_forgotten(db: AnyDatabase) -> None:
    early = HttpCache(db, TODAY)
    early.put("old", b"1")
    early.put("used", b"2")
    assert HttpCache(db, TODAY + timedelta(days=60)).get("used") == b"2"
    late = HttpCache(db, TODAY + timedelta(days=61))
    assert (late.get("old"), late.get("used")) == (None, b"2")
    assert HttpCache(db, TODAY + timedelta(days=122)).get("used") is None
