"""Functions of C++ with one name and other parameters are others, and so are the specialisations of a template."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
HEADER = "include/acme/run.hpp"
CHANGES = (FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED, FactKind.SYMBOL_RENAMED)


def header(*declarations: str) -> dict[str, str]:
    """Write a header that declares these."""
    return {HEADER: "#pragma once\nnamespace acme {\n" + "\n".join(declarations) + "\n}\n"}


@ROUTES
async def test_an_overload_that_came_is_no_new_parameter_of_another(facts_of: "FactsOf", route: str) -> None:
    old = "void copy(Tensor const& src, Tensor& dst) { go(src, dst); }"
    new = "void copy(Async const& how, Mask const& mask, Tensor const& src, Tensor& dst) { go(how); }"
    (fact,) = await facts_of(header(old), header(old, new), route)
    assert (fact.kind, fact.detail, fact.severity) == (FactKind.SYMBOL_ADDED, "overload", Severity.ADDITIVE)


@ROUTES
async def test_nothing_is_renamed_to_a_name_that_was_there_and_stays(facts_of: "FactsOf", route: str) -> None:
    stays = "void copy_if(Mask const& mask, Tensor& dst) { go(mask); }"
    old = "void copy_vec(Tensor& dst) {\n  auto n = size(dst);\n  go(n);\n}"
    new = "void copy_if(Async const& how, Mask const& mask, Tensor& dst) {\n  auto n = size(dst);\n  go(n);\n}"
    facts = await facts_of(header(stays, old), header(stays, new), route)
    assert not [fact for fact in facts if fact.kind in CHANGES]
    (gone,) = [fact for fact in facts if fact.severity is Severity.BREAKING]
    assert (gone.kind, gone.name.removeprefix("acme.")) == (FactKind.SYMBOL_REMOVED, "copy_vec")


@ROUTES
async def test_an_overload_without_another_to_take_its_calls_is_gone(facts_of: "FactsOf", route: str) -> None:
    stays = "void fill(Tensor& dst, int value) { go(dst); }"
    old = "void fill(File& file, Path const& path, int value) { go(file); }"
    (fact,) = await facts_of(header(stays, old), header(stays), route)
    assert (fact.kind, fact.detail, fact.severity) == (FactKind.SYMBOL_REMOVED, "overload", Severity.BREAKING)


@ROUTES
async def test_an_overload_whose_calls_a_template_takes_is_not_missed(facts_of: "FactsOf", route: str) -> None:
    stays = "void fill(Tensor& dst, int value) { go(dst); }"
    old = "void fill(float* p) { go(p); }"
    new = "template <class Iterator>\nvoid fill(Iterator where) { go(where); }"
    facts = await facts_of(header(stays, old), header(stays, new), route)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]


@ROUTES
async def test_an_overload_that_takes_more_than_before_has_a_new_parameter(facts_of: "FactsOf", route: str) -> None:
    stays = "void fill(Tensor& dst) { go(dst); }"
    old, new = (f"void fill(File& file, Path const& path{more}) {{ go(file); }}" for more in ("", ", int n"))
    (fact,) = await facts_of(header(stays, old), header(stays, new), route)
    assert (fact.kind, fact.new) == (FactKind.PARAMETER_ADDED, "n: int")


@ROUTES
async def test_a_constructor_that_converts_is_an_overload(facts_of: "FactsOf", route: str) -> None:
    text = "template <class... T>\nstruct Coord {{\n  int rank;\n{}}};"
    new = "  Coord(tuple<T...> const& t) : rank(0) {}\n"
    old = new + "  template <class... U>\n  Coord(Coord<U...> const& u) : rank(1) {}\n"
    facts = await facts_of(header(text.format(old)), header(text.format(new)), route)
    assert not [fact for fact in facts if fact.kind in CHANGES]


@ROUTES
@pytest.mark.parametrize(
    ("definition", "name"),
    [
        ("template <class T>\nvoid swap(T& a, T& b) { T c = a; a = b; b = c; }", "swap"),
        ("template <class T, T V>\nstruct constant {\n  static T const value = V;\n};", "constant"),
    ],
)
async def test_what_is_taken_over_from_another_namespace_is_still_there(
    facts_of: "FactsOf", route: str, definition: str, name: str
) -> None:
    taken = f"using ::std::{name};"
    assert await facts_of(header("int keep();", definition), header("int keep();", taken), route) == []


async def test_what_is_defined_instead_of_taken_over_was_there_before(facts_of: "FactsOf") -> None:
    facts = await facts_of(header("using std::swap;"), header("void swap(int& a, int& b) { go(a, b); }"))
    assert facts == []


SIGMOID = "template <class T>\nstruct Sigmoid {\n  T run(T x) { return x; }\n};\n"


def special(arguments: str, inside: str) -> str:
    """Write a partial specialisation."""
    return f"template <class T, int N>\nstruct Sigmoid<{arguments}> {{\n  int run_all();\n{inside}}};\n"


@ROUTES
async def test_what_one_specialisation_has_the_template_does_not_lose(facts_of: "FactsOf", route: str) -> None:
    general, half = special("Array<T, N>", ""), special("Array<half_t, N>", "  using Half = half_t;\n")
    facts = await facts_of(header(SIGMOID, general, half), header(SIGMOID, general), route)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING or fact.name.endswith("Half")]


async def test_the_fields_of_a_new_specialisation_are_no_fields_of_the_others(facts_of: "FactsOf") -> None:
    old, new = special("Array<T, N>", ""), special("Vector<T, N>", "  struct Arguments {\n    int alpha = 0;\n  };\n")
    assert await facts_of(header(SIGMOID, old), header(SIGMOID, old, new)) == []


async def test_a_member_of_one_of_several_specialisations_is_named_with_the_arguments(facts_of: "FactsOf") -> None:
    other = special("Vector<T, N>", "")
    old, new = (special("Array<T, N>", f"  static constexpr int kStages = {stages};\n") for stages in (2, 3))
    (fact,) = await facts_of(header(SIGMOID, old, other), header(SIGMOID, new, other))
    assert (fact.kind, fact.name) == (FactKind.CONSTANT_CHANGED, "acme.Sigmoid<Array<T, N>>.kStages")


@ROUTES
async def test_what_branches_of_the_preprocessor_repeat_is_not_gone_where_one_stays(
    facts_of: "FactsOf", route: str
) -> None:
    twice = (
        "struct Converter {\n#if defined(ON_DEVICE)\n  __device__ static int convert(float x) { return a(x); }\n"
        "#else\n  static int convert(float x) { return b(x); }\n#endif\n};"
    )
    once = "struct Converter {\n  __host__ __device__ static int convert(float x) { return a(x); }\n};"
    facts = await facts_of(header(twice), header(once), route)
    assert FactKind.SYMBOL_REMOVED not in [fact.kind for fact in facts]


@ROUTES
async def test_a_field_whose_type_a_template_calls_otherwise_is_the_same(facts_of: "FactsOf", route: str) -> None:
    old, new = (f"template <typename {name}>\nstruct Pages {{\n  {name}* data;\n}};" for name in ("T", "DType"))
    assert await facts_of(header(old), header(new), route) == []


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("using Pick = Select<Arg_, Tile>;", "using Tag = Arg_;\n  using Pick = Select<Tag, Tile>;"),
        ("static constexpr int kAll = size(Mma{}) + kWarps;", "static constexpr int kAll = kMma * kGroups;"),
    ],
)
async def test_what_may_well_stand_for_the_same_has_not_changed(
    facts_of: "FactsOf", route: str, old: str, new: str
) -> None:
    before, after = (header(f"struct Kernel {{\n  int rows;\n  {text}\n}};") for text in (old, new))
    assert not [fact for fact in await facts_of(before, after, route) if fact.kind is FactKind.CONSTANT_CHANGED]


@ROUTES
async def test_a_function_that_is_there_under_a_new_condition_only_may_be_missed(
    facts_of: "FactsOf", route: str
) -> None:
    function = "inline float sum_all(float* values, int n) {\n  return go(values, n);\n}"
    guarded = f"#ifdef ENABLE_FP8\n{function}\n#endif"
    (fact,) = await facts_of(header("int keep();", function), header("int keep();", guarded), route)
    assert (fact.kind, fact.new, fact.severity) == (
        FactKind.SIGNATURE_CHANGED,
        "#ifdef ENABLE_FP8",
        Severity.BREAKING,
    )
    assert fact.name.removeprefix("acme.") == "sum_all"


@ROUTES
@pytest.mark.parametrize(
    "guarded", ["#ifdef __CUDACC__\n{0}\n#endif", "#ifdef ENABLE_FP8\n{0}\n#else\ninline int sum_all();\n#endif"]
)
async def test_a_condition_of_the_compiler_or_with_another_branch_takes_nothing_away(
    facts_of: "FactsOf", route: str, guarded: str
) -> None:
    function = "inline int sum_all() {\n  return go();\n}"
    facts = await facts_of(header("int keep();", function), header("int keep();", guarded.format(function)), route)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]


async def test_what_moved_to_a_header_that_the_old_one_includes_all_along_breaks_nobody(facts_of: "FactsOf") -> None:
    moving = "struct MaskOptions {\n  int left;\n  int right;\n};\n"
    far = "".join(f"int keep_{number}();\n" for number in range(12))
    there = "include/acme/mask.hpp"
    start = f'#pragma once\n#include "acme/mask.hpp"\n{far}'
    before = {HEADER: f"{start}{moving}", there: "#pragma once\nint stay();\n"}
    after = {HEADER: start, there: f"#pragma once\nint stay();\n{moving}"}
    (fact,) = await facts_of(before, after)
    assert (fact.kind, fact.severity) == (FactKind.SYMBOL_MOVED, Severity.BEHAVIOUR)


@ROUTES
async def test_what_a_build_sets_for_one_compiler_is_no_option(facts_of: "FactsOf", route: str) -> None:
    text = "project(acme)\nif(NVCC)\n  find_package(CUDA)\n{}endif()\n"
    new = 'elseif(CUDA_COMPILER MATCHES "[Cc]lang")\n  set(ACME_CLANG_DEVICE ON CACHE BOOL "compile with it")\n'
    facts = await facts_of({"CMakeLists.txt": text.format("")}, {"CMakeLists.txt": text.format(new)}, route)
    assert FactKind.CONFIG_ADDED not in [fact.kind for fact in facts]


@ROUTES
@pytest.mark.parametrize("mode", ["WARNING", "DEPRECATION"])
async def test_a_build_that_calls_a_setting_deprecated_deprecates_it(
    facts_of: "FactsOf", route: str, mode: str
) -> None:
    text = "project(acme)\n{}add_library(acme acme.cc)\n"
    new = f'if(ACME_USE_OLD)\n  message({mode} "ACME_USE_OLD is deprecated, use ACME_BACKEND.")\nendif()\n'
    facts = await facts_of({"CMakeLists.txt": text.format("")}, {"CMakeLists.txt": text.format(new)}, route)
    (fact,) = [fact for fact in facts if fact.kind is FactKind.DEPRECATED]
    assert (fact.name, fact.new) == ("ACME_USE_OLD", "ACME_USE_OLD is deprecated, use ACME_BACKEND.")


@ROUTES
async def test_a_friend_of_a_class_is_a_function_beside_it(facts_of: "FactsOf", route: str) -> None:
    friend = "struct Iterator {\n  int at;\n  friend int raw_cast(Iterator const& it) { return go(it); }\n};"
    beside = "struct Iterator {\n  int at;\n};\nint raw_cast(Iterator const& it) { return go(it); }"
    facts = await facts_of(header(friend), header(beside), route)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]


@ROUTES
async def test_a_template_with_several_specialisations_is_renamed_once(facts_of: "FactsOf", route: str) -> None:
    one = "template <class T>\nclass {{0}}<T, {0}> {{{{\n  int rows;\n}}}};\n"
    text = one.format("Row") + one.format("Column")
    facts = await facts_of(header(text.format("WarpIterator")), header(text.format("TileIterator")), route)
    assert {(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED} == {
        ("WarpIterator", "TileIterator")
    }


@ROUTES
async def test_a_function_that_joins_its_overloads_in_another_header_has_moved(facts_of: "FactsOf", route: str) -> None:
    moving = "int right_inverse(Swizzle const& swizzle) { return go(swizzle); }"
    there, stays = "include/acme/layout.hpp", "int right_inverse(Layout const& layout) { return stay(layout); }"
    one, other = header("int keep();", moving)[HEADER], header(stays)[HEADER]
    facts = await facts_of(
        {HEADER: one, there: other}, {**header("int keep();"), there: header(stays, moving)[HEADER]}, route
    )
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == [(FactKind.SYMBOL_MOVED, HEADER, there)]


@ROUTES
async def test_specialisations_of_a_template_of_another_file_break_nobody_when_they_go(
    facts_of: "FactsOf", route: str
) -> None:
    special = "template <class Iter>\nstruct is_smem<{0}<Iter>> : is_smem<Iter> {{}};\n"
    both = special.format("View") + special.format("ConstView")
    facts = await facts_of(header("int keep();", both), header("int keep();"), route)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]


@ROUTES
async def test_a_constructor_with_nearly_all_of_its_parameters_is_the_same_one(facts_of: "FactsOf", route: str) -> None:
    kept = "int rows, int cols, int depth, bool fast, float scale, bool paged"
    text = "struct Options {{\n  Options() = default;\n  Options({});\n  int size;\n}};"
    old, new = header(text.format(f"{kept}, bool shuffled")), header(text.format(f"int stages, {kept}, int sparse"))
    facts = [fact for fact in await facts_of(old, new, route) if fact.severity is Severity.BREAKING]
    assert {fact.name.rpartition(".")[2] for fact in facts} == {"Options"}
    assert not {fact.kind for fact in facts} & {FactKind.SYMBOL_ADDED, FactKind.SYMBOL_REMOVED}


async def test_an_alias_that_stands_for_the_same_by_another_name_was_renamed(facts_of: "FactsOf") -> None:
    text = "template <typename T>\nstruct Dtype {\n  using value = T;\n};\n"
    text += "template <>\nstruct Dtype<half> {\n  using value = half_t;\n};"
    (fact,) = await facts_of(header(text), header(text.replace("using value", "using type")))
    assert (fact.kind, fact.old, fact.new) == (FactKind.SYMBOL_RENAMED, "value", "type")
    assert (fact.severity, len(fact.places)) == (Severity.BREAKING, 2)


async def test_a_member_that_a_specialisation_lost_breaks_those_who_name_it(facts_of: "FactsOf") -> None:
    text = "template <typename T>\nstruct Dtype {\n};\n"
    text += "template <>\nstruct Dtype<half> {\n  using value = half_t;\n  int rows;\n};"
    (fact,) = await facts_of(header(text), header(text.replace("  using value = half_t;\n", "")))
    assert (fact.kind, fact.severity) == (FactKind.SYMBOL_REMOVED, Severity.BREAKING)


@ROUTES
@pytest.mark.parametrize(
    ("taken", "told"), [("const Rows&", []), ("Rows const &", []), ("Rows&", [FactKind.SIGNATURE_CHANGED])]
)
async def test_what_is_taken_by_a_reference_to_read_is_given_as_before(
    facts_of: "FactsOf", route: str, taken: str, told: list[FactKind]
) -> None:
    old, new = (header(f"int fold({kind} rows, int size);") for kind in ("Rows", taken))
    assert [fact.kind for fact in await facts_of(old, new, route)][:1] == told
