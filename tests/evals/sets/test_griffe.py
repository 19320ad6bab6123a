"""How what griffe finds broken is named, so that facts about the same thing match it."""

from pathlib import Path
from typing import Any

import pytest

from agent.domain.facts import Fact, Severity
from evals.sets.griffe import (
    Broken,
    FoundBreaks,
    breaks_between,
    broken,
    claims,
    packages,
)
from tests.made_repos import Work

griffe = pytest.importorskip("griffe")


def module(text: str) -> Any:
    return griffe.visit("engine", filepath=None, code=text)


def test_a_constructor_goes_by_the_name_of_its_class() -> None:
    old = module("class Engine:\n    def __init__(self, size=4): ...\n")
    new = module("class Engine:\n    def __init__(self, size=None): ...\n")
    (finding,) = breaks_between(old, new)
    assert finding == Broken("Engine", removed=False, parameters=frozenset({"size"}))
    fact = Fact(
        kind="parameter-default-changed",
        severity=Severity.BEHAVIOUR,
        name="Engine",
        old="4",
        new="None",
        detail="size",
    )
    assert [claim.states(finding) for claim in claims(fact)] == [True]


async def found_between(path: Path, before: str, after: str) -> FoundBreaks:
    """Return what griffe finds broken when a module that a package gives on changes."""
    work = Work(path)
    package = b"from .core import Tile, attend\n\n\nclass Base:\n    def rows(self): ...\n"
    old = work.commit("begin", {"engine/__init__.py": package, "engine/core.py": before.encode()})
    new = work.commit("change", {"engine/core.py": after.encode()})
    return await broken(path / ".git", "engine", old, new)


async def test_a_member_that_a_class_inherits_now_is_not_removed(tmp_path: Path) -> None:
    tile = "from engine import Base\n\n\nclass Tile{}:\n    {}\n"
    before = tile.format("", "def rows(self): return 1\n    def columns(self): return 2")
    found = await found_between(tmp_path, before, tile.format("(Base)", "pass"))
    assert found.given_on == found.anywhere == [Broken("Tile.columns", removed=True)]


async def test_an_attribute_counts_for_precision_and_if_a_class_has_it_for_recall(
    tmp_path: Path,
) -> None:
    tile = "class Tile:\n    {}\n    def __init__(self): {}\n    @property\n    def {}(self): ...\n"
    before = tile.format("ROWS = 1", "self.size = 4", "shape")
    found = await found_between(tmp_path, before, tile.format("", "pass", "form"))
    assert {finding.name for finding in found.given_on} == {"Tile.ROWS", "Tile.shape"}
    assert {finding.name for finding in found.anywhere} == {"Tile.ROWS", "Tile.shape", "Tile.size"}


async def test_what_another_project_defines_now_is_still_exported(tmp_path: Path) -> None:
    found = await found_between(
        tmp_path, "def attend(q): ...\n", "from native_engine import attend\n"
    )
    assert found.given_on == []


def test_the_field_of_a_record_is_stated_as_an_argument_of_its_class() -> None:
    finding = Broken("Tile.rows", removed=True)
    statement = Broken("Tile", removed=False, parameters=frozenset({"rows"}))
    assert statement.states(finding)


async def test_the_folder_around_a_package_does_not_hide_it_behind_others(tmp_path: Path) -> None:
    work = Work(tmp_path)
    files = ("src/engine/__init__.py", "src/engine/core/__init__.py", "plots/__init__.py")
    work.commit("begin", dict.fromkeys(files, b""))
    assert await packages(tmp_path / ".git") == ["plots", "src/engine"]
