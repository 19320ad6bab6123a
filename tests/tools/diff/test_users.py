"""Declarations that look alike and are others: of other kernels, of other arguments, of other parameters."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
KERNEL = "#pragma once\nconstexpr int {0} = 1024;\n\n__global__ void {1}(Params p) {{\n  {2}(p, {0});\n}}\n"


@ROUTES
async def test_a_constant_of_a_kernel_that_went_is_not_the_like_one_of_a_kernel_that_came(
    route: str, facts_of: "FactsOf"
) -> None:
    old = KERNEL.format("kBlockSize", "paged_logits_metadata", "sum_up")
    new = KERNEL.format("kMBBlockSize", "phase1_tile_scan", "scan_tiles")
    facts = await facts_of({"include/lib/a.cuh": old}, {"include/lib/a.cuh": new}, route)
    assert {(fact.kind, fact.name) for fact in facts if fact.detail == "constant"} == {
        (FactKind.SYMBOL_REMOVED, "kBlockSize"),
        (FactKind.SYMBOL_ADDED, "kMBBlockSize"),
    }


@ROUTES
async def test_a_constant_that_the_same_kernel_uses_under_another_name_was_renamed(
    route: str, facts_of: "FactsOf"
) -> None:
    old, new = (KERNEL.format(name, "scan", "sum_up") for name in ("kBlockSize", "kMBBlockSize"))
    facts = await facts_of({"include/lib/a.cuh": old}, {"include/lib/a.cuh": new}, route)
    assert [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED] == [
        ("kBlockSize", "kMBBlockSize")
    ]


@ROUTES
async def test_a_specialisation_is_known_again_by_what_it_says(route: str, facts_of: "FactsOf") -> None:
    old = (
        "#pragma once\ntemplate <int N, bool half> struct ReadType {};\n"
        "template <> struct ReadType<4, false> { using T = float; };\n"
        "template <> struct ReadType<8, false> { using T = float2; };\n"
        "template <> struct ReadType<4, true> { using T = __half2; };\n"
        "template <> struct ReadType<8, true> { using T = float2; };\n"
    )
    new = (
        "#pragma once\ntemplate <int N> struct ReadType {};\n"
        "template <> struct ReadType<4> { using T = float; };\n"
        "template <> struct ReadType<8> { using T = float2; };\n"
    )
    facts = await facts_of({"include/lib/a.h": old}, {"include/lib/a.h": new}, route)
    assert {(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED} == {
        ("ReadType<4, false>", "ReadType<4>"),
        ("ReadType<8, false>", "ReadType<8>"),
    }
    assert [fact for fact in facts if fact.kind is FactKind.CONSTANT_CHANGED] == []


@ROUTES
async def test_an_overload_is_known_again_by_the_names_of_its_parameters(route: str, facts_of: "FactsOf") -> None:
    old = "#pragma once\nint offset(std::optional<int> b, int m, int k, std::optional<int> r, int c) { return m; }\n"
    new = (
        "#pragma once\nint offset(int b, int m, int k, int r, int c) { return m; }\n\n"
        "int offset(int m, int k, int c) { return k; }\n"
    )
    facts = await facts_of({"include/lib/a.h": old}, {"include/lib/a.h": new}, route)
    assert {(fact.kind, fact.detail, fact.new) for fact in facts} == {
        (FactKind.SIGNATURE_CHANGED, "b", "b: int"),
        (FactKind.SIGNATURE_CHANGED, "r", "r: int"),
        (FactKind.SYMBOL_ADDED, "overload", "offset(m: int, k: int, c: int)"),
    }


@ROUTES
async def test_parameters_of_one_type_that_changed_places_in_an_overload_are_told(
    route: str, facts_of: "FactsOf"
) -> None:
    old = (
        "#pragma once\nclass Box {\n public:\n  Box(int left, int right) : l(left), r(right) {}\n"
        "  Box(float x, int n) : l(n), r(n) {}\n  int l, r;\n};\n"
    )
    new = old.replace("int left, int right", "int right, int left")
    (fact,) = await facts_of({"include/lib/box.h": old}, {"include/lib/box.h": new}, route)
    assert (fact.kind, fact.old, fact.new) == (FactKind.PARAMETER_REORDERED, "left, right", "right, left")


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("_SUPPORTED_DTYPES", Severity.BEHAVIOUR),
        ("_GATED_ACTIVATION_TYPES", Severity.BEHAVIOUR),
        ("_VALIDATION_STEPS", Severity.INTERNAL),
        ("_TILE_SIZES", Severity.INTERNAL),
    ],
)
async def test_a_list_of_its_own_by_which_a_file_says_what_it_takes_is_for_users(
    name: str, severity: Severity, facts_of: "FactsOf"
) -> None:
    text = "{0} = ({1})\n\n\ndef run(x):\n    assert x in {0}\n"
    old, new = text.format(name, '"a", "b"'), text.format(name, '"a", "b", "c"')
    (fact,) = await facts_of({"pkg/run.py": old}, {"pkg/run.py": new}, "blobs")
    assert (fact.kind, fact.severity) == (FactKind.CONSTANT_CHANGED, severity)
    assert fact.new == '("a", "b", "c")'


async def test_a_list_of_what_is_taken_in_another_order_takes_the_same(facts_of: "FactsOf") -> None:
    old, new = '_SUPPORTED_BACKENDS = ("fast", "plain")\n', '_SUPPORTED_BACKENDS = ("plain", "fast")\n'
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})
    assert {fact.severity for fact in facts} <= {Severity.INTERNAL}


OPTIONS = (
    'void add(Context & ctx) {{\n    add_opt(acme_arg(\n        {}, "N", "how many"\n    ));\n'
    '    add_opt(acme_arg(\n        {{"--rows"}}, "N", "rows"\n    ));\n}}\n'
)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('{"-a", "--all"}', '{"-a", "--all", "--every"}', [(FactKind.FLAG_ADDED, "--every")]),
        ('{"--all"}', '{"--all"}, {"--no-all"}', [(FactKind.FLAG_ADDED, "--no-all")]),
        ('{"--all"}', '{"--no-limit", "--all"}', [(FactKind.FLAG_ADDED, "--no-limit")]),
    ],
)
async def test_an_option_is_known_by_each_of_its_spellings(
    facts_of: "FactsOf", old: str, new: str, told: list[tuple[FactKind, str]]
) -> None:
    before, after = ({"common/arg.cpp": OPTIONS.format(text)} for text in (old, new))
    facts = await facts_of(before, after)
    assert [(fact.kind, fact.name) for fact in facts if fact.kind.startswith("flag-")] == told


async def test_an_option_that_is_a_spelling_of_another_now_is_not_gone(facts_of: "FactsOf") -> None:
    old = OPTIONS.format('{"--columns"}')
    new = OPTIONS.format('{"--columns", "--rows"}').replace(
        '    add_opt(acme_arg(\n        {"--rows"}, "N", "rows"\n    ));\n', ""
    )
    assert await facts_of({"common/arg.cpp": old}, {"common/arg.cpp": new}) == []


async def test_an_option_that_a_program_looks_for_among_its_arguments_is_told(facts_of: "FactsOf") -> None:
    text = "int main(int argc, char ** argv) {{\n    for (int at = 1; at < argc; at++) {{\n        {}\n    }}\n}}\n"
    old = 'if (strcmp(argv[at], "--all") == 0) { all = true; }'
    new = old + '\n        else if (strcmp(argv[at], "--type-file") == 0) { read(argv[++at]); }'
    remark = '\n        // strcmp(argv[at], "--never") == 0'
    facts = await facts_of({"tools/fold.cpp": text.format(old)}, {"tools/fold.cpp": text.format(new + remark)})
    assert [(fact.kind, fact.name) for fact in facts if fact.kind.startswith("flag-")] == [
        (FactKind.FLAG_ADDED, "--type-file")
    ]


async def test_a_decorator_that_registers_by_more_than_a_name_was_there_before(facts_of: "FactsOf") -> None:
    text = "@LOADERS.register({})\nclass Loader(Base):\n    size = 1\n"
    after = text.format('"quick", processor="Fold"')
    facts = await facts_of({"pkg/a.py": text.format('"quick"')}, {"pkg/a.py": after})
    assert [(fact.old, fact.new) for fact in facts if fact.detail == "decorators"] == [
        ('LOADERS.register("quick")', 'LOADERS.register("quick", processor="Fold")')
    ]


async def test_a_struct_with_attributes_brings_nothing_without_a_name(facts_of: "FactsOf") -> None:
    text = "#pragma once\nnamespace acme {{\n{}int size();\n}}\n"
    flags = "__device__ struct __attribute__((aligned(32))) Flags {\n  int current;\n};\n"
    facts = await facts_of({"include/a.cuh": text.format("")}, {"include/a.cuh": text.format(flags)})
    assert [fact.name for fact in facts] == ["acme.Flags"]
