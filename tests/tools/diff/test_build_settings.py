"""What a build lets its users set is followed through branches and workspaces."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@ROUTES
async def test_a_variable_that_the_branches_of_a_makefile_set_is_not_gone(route: str, facts_of: "FactsOf") -> None:
    old = "SM := 70\nSUFFIX := sm$(SM)\n\nall: build\n\techo $(SUFFIX)\n"
    branch = (
        "ifeq ($(compiler), clang)\n\tSUFFIX := sm$(SM)_clang\n\tBASE = /usr\nelse\n    SUFFIX := sm$(SM)_nvcc\nendif\n"
    )
    facts = await facts_of({"common.mk": old}, {"common.mk": old.replace("SUFFIX := sm$(SM)\n", branch)}, route)
    changed = [(fact.kind, fact.name, fact.old, fact.new) for fact in facts if fact.name != "compiler"]
    assert changed == [(FactKind.CONFIG_CHANGED, "SUFFIX", "sm$(SM)", "sm$(SM)_clang | sm$(SM)_nvcc")]


async def test_what_a_makefile_asks_its_caller_for_is_an_option(facts_of: "FactsOf") -> None:
    old = "FLAGS = -O3\nkeep = 0\n"
    new = f"{old}ifeq ($(debug), 1)\nFLAGS += -g\nendif\nifeq ($(keep), 1)\nFLAGS += -k\nendif\n"
    facts = await facts_of({"Makefile": old}, {"Makefile": new})
    assert [(fact.kind, fact.name, fact.new) for fact in facts] == [(FactKind.CONFIG_ADDED, "debug", "1")]


@ROUTES
async def test_the_lines_of_a_rule_set_no_variable(route: str, facts_of: "FactsOf") -> None:
    old = "all: build\n\techo a\nifeq ($(V), 1)\n\techo b\nendif\n"
    assert await facts_of({"Makefile": old}, {"Makefile": old.replace("\techo b", "\tX=1 echo b")}, route) == []


@ROUTES
@pytest.mark.parametrize("written", ["parking_lot.workspace = true", "parking_lot = { workspace = true }"])
async def test_a_crate_that_the_workspace_gives_is_a_dependency(written: str, route: str, facts_of: "FactsOf") -> None:
    old = '[package]\nname = "llm"\nversion.workspace = true\n\n[dependencies]\nserde.workspace = true\n'
    facts = await facts_of({"llm/Cargo.toml": old}, {"llm/Cargo.toml": f"{old}{written}\n"}, route)
    assert [(fact.kind, fact.name, fact.new) for fact in facts] == [
        (FactKind.DEPENDENCY_ADDED, "parking_lot", "workspace")
    ]


@ROUTES
async def test_what_a_package_takes_of_its_workspace_is_no_dependency(route: str, facts_of: "FactsOf") -> None:
    old = '[package]\nname = "llm"\n' + "# about the package\n" * 5 + "edition.workspace = true\n"
    new = f"{old}license.workspace = true\n"
    assert await facts_of({"llm/Cargo.toml": old}, {"llm/Cargo.toml": new}, route) == []


async def test_a_compiled_module_under_another_name_is_told(facts_of: "FactsOf") -> None:
    setup = "from setuptools import setup\n\nsetup(name='pkg', ext_modules=[CUDAExtension(name='{}', sources=[])])\n"
    (fact,) = await facts_of({"setup.py": setup.format("pkg_cpp")}, {"setup.py": setup.format("pkg._C")})
    assert (fact.kind, fact.name) == (FactKind.CONFIG_CHANGED, "ext_modules.name")
    assert (fact.old, fact.new) == ("pkg_cpp", "pkg._C")
