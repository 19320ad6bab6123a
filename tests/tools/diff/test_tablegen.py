"""What a compiler defines in TableGen: operations with what they take, enumerations, passes with their options."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
OPS = """#ifndef LIB_OPS
#define LIB_OPS

include "mlir/IR/OpBase.td"

class LIB_Op<string mnemonic, list<Trait> traits = []> : Op<Lib_Dialect, mnemonic, traits>;

def LIB_FoldOp : LIB_Op<"fold", [Pure]> {{
    let summary = "Folds; a def Other : Op is only words here";

    let description = [{{
        def LIB_InProse : LIB_Op<"prose"> {{ }}
    }}];

    let arguments = (ins
        LIB_Tensor:$src,
        I32Attr:$axis{}
    );

    let results = (outs LIB_Tensor:$result);
}}
{}
#endif
"""
SCAN = """
def LIB_ScanOp: LIB_Op<"scan", [Pure,
                                SameType]> {
    let arguments = (ins LIB_Tensor:$src, DefaultValuedAttr<BoolAttr, "false">:$reverse);
}
"""
PASSES = """def LibPipeline : Pass<"lib-pipeline", "mlir::ModuleOp"> {{
  let summary = "pipeline";

  let options = [
    Option<"stages", "num-stages",
           "int32_t", /*default*/"{}",
           "number of stages">{}
  ];
}}
"""
DUMP = """,
    Option<"dump", "dump-steps",
           "bool", /*default*/"false",
           "dump the steps">"""
ENUMS = """def LIB_ModeAttr : I32EnumAttr<
    "Mode", "",
    [
        I32EnumAttrCase<"NONE", 1, "none">,
{}        I32EnumAttrCase<"WIDE", 3, "wide">
    ]> {{
    let cppNamespace = "::lib";
}}
"""
AGAIN = "\n// The way back.\n"
FILE = "include/lib/Dialect/Lib.td"


async def _told(facts_of: "FactsOf", route: str, old: str, new: str, file: str = FILE) -> list[tuple[object, ...]]:
    facts = await facts_of({file: old}, {file: new}, route)
    return [(fact.kind, fact.severity, fact.name, fact.detail, fact.old, fact.new) for fact in facts]


@ROUTES
async def test_an_operation_that_comes_or_goes_is_told(route: str, facts_of: "FactsOf") -> None:
    old, new = OPS.format("", ""), OPS.format("", SCAN)
    written = "LIB_ScanOp(src: LIB_Tensor, reverse: BoolAttr = false)"
    assert await _told(facts_of, route, old, new) == [
        (FactKind.SYMBOL_ADDED, Severity.ADDITIVE, "LIB_ScanOp", "class", None, written)
    ]
    assert await _told(facts_of, route, new + AGAIN, old + AGAIN) == [
        (FactKind.SYMBOL_REMOVED, Severity.BREAKING, "LIB_ScanOp", "class", written, None)
    ]


@ROUTES
async def test_an_operation_with_another_name_was_renamed(route: str, facts_of: "FactsOf") -> None:
    old, new = OPS.format("", SCAN), OPS.format("", SCAN.replace("LIB_Scan", "LIB_Prefix").replace("scan", "prefix"))
    assert await _told(facts_of, route, old, new) == [
        (FactKind.SYMBOL_RENAMED, Severity.BREAKING, "LIB_PrefixOp", "class", "LIB_ScanOp", "LIB_PrefixOp")
    ]


async def test_what_an_operation_takes_is_its_signature(facts_of: "FactsOf") -> None:
    old, may, must = (
        OPS.format(more, "")
        for more in ("", ",\n        UnitAttr:$fast", ",\n        // By how much.\n        I32Attr:$step")
    )
    assert await _told(facts_of, "blobs", old, may) == [
        (FactKind.PARAMETER_ADDED, Severity.ADDITIVE, "LIB_FoldOp", "fast", None, "fast: UnitAttr = none")
    ]
    assert await _told(facts_of, "blobs", old, must) == [
        (FactKind.PARAMETER_ADDED, Severity.BREAKING, "LIB_FoldOp", "step", None, "step: I32Attr")
    ]


async def test_what_the_text_calls_an_operation_is_told(facts_of: "FactsOf") -> None:
    old = OPS.format("", "")
    assert await _told(facts_of, "blobs", old, old.replace('"fold"', '"reduce"')) == [
        (FactKind.BASE_CHANGED, Severity.BEHAVIOUR, "LIB_FoldOp", "class", 'LIB_Op<"fold">', 'LIB_Op<"reduce">')
    ]


@ROUTES
async def test_words_and_traits_of_an_operation_are_not_told(route: str, facts_of: "FactsOf") -> None:
    old = OPS.format("", "")
    new = old.replace("[Pure]", "[Pure, SameType]").replace("LIB_InProse", "LIB_StillProse")
    assert await _told(facts_of, route, old, new) == []


@ROUTES
async def test_options_of_a_pass_are_told(route: str, facts_of: "FactsOf") -> None:
    assert await _told(facts_of, route, PASSES.format(3, ""), PASSES.format(3, DUMP)) == [
        (FactKind.FIELD_ADDED, Severity.ADDITIVE, "LibPipeline.dump-steps", "field", None, "dump-steps = false")
    ]
    assert await _told(facts_of, route, PASSES.format(3, ""), PASSES.format(4, "")) == [
        (FactKind.FIELD_CHANGED, Severity.BEHAVIOUR, "LibPipeline.num-stages", "field", "3", "4")
    ]


@ROUTES
async def test_members_of_an_enumeration_are_told(route: str, facts_of: "FactsOf") -> None:
    old, new = ENUMS.format(""), ENUMS.format('        I32EnumAttrCase<"THIN", 2, "thin">,\n')
    assert await _told(facts_of, route, old, new) == [
        (FactKind.MEMBER_ADDED, Severity.ADDITIVE, "LIB_ModeAttr.THIN", "member", None, "THIN = 2")
    ]
    assert await _told(facts_of, route, new + AGAIN, old + AGAIN) == [
        (FactKind.MEMBER_REMOVED, Severity.BREAKING, "LIB_ModeAttr.THIN", "member", "THIN = 2", None)
    ]


async def test_patterns_of_the_compiler_itself_are_internal(facts_of: "FactsOf") -> None:
    old, new = OPS.format("", ""), OPS.format("", "\ndef CombineFolds : Pat<(LIB_FoldOp $x), (LIB_ScanOp $x)>;\n")
    facts = await _told(facts_of, "blobs", old, new, "lib/Transforms/Combine.td")
    assert [fact[:3] for fact in facts] == [(FactKind.SYMBOL_ADDED, Severity.INTERNAL, "CombineFolds")]


async def test_an_operation_that_takes_other_things_is_another_one(facts_of: "FactsOf") -> None:
    other = SCAN.replace("LIB_ScanOp", "LIB_SpanOp").replace("$reverse", "$wide").replace('"scan"', '"span"')
    facts = await _told(facts_of, "blobs", OPS.format("", SCAN), OPS.format("", other))
    assert [fact[0] for fact in facts] == [FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_ADDED]


async def test_a_pass_that_does_something_else_is_another_one(facts_of: "FactsOf") -> None:
    old = 'def LibFoldLoads : Pass<"lib-fold-loads", "mlir::ModuleOp"> {\n  let summary = "fold";\n}\n'
    new = 'def LibMoveCasts : Pass<"lib-move-casts", "mlir::ModuleOp"> {\n  let summary = "move";\n}\n'
    facts = await _told(facts_of, "blobs", old, new)
    assert [fact[0] for fact in facts] == [FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_ADDED]
