"""What stayed where it was under another name, and what a file hands out by a registered name."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
BODY = "  const int heads = kv.heads;\n  const int dim = kv.dim;\n  const int n = kv.size;\n  go(q, kv, {});\n}}\n"


@ROUTES
async def test_a_function_whose_body_goes_on_below_a_new_line_was_renamed(route: str, facts_of: "FactsOf") -> None:
    old = f"#pragma once\nint RunPagedFallback(float* q, Paged kv, bool causal) {{\n{BODY.format('causal')}"
    new = (
        "#pragma once\ntemplate <bool CAUSAL>\nint RunPagedFallbackDispatched(float* q, int* tiles, Paged kv) {\n"
        f"  constexpr int kLayout = 1;\n{BODY.format('tiles')}"
    )
    facts = await facts_of({"include/lib/run.cuh": old}, {"include/lib/run.cuh": new}, route)
    assert [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED] == [
        ("RunPagedFallback", "RunPagedFallbackDispatched")
    ]
    assert not {FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_ADDED} & {fact.kind for fact in facts}


@ROUTES
async def test_a_function_that_became_several_was_renamed_to_none_of_them(route: str, facts_of: "FactsOf") -> None:
    old = f"#pragma once\nint RunPaged(float* q, Paged kv, bool causal) {{\n{BODY.format('causal')}"
    new = (
        f"#pragma once\nint RunPagedPlain(float* q, Paged kv) {{\n  start();\n{BODY.format('false')}\n"
        f"int RunPagedCausal(float* q, Paged kv) {{\n  start();\n{BODY.format('true')}"
    )
    facts = await facts_of({"include/lib/run.cuh": old}, {"include/lib/run.cuh": new}, route)
    assert FactKind.SYMBOL_RENAMED not in {fact.kind for fact in facts}


@ROUTES
async def test_a_variable_with_another_name_on_the_second_line_of_its_declaration_was_renamed(
    route: str, facts_of: "FactsOf"
) -> None:
    old = "thread_local Handler<Storage::kIndices, half, half, int>\n    f16f16i32_handlers[8];\n\nvoid run() {}\n"
    facts = await facts_of(
        {"csrc/run.cu": old}, {"csrc/run.cu": old.replace("f16f16i32_handlers", "batch_decode_pool")}, route
    )
    assert {fact.kind for fact in facts} <= {FactKind.SYMBOL_RENAMED}


@pytest.mark.parametrize(
    "export",
    [
        "TVM_DLL_EXPORT_TYPED_FUNC(Run, _Run);\n",
        'TVM_REGISTER_GLOBAL("lib.run").set_body_typed(_Run);\n',
        'TORCH_LIBRARY(lib, m) {\n  m.def("run", &_Run);\n}\n',
        'TORCH_LIBRARY_IMPL(lib, CUDA, m) {\n  m.impl("run", torch::kCUDA, &_Run);\n}\n',
    ],
)
async def test_what_a_file_hands_out_by_a_registered_name_is_public_wherever_it_stands(
    export: str, facts_of: "FactsOf"
) -> None:
    text = "void _Run({}) {{\n  go(q);\n}}\n\nvoid _Help({}) {{\n  go(q);\n}}\n\n"
    old, new = (text.format(given, given) + export for given in ("Tensor q", "int64_t handler, Tensor q"))
    facts = await facts_of({"csrc/run.cu": old}, {"csrc/run.cu": new})
    assert {(fact.name, fact.severity) for fact in facts} == {
        ("_Run", Severity.BREAKING),
        ("_Help", Severity.INTERNAL),
    }


@ROUTES
async def test_a_macro_that_takes_something_else_in_a_place_is_one_change(route: str, facts_of: "FactsOf") -> None:
    old = "#pragma once\n#define SWITCH_FRAGS(greater_than_64, FRAGS, ...) \\\n  pick(greater_than_64, FRAGS)\n"
    new = old.replace("greater_than_64", "num_frags_x")
    (fact,) = await facts_of({"include/lib/switch.h": old}, {"include/lib/switch.h": new}, route)
    assert (fact.kind, fact.name) == (FactKind.SIGNATURE_CHANGED, "SWITCH_FRAGS")


@ROUTES
async def test_a_name_for_an_argument_of_the_template_that_both_have_another_name_now_was_renamed(
    route: str, facts_of: "FactsOf"
) -> None:
    text = (
        "#pragma once\ntemplate <bool Varlen_, bool {0}_, bool Split_>\nstruct Mainloop {{\n"
        "  static constexpr bool Varlen = Varlen_;\n  static constexpr bool {0} = {0}_;\n"
        "  static constexpr bool Split = Split_;\n}};\n"
    )
    facts = await facts_of({"include/lib/a.h": text.format("Paged")}, {"include/lib/a.h": text.format("Slow")}, route)
    assert [(fact.kind, fact.old, fact.new) for fact in facts if fact.kind.startswith(("symbol-", "constant-"))] == [
        (FactKind.SYMBOL_RENAMED, "Paged", "Slow")
    ]


LONG = (
    '    let parts = collect();\n    let title = join(&parts, "\\n");\n    let built = stamp(&title);\n'
    "    let signed = sign(&built, {});\n    let sealed = seal(&signed);\n    sealed\n"
)


@ROUTES
async def test_a_function_that_has_the_body_of_a_third_is_not_the_one_that_went(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "pub fn get_version_string() -> String {{\n{}}}\n\npub fn get_count() -> u32 {{\n    COUNT\n}}\n{}"
    short = "\npub fn get_short_version_string() -> String {\n    name()\n}\n"
    longer = f"    title()\n}}\n\npub fn get_verbose_version_string() -> String {{\n{LONG.format(2)}"
    wrapper = (
        "use crate::version;\n\nfn get_{0}_version_string() -> String {{\n    version::get_{0}_version_string()\n}}\n"
    )
    facts = await facts_of(
        {"src/version.rs": text.format(LONG.format(1), short), "src/bind.rs": wrapper.format("short")},
        {"src/version.rs": text.format(longer, ""), "src/bind.rs": wrapper.format("verbose")},
        route,
    )
    assert {(fact.kind, fact.name) for fact in facts} == {
        (FactKind.SYMBOL_REMOVED, "get_short_version_string"),
        (FactKind.SYMBOL_ADDED, "get_verbose_version_string"),
    }
