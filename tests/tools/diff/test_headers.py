"""What the users of headers notice: members of a family of classes, special members, deprecations behind macros."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
HEADER = "include/acme/run.h"
MEMBERS = "  static constexpr int kStages = 4;\n  int rows;\n  void launch(int grid) { go(grid); }\n"


def family(base: str, derived: str) -> str:
    """Write a base and a class that has it."""
    return (
        f"#pragma once\nnamespace acme {{\nstruct KernelBase {{\n  int cols;\n{base}}};\n\n"
        f"struct Kernel : public acme::KernelBase {{\n  int depth;\n{derived}}};\n}}\n"
    )


@ROUTES
async def test_members_that_a_base_has_now_are_not_gone(facts_of: "FactsOf", route: str) -> None:
    facts = await facts_of({HEADER: family("", MEMBERS)}, {HEADER: family(MEMBERS, "")}, route)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]


@ROUTES
async def test_members_that_a_class_had_from_its_base_are_not_new_in_it(facts_of: "FactsOf", route: str) -> None:
    facts = await facts_of({HEADER: family(MEMBERS, "")}, {HEADER: family("", MEMBERS)}, route)
    assert not [fact for fact in facts if "acme.Kernel." in f"{fact.name}." and fact.severity is Severity.ADDITIVE]
    assert [fact for fact in facts if "acme.KernelBase" in fact.name and fact.severity is Severity.BREAKING]


@ROUTES
async def test_a_member_that_no_base_has_is_gone(facts_of: "FactsOf", route: str) -> None:
    facts = await facts_of({HEADER: family("", MEMBERS)}, {HEADER: family("", "")}, route)
    gone = {fact.name for fact in facts if fact.kind is FactKind.SYMBOL_REMOVED}
    assert {name.removeprefix("acme.") for name in gone} == {"Kernel.kStages", "Kernel.launch"}


@ROUTES
@pytest.mark.parametrize(
    "special",
    [
        "Runner() = default;",
        "Runner(Runner const&) = delete;",
        "ACME_HOST_DEVICE\n  Runner() {}",
        "ACME_HOST_DEVICE Runner() { /* nothing */ }",
        "Runner& operator=(Runner const&) = default;",
        "~Runner() = default;",
    ],
)
async def test_what_a_compiler_makes_unasked_is_no_news(facts_of: "FactsOf", route: str, special: str) -> None:
    text = "#pragma once\nstruct Runner {{\n  int rows;\n  {}\n  void run();\n}};\n"
    assert await facts_of({HEADER: text.format("")}, {HEADER: text.format(special)}, route) == []


@ROUTES
async def test_a_constructor_that_takes_something_is_news(facts_of: "FactsOf", route: str) -> None:
    text = "#pragma once\nstruct Runner {{\n  int rows;\n  {}\n  void run();\n}};\n"
    (fact,) = await facts_of({HEADER: text.format("")}, {HEADER: text.format("Runner(int n) : rows(n) {}")}, route)
    assert (fact.kind, fact.new) == (FactKind.SYMBOL_ADDED, "Runner(n: int)")


@ROUTES
@pytest.mark.parametrize("macro", ["ACME_DEPRECATED", "DEPRECATED"])
async def test_a_declaration_handed_to_a_macro_with_advice_is_deprecated_and_not_gone(
    facts_of: "FactsOf", route: str, macro: str
) -> None:
    keep = "    ACME_API int acme_keep(struct acme_ctx * ctx);\n"
    old = "    ACME_API struct acme_model * acme_load(\n            const char * path, int n);\n"
    new = f'    {macro}({old.strip().removesuffix(";")},\n        "use acme_open, (not this) instead");\n'
    before, after = (f"#pragma once\n{keep}{text}" for text in (old, new))
    (fact,) = await facts_of({HEADER: before}, {HEADER: after}, route)
    assert (fact.kind, fact.name, fact.new) == (
        FactKind.DEPRECATED,
        "acme_load",
        "use acme_open, (not this) instead",
    )


@ROUTES
async def test_an_assertion_of_a_macro_hides_no_class_from_its_members(facts_of: "FactsOf", route: str) -> None:
    text = (
        "#pragma once\nnamespace acme {{\ntemplate <int Stages, class Shape>\n"
        "struct Mainloop<Policy<Stages>, Shape> {{\n  using Tile = Shape;\n"
        '  ACME_STATIC_ASSERT_V(divides(Tile{{}}, shape_of(Shape{{}})), "must divide");\n'
        "  static constexpr int kLimit = {};\n}};\n}}\n"
    )
    (fact,) = await facts_of({HEADER: text.format(8)}, {HEADER: text.format(16)}, route)
    assert (fact.kind, fact.name.removeprefix("acme.")) == (FactKind.CONSTANT_CHANGED, "Mainloop.kLimit")


@ROUTES
async def test_members_that_a_base_in_another_header_has_now_are_not_gone(facts_of: "FactsOf", route: str) -> None:
    base = "#pragma once\nnamespace acme {{\nstruct KernelBase {{\n  int cols;\n{}}};\n}}\n"
    heir = (
        '#pragma once\n#include "base.h"\nnamespace acme {{\nstruct Kernel : KernelBase {{\n  int depth;\n{}}};\n}}\n'
    )
    there = "include/acme/base.h"
    facts = await facts_of(
        {there: base.format(""), HEADER: heir.format(MEMBERS)},
        {there: base.format(MEMBERS), HEADER: heir.format("")},
        route,
    )
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]


MOVING = (
    "template <typename Tensor>\n__device__ inline void apply_causal_mask(Tensor& t, int col) {\n  t[col] = 0;\n}\n",
    "struct MaskOptions {\n  int left;\n  int right;\n};\n",
    "#define ACME_MASK_SWITCH(x) \\\n  if (x) { go(); }\n",
    "int mask_rows(int rows, int cols);\n",
)


@ROUTES
@pytest.mark.parametrize("moving", MOVING)
@pytest.mark.parametrize("new_file", [True, False])
async def test_what_another_header_declares_now_has_moved(
    facts_of: "FactsOf", route: str, moving: str, new_file: bool
) -> None:
    text, there = "#pragma once\nnamespace acme {{\nint keep(int rows);\n\n{}}}\n", "include/acme/mask.h"
    before = {HEADER: text.format(moving)} | ({} if new_file else {there: text.format("").replace("keep", "stay")})
    after = {HEADER: text.format(""), there: text.format(moving).replace("keep", "stay")}
    facts = [fact for fact in await facts_of(before, after, route) if fact.kind is not FactKind.FILE_ADDED]
    assert [(fact.kind, fact.old, fact.new, fact.severity) for fact in facts] == [
        (FactKind.SYMBOL_MOVED, HEADER, there, Severity.BREAKING)
    ]


@ROUTES
async def test_what_moved_to_a_header_that_the_old_one_includes_breaks_nobody(facts_of: "FactsOf", route: str) -> None:
    moving = "struct MaskOptions {\n  int left;\n  int right;\n};\n"
    before = {HEADER: f"#pragma once\n\nint keep(int rows);\n\n{moving}"}
    after = {
        HEADER: '#pragma once\n#include "acme/mask.h"\n\nint keep(int rows);\n',
        "include/acme/mask.h": f"#pragma once\n\n{moving}",
    }
    facts = [fact for fact in await facts_of(before, after, route) if fact.kind is not FactKind.FILE_ADDED]
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.SYMBOL_MOVED, Severity.BEHAVIOUR)]


@ROUTES
async def test_a_method_of_another_specialisation_is_not_what_became_of_one(facts_of: "FactsOf", route: str) -> None:
    text = "#pragma once\nnamespace acme {{\ntemplate <class T>\nstruct Loop<{}, T> {{\n  int keep;\n{}}};\n}}\n"
    method, there = "  void load_and_transform(int step);\n", "include/acme/other.h"
    facts = await facts_of(
        {HEADER: text.format("Sm90", method), there: text.format("Sm100", "")},
        {HEADER: text.format("Sm90", ""), there: text.format("Sm100", method)},
        route,
    )
    assert FactKind.SYMBOL_MOVED not in [fact.kind for fact in facts]


@ROUTES
@pytest.mark.parametrize(
    "line",
    [
        "constexpr int kMaxRows = {};",
        "#define ACME_MAX_ROWS (({} + 1) / 2)",
        "enum {{ kMaxRows = {} }};",
        "inline int rows(int n) {{\n  static constexpr int kMaxRows = {};\n  return n < kMaxRows ? n : kMaxRows;\n}}",
        "inline int rows(int n) {{\n  const int max_rows{{{}}};\n  return n < max_rows ? n : max_rows;\n}}",
    ],
)
async def test_a_threshold_of_a_header_is_told_with_both_values(facts_of: "FactsOf", route: str, line: str) -> None:
    text = f"#pragma once\n\nint keep(int rows);\n{line}\n"
    (fact,) = await facts_of({HEADER: text.format(8)}, {HEADER: text.format(16)}, route)
    assert fact.kind in (FactKind.CONSTANT_CHANGED, FactKind.MEMBER_CHANGED)
    assert ("8" in (fact.old or ""), "16" in (fact.new or "")) == (True, True)


@ROUTES
async def test_what_a_header_checks_while_it_is_compiled_is_told_to_those_who_include_it(
    facts_of: "FactsOf", route: str
) -> None:
    text = "#pragma once\ntemplate <int N>\nstruct Tile {{\n  int rows;\n{}}};\n"
    check = '  static_assert(N % 8 == 0, "N must be a multiple of 8");\n'
    (fact,) = await facts_of({HEADER: text.format("")}, {HEADER: text.format(check)}, route)
    assert (fact.kind, fact.severity, fact.detail) == (FactKind.ERROR_ADDED, Severity.BEHAVIOUR, "Tile")
    (fact,) = await facts_of({"csrc/t.cu": text.format("")}, {"csrc/t.cu": text.format(check)}, route)
    assert fact.severity is Severity.INTERNAL


@ROUTES
async def test_what_a_new_class_checks_goes_with_the_class(facts_of: "FactsOf", route: str) -> None:
    new = 'template <int N>\nstruct Tile {\n  static_assert(N % 8 == 0, "N must be a multiple of 8");\n};\n'
    (fact,) = await facts_of({HEADER: "#pragma once\n"}, {HEADER: f"#pragma once\n{new}"}, route)
    assert (fact.kind, fact.name) == (FactKind.SYMBOL_ADDED, "Tile")


@ROUTES
async def test_a_check_that_several_classes_have_in_the_same_words_is_one_fact(facts_of: "FactsOf", route: str) -> None:
    text = "#pragma once\ntemplate <int N>\nstruct {0} {{\n  int rows;\n{1}}};\n"
    check = '  static_assert(N % 8 == 0, "N must be a multiple of 8");\n'
    before = {f"include/acme/{name}.h": text.format(name, "") for name in ("Load", "Store")}
    after = {f"include/acme/{name}.h": text.format(name, check) for name in ("Load", "Store")}
    (fact,) = await facts_of(before, after, route)
    assert (fact.kind, len(fact.places), fact.detail) == (FactKind.ERROR_ADDED, 2, None)


@ROUTES
async def test_a_parameter_is_told_by_the_declaration_and_not_by_the_definition_besides(
    facts_of: "FactsOf", route: str
) -> None:
    header = "#pragma once\nnamespace acme {{\nclass Runner {{\n public:\n  void run(int rows{});\n}};\n}}\n"
    source = '#include "acme/run.h"\nnamespace acme {{\nvoid Runner::run(int rows{}) {{\n  go(rows);\n}}\n}}\n'
    before = {HEADER: header.format(""), "csrc/run.cu": source.format("")}
    after = {HEADER: header.format(", bool gated = false"), "csrc/run.cu": source.format(", bool gated")}
    (fact,) = await facts_of(before, after, route)
    assert (fact.kind, fact.new) == (FactKind.PARAMETER_ADDED, "gated: bool = false")


@ROUTES
async def test_what_moved_out_of_its_namespace_breaks_though_the_old_header_includes_the_new_one(
    facts_of: "FactsOf", route: str
) -> None:
    text = "#pragma once\n{}namespace acme{} {{\nint keep_{}(int rows);\n\n{}}}\n"
    moving, there = "int get_inner_block_size(int rows) {\n  return rows * 2;\n}\n", "include/acme/sm90.h"
    before = {HEADER: text.format("", "::sm100", "a", moving), there: text.format("", "::sm90", "b", "")}
    after = {
        HEADER: text.format('#include "acme/mask.h"\n', "::sm100", "a", ""),
        there: text.format("", "::sm90", "b", moving),
        "include/acme/mask.h": text.format("", "", "c", moving),
    }
    facts = [fact for fact in await facts_of(before, after, route) if fact.kind is FactKind.SYMBOL_MOVED]
    assert [(fact.new, fact.severity) for fact in facts] == [("include/acme/mask.h", Severity.BREAKING)]
    assert "sm90" not in facts[0].name


async def test_no_caller_of_cpp_writes_the_name_of_a_parameter_that_siblings_rename(facts_of: "FactsOf") -> None:
    text = "#pragma once\nint one(int rows, int {0});\n\nint two(int rows, {1} {0});\n"
    facts = await facts_of({HEADER: text.format("stride", "int")}, {HEADER: text.format("pitch", "long")})
    renamed = [fact.severity for fact in facts if fact.kind is FactKind.PARAMETER_RENAMED]
    assert renamed
    assert Severity.BREAKING not in renamed


PURE = "#pragma once\nstruct Engine {{\n  virtual ~Engine() = default;\n  virtual int space({}) const = 0;\n{}}};\n"


@ROUTES
async def test_what_a_pure_method_takes_now_breaks_those_who_derive(facts_of: "FactsOf", route: str) -> None:
    old, new = PURE.format("int rows", ""), PURE.format("int rows, int cols = 0", "")
    (fact,) = await facts_of({HEADER: old}, {HEADER: new}, route)
    assert (fact.kind, fact.severity, fact.detail) == (FactKind.PARAMETER_ADDED, Severity.BREAKING, "cols")


@ROUTES
@pytest.mark.parametrize(("end", "severity"), [(" = 0;", Severity.BREAKING), (";", Severity.ADDITIVE)])
async def test_a_new_pure_method_breaks_those_who_derive(
    facts_of: "FactsOf", route: str, end: str, severity: Severity
) -> None:
    old, new = PURE.format("int rows", ""), PURE.format("int rows", f"  virtual void stop(){end}\n")
    (fact,) = await facts_of({HEADER: old}, {HEADER: new}, route)
    assert (fact.kind, fact.severity, fact.name) == (FactKind.SYMBOL_ADDED, severity, "Engine.stop")


OFFERED = "#pragma once\nenum acme_mode {{\n    ACME_FAST = 0,\n{}}};\nACME_API int acme_run(enum acme_mode mode);\n"


@ROUTES
@pytest.mark.parametrize(
    ("path", "severity"),
    [
        ("acme.h", Severity.ADDITIVE),
        ("tools/acme/acme.h", Severity.ADDITIVE),
        ("acme-impl.h", Severity.INTERNAL),
        ("acme/src/acme.h", Severity.INTERNAL),
        ("examples/acme.h", Severity.INTERNAL),
    ],
)
async def test_a_header_that_exports_functions_is_for_users_with_all_it_declares(
    facts_of: "FactsOf", route: str, path: str, severity: Severity
) -> None:
    old, new = OFFERED.format(""), OFFERED.format("    ACME_SAFE = 1,\n")
    (fact,) = await facts_of({path: old}, {path: new}, route)
    assert (fact.kind, fact.severity) == (FactKind.MEMBER_ADDED, severity)
    (fact,) = await facts_of({path: old.replace("ACME_API ", "")}, {path: new.replace("ACME_API ", "")}, route)
    assert fact.severity is Severity.INTERNAL


@ROUTES
@pytest.mark.parametrize(("value", "told"), [("1", []), ("2", [FactKind.PARAMETER_DEFAULT])])
async def test_a_default_that_has_the_name_of_the_same_value_is_no_other(
    facts_of: "FactsOf", route: str, value: str, told: list[FactKind]
) -> None:
    run, other = "#pragma once\nvoid run(int rows, int benefit = 1);\n", "include/acme/benefits.h"
    facts = await facts_of(
        {HEADER: run, other: "#pragma once\n"},
        {
            HEADER: run.replace("benefit = 1", "benefit = kBenefit"),
            other: f"#pragma once\nconstexpr int kBenefit = {value};\n",
        },
        route,
    )
    assert [fact.kind for fact in facts if fact.kind is not FactKind.SYMBOL_ADDED] == told


async def test_a_field_that_is_private_under_another_name_is_gone(facts_of: "FactsOf") -> None:
    old = "#pragma once\nclass Divisor {\n public:\n  int get();\n  unsigned int d;\n};\n"
    new = "#pragma once\nclass Divisor {\n public:\n  int get();\n private:\n  unsigned int d_;\n};\n"
    facts = await facts_of({HEADER: old}, {HEADER: new})
    assert [(fact.kind, fact.name) for fact in facts if fact.severity is Severity.BREAKING] == [
        (FactKind.FIELD_REMOVED, "Divisor.d")
    ]


@ROUTES
async def test_a_type_with_and_without_struct_before_it_is_one(facts_of: "FactsOf", route: str) -> None:
    old = "#pragma once\nvoid stop(acme_state * state);\n"
    assert not [
        fact
        for fact in await facts_of({HEADER: old}, {HEADER: old.replace("(acme", "(struct acme")}, route)
        if fact.kind is FactKind.SIGNATURE_CHANGED
    ]


@ROUTES
async def test_a_field_handed_to_a_macro_with_advice_hides_no_others(facts_of: "FactsOf", route: str) -> None:
    text = (
        "#pragma once\nstruct acme_tensor {\n    enum acme_type type;\n"
        '    ACME_DEPRECATED(enum acme_backend backend, "use the buffer");\n    int runs;\n    char padding[8];\n};\n'
    )
    facts = await facts_of({HEADER: text}, {HEADER: text.replace("    int runs;\n", "")}, route)
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.FIELD_REMOVED, "acme_tensor.runs")]


@pytest.mark.parametrize(
    ("path", "severity"), [("include/acme/rows.h", Severity.ADDITIVE), ("src/rows/rows.h", Severity.INTERNAL)]
)
async def test_a_new_header_among_the_sources_is_for_the_sources(
    facts_of: "FactsOf", path: str, severity: Severity
) -> None:
    text = "#pragma once\nint acme_rows(int size);\n"
    facts = await facts_of({"src/a.c": "int a;\n"}, {"src/a.c": "int a;\n", path: text})
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.FILE_ADDED, severity)]


async def test_a_declaration_is_renamed_with_its_definition(facts_of: "FactsOf") -> None:
    head = "#pragma once\n\nint size();\n\nvoid %s(const char * endpoint, int rows);\n"
    loop = "  for (int i = 0; i < rows; i++) {\n    serve(endpoint, i);\n  }\n"
    body = f"void %s(const char * endpoint, int rows) {{\n{loop}}}\n"
    old, new = "start_rows_server", "lib_backend_rows_start_server"
    (fact,) = await facts_of(
        {"include/lib/rows.h": head % old, "src/rows.cpp": body % old},
        {"include/lib/rows.h": head % new, "src/rows.cpp": body % new},
    )
    assert (fact.kind, fact.severity, fact.old, fact.new) == (
        FactKind.SYMBOL_RENAMED,
        Severity.BREAKING,
        old,
        new,
    )
