"""Runs: found by their ids, recorded for as long as they can be replayed, with private files of their own."""

import json
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from agent.domain.base import RepoId
from agent.domain.errors import InputError, StorageError
from agent.domain.evidence_id import EvidenceId
from memory.recorded_answers import Artefact, JsonCodec
from memory.recorder import QUESTIONS, Call, CallRecorder, Retention
from memory.runs import RunFiles, RunLocks, Runs
from tests.databases import AnyDatabase

REPO = RepoId("octo/engine")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
TEXT = JsonCodec("text", TypeAdapter(str), lambda text: EvidenceId.thread(REPO, len(text)))


def keep(db: AnyDatabase, run: str, text: str) -> Artefact:
    (artefact,) = TEXT.encode(text)
    CallRecorder(db, run).record(
        [(Call("x.y", REPO, text, "api https://api.example"), (artefact,))]
    )
    return artefact


def test_runs_are_listed_newest_first_with_how_they_ended(db: AnyDatabase) -> None:
    runs = Runs(db)
    began = datetime(2026, 2, 5, 0, 10, tzinfo=UTC)
    for number, run in enumerate(("r0", "r1", "z", "a")):
        runs.begin(run, "2026-02-04 UTC", began + timedelta(minutes=min(number, 2)))
    runs.end("r1", "done", began + timedelta(hours=1), {"requests": 12, "名": "值"})
    latest_runs = runs.latest(limit=3)
    assert [(run.id, run.status) for run in latest_runs] == [
        ("a", "running"),
        ("z", "running"),
        ("r1", "done"),
    ]
    assert latest_runs[2].details == {"requests": 12, "名": "值"}
    assert runs.unfinished(began.date()) == {"r0", "z", "a"}
    assert runs.unfinished(began.date() + timedelta(days=1)) == set()


@pytest.mark.parametrize(
    ("status", "is_unfinished"),
    [("done", False), ("incomplete", False), ("failed", True), ("stopped", True)],
)
def test_a_run_that_ended_without_a_report_is_unfinished(
    db: AnyDatabase, status: str, *, is_unfinished: bool
) -> None:
    runs = Runs(db)
    runs.begin("r1", "2026-02-04 UTC", NOON)
    runs.end("r1", status, NOON, {})
    assert runs.unfinished(NOON.date()) == ({"r1"} if is_unfinished else set())


def test_the_files_of_dead_runs_are_removed_unless_they_may_go_on(tmp_path: Path) -> None:
    locks = RunLocks(tmp_path)
    locks.prune(set())  # Nothing has run yet
    for run in ("dead", "unfinished", "alive"):
        with locks.hold(run):
            Path(locks.checkpoints(run)).touch()
    with locks.hold("alive"):
        locks.prune({"unfinished"})
        remaining = {file.name for file in (tmp_path / "running").iterdir()}
    kept = ("unfinished", "alive")
    assert remaining == {f"{run}.{part}" for run in kept for part in ("db", "lock")}


def test_a_run_is_found_by_the_beginning_of_its_id_where_only_one_has_it(db: AnyDatabase) -> None:
    runs = Runs(db)
    for run in ("20260204T1", "20260204T2", "20260205T1"):
        runs.begin(run, "2026-02-04 UTC", NOON)
    assert runs.find("20260204T2").id == "20260204T2"
    assert runs.find("20260205").id == "20260205T1"
    with pytest.raises(InputError, match="several runs begin with '2026'"):
        runs.find("2026")
    for nothing in ("20260206", ""):
        with pytest.raises(InputError, match=f"there is no run '{nothing}'"):
            runs.find(nothing)


def test_old_records_are_forgotten_with_what_only_they_held_and_cited_evidence_stays(
    db: AnyDatabase,
) -> None:
    runs = Runs(db)
    retention = Retention(db)
    for number, run in enumerate(("old", "new")):
        runs.begin(run, "2026-02-04 UTC", NOON + timedelta(days=number))
    keep(db, "old", "a")
    cited = keep(db, "old", "bb")
    shared = keep(db, "old", "ccc")
    keep(db, "new", "ccc")
    today = keep(db, f"{QUESTIONS}2026-02-05", "dddd")
    keep(db, f"{QUESTIONS}2026-02-04", "eeeee")
    retention.cite(
        "old", "2026-02-04 UTC", [EvidenceId("octo/engine#2"), EvidenceId("octo/engine#99")]
    )
    assert retention.forget(NOON.date()) == 0
    assert retention.forget(NOON.date() + timedelta(days=1)) == 4
    assert {row[0] for row in db.rows("select hash from artefacts")} == {
        cited.hash,
        shared.hash,
        today.hash,
    }
    assert CallRecorder(db, "new", play_only=True).play(Call("x.y", REPO, "ccc"), TEXT) == "ccc"
    assert CallRecorder(db, "old").blank
    assert [run.id for run in runs.latest()] == ["new", "old"]


def test_two_runs_of_one_memory_share_the_seed_of_the_fence_and_a_replay_has_that_of_its_run(
    db: AnyDatabase,
) -> None:
    seed = CallRecorder(db, "r1").fence_seed()
    assert seed == CallRecorder(db, "r2").fence_seed()
    assert len(seed) == 32
    db.execute("delete from secrets")
    assert CallRecorder(db, "r1", play_only=True).fence_seed() == seed
    assert CallRecorder(db, "r3").fence_seed() != seed


def test_the_file_of_a_run_is_private_and_is_written_whole(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    files.write("r1", {"refused": [{"text": "改为 `13`"}]})
    files.write("r1", {"refused": [{"text": "half \ud800 a pair"}]})
    assert json.loads(files.path("r1").read_bytes()) == {
        "run": "r1",
        "refused": [{"text": "half ? a pair"}],
    }
    assert [file.name for file in files.path("r1").parent.iterdir()] == ["r1.json"]
    assert stat.S_IMODE(files.path("r1").stat().st_mode) == 0o600
    assert stat.S_IMODE(files.path("r1").parent.stat().st_mode) == 0o700
    os.utime(files.path("r1"), (NOON.timestamp(), NOON.timestamp()))
    files.forget(NOON.date())
    assert files.path("r1").exists()
    files.forget(NOON.date() + timedelta(days=1))
    assert not files.path("r1").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"cannot write .*r1\.json: .*; set GITZETTE_HOME"):
        RunFiles(tmp_path / "file").write("r1", {})
