"""The seed of the fence around untrusted text."""

from pathlib import Path

from memory.database import database_in_memory
from memory.fence import fence_seed
from memory.tape import Tape


def test_two_runs_of_one_home_share_the_seed_and_two_homes_do_not(tmp_path: Path) -> None:
    db = database_in_memory()
    first = fence_seed(tmp_path / "a", Tape(db, "r1"))
    assert first == fence_seed(tmp_path / "a", Tape(db, "r2"))
    assert first != fence_seed(tmp_path / "b", Tape(db, "r3"))
    assert (tmp_path / "a" / "fence").stat().st_mode & 0o077 == 0


def test_a_replay_has_the_seed_of_its_run_without_the_home(tmp_path: Path) -> None:
    db = database_in_memory()
    seed = fence_seed(tmp_path, Tape(db, "r1"))
    (tmp_path / "fence").unlink()
    assert fence_seed(None, Tape(db, "r1", play_only=True)) == seed
