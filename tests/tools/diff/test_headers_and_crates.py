"""What C++ headers, CMake builds and Rust crates have as before is not told as gone; what tells builds apart is."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity
from tests.tools.diff.test_known import studied

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.tools.diff.conftest import FactsOf, History

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
HEADER, SOURCE, CRATE = "include/lib/a.h", "csrc/api.cpp", "src/server/src"


@ROUTES
async def test_an_overload_whose_optional_last_parameter_is_another_is_not_gone(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "struct Params {{\n  Params(float a, float b, float c = 0);\n  Params(float *a, float *b, {});\n}};\n"
    before, after = text.format("float *bound_ptr = nullptr"), text.format("float bound = float(0)")
    facts = await facts_of({HEADER: before}, {HEADER: after}, route)
    assert FactKind.SYMBOL_REMOVED not in {fact.kind for fact in facts}
    assert Severity.BREAKING not in {fact.severity for fact in facts}


@ROUTES
async def test_an_overload_without_its_optional_parameter_s_company_is_gone(route: str, facts_of: "FactsOf") -> None:
    text = "struct Params {{\n  Params(float a, float b, float c = 0);\n  Params({});\n}};\n"
    before, after = text.format("float *a, float *b, float *c = nullptr"), text.format("Tensor x, Tensor y, int n = 0")
    facts = await facts_of({HEADER: before}, {HEADER: after}, route)
    assert FactKind.SYMBOL_REMOVED in {fact.kind for fact in facts}


@pytest.mark.parametrize(("field", "gone"), [("stride", False), ("pitch", True)])
async def test_fields_that_a_base_in_a_new_header_has_are_inherited(
    field: str, gone: bool, facts_of: "FactsOf"
) -> None:
    body = "\n  long stride;\n  long rows;\n" + "".join(f"  void f{n}();\n" for n in range(9))
    base = f"#pragma once\n\nstruct IteratorParams {{\n  long {field};\n  long rows = 0;\n  int more;\n}};\n"
    facts = await facts_of(
        {HEADER: f"struct Params {{{body}}};\n"},
        {
            HEADER: '#include "lib/base.h"\nstruct Params : IteratorParams {'
            + body.replace("  long stride;\n  long rows;\n", "")
            + "};\n",
            "include/lib/base.h": base,
        },
        "blobs",
    )
    assert (FactKind.FIELD_REMOVED in {fact.kind for fact in facts}) is gone


@ROUTES
@pytest.mark.parametrize(("method", "gone"), [("initialize", False), ("prepare", True)])
async def test_members_that_a_template_base_in_a_new_header_has_are_inherited(
    method: str, gone: bool, route: str, facts_of: "FactsOf"
) -> None:
    members = (
        "  using Element = typename Kernel::Element;\n  static int const kStages = Kernel::kStages;\n"
        "  static Status initialize(Arguments const &args) {\n    return run(args);\n  }\n"
    )
    head, base = "template <typename Kernel>\nclass {} {{\npublic:\n", "Grouped : public BaseGrouped<Kernel>"
    facts = await facts_of(
        {HEADER: head.format("Grouped") + members + "};\n"},
        {
            HEADER: head.format(base) + "};\n",
            "include/lib/base.h": head.format("BaseGrouped") + members.replace("initialize", method) + "};\n",
        },
        route,
    )
    removed = [fact.name for fact in facts if fact.kind is FactKind.SYMBOL_REMOVED]
    assert removed == (["Grouped.initialize"] if gone else [])


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("static int const kRows = Mode::kNone;", "static int const kRows = Base::kRows;"),
        ("typename Policy::Operator mma;", "using ArchOp = typename Base::ArchOp;\n  ArchOp mma;"),
    ],
)
async def test_what_a_class_has_under_the_same_name_from_another_has_not_changed(
    old: str, new: str, route: str, facts_of: "FactsOf"
) -> None:
    text = "template <typename Base>\nstruct Op {{\n  int a;\n  {}\n}};\n"
    facts = await facts_of({HEADER: text.format(old)}, {HEADER: text.format(new)}, route)
    assert not {FactKind.CONSTANT_CHANGED, FactKind.FIELD_CHANGED} & {fact.kind for fact in facts}


async def test_what_a_new_specialisation_asserts_is_no_new_check_of_the_template(facts_of: "FactsOf") -> None:
    text = (
        "template <typename T>\nstruct Core {\n  int a;\n};\n\ntemplate <typename T>\nstruct Core<T*> {\n  int b;\n};\n"
    )
    check = '\ntemplate <typename T>\nstruct Core<T&> {\n  static_assert(sizeof(T) == 4, "Shapes must divide.");\n};\n'
    assert await facts_of({HEADER: text}, {HEADER: text + check}, "blobs") == []
    inside = text.replace("int a;", 'int a;\n  static_assert(sizeof(T) == 4, "Shapes must divide.");')
    facts = await facts_of({HEADER: text}, {HEADER: inside}, "blobs")
    assert [fact.kind for fact in facts] == [FactKind.ERROR_ADDED]


@ROUTES
async def test_of_several_fields_that_look_the_same_the_one_in_its_place_is_the_heir(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "struct Data {{\n  int rows;\n{}  int cols;\n}};\n"
    after = "  Dtype mDtypeOutput{Dtype::Half};\n  Dtype mDtypeInput{Dtype::Half};\n"
    facts = await facts_of(
        {HEADER: text.format("  Dtype mDtypeExpW{Dtype::Half};\n")}, {HEADER: text.format(after)}, route
    )
    (renamed,) = [fact for fact in facts if fact.kind is FactKind.FIELD_RENAMED]
    assert (renamed.old, renamed.new) == ("mDtypeExpW", "mDtypeOutput")


@ROUTES
async def test_a_kernel_that_moves_from_a_source_to_a_header_breaks_nobody(route: str, facts_of: "FactsOf") -> None:
    kernel = "__global__ void routingIndicesKernel(int* out, int n) {\n  out[0] = n;\n}\n"
    facts = await facts_of(
        {"src/lib/launch.cu": kernel, HEADER: "#pragma once\nint f();\n"},
        {"src/lib/launch.cu": None, HEADER: f"#pragma once\nint f();\n{kernel}"},
        route,
    )
    moved = [fact for fact in facts if fact.kind is FactKind.SYMBOL_MOVED]
    assert all(fact.severity is not Severity.BREAKING for fact in moved)


@ROUTES
async def test_a_check_of_some_builds_is_told_with_its_macro_and_the_macro_by_itself(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "void mha_bwd(Tensor x) {{\n  int a = 1;\n{}  run(x);\n}}\n"
    check = '  #ifdef ATTENTION_DISABLE_BACKWARD\n    TORCH_CHECK(false, "This build has no backward.");\n  #endif\n'
    facts = await facts_of({SOURCE: text.format("")}, {SOURCE: text.format(check)}, route)
    assert {(fact.kind, fact.name, fact.detail) for fact in facts} == {
        (FactKind.ERROR_ADDED, "TORCH_CHECK", "mha_bwd, #ifdef ATTENTION_DISABLE_BACKWARD"),
        (FactKind.CONFIG_ADDED, "ATTENTION_DISABLE_BACKWARD", "macro"),
    }


async def test_a_macro_that_other_code_asks_for_already_is_no_new_switch(history: "Callable[[], History]") -> None:
    made = history()
    text = "void mha_bwd(Tensor x) {{\n  int a = 1;\n{}  run(x);\n}}\n"
    check = '#ifdef ATTENTION_DISABLE_BACKWARD\n  TORCH_CHECK(false, "This build has no backward.");\n#endif\n'
    made.commit({SOURCE: text.format(""), "csrc/b.cpp": "#ifdef ATTENTION_DISABLE_BACKWARD\nint a;\n#endif\n"})
    sheet = await studied(made, made.commit({SOURCE: text.format(check)}))
    assert {fact.kind for fact in sheet} == {FactKind.ERROR_ADDED}


@pytest.mark.parametrize("kind", ["", "lib::Tile::k"])
async def test_a_value_that_a_macro_no_longer_takes_is_a_narrower_limit(kind: str, facts_of: "FactsOf") -> None:
    own = kind.rpartition("::")[2]
    case = "    case {0}: {{ \\\n      constexpr int N = {0}; \\\n      __VA_ARGS__ \\\n      break; \\\n    }} \\\n"
    text = "#define DISPATCH_TILE(n, N, ...) \\\n  switch (n) { \\\n"
    before, after = (
        text + "".join(case.format(f"{kind}{n}") for n in sizes) + "  }\n" for sizes in ((64, 32, 16), (64, 16))
    )
    facts = await facts_of({HEADER: before}, {HEADER: after}, "blobs")
    (fact,) = facts
    assert (fact.kind, fact.name, fact.old, fact.new) == (
        FactKind.LIMIT_CHANGED,
        "DISPATCH_TILE",
        f"in ({own}64, {own}32, {own}16)",
        f"in ({own}64, {own}16)",
    )
    assert fact.severity is Severity.BREAKING


@ROUTES
async def test_refusals_of_a_build_right_below_each_other_are_one(route: str, facts_of: "FactsOf") -> None:
    text = "project(a)\nif(NOT LIB)\n{}endif()\n"
    said = '  message(SEND_ERROR "The profiler needs the library.")\n  message(SEND_ERROR "LIB = ${LIB}")\n'
    facts = await facts_of({"CMakeLists.txt": text.format("")}, {"CMakeLists.txt": text.format(said)}, route)
    assert [fact.new for fact in facts] == ["The profiler needs the library."]


@ROUTES
async def test_an_option_of_a_new_module_of_the_build_is_told(route: str, facts_of: "FactsOf") -> None:
    facts = await facts_of(
        {"CMakeLists.txt": "project(a)\n"},
        {
            "CMakeLists.txt": "project(a)\ninclude(cuDNN.cmake)\n",
            "cuDNN.cmake": 'option(A_ENABLE_CUDNN "Build with cuDNN." OFF)\nmessage(STATUS "cuDNN")\n',
        },
        route,
    )
    assert "A_ENABLE_CUDNN" in {fact.name for fact in facts if fact.kind is FactKind.CONFIG_ADDED}


@ROUTES
async def test_an_error_of_rust_that_is_returned_instead_is_the_same_error(route: str, facts_of: "FactsOf") -> None:
    text = "pub fn collect(a: Option<u8>) -> Result<u8, ApiError> {{\n{}    Ok(value)\n}}\n"
    old = '    let value = a.ok_or_else(|| {\n        ApiError::server("generation returned none")\n    })?;\n'
    new = '    let Some(value) = a else {\n        return Err(ApiError::server("generation returned none"));\n    };\n'
    path = f"{CRATE}/lib.rs"
    assert await facts_of({path: text.format(old)}, {path: text.format(new)}, route) == []


@ROUTES
async def test_an_error_of_rust_for_what_is_missing_is_told_by_its_words(route: str, facts_of: "FactsOf") -> None:
    text = "pub fn abort(a: Option<u8>) -> Result<u8, ApiError> {{\n    let b = a{};\n    Ok(b)\n}}\n"
    old = '.ok_or_else(|| {\n        ApiError::invalid("Missing the requests".to_string(), Some("a"))\n    })?'
    path = f"{CRATE}/lib.rs"
    (fact,) = await facts_of({path: text.format(old)}, {path: text.format(".unwrap_or_default()")}, route)
    assert (fact.kind, fact.name, fact.old) == (FactKind.ERROR_REMOVED, "ApiError", "Missing the requests")


@ROUTES
async def test_other_words_of_an_error_of_rust_are_told(route: str, facts_of: "FactsOf") -> None:
    text = "pub fn collect(a: u8) -> Result<u8, ApiError> {{\n    Err(ApiError::server({}))\n}}\n"
    before, after = (text.format(f'"generation returned {what}"') for what in ("none", "no probabilities"))
    (fact,) = await facts_of({f"{CRATE}/lib.rs": before}, {f"{CRATE}/lib.rs": after}, route)
    assert (fact.kind, fact.old, fact.new) == (
        FactKind.ERROR_CHANGED,
        "generation returned none",
        "generation returned no probabilities",
    )


@ROUTES
async def test_a_function_of_rust_in_another_file_has_moved(route: str, facts_of: "FactsOf") -> None:
    body = "fn prompt_logprobs_to_maps(a: &[u8]) -> u8 {\n    a[0]\n}\n"
    keep = "pub fn run() -> u8 {\n    1\n}\n"
    facts = await facts_of(
        {f"{CRATE}/a.rs": body + keep, f"{CRATE}/b.rs": keep},
        {f"{CRATE}/a.rs": keep, f"{CRATE}/b.rs": keep + "pub " + body.replace("a[0]", "a[1] + 1")},
        route,
    )
    assert [fact.kind for fact in facts] == [FactKind.SYMBOL_MOVED]


@pytest.mark.parametrize(
    ("root", "severity"),
    [
        ("mod routes;\n", Severity.INTERNAL),
        ("pub(crate) mod routes;\n", Severity.INTERNAL),
        ("pub mod routes;\n", Severity.BREAKING),
        ("mod routes;\npub use routes::maps;\n", Severity.BREAKING),
    ],
)
async def test_a_module_of_rust_that_only_its_crate_sees_breaks_nobody(
    root: str, severity: Severity, history: "Callable[[], History]"
) -> None:
    made, keep = history(), "pub fn run() -> u8 {\n    1\n}\n"
    made.commit({f"{CRATE}/lib.rs": root, f"{CRATE}/routes/a.rs": f"pub fn maps(a: u8) -> u8 {{\n    a\n}}\n{keep}"})
    (fact,) = await studied(made, made.commit({f"{CRATE}/routes/a.rs": keep}))
    assert (fact.kind, fact.severity) == (FactKind.SYMBOL_REMOVED, severity)


async def test_the_options_of_a_build_are_one_fact_where_there_is_too_much_to_tell(facts_of: "FactsOf") -> None:
    names = [f"pkg/m{n}/config.py" for n in range(45)]
    module = "def load(path):\n    return path\n"
    options = "".join(f'option(A_USE_{n} "Use it." ON)\n' for n in ("MPI", "BLAS"))
    facts = await facts_of(
        {"CMakeLists.txt": "project(a)\n", **dict.fromkeys(names, module)},
        {
            "CMakeLists.txt": f"project(a)\n{options}",
            **{name: f"{module}\n\ndef save_{n}(path):\n    return {n}\n" for n, name in enumerate(names)},
        },
        "blobs",
    )
    (fact,) = [fact for fact in facts if fact.kind is FactKind.CONFIG_ADDED]
    assert (fact.name, fact.detail, fact.new) == ("A_USE_MPI, A_USE_BLAS", "2 settings of CMakeLists.txt", None)


@ROUTES
async def test_a_trait_that_became_an_enumeration_is_told_as_that_alone(route: str, facts_of: "FactsOf") -> None:
    old = "pub trait Router: Send + Sync {\n    fn select(&self) -> usize;\n}\n"
    new = "#[derive(Debug)]\npub enum Router {\n    Even,\n    Odd,\n}\n"
    facts = await facts_of({"src/router.rs": old}, {"src/router.rs": new}, route)
    told = [(fact.kind, fact.severity, fact.old, fact.new) for fact in facts if fact.name == "Router"]
    assert (FactKind.SIGNATURE_CHANGED, Severity.BREAKING, "trait", "enum") in told
    assert FactKind.BASE_CHANGED not in {fact.kind for fact in facts}
