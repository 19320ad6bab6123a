import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from evals.worlds.data_model import World
from tests.built_once import built_world


@pytest.fixture(scope="session")
def facts_world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return built_world(tmp_path_factory, "facts")


@pytest.fixture(scope="session")
def git() -> Callable[..., str]:
    """Run git in a repository; it is the oracle for what the generator wrote."""

    def run(folder: Path, *args: str) -> str:
        done = subprocess.run(
            ["git", f"--git-dir={folder}", *args], capture_output=True, check=True
        )
        return done.stdout.decode()

    return run
