"""What goes along with something renamed: checks of a parameter, fields named after what they hold."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@ROUTES
async def test_a_check_of_a_parameter_that_was_renamed_is_the_same_and_one_that_went_is_quoted_as_it_stood(
    route: str, facts_of: "FactsOf"
) -> None:
    old = (
        "void draw(Tensor probs, Tensor samples, int n) {\n  CHECK_INPUT(samples);\n"
        "  CHECK_EQ(samples.device(), device);\n  CHECK_DIM(1, samples);\n"
        "  CHECK_EQ(probs.size(0), samples.size(0));\n  launch(probs, samples, n);\n}\n"
    )
    new = old.replace("samples", "output").replace("  CHECK_EQ(probs.size(0), output.size(0));\n", "")
    facts = await facts_of({"csrc/draw.cu": old}, {"csrc/draw.cu": new}, route)
    assert [(fact.kind, fact.old, fact.new) for fact in facts if fact.kind.startswith("error-")] == [
        (FactKind.ERROR_REMOVED, "probs.size(0), samples.size(0)", None)
    ]


@ROUTES
async def test_a_limit_of_a_parameter_that_was_renamed_is_compared(route: str, facts_of: "FactsOf") -> None:
    old = "void draw(Tensor probs, int topK) {\n  TORCH_CHECK(topK <= 22);\n  launch(probs, topK);\n}\n"
    new = old.replace("topK", "top_k").replace("22", "8")
    facts = await facts_of({"csrc/draw.cu": old}, {"csrc/draw.cu": new}, route)
    assert [(fact.name, fact.old, fact.new) for fact in facts if fact.kind is FactKind.LIMIT_CHANGED] == [
        ("top_k", "<= 22", "<= 8")
    ]


@ROUTES
async def test_a_field_named_after_a_class_that_was_renamed_was_renamed_too(route: str, facts_of: "FactsOf") -> None:
    old = (
        "#pragma once\nnamespace lib {\ntemplate <typename T>\nstruct Pair {\n  T value;\n  int count;\n"
        "  bool is_empty() const { return count == 0 && value == T(0); }\n};\n\n"
        "template <typename T>\nstruct Sums {\n  Reduce<T> reduce;\n  Reduce<Pair<T>> reduce_pair;\n};\n}\n"
    )
    new = old.replace("Pair", "ValueCount").replace("ValueCount<T>> reduce_pair", "ValueCount<float>> reduce_totals")
    new = new.replace("  Reduce<T> reduce;\n", "  Reduce<T> reduce;\n  Reduce<int> reduce_int;\n")
    facts = await facts_of({"include/lib/sums.cuh": old}, {"include/lib/sums.cuh": new}, route)
    assert [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.FIELD_RENAMED] == [
        ("reduce_pair", "reduce_totals")
    ]
    assert [fact for fact in facts if fact.kind is FactKind.FIELD_REMOVED] == []


@ROUTES
async def test_a_union_is_told_by_its_members_and_what_a_block_keeps_for_itself_is_internal(
    route: str, facts_of: "FactsOf"
) -> None:
    old = (
        "#pragma once\ntemplate <typename T>\nstruct SamplingTempStorage {\n"
        "  union {\n    T value;\n    int count;\n  } aggregate;\n};\n"
    )
    new = old.replace("    T value", "    float value").replace("template <typename T>", "template <typename T, int N>")
    facts = await facts_of({"include/lib/sampling.cuh": old}, {"include/lib/sampling.cuh": new}, route)
    names = [fact.name for fact in facts if fact.kind is FactKind.FIELD_CHANGED]
    assert names == ["SamplingTempStorage.aggregate.value"]
    assert {fact.severity for fact in facts} == {Severity.INTERNAL}


CHECKED = (
    '#include "run.h"\n\nvoid start(Tensor x, int hidden) {{\n  auto [rows, {0}] =\n      shape_of(x);\n'
    "  ACME_CHECK(rows > 0);\n  {1}\n  go(rows, {0});\n}}\n"
)


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("ACME_CHECK(cols_2 == 2 * hidden);", "ACME_CHECK(cols_before_act == 2 * hidden);", False),
        ("ACME_CHECK(cols_2 == 2 * hidden);", "ACME_CHECK(cols_before_act == 4 * hidden);", True),
        ("ACME_CHECK(cols_2 == 2 * hidden);", "ACME_CHECK(rows == 2 * hidden);", True),
    ],
)
async def test_a_check_of_a_variable_that_is_only_called_otherwise_is_the_same(
    facts_of: "FactsOf", old: str, new: str, told: bool, route: str
) -> None:
    path = "csrc/run.cu"
    before, after = CHECKED.format("cols_2", old), CHECKED.format("cols_before_act", new)
    facts = await facts_of({path: before}, {path: after}, route)
    assert any(fact.kind.startswith(("error-", "limit-")) for fact in facts) is told


@ROUTES
@pytest.mark.parametrize(
    ("new", "told"),
    [
        ("load(&storage.ptr_in_smem) == 0", False),
        ("load(&storage.end_in_smem) == 0", True),
        ("load(ptr_in_smem) == 1", True),
    ],
)
async def test_a_check_of_a_variable_that_stands_in_a_record_now_is_the_same(
    facts_of: "FactsOf", new: str, told: bool, route: str
) -> None:
    path, text = (
        "csrc/run.cu",
        '#include "run.h"\n\nvoid start(int n) {{\n  begin(n);\n  ACME_CHECK({});\n  end(n);\n}}\n',
    )
    facts = await facts_of({path: text.format("load(ptr_in_smem) == 0")}, {path: text.format(new)}, route)
    assert any(fact.kind.startswith(("error-", "limit-")) for fact in facts) is told
