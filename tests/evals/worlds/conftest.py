import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from evals.worlds.model import Repo, World
from evals.worlds.worlds import build

Git = Callable[..., bytes]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("demo", 1, tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("full", 1, tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="session")
def random(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("random", 7, tmp_path_factory.mktemp("random"))


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
