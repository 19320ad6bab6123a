"""The seed of the fence around untrusted text."""

from pathlib import Path

from memory.call_recorder import CallRecorder
from memory.database import database_in_memory
from memory.fence import fence_seed


def test_two_runs_of_one_home_share_the_seed_and_two_homes_do_not(tmp_path: Path) -> None:
    db = database_in_memory()
    first = fence_seed(tmp_path / "a", CallRecorder(db, "r1"))
    assert first == fence_seed(tmp_path / "a", CallRecorder(db, "r2"))
    assert first != fence_seed(tmp_path / "b", CallRecorder(db, "r3"))
    assert (tmp_path / "a" / "fence").stat().st_mode & 0o077 == 0


def test_a_replay_has_the_seed_of_its_run_without_the_home(tmp_path: Path) -> None:
    db = database_in_memory()
    seed = fence_seed(tmp_path, CallRecorder(db, "r1"))
    (tmp_path / "fence").unlink()
    assert fence_seed(None, CallRecorder(db, "r1", play_only=True)) == seed
