"""A value that is only written by another name now is the value that it was."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

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
