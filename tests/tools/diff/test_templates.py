"""Templates, specialisations, aliases and marks of C++ and CUDA are compared by what their users see of them."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
HEADER = "include/acme/run.cuh"


@ROUTES
async def test_what_a_template_calls_its_arguments_is_no_type_of_its_own(facts_of: "FactsOf", route: str) -> None:
    old = "template <typename T>\nT ceil_div(T x, T y) {\n  return (x + y - 1) / y;\n}\n"
    new = "template <typename T1, typename T2>\nT1 ceil_div(const T1 x, const T2 y) {\n  return (x + y - 1) / y;\n}\n"
    (fact,) = await facts_of({HEADER: old}, {HEADER: new}, route)
    assert (fact.kind, fact.detail) == (FactKind.SIGNATURE_CHANGED, "template")


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int rows(int n);", "int rows(const int n);"),
        (
            "int rows(Args const& a);\nint rows(Args const& a, int n);",
            "int rows(Args const &a);\nint rows(Args const & a, int n);",
        ),
    ],
)
async def test_what_no_caller_sees_of_a_parameter_is_no_news(
    facts_of: "FactsOf", route: str, old: str, new: str
) -> None:
    facts = await facts_of({HEADER: f"#pragma once\n{old}\n"}, {HEADER: f"#pragma once\n{new}\n"}, route)
    assert facts == [] or [fact.kind for fact in facts] == [FactKind.ONLY_FORMATTING]


@ROUTES
async def test_a_pointer_to_what_is_not_changed_is_another_type(facts_of: "FactsOf", route: str) -> None:
    old, new = "void run(int* p);\n", "void run(const int* p);\n"
    (fact,) = await facts_of({HEADER: old}, {HEADER: new}, route)
    assert (fact.kind, fact.old) == (FactKind.SIGNATURE_CHANGED, "p: int*")


async def test_a_specialisation_that_went_leaves_the_template(facts_of: "FactsOf") -> None:
    general = "template <typename T, int N>\nstruct vec_t {\n  T data[N];\n};\n"
    special = "\ntemplate <>\nstruct vec_t<float, 4> {\n  float4 data;\n};\n"
    (fact,) = await facts_of({HEADER: f"{general}{special}"}, {HEADER: general})
    assert (fact.kind, fact.severity) == (FactKind.SYMBOL_REMOVED, Severity.BEHAVIOUR)


@ROUTES
async def test_an_alias_is_followed_by_what_it_stands_for(facts_of: "FactsOf", route: str) -> None:
    old = "  using LoadPipeline = acme::PipelineAsync<Stages>;\n  using MmaPipeline = acme::PipelineUmma<4>;\n"
    new = "  using SumPipeline = acme::PipelineUmma<4>;\n  using ScalePipeline = acme::PipelineAsync<Stages>;\n"
    old, new = (f"#pragma once\nstruct Loop {{\n{text}}};\n" for text in (old, new))
    facts = await facts_of({HEADER: old}, {HEADER: new}, route)
    renamed = {(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED}
    assert renamed == {("LoadPipeline", "ScalePipeline"), ("MmaPipeline", "SumPipeline")}


@ROUTES
async def test_a_macro_that_says_where_a_function_runs_says_it_like_a_keyword(facts_of: "FactsOf", route: str) -> None:
    text = "#pragma once\nstruct Pool {{\n  {} void\n  grow(int columns) {{ add(columns); }}\n}};\n"
    old, same, more = (text.format(mark) for mark in ("__device__", "ACME_DEVICE", "ACME_HOST_DEVICE"))
    assert await facts_of({HEADER: old}, {HEADER: same}, route) == []
    (fact,) = await facts_of({HEADER: old}, {HEADER: more}, route)
    assert (fact.kind, fact.old, fact.new) == (FactKind.SIGNATURE_CHANGED, None, "__host__")


@ROUTES
async def test_an_assertion_is_told_by_its_words_and_a_status_is_no_assertion(facts_of: "FactsOf", route: str) -> None:
    text = "void run(int n) {{\n  go(n);\n{}}}\n"
    checks = '  GGML_ASSERT(n > 0 && "n must be positive");\n  CL_CHECK((k = clCreateKernel(p, "gemm", &err), err));\n'
    facts = await facts_of({"src/a.cpp": text.format("")}, {"src/a.cpp": text.format(checks)}, route)
    assert [(fact.name, fact.new) for fact in facts if fact.kind is FactKind.ERROR_ADDED] == [
        ("GGML_ASSERT", "n must be positive")
    ]
