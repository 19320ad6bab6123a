"""What leaves one namespace of C++ for another is told as moved, and not as gone and come."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

HEADER = "include/acme/run.h"
FOLD = (
    "inline float fold(const float* rows, int at) {\n  float sum = 0.f;\n  sum += rows[at];\n  return sum * 2.f;\n}\n"
)
STATE = "struct State {\n  int rows;\n  int cols;\n};\n"


def header(inside: str) -> dict[str, str]:
    """Write a header of one namespace."""
    return {HEADER: f"#pragma once\nnamespace acme {{\n\nint keep(int rows);\n\n{inside}\nint stay(int rows);\n}}\n"}


@pytest.mark.parametrize("other", [FOLD, FOLD.replace("at)", "offset)").replace("[at]", "[offset]")])
async def test_a_function_in_another_namespace_has_moved(facts_of: "FactsOf", other: str) -> None:
    facts = await facts_of(header(FOLD), header(f"namespace rows {{\n{other}}}\n"))
    (fact,) = [fact for fact in facts if fact.severity is not Severity.INTERNAL]
    assert (fact.kind, fact.name, fact.severity) == (FactKind.SYMBOL_MOVED, "acme.rows.fold", Severity.BREAKING)
    assert (fact.old, fact.new) == ("namespace acme", "namespace acme::rows")


async def test_of_two_functions_of_a_name_the_one_moved_that_has_the_lines(facts_of: "FactsOf") -> None:
    new = f"namespace cols {{\n{FOLD.replace('2.f', '3.f')}}}\n\nnamespace rows {{\n{FOLD}}}\n"
    facts = await facts_of(header(FOLD), header(new))
    told = {(fact.kind, fact.name) for fact in facts}
    assert told == {(FactKind.SYMBOL_MOVED, "acme.rows.fold"), (FactKind.SYMBOL_ADDED, "acme.cols.fold")}


async def test_a_class_moves_with_all_its_members(facts_of: "FactsOf") -> None:
    facts = await facts_of(header(STATE), header(f"namespace rows {{\n{STATE}}}\n"))
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.SYMBOL_MOVED, "acme.rows.State")]


async def test_a_renamed_namespace_speaks_for_all_that_is_in_it(facts_of: "FactsOf") -> None:
    old, new = (header(f"namespace {name} {{\n{FOLD}}}\n") for name in ("rows", "lines"))
    facts = await facts_of(old, new)
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == [(FactKind.SYMBOL_RENAMED, "rows", "lines")]


async def test_what_a_header_takes_back_to_its_namespace_has_not_moved(facts_of: "FactsOf") -> None:
    old = header(FOLD) | {"include/acme/all.h": "#pragma once\n"}
    new = header(f"namespace rows {{\n{FOLD}}}\n") | {
        "include/acme/all.h": "#pragma once\nnamespace acme {\nusing rows::fold;\n}\n"
    }
    assert not [fact for fact in await facts_of(old, new) if fact.name.endswith("fold")]


async def test_a_namespace_ends_where_its_bracket_does_whatever_stands_in_it(facts_of: "FactsOf") -> None:
    # Read as a comparison, such a type takes the brackets behind it along.
    lost = (
        "namespace eso {\ntemplate <int N, class... T>\nacme::choose_t<acme::is_empty<acme::pick_t<N, acme::rows<T...>"
        ">>::value, int, int&> get(eso_t<T...>& s) {\n  return s;\n}\n}\n\n"
    )
    old, new = header(FOLD), header(f"{lost}{FOLD}")
    facts = await facts_of(old, new)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]
    assert not [fact for fact in facts if fact.name.endswith(("fold", "stay"))]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_what_takes_something_else_is_still_in_its_namespace_whatever_is_around_that(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "#pragma once\n\nnamespace {} {{\nnamespace ime1 {{\nint scan({} * rows, int at);\n}}\n{}}}\n"
    other = "namespace ime2 {\nint scan(char * rows, int at, int most);\n}\n"
    body = "namespace ime2 {\nint scan(char * rows, int at, int most) {\n    return rows[at];\n}\n}\n"
    facts = await facts_of(
        {HEADER: text.format("acme_one", "char", "")},
        {HEADER: text.format("acme", "signed char", other), "src/ime2.cpp": f"namespace acme {{\n{body}}}\n"},
        route,
    )
    told = {(fact.kind, fact.name, fact.new) for fact in facts if fact.detail != "namespace" and "scan" in fact.name}
    assert {(kind, name) for kind, name, _ in told} == {
        (FactKind.SYMBOL_MOVED, "acme.ime1.scan"),
        (FactKind.SIGNATURE_CHANGED, "acme.ime1.scan"),
        (FactKind.SYMBOL_ADDED, "acme.ime2.scan"),
    }
    assert (FactKind.SYMBOL_MOVED, "acme.ime1.scan", "namespace acme::ime1") in told
