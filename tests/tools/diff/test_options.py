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
