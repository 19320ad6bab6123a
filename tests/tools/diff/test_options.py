"""The options and checks of a CMake build, as those meet them who configure it."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity
from agent.ids import RepoId
from tools.diff.study import study
from tools.git.source import GitSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.tools.diff.conftest import FactsOf, History

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
ROOT, INNER = "CMakeLists.txt", "acme/CMakeLists.txt"
OPTION = 'option(ACME_CUDA "acme: use CUDA" OFF)\n'


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OPTION, f"if (NOT MSVC)\n    {OPTION}endif()\n"),
        (OPTION, 'option(ACME_CUDA         "acme: use C# (and CUDA)" OFF)\n'),
        (f'{OPTION}option(ACME_A "in C# (a" OFF)\n', f'{OPTION}option(ACME_A "in C# (a, b" OFF)\n'),
        ('option(ACME_A "say \\"(a\\" now" OFF)\n', f'option(ACME_A "say \\"(a\\" now" OFF)\n# {OPTION}'),
        (OPTION, 'option(ACME_CUDA\n  "acme: use CUDA"\n  OFF)\n'),
    ],
)
async def test_an_option_in_other_words_or_under_a_condition_is_no_news(
    facts_of: "FactsOf", route: str, old: str, new: str
) -> None:
    last = 'option(ACME_LAST "acme: last" ON)\n'
    facts = await facts_of({ROOT: f"project(acme)\n{old}{last}"}, {ROOT: f"project(acme)\n{new}{last}"}, route)
    assert [fact for fact in facts if fact.kind.startswith("config-")] == []


@ROUTES
async def test_an_option_that_another_list_declares_now_is_no_news(facts_of: "FactsOf", route: str) -> None:
    before = {ROOT: f"project(acme)\n{OPTION}", INNER: "project(inner)\n"}
    after = {ROOT: "project(acme)\n", INNER: f"project(inner)\n{OPTION}"}
    assert [fact for fact in await facts_of(before, after, route) if fact.kind.startswith("config-")] == []


@ROUTES
async def test_an_option_that_moved_with_another_default_is_told_by_its_default(
    facts_of: "FactsOf", route: str
) -> None:
    before = {ROOT: f"project(acme)\n{OPTION}", INNER: "project(inner)\n"}
    after = {ROOT: "project(acme)\n", INNER: f"project(inner)\n{OPTION.replace('OFF', 'ON')}"}
    facts = [fact for fact in await facts_of(before, after, route) if fact.kind.startswith("config-")]
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == [(FactKind.CONFIG_CHANGED, "OFF", "ON")]


@ROUTES
async def test_an_option_that_is_still_obeyed_is_not_gone(facts_of: "FactsOf", route: str) -> None:
    after = "project(acme)\nif(DEFINED ACME_CUDA)\n  set(ACME_GPU ${ACME_CUDA})\nendif()\n"
    facts = await facts_of({ROOT: f"project(acme)\n{OPTION}"}, {ROOT: after}, route)
    assert [fact for fact in facts if fact.kind.startswith("config-")] == []


@ROUTES
@pytest.mark.parametrize(
    "line", ['set(CMAKE_BUILD_TYPE Release CACHE STRING "type" FORCE)\n', 'set(ARCHS 80 CACHE STRING "archs" FORCE)\n']
)
async def test_what_nobody_can_set_is_no_option(facts_of: "FactsOf", route: str, line: str) -> None:
    facts = await facts_of({ROOT: "project(acme)\n"}, {ROOT: f"project(acme)\n{line}"}, route)
    assert [fact for fact in facts if fact.kind is FactKind.CONFIG_ADDED] == []


async def test_an_option_that_a_list_out_of_sight_declares_is_not_new(history: "Callable[[], History]") -> None:
    past = history()
    past.commit({ROOT: f"project(acme)\n{OPTION}", INNER: "project(inner)\n"})
    added = past.commit({INNER: f'project(inner)\n{OPTION}option(ACME_NEW "acme: new" OFF)\n'})
    source = GitSource(RepoId("o/r"), past.path)
    (change,) = [change async for change in source.changes([added])]
    facts = (await study(source, change)).facts
    assert [fact.name for fact in facts if fact.kind is FactKind.CONFIG_ADDED] == ["ACME_NEW"]


@ROUTES
async def test_a_build_that_refuses_something_is_told_with_its_words(facts_of: "FactsOf", route: str) -> None:
    check = 'if (A AND B)\n  message(FATAL_ERROR "A and B (both)"\n    " exclude each other")\nendif()\n'
    facts = await facts_of({ROOT: "project(acme)\n"}, {ROOT: f"project(acme)\n{check}"}, route)
    assert [(fact.kind, fact.name, fact.new, fact.severity) for fact in facts] == [
        (FactKind.ERROR_ADDED, "FATAL_ERROR", "A and B (both) exclude each other", Severity.BEHAVIOUR)
    ]


@ROUTES
@pytest.mark.parametrize(
    ("line", "other", "name", "values"),
    [
        (
            "cmake_minimum_required(VERSION 3.18)",
            "cmake_minimum_required(VERSION 3.20...3.28)",
            "CMAKE_MINIMUM_REQUIRED_VERSION",
            ("3.18", "3.20"),
        ),
        ("set(CMAKE_CXX_STANDARD 14)", "set(CMAKE_CXX_STANDARD 17)", "CMAKE_CXX_STANDARD", ("14", "17")),
        (
            "target_compile_features(acme PUBLIC cxx_std_11)",
            "target_compile_features(acme PUBLIC cxx_std_17)",
            "CMAKE_CXX_STANDARD",
            ("11", "17"),
        ),
        (
            "set_target_properties(acme PROPERTIES CUDA_STANDARD 14 POSITION_INDEPENDENT_CODE ON)",
            "set_target_properties(acme PROPERTIES CUDA_STANDARD 17 POSITION_INDEPENDENT_CODE ON)",
            "CMAKE_CUDA_STANDARD",
            ("14", "17"),
        ),
    ],
)
async def test_another_standard_or_least_version_is_told(
    facts_of: "FactsOf", route: str, line: str, other: str, name: str, values: tuple[str, str]
) -> None:
    (fact,) = await facts_of({ROOT: f"{line}\nproject(acme)\n"}, {ROOT: f"{other}\nproject(acme)\n"}, route)
    assert (fact.kind, fact.name, fact.old, fact.new) == (FactKind.CONFIG_CHANGED, name, *values)
    assert fact.severity is Severity.BEHAVIOUR


@ROUTES
async def test_a_standard_that_is_set_for_the_first_time_is_not_told(facts_of: "FactsOf", route: str) -> None:
    before = {ROOT: "project(acme)\n", INNER: "project(inner)\n"}
    after = {
        path: f"cmake_minimum_required(VERSION 3.14)\n{text}set(CMAKE_CXX_STANDARD 17)\n"
        for path, text in before.items()
    }
    assert await facts_of(before, after, route) == []


APPENDED = "  list(APPEND ACME_ARCHS 70 72 80)\n"


@ROUTES
@pytest.mark.parametrize(
    ("other", "told"),
    [
        ("  list(APPEND ACME_ARCHS 80 90a)\n", [("ACME_ARCHS", "70 72 80", "80 90a")]),
        (f'{APPENDED}  list(APPEND ACME_ARCHS "90a;100f")\n', [("ACME_ARCHS", None, "90a 100f")]),
        ("  list(APPEND ACME_ARCHS 80)\n  if (OLD)\n    list(APPEND ACME_ARCHS 70 72)\n  endif()\n", []),
        ("  list(APPEND ACME_ARCHS ${FOUND_ARCHS} 80)\n", []),
        (f"{APPENDED}  set(ACME_FAST_ARCHS)\n  list(APPEND ACME_FAST_ARCHS 90a)\n", []),
    ],
)
async def test_architectures_that_are_appended_now_or_no_longer_are_told(
    facts_of: "FactsOf", route: str, other: str, told: list[tuple[str, str | None, str]]
) -> None:
    text = "project(acme)\nif (NOT DEFINED ACME_ARCHS)\n{}endif()\n"
    facts = await facts_of({ROOT: text.format(APPENDED)}, {ROOT: text.format(other)}, route)
    assert [(fact.detail, fact.old, fact.new) for fact in facts] == told
    assert {fact.kind for fact in facts} <= {FactKind.VALUE_CHANGED}


@ROUTES
async def test_a_version_that_is_set_in_parts_is_one_version(facts_of: "FactsOf", route: str) -> None:
    text = "set(ACME_VERSION_MAJOR 0)\nset(ACME_VERSION_MINOR 9)\nset(ACME_VERSION_PATCH {})\nproject(acme)\n"
    (fact,) = await facts_of({ROOT: text.format(1)}, {ROOT: text.format(2)}, route)
    assert (fact.kind, fact.name, fact.old, fact.new) == (
        FactKind.VERSION_CHANGED,
        "ACME_VERSION",
        "0.9.1",
        "0.9.2",
    )


FLAGS = '    "-gencode=arch=compute_80,code=sm_80"\n    "-gencode=arch=compute_90,code=sm_90"\n'


@ROUTES
@pytest.mark.parametrize(
    ("other", "told"),
    [
        (f'{FLAGS}    "-gencode=arch=compute_100a,code=sm_100a"\n', [(None, "sm_100a")]),
        (FLAGS.replace("90", "90a"), [("sm_90", "sm_90a")]),
        ('    "-gencode=arch=compute_80,code=sm_80"\n', [("sm_90", None)]),
        (f'{FLAGS}    # "-gencode=arch=compute_100a,code=sm_100a"\n', []),
        ("    ${ACME_ARCH_FLAGS}\n", []),
    ],
)
async def test_architectures_that_code_is_made_for_are_told(
    facts_of: "FactsOf", route: str, other: str, told: list[tuple[str | None, str | None]]
) -> None:
    text = "project(acme)\nset(ACME_FLAGS\n    -O3\n{})\n"
    facts = await facts_of({ROOT: text.format(FLAGS)}, {ROOT: text.format(other)}, route)
    assert [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.VALUE_CHANGED] == told
