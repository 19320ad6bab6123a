"""The store of evidence: each thing once, named by its content, for as long as somebody needs it, whatever happens."""

import multiprocessing
import os
import signal
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from sqlite_utils import Database

from agent.errors import InputError, StorageError
from agent.ids import RepoId
from memory.artefacts import Artefact, Artefacts
from memory.call_recorder import Call, CallRecorder
from memory.database import FILE_NAME, database_in_memory, migrations, open_database
from memory.retention import Retention
from memory.runs import Runs, recipe_of
from memory.shapes import Plain

REPO = RepoId("octo/engine")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
TEXT = Plain("text", TypeAdapter(str), lambda text: f"octo/engine#{len(text)}")


@pytest.fixture
def db() -> Iterator[Database]:
    with closing(database_in_memory()) as database:
        yield database


def keep(db: Database, run: str, text: str, at: datetime = NOON) -> Artefact:
    (artefact,) = TEXT.pack(text)
    CallRecorder(db, run, clock=lambda: at).record([(Call("x.y", REPO, text, "api https://api.example"), (artefact,))])
    return artefact


def test_an_artefact_is_found_by_its_content_with_where_and_when_it_was_first_fetched(db: Database) -> None:
    first = keep(db, "r1", "hello")
    keep(db, "r2", "hello", NOON + timedelta(days=1))
    assert Artefacts(db).get(first.hash) == first
    (stored,) = db.query("select * from artefacts where evidence = 'octo/engine#5'")
    assert (stored["hash"], stored["kind"], stored["origin"]) == (first.hash, "text", "api https://api.example")
    assert stored["fetched"] == "2026-02-04T12:00:00+00:00"


def test_versions_of_the_same_thing_are_kept_apart(db: Database) -> None:
    kept = [keep(db, "r1", text, NOON + timedelta(hours=n)).hash for n, text in enumerate(("one", "two", "six"))]
    found = db.query("select hash from artefacts where evidence = 'octo/engine#3' order by fetched")
    assert [row["hash"] for row in found] == kept


def test_equal_bytes_of_another_kind_are_another_artefact() -> None:
    assert Artefact("tip", b"null").hash != Artefact("notice", b"null").hash


def test_long_text_takes_little_room(db: Database) -> None:
    keep(db, "r1", "+    return router.pick(request)\n" * 10_000)
    (row,) = db.table("artefacts").rows
    assert row["size"] > 300_000
    assert len(row["body"]) < 5_000


@pytest.mark.parametrize("damage", [b"not compressed", zlib.compress(b'"hacked"')])
def test_a_damaged_artefact_is_told_and_not_believed(db: Database, damage: bytes) -> None:
    artefact = keep(db, "r1", "hello")
    with db.conn:
        db.execute("update artefacts set body = ?", [damage])
    with pytest.raises(StorageError, match="the memory is damaged: artefact"):
        Artefacts(db).get(artefact.hash)
    recorder = CallRecorder(db, "r1", play_only=True)
    with pytest.raises(StorageError, match="the memory is damaged"):
        recorder.play(Call("x.y", REPO, "hello"), TEXT)
    assert recorder.gap is not None


def test_an_artefact_that_another_version_wrote_is_told_in_one_line(db: Database) -> None:
    keep(db, "r1", "hello")
    numbers = Plain("text", TypeAdapter(list[int]))
    with pytest.raises(StorageError, match=r"a recorded text .* another version of Gitzette wrote it"):
        CallRecorder(db, "r1").play(Call("x.y", REPO, "hello"), numbers)


def test_old_records_are_forgotten_with_what_only_they_held_and_cited_evidence_stays(db: Database) -> None:
    runs, retention = Runs(db), Retention(db)
    for number, run in enumerate(("old", "new")):
        runs.begin(run, "2026-02-04 UTC", NOON + timedelta(days=number))
    only_old, cited, shared = keep(db, "old", "a"), keep(db, "old", "bb"), keep(db, "old", "ccc")
    keep(db, "new", "ccc")
    retention.cite("old", "2026-02-04 UTC", ["octo/engine#2", "octo/engine#99"])
    assert retention.forget(NOON.date()) == 0
    assert retention.forget(NOON.date() + timedelta(days=1)) == 3
    assert {row["hash"] for row in db.table("artefacts").rows} == {cited.hash, shared.hash}
    with pytest.raises(StorageError, match="no artefact"):
        Artefacts(db).get(only_old.hash)
    assert CallRecorder(db, "new", play_only=True).play(Call("x.y", REPO, "ccc"), TEXT) == "ccc"
    assert [run.id for run in runs.latest()] == ["new", "old"]


def test_a_run_is_found_by_the_beginning_of_its_id_where_only_one_has_it(db: Database) -> None:
    runs = Runs(db)
    for run in ("20260204T120000-aa", "20260204T120000-ab", "20260205T0%_"):
        runs.begin(run, "2026-02-04 UTC", NOON)
    assert runs.find("20260204T120000-aa").id == "20260204T120000-aa"
    assert runs.find("20260205").id == "20260205T0%_"
    for prefix in ("", "nope", "%", "2026020_"):
        with pytest.raises(InputError, match=r"there is no run .*; `gitzette runs` lists them"):
            runs.find(prefix)
    with pytest.raises(InputError, match=r"several runs begin with '20260204' .* `gitzette runs` lists them"):
        runs.find("20260204")


@pytest.mark.parametrize("recipe", [None, '{"window": 1}'])
def test_a_run_of_another_time_cannot_be_replayed_and_says_so(db: Database, recipe: str | None) -> None:
    runs = Runs(db)
    runs.begin("r1", "2026-02-04 UTC", NOON)
    with db.conn:
        db.execute("update runs set recipe = ?", [recipe])
    with pytest.raises(StorageError, match=r"run r1 .* it cannot be replayed"):
        recipe_of(runs.find("r1"))


def older(home: Path, before: str) -> Database:
    """Make a memory as the version before a migration had it."""
    db = Database(sqlite3.connect(home / FILE_NAME))
    migrations.apply(db, stop_before=before)
    return db


def test_a_memory_from_before_the_records_keeps_its_runs(tmp_path: Path) -> None:
    with closing(older(tmp_path, "m006_evidence")) as db, db.conn:
        db.table("runs").insert({"id": "r1", "started": "2026-02-04", "window": "2026-02-04 UTC", "status": "done"})
    with closing(open_database(tmp_path)) as db:
        keep(db, "r2", "hello")
        assert [run.id for run in Runs(db).latest()] == ["r1"]


def test_a_memory_from_before_the_search_keeps_its_records(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as db:
        keep(db, "r1", "hello")
        kept = {table: [dict(row) for row in db.table(table).rows] for table in ("artefacts", "calls", "holds")}
    (tmp_path / FILE_NAME).unlink()
    with closing(older(tmp_path, "m007_statements")) as db, db.conn:
        for table, rows in kept.items():
            known = {column.name for column in db.table(table).columns}
            db.table(table).insert_all([{name: row[name] for name in row if name in known} for row in rows])
    with closing(open_database(tmp_path)) as db:
        keep(db, "r2", "hello")
        assert CallRecorder(db, "r1", play_only=True).play(Call("x.y", REPO, "hello"), TEXT) == "hello"
        assert db.table("statements").count == 0


def _record_on_and_on(home: Path, run: str, ready: "multiprocessing.synchronize.Event", count: int) -> None:
    with closing(open_database(home)) as db:
        for number in range(count):
            keep(db, run, f"{number} " + os.urandom(2_000).hex() if run == "killed" else f"{number} " + "x" * 2_000)
            if number == 5:
                ready.set()


def test_a_run_killed_at_any_moment_leaves_a_store_that_can_be_read(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    for _ in range(5):
        ready = context.Event()
        run = context.Process(target=_record_on_and_on, args=(tmp_path, "killed", ready, 1_000_000))
        run.start()
        assert ready.wait(30)
        os.kill(run.pid or 0, signal.SIGKILL)
        run.join(30)
    with closing(open_database(tmp_path)) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
        calls = list(db.query("select hash from calls"))
        assert len(calls) >= 30
        assert len(Artefacts(db).get_all([call["hash"] for call in calls])) == len(calls)
        assert db.table("holds").count == len({call["hash"] for call in calls}) == db.table("artefacts").count


def test_runs_at_the_same_time_store_the_same_things_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    names = ["r1", "r2", "r3"]
    runs = [context.Process(target=_record_on_and_on, args=(tmp_path, name, ready, 60)) for name in names]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert [run.exitcode for run in runs] == [0, 0, 0]
    with closing(open_database(tmp_path)) as db:
        assert db.table("artefacts").count == 60
        assert db.table("calls").count == 180
        Retention(db).forget(date(2026, 2, 5))
        assert db.table("artefacts").count == 60
