"""Macros with which somebody builds headers otherwise come and go like the options of a build."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId
from tools.diff.study import study
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf, History

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
HEADER = "include/lib/sigmoid.h"
PLAIN = "#ifndef LIB_USE_H\n#define LIB_USE_H\nfloat sigmoid(float x) {\n  return slow(x);\n}\n#endif\n"
USER = '#include "lib/sigmoid.h"\nint a;\n'
SWITCH = "  #{}\n  return fast(x);\n  #endif\n"


def asking(condition: str) -> str:
    return PLAIN.replace("  return slow", SWITCH.format(condition) + "  return slow")


async def studied(past: "History", sha: str) -> list[Fact]:
    (change,) = await past.changes(sha)
    return list((await study(GitSource(RepoId("o/r"), past.path), change)).facts)


@pytest.mark.parametrize(
    "condition",
    ["ifdef LIB_USE_TANH", "ifndef LIB_USE_TANH", "if defined(__CUDA_ARCH__) && \\\n defined(LIB_USE_TANH)"],
)
async def test_a_macro_that_a_header_newly_asks_for_is_a_setting(
    condition: str, history: Callable[[], "History"]
) -> None:
    past = history()
    past.commit({HEADER: PLAIN, "csrc/a.cu": USER})
    facts = await studied(past, past.commit({HEADER: asking(condition)}))
    assert [(fact.kind, fact.name, fact.detail) for fact in facts] == [
        (FactKind.CONFIG_ADDED, "LIB_USE_TANH", "macro"),
    ]


@pytest.mark.parametrize("condition", ["ifdef __CUDA_ARCH__", "if _MSC_VER > 1900", "ifdef LIB_ARCH_SM90", "if 1"])
async def test_what_the_compiler_defines_is_no_setting(condition: str, history: Callable[[], "History"]) -> None:
    past = history()
    past.commit({HEADER: PLAIN, "csrc/a.cu": USER})
    facts = await studied(past, past.commit({HEADER: asking(condition)}))
    assert [fact for fact in facts if fact.kind is FactKind.CONFIG_ADDED] == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("include/lib/config.h", "#pragma once\n#if __CUDACC_VER_MAJOR__ > 11\n#define LIB_USE_TANH\n#endif\n"),
        ("CMakeLists.txt", "if(CUDA_VERSION GREATER 11)\n  add_compile_definitions(LIB_USE_TANH)\nendif()\n"),
    ],
)
async def test_a_macro_that_the_commit_defines_is_no_setting(
    path: str, text: str, history: Callable[[], "History"]
) -> None:
    past = history()
    past.commit({HEADER: PLAIN, "csrc/a.cu": USER})
    facts = await studied(past, past.commit({HEADER: asking("ifdef LIB_USE_TANH"), path: text}))
    assert [fact for fact in facts if fact.kind is FactKind.CONFIG_ADDED] == []


@pytest.mark.parametrize(
    ("elsewhere", "told"),
    [(USER, [(FactKind.CONFIG_REMOVED, Severity.BEHAVIOUR)]), (f"{USER}#ifdef LIB_USE_TANH\nint b;\n#endif\n", [])],
)
async def test_a_macro_is_gone_where_nobody_asks_for_it_any_more(
    elsewhere: str, told: list[tuple[FactKind, Severity]], history: Callable[[], "History"]
) -> None:
    past = history()
    past.commit({HEADER: asking("ifdef LIB_USE_TANH"), "csrc/a.cu": elsewhere})
    facts = await studied(past, past.commit({HEADER: PLAIN}))
    assert [(fact.kind, fact.severity) for fact in facts] == told


@ROUTES
async def test_without_the_tree_nobody_knows_whether_a_macro_is_new_or_gone(route: str, facts_of: "FactsOf") -> None:
    assert await facts_of({HEADER: asking("ifdef LIB_USE_TANH")}, {HEADER: PLAIN}, route) == []
    assert await facts_of({"a.md": "a\n"}, {HEADER: asking("ifdef LIB_USE_TANH")}, route) == []


async def test_a_macro_that_another_file_asks_for_already_is_not_new(history: Callable[[], "History"]) -> None:
    past = history()
    past.commit({HEADER: PLAIN, "csrc/a.cu": f"{USER}#ifdef LIB_USE_TANH\nint b;\n#endif\n"})
    assert await studied(past, past.commit({HEADER: asking("ifdef LIB_USE_TANH")})) == []


@ROUTES
async def test_an_option_of_the_build_and_the_macro_it_sets_are_one(route: str, facts_of: "FactsOf") -> None:
    lists = "project(lib)\n"
    option = 'lib_option(LIB_USE_TANH "Be fast" OFF)\n'
    before, after = {HEADER: PLAIN, "CMakeLists.txt": lists}, asking("ifdef LIB_USE_TANH")
    facts = await facts_of(before, {HEADER: after, "CMakeLists.txt": lists + option}, route)
    assert [(fact.kind, fact.name, fact.new) for fact in facts] == [(FactKind.CONFIG_ADDED, "LIB_USE_TANH", "OFF")]


@ROUTES
async def test_a_value_that_a_macro_newly_takes_by_a_chain_of_conditions_widens_its_limit(
    route: str, facts_of: "FactsOf"
) -> None:
    def macro(*sizes: int) -> str:
        one = "if (size == {0}) {{ \\\n    constexpr int SIZE = {0}; \\\n    __VA_ARGS__ \\\n  }}"
        return "#define SWITCH_SIZE(size, SIZE, ...) \\\n  " + " else ".join(one.format(n) for n in sizes) + "\n"

    facts = await facts_of({HEADER: macro(8, 16)}, {HEADER: macro(1, 8, 16)}, route)
    assert [(fact.kind, fact.name, fact.old, fact.new) for fact in facts] == [
        (FactKind.LIMIT_CHANGED, "SWITCH_SIZE", "in (8, 16)", "in (1, 8, 16)")
    ]
