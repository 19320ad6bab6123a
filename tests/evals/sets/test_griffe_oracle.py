"""What griffe is asked, and how its findings read."""

import subprocess
from pathlib import Path

import pytest

from agent.errors import InputError
from evals.sets.griffe_oracle import Breakage, breakages

OLD = """
class Cache:
    size: int = 3
    def __init__(self, a, b=1):
        self.gone = a
    def get(self, key, fast=True): ...
    def lost(self): ...
def run(x, y): ...
def _private(x): ...
"""
NEW = """
class Cache:
    def __init__(self, a, b):
        pass
    def get(self, key, fast=False): ...
def run(y, x, z): ...
"""


def git(folder: Path, *arguments: str) -> str:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", "-C", folder, *name, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "pkg").mkdir()
    for number, text in enumerate((OLD, NEW)):
        (tmp_path / "pkg" / "core.py").write_text(text)
        (tmp_path / "pkg" / "broken.py").write_text("def (\n" * (number + 1))
        (tmp_path / "pkg" / "_hidden.py").write_text(text)
        (tmp_path / "other.py").write_text(text)
        if number == 0:
            (tmp_path / "pkg" / "old.py").write_text("x = 1\n")
        else:
            (tmp_path / "pkg" / "old.py").unlink()
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "c")
    return tmp_path


async def test_findings_name_the_file_the_object_and_the_parameter(repository: Path) -> None:
    found = await breakages(repository / ".git", "HEAD^", "HEAD", ["pkg"])
    file, kind = "pkg/core.py", "positional or keyword"
    assert found == [
        Breakage("parameter-added-required", file, "run", "z", "", kind),
        Breakage("parameter-default", file, "Cache.get", "fast", "True", "False"),
        Breakage("parameter-moved", file, "run", "x", kind, kind),
        Breakage("parameter-moved", file, "run", "y", kind, kind),
        Breakage("parameter-required", file, "Cache.__init__", "b", kind, kind),
        Breakage("removed", file, "Cache.lost"),
        Breakage("removed", file, "Cache.size"),
        Breakage("removed", "pkg/old.py", ""),
    ]


async def test_a_commit_that_is_not_there_is_an_error_in_one_line(repository: Path) -> None:
    with pytest.raises(InputError):
        await breakages(repository / ".git", "HEAD^", "f" * 40, ["pkg"])
