"""What a run leaves for whoever wants to know why: private, whole, and not for ever."""

import json
import os
import stat
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agent.errors import StorageError
from memory.run_files import RunFiles


def test_the_file_of_a_run_is_private_and_is_written_whole(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    files.write("r1", {"refused": [{"text": "改为 `13`"}]})
    files.write("r1", {"refused": [{"text": "half \ud800 a pair"}]})
    assert json.loads(files.path("r1").read_bytes()) == {"run": "r1", "refused": [{"text": "half ? a pair"}]}
    assert [file.name for file in files.path("r1").parent.iterdir()] == ["r1.json"]
    assert stat.S_IMODE(files.path("r1").stat().st_mode) == 0o600
    assert stat.S_IMODE(files.path("r1").parent.stat().st_mode) == 0o700


def test_files_of_old_runs_are_forgotten(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    files.forget(date(2026, 2, 4))
    for run, day in (("old", 3), ("new", 4)):
        files.write(run, {})
        at = datetime(2026, 2, day, 12, tzinfo=UTC).timestamp()
        os.utime(files.path(run), (at, at))
    files.forget(date(2026, 2, 4))
    assert [file.name for file in files.path("new").parent.iterdir()] == ["new.json"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where a folder should be")
    with pytest.raises(StorageError, match=r"cannot write .*r1\.json: .*; set GITZETTE_HOME"):
        RunFiles(tmp_path).write("r1", {})
