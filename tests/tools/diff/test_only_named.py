"""A value that is only written by another name now is the value that it was."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind
from agent.ids import RepoId
from tools.diff.study import study
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf, History

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
HEADER = "include/acme/kernel.h"
PRESSED = (
    "#pragma once\nnamespace acme {{\ntemplate <class Loop>\nstruct Kernel {{\n"
    "  using Policy = typename Loop::Policy;\n"
    "  template <typename T>\n  struct {trait} : cute::false_type {{}};\n\n"
    "  template <int Stages>\n  struct {trait}<Scaled<Stages>>\n    : cute::true_type {{}};\n\n"
    "{alias}  static constexpr bool HeavyPressure =\n    {asked} ? (Regs >= 128) : (Regs >= {most});\n}};\n}}\n"
)
ALIAS = "  static constexpr bool IsScaled = is_scaled<Policy>::value;\n"


@ROUTES
@pytest.mark.parametrize(("most", "told"), [(208, False), (224, True)])
async def test_a_constant_made_of_what_has_another_name_now_is_the_same(
    most: int, told: bool, route: str, facts_of: "FactsOf"
) -> None:
    before = PRESSED.format(trait="is_scaled", alias=ALIAS, asked="IsScaled", most=208)
    after = PRESSED.format(trait="IsScaledPolicy", alias="", asked="IsScaledPolicy<Policy>::value", most=most)
    facts = await facts_of({HEADER: before}, {HEADER: after}, route)
    assert any(fact.kind is FactKind.CONSTANT_CHANGED for fact in facts) is told


@ROUTES
@pytest.mark.parametrize(("held", "told"), [("4.0", False), ("6.0", True)])
async def test_a_field_that_names_a_constant_of_the_same_value_is_the_same(
    held: str, told: bool, route: str, facts_of: "FactsOf"
) -> None:
    text = "{}@dataclass\nclass Params:\n    steps: int = 3\n    guidance_scale: float = {}\n"
    before = {"pkg/params.py": text.format("", "4.0")}
    after = {
        "pkg/params.py": text.format("from pkg.values import DEFAULT_SCALE\n\n\n", "DEFAULT_SCALE"),
        "pkg/values.py": f"DEFAULT_SCALE = {held}\n",
    }
    facts = await facts_of(before, after, route)
    assert any(fact.kind is FactKind.FIELD_CHANGED for fact in facts) is told


@ROUTES
@pytest.mark.parametrize(("held", "told"), [("__acme_launch_scope", False), ("__acme_other_scope", True)])
async def test_a_text_that_another_language_holds_now_is_the_same(
    held: str, told: bool, route: str, facts_of: "FactsOf"
) -> None:
    facts = await facts_of(
        {"pkg/state.py": 'SCOPE = "__acme_launch_scope"\n', "csrc/scope.h": "#pragma once\nint run();\n"},
        {
            "pkg/state.py": "SCOPE = libacme.scope_name\n",
            "csrc/scope.h": f'#pragma once\ninline constexpr const char kScope[] =\n    "{held}";\nint run();\n',
        },
        route,
    )
    assert any(fact.kind is FactKind.CONSTANT_CHANGED for fact in facts) is told


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ({"pkg/utils.py": "CHUNK_SIZE = 64  # tokens\n"}, False),
        ({"pkg/utils.py": "CHUNK_SIZE = 128\n"}, True),
        ({"pkg/utils.py": "CHUNK_SIZE = 64\n", "pkg/other.py": "CHUNK_SIZE = 32\n"}, True),
        ({"pkg/utils.py": "CHUNK_SIZE = 32 * 2\n"}, True),
        ({"tests/test_utils.py": "CHUNK_SIZE = 64\n"}, True),
        ({}, True),
    ],
)
async def test_a_default_that_names_a_constant_of_the_tree_is_what_that_holds(
    tree: dict[str, str | None], told: bool, history: "Callable[[], History]"
) -> None:
    past, text = history(), "from pkg.utils import *\n\n\ndef scan(q, chunk_size: int = {}):\n    return q\n"
    past.commit({"pkg/scan.py": text.format(64), **tree})
    sha = past.commit({"pkg/scan.py": text.format("CHUNK_SIZE")})
    source = GitSource(RepoId("o/r"), past.path)
    (change,) = [change async for change in source.changes([sha])]
    facts = (await study(source, change)).facts
    assert any(fact.kind is FactKind.PARAMETER_DEFAULT for fact in facts) is told


@ROUTES
async def test_a_text_that_another_constant_holds_is_not_the_one_that_is_named(route: str, facts_of: "FactsOf") -> None:
    facts = await facts_of(
        {"pkg/state.py": 'SCOPE = "__acme_launch_scope"\n'},
        {"pkg/state.py": 'OLD_SCOPE = "__acme_launch_scope"\nNEW_SCOPE = "__acme_scope"\nSCOPE = NEW_SCOPE\n'},
        route,
    )
    assert [fact.name for fact in facts if fact.kind is FactKind.CONSTANT_CHANGED] == ["SCOPE"]
