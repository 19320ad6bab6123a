"""Folders that are expensive to build: the first test process that needs one builds it for all."""

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from evals.worlds.data_model import World
from evals.worlds.worlds import build


def built_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]
) -> Path:
    """Return a folder filled by `build`, which runs once for all processes of this test session.

    Tests only read it; one that wants to write copies it first.
    """
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent  # Each worker has a folder of its own in that of the session
    folder = session / name
    complete = session / f"{name}.complete"
    with (session / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            folder.mkdir()
            build(folder)
            complete.touch()
    return folder


def built_world(tmp_path_factory: pytest.TempPathFactory, name: str, seed: int = 1) -> World:
    """Return a world that is built once for all processes of this test session."""

    def save_world(folder: Path) -> None:
        world = build(name, seed, folder / "world")
        (folder / "world.pickle").write_bytes(pickle.dumps(world))

    folder = built_once(tmp_path_factory, f"world-{name}-{seed}", save_world)
    world: World = pickle.loads((folder / "world.pickle").read_bytes())
    return world
