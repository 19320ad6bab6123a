"""Members of classes: whose they are, what became of them, and what they are now."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
HEADER = "include/lib/store.h"


async def test_members_go_with_the_object_of_their_nameless_class(facts_of: "FactsOf") -> None:
    old = "struct Store {\n  int size;\n  struct {\n    int fast;\n    int slow;\n  } mode;\n};\n"
    facts = await facts_of({HEADER: old}, {HEADER: "struct Store {\n  int size;\n};\n"})
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.FIELD_REMOVED, "Store.mode")]


async def test_a_new_member_of_an_object_is_told_as_its_own(facts_of: "FactsOf") -> None:
    text = "struct Store {\n  int size;\n  struct {\n    int fast;\n%s  } mode;\n};\n"
    facts = await facts_of({HEADER: text % ""}, {HEADER: text % "    int slow;\n"})
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.FIELD_ADDED, "Store.mode.slow")]


async def test_a_member_of_an_object_is_not_renamed_into_one_of_the_class_around(facts_of: "FactsOf") -> None:
    old = "struct Store {\n  int size;\n  struct {\n    Div tiles_per_row;\n  } mode;\n};\n"
    new = "struct Store {\n  int size;\n  Div mode_tiles_per_row;\n};\n"
    facts = await facts_of({HEADER: old}, {HEADER: new})
    assert {fact.kind for fact in facts} == {FactKind.FIELD_REMOVED, FactKind.FIELD_ADDED}


@ROUTES
async def test_a_field_that_has_to_be_called_now_breaks_whoever_read_it(facts_of: "FactsOf", route: str) -> None:
    text = "struct Store {\n  int count;\n  %s\n};\n"
    (fact,) = await facts_of(
        {HEADER: text % "int size;"}, {HEADER: text % "int size() const { return count * 4; }"}, route
    )
    assert (fact.kind, fact.severity, fact.detail, fact.old, fact.new) == (
        FactKind.SIGNATURE_CHANGED,
        Severity.BREAKING,
        "kind",
        "field",
        "method",
    )


async def test_what_a_field_may_do_with_what_it_points_at_is_no_other_type(facts_of: "FactsOf") -> None:
    text = "struct Store {\n  int size;\n  %s rows;\n};\n"
    facts = await facts_of({HEADER: text % "const int *"}, {HEADER: text % "int const*"})
    assert not [fact for fact in facts if fact.kind is FactKind.FIELD_CHANGED]


async def test_another_type_of_a_field_is_told_with_what_it_points_at(facts_of: "FactsOf") -> None:
    text = "struct Store {\n  int size;\n  %s rows;\n};\n"
    (fact,) = await facts_of({HEADER: text % "int const*"}, {HEADER: text % "int const* const"})
    assert (fact.old, fact.new) == ("int const*", "int const* const")


@ROUTES
async def test_a_field_is_renamed_into_the_one_with_all_of_its_name(facts_of: "FactsOf", route: str) -> None:
    text = "struct Store {\n  int size;\n  Kernel %s;\n};\n"
    old, new = "put_rows_f32, put_rows_f16", "put_rows_f16_wide, put_rows_f32_wide"
    facts = await facts_of({HEADER: text % old}, {HEADER: text % new}, route)
    assert {(fact.kind, fact.old, fact.new) for fact in facts} == {
        (FactKind.FIELD_RENAMED, "put_rows_f32", "put_rows_f32_wide"),
        (FactKind.FIELD_RENAMED, "put_rows_f16", "put_rows_f16_wide"),
    }


async def test_a_field_that_was_made_into_two_is_renamed_into_neither(facts_of: "FactsOf") -> None:
    text = "struct Store {\n  int size;\n  Kernel %s;\n};\n"
    old, new = "put_rows_f32, put_rows_f16", "put_rows_f32_i64, put_rows_f32_i32, put_rows_f16_i64, put_rows_f16_i32"
    facts = await facts_of({HEADER: text % old}, {HEADER: text % new})
    assert {fact.kind for fact in facts} == {FactKind.FIELD_REMOVED, FactKind.FIELD_ADDED}


async def test_what_is_aligned_is_named_by_its_name(facts_of: "FactsOf") -> None:
    new = "union alignas(8) Cost {\n  int index;\n  long packed;\n};\n\nvoid plan(Cost cost);\n"
    (fact,) = await facts_of({"README.md": "x\n"}, {"README.md": "x\n", HEADER: new})
    assert fact.new == "Cost, plan"


ROUND = (
    "struct RoundRobinTileScheduler {\n  bool valid_ = true;\n  dim3 grid;\n  dim3 shape() { return grid; }\n"
    "  int at(int i) { if (i > 3) { return 4; } for (int k = 0; k < i; k++) { i += grid.x; } return i; }\n"
    "  int next(int by) { valid_ = by < 4; while (by > grid.y) { by -= grid.x * 2; } return grid.x; }\n};\n"
)
PLANNED = (
    "struct PlannedTileScheduler {\n  int* starts;\n  int* heads;\n  dim3 shape() { return dim3(heads[0], 1, 1); }\n"
    "  int at(int i) { int k = heads[starts[i] + 1]; if (k == 0) { k = starts[0]; } return k + 3; }\n"
    "  int next(int by) { for (int i = 0; i < 4; i++) { by += heads[i] - starts[i]; } return by + 1; }\n};\n"
)


async def test_a_class_that_serves_the_same_callers_by_other_data_is_another(facts_of: "FactsOf") -> None:
    facts = await facts_of({HEADER: ROUND}, {HEADER: PLANNED})
    assert {(fact.kind, fact.name) for fact in facts} == {
        (FactKind.SYMBOL_REMOVED, "RoundRobinTileScheduler"),
        (FactKind.SYMBOL_ADDED, "PlannedTileScheduler"),
    }


async def test_a_class_with_another_name_and_the_same_data_is_renamed(facts_of: "FactsOf") -> None:
    new = ROUND.replace("RoundRobinTile", "RoundTile").replace("return 4", "return 5")
    facts = await facts_of({HEADER: ROUND}, {HEADER: new})
    assert [fact.kind for fact in facts] == [FactKind.SYMBOL_RENAMED]


async def test_a_class_with_none_of_the_members_is_another(facts_of: "FactsOf") -> None:
    text = "struct Store {\n  int size;\n};\n\n%s"
    old = "struct lib_handle_rows_params {\n  int rows;\n  bool fast = false;\n};\n"
    new = "struct lib_rows_handler {\n  Plan plan;\n  Options opts;\n};\n"
    facts = await facts_of({HEADER: text % old}, {HEADER: text % new})
    assert {fact.kind for fact in facts} == {FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_ADDED}
