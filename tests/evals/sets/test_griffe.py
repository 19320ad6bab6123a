"""How our facts and griffe's findings are compared, on a small repository."""

import subprocess
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.facts import Fact, FactKind, Place, Severity
from agent.settings.values import RepoSpec
from evals.figures import Score
from evals.harness import Bench
from evals.sets.griffe import Claim, claims, compare_latest, packages, tells
from evals.sets.griffe_oracle import Breakage, Visits, breakages

EXPORTS = "from .core import Cache, run\nfrom ._hidden import *\nfrom json import dumps\n"
OLD = """
__all__ = ["stay"]
class Cache:
    size: int = 3
    def __init__(self, a, b=1):
        self.gone = a
    def get(self, key, fast=True): ...
    def lost(self): ...
def run(x, y): ...
def stay(x): ...
def inner(x): ...
"""
NEW = """
__all__ = []
class Cache:
    def __init__(self, a, b):
        pass
    def get(self, key, fast=False): ...
def run(y, x, z): ...
"""
HIDDEN = "def shown(x, y): ...\ndef _private(x): ...\n"
FILES = (
    {"pkg/__init__.py": EXPORTS, "pkg/core.py": OLD, "pkg/_hidden.py": HIDDEN, "pkg/alone.py": "def alone(x): ...\n"},
    {"pkg/core.py": NEW, "pkg/_hidden.py": HIDDEN.replace("x, y", "x"), "pkg/alone.py": "x = 1\n"},
)


def git(folder: Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", folder, *name, *arguments], check=True, capture_output=True)


def repository(folder: Path) -> RepoSpec:
    git(folder, "init", "-q", "-b", "main")
    for files in FILES:
        for path, text in files.items():
            for place in (folder / path, folder / "tests" / path):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "c")
    return RepoSpec(name=RepoId("a/b"), path=folder)


async def test_only_what_a_package_gives_to_users_is_public(tmp_path: Path) -> None:
    assert await packages(repository(tmp_path)) == ["pkg"]
    visits = Visits(tmp_path / ".git")
    found = await breakages(await visits.tree("HEAD^", "pkg"), await visits.tree("HEAD", "pkg"))
    core = "pkg/core.py"
    assert found == {
        Breakage("removed", core, "Cache.lost"),
        Breakage("removed", core, "Cache.size"),
        Breakage("parameter-default", core, "Cache.get", "fast"),
        Breakage("parameter-required", core, "Cache.__init__", "b"),
        Breakage("parameter-moved", core, "run", "x"),
        Breakage("parameter-moved", core, "run", "y"),
        Breakage("parameter-added", core, "run", "z"),
        Breakage("parameter-removed", "pkg/_hidden.py", "shown", "y"),
    }


async def test_every_finding_and_every_breaking_claim_is_scored(tmp_path: Path) -> None:
    spec = repository(tmp_path)
    bench = Bench(folder=tmp_path, mirrors=(), span=None, system=None, say=lambda _: None)  # type: ignore[arg-type]
    recall, precision = list[Score](), list[Score]()
    await compare_latest(bench, spec, recall, precision)
    assert len(recall) == 8
    assert sum(score.value or 0 for score in recall) >= 7
    assert precision
    assert all(score.value == 1.0 for score in precision)


def test_a_rename_is_the_removal_of_the_old_name() -> None:
    place = Place(file="pkg/a.py", line=1, lines=())
    fact = Fact(kind=FactKind.SYMBOL_RENAMED, severity=Severity.BREAKING, name="Cache.new", old="lost", places=(place,))
    (claim,) = claims([fact], ["pkg"])
    assert tells(claim, Breakage("removed", "pkg/a.py", "Cache.lost"))
    assert not tells(claim, Breakage("removed", "pkg/a.py", "Cache.new"))
    assert claims([fact], ["other"]) == []


def test_a_parameter_that_moves_is_told_by_whatever_moved_it() -> None:
    claim = Claim("run", "parameter-removed", frozenset({"x"}))
    assert tells(claim, Breakage("parameter-moved", "a.py", "run", "y"))
    assert not tells(claim, Breakage("parameter-removed", "a.py", "run", "y"))
    default = Claim("run", "parameter-default-changed", frozenset({"x"}))
    assert not tells(default, Breakage("parameter-moved", "a.py", "run", "y"))
