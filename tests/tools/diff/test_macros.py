"""Macros that a compiler is given by a build, or by a package that compiles at run time."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
MODULE = """def gen_{0}_module():
    return Spec(
        "{0}",
        flags=[
            "-O3",
{1}            "-DNDEBUG",
        ],
    )


"""
FLAG = '            "-DLIB_ENABLE_GDC=1",\n'


def told(facts: list[Fact]) -> list[tuple[FactKind, Severity, str, str | None]]:
    """Give what facts say of macros."""
    return [
        (fact.kind, fact.severity, fact.name, fact.new or fact.old) for fact in facts if fact.detail == "definition"
    ]


def modules(*flags: str) -> dict[str, str]:
    """Write a package that compiles modules, each with further flags."""
    return {"pkg/jit.py": "".join(MODULE.format(name, flag) for name, flag in zip("abc", flags, strict=False))}


@ROUTES
async def test_a_macro_that_functions_give_or_no_longer_give_is_one_fact(route: str, facts_of: "FactsOf") -> None:
    without, given = modules("", "", FLAG), modules(FLAG, FLAG, FLAG)
    behaviour = Severity.BEHAVIOUR, "LIB_ENABLE_GDC", "1"
    assert told(await facts_of(without, given, route)) == [(FactKind.CONFIG_ADDED, *behaviour)]
    assert told(await facts_of({"note.txt": "1\n"}, without, route)) == [(FactKind.CONFIG_REMOVED, *behaviour)]


@ROUTES
async def test_a_macro_with_another_value_is_told(route: str, facts_of: "FactsOf") -> None:
    facts = await facts_of(modules(FLAG), modules(FLAG.replace("=1", "=2")), route)
    assert told(facts) == [(FactKind.CONFIG_CHANGED, Severity.BEHAVIOUR, "LIB_ENABLE_GDC", "2")]


@pytest.mark.parametrize(
    "new",
    [
        modules(FLAG, ""),
        {"pkg/jit.py": MODULE.format("a", FLAG).replace(FLAG, FLAG.replace(",", ' if fast() else "",'))},
        {"pkg/jit.py": MODULE.format("a", "") + FLAG.replace(FLAG.strip(), f"ALL = [{FLAG.strip()}]").lstrip()},
        {"pkg/jit.py": MODULE.format("a", FLAG) + MODULE.format("d", FLAG.replace("GDC", "TMA"))},
    ],
)
async def test_what_moves_or_comes_with_its_function_is_not_told(new: dict[str, str], facts_of: "FactsOf") -> None:
    assert told(await facts_of(modules(FLAG), new, "blobs")) == []


async def test_what_is_given_in_some_case_or_only_looked_for_is_not_told(facts_of: "FactsOf") -> None:
    old = "def flags(fast):\n    found = ['-O3']\n    return found\n"
    for line in (
        "if fast:\n        found.append('-DLIB_FAST')",
        "found = [f for f in found if f not in ['-DLIB_FAST']]",
    ):
        new = old.replace("    return", f"    {line}\n    return")
        assert told(await facts_of({"pkg/jit.py": old}, {"pkg/jit.py": new}, "blobs")) == []


@ROUTES
async def test_what_cmake_defines_without_a_condition_is_told(route: str, facts_of: "FactsOf") -> None:
    old = "project(lib)\n\nadd_library(core a.cc)\n"
    new = f"{old}target_compile_definitions(core PRIVATE LIB_FAST=1)\nadd_definitions(-DLIB_WIDE)\n"
    facts = await facts_of({"CMakeLists.txt": old}, {"CMakeLists.txt": new}, route)
    assert told(facts) == [(FactKind.CONFIG_ADDED, Severity.BEHAVIOUR, "LIB_FAST, LIB_WIDE", "1")]
    case = f"{old}if(LIB_FAST)\n  add_compile_definitions(LIB_FAST)\nendif()\n"
    assert told(await facts_of({"CMakeLists.txt": old}, {"CMakeLists.txt": case}, route)) == []


LINKED = """def build():
    ldflags = [
        "-shared",
{0}    ]
    return ldflags


def gen_a():
    return Spec("a", extra_ldflags=[{1}])


def gen_b():
    return Spec("b", extra_ldflags=[{1}])
"""


@ROUTES
@pytest.mark.parametrize(
    ("before", "after", "told_of"),
    [
        (("", ""), ('        "-lcuda",\n', ""), [(FactKind.CONFIG_ADDED, "-lcuda", None)]),
        (("", '"-lcuda"'), ('        "-lcuda",\n', ""), [(FactKind.CONFIG_ADDED, "-lcuda", None)]),
        (('        "-lcuda",\n', ""), ("", '"-lcuda"'), []),
        (("", ""), ('        "-lineinfo",\n', ""), []),
        (
            ('        "-std=c++17",\n', ""),
            ('        "-std=c++20",\n', ""),
            [(FactKind.CONFIG_CHANGED, "-std", "c++20")],
        ),
    ],
)
async def test_libraries_and_languages_that_a_compiler_is_given_are_told(
    route: str,
    before: tuple[str, str],
    after: tuple[str, str],
    told_of: list[tuple[FactKind, str, str | None]],
    facts_of: "FactsOf",
) -> None:
    facts = await facts_of({"pkg/jit.py": LINKED.format(*before)}, {"pkg/jit.py": LINKED.format(*after)}, route)
    assert [(fact.kind, fact.name, fact.new) for fact in facts if fact.detail == "compiler flag"] == told_of
    assert all(fact.severity is Severity.BEHAVIOUR for fact in facts)


async def test_what_other_programs_are_given_is_no_flag_of_a_compiler(facts_of: "FactsOf") -> None:
    old = "def clocks(run):\n    run(['watch', '-x'])\n"
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": old.replace("-x", "-lgc")}) == []
