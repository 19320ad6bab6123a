"""How our facts and griffe's findings are compared, on a small repository."""

import subprocess
from pathlib import Path

from agent.facts import FactKind
from agent.ids import RepoId
from agent.settings import RepoSpec
from evals.harness import Bench
from evals.sets.griffe import compare_latest, confirms, packages, score, tells
from evals.sets.griffe_claims import Claim, function_at, imported
from evals.sets.griffe_oracle import Breakage

OLD = """
import os
from json import dumps, loads as loads

class Cache:
    def get(self, key, fast=True): ...
    def put(self, key, fast=True): ...
    def lost(self): ...

def run(x, y, *, deep=1): ...
def stay(x): ...
"""
NEW = """
class Cache:
    def get(self, key, fast=False): ...
    def put(self, key, fast=False): ...

def run(y, z, *, deep=2): ...
def stay(x, more=None): ...
"""


def git(folder: Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", folder, *name, *arguments], check=True, capture_output=True)


def repository(folder: Path) -> RepoSpec:
    git(folder, "init", "-q", "-b", "main")
    for place in ("pkg", "tests"):
        (folder / place).mkdir()
        (folder / place / "__init__.py").write_text("")
    for text in (OLD, NEW):
        for place in ("pkg", "tests"):
            (folder / place / "core.py").write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "c")
    return RepoSpec(name=RepoId("a/b"), path=folder)


def bench(folder: Path) -> Bench:
    return Bench(folder=folder, mirrors=(), span=None, system=None, say=lambda _: None)  # type: ignore[arg-type]


async def test_what_griffe_finds_is_found_and_nothing_else_is_told(tmp_path: Path) -> None:
    spec = repository(tmp_path)
    assert await packages(spec) == ["pkg"]
    (scored,) = await compare_latest(bench(tmp_path), spec, 5)
    assert len(scored.recall) == len(scored.told) >= 6
    assert [score.reason for scores in scored for score in scores if score.value != 1.0] == []


def test_what_is_found_and_told_to_nobody_is_found_and_not_told() -> None:
    gone = Breakage("removed", "a.py", "Gemm.kernel")
    hidden = Claim("a.py", frozenset({"Gemm.kernel"}), FactKind.SYMBOL_REMOVED, internal=True)
    scored = score([gone], [hidden], "here")
    assert [one.value for one in scored.recall] == [1.0]
    assert [one.value for one in scored.told] == [0.0]
    # Nobody is told, so nobody can be told something wrong.
    assert scored.precision == []
    assert [one.value for one in score([gone], [], "here").recall] == [0.0]


def test_a_fact_of_several_functions_is_resolved_to_each_of_them() -> None:
    assert function_at(OLD.encode(), 6) == "Cache.get"
    assert function_at(OLD.encode(), 10) == "run"
    assert function_at(OLD.encode(), 2) is None
    assert function_at(b"def (", 1) is None


def test_a_rename_is_the_removal_of_the_old_name() -> None:
    claim = Claim("a.py", frozenset({"Cache.lost"}), FactKind.SYMBOL_RENAMED)
    assert tells(claim, Breakage("removed", "a.py", "Cache.lost"))
    assert not tells(claim, Breakage("removed", "b.py", "Cache.lost"))
    assert not confirms(Breakage("removed", "a.py", ""), claim)


def test_a_parameter_that_moves_is_told_by_whatever_moved_it() -> None:
    claim = Claim("a.py", frozenset({"run"}), FactKind.PARAMETER_REMOVED, frozenset({"x"}))
    assert tells(claim, Breakage("parameter-moved", "a.py", "run", "y"))
    assert not tells(claim, Breakage("parameter-removed", "a.py", "run", "y"))
    default = Claim("a.py", frozenset({"run"}), FactKind.PARAMETER_DEFAULT, frozenset({"x"}))
    assert not tells(default, Breakage("parameter-moved", "a.py", "run", "y"))


def test_names_that_are_only_imported_are_left_out_unless_they_are_offered() -> None:
    assert imported(OLD.encode()) == {"os", "dumps", "loads"}
    assert imported(b"from a import x, y\n__all__ = ['x']\n") == {"y"}
    assert imported(b"from . import x\n__all__ = ['x']\n") == {"x"}
