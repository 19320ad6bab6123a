import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from evals.worlds.data_model import Repo, World
from tests.built_once import built_world

Git = Callable[..., bytes]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> World:
    return built_world(tmp_path_factory, "demo")


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> World:
    return built_world(tmp_path_factory, "full")


@pytest.fixture(scope="session")
def random(tmp_path_factory: pytest.TempPathFactory) -> World:
    return built_world(tmp_path_factory, "random", 7)


@pytest.fixture(scope="session")
def git() -> Git:
    """Run git in a repository or bare directory; it is the oracle for what was written."""

    def run(where: Repo | Path, *args: str, stdin: bytes = b"") -> bytes:
        folder = where.git_dir if isinstance(where, Repo) else where
        done = subprocess.run(
            ["git", f"--git-dir={folder}", *args], input=stdin, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout

    return run
