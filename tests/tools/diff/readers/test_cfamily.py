import pytest

from tools.diff.readers.cfamily import read
from tools.diff.reading import Param, Reading, Site, Source, Symbol


def whole(text: str, path: str = "include/a.cuh") -> Reading:
    return read(Source(path, text.encode(), digest=True))


def fragment(text: str, heading: str, path: str = "csrc/a.cu", first_line: int = 1) -> Reading:
    return read(Source(path, text.encode(), first_line, whole=False, heading=heading))


def named(reading: Reading, name: str) -> Symbol:
    (symbol,) = (symbol for symbol in reading.symbols if symbol.name == name)
    return symbol


def sites(reading: Reading, kind: str) -> list[tuple[str, str | None]]:
    return [(site.name, site.value) for site in reading.sites if site.kind == kind]


def test_an_enum_shows_its_members_with_their_values() -> None:
    reading = whole("namespace moe {\nenum class ActType : int {\n  SwiGlu = 0,  // first\n  GeGlu,\n};\n}\n")
    assert [(symbol.kind, symbol.name, symbol.value, symbol.start) for symbol in reading.symbols] == [
        ("enum", "moe.ActType", None, 2),
        ("member", "moe.ActType.SwiGlu", "0", 3),
        ("member", "moe.ActType.GeGlu", None, 4),
    ]
    assert named(reading, "moe.ActType").bases == ("int",)


def test_a_function_has_its_parameters_with_types_and_defaults() -> None:
    run = named(
        whole("template <typename T>\nvoid run(T const* x, int n = 8,\n         float (*f)(int)) {\n  work();\n}\n"),
        "run",
    )
    assert run.params == (Param("x", None, "T const*"), Param("n", "8", "int"), Param("f", None, "float (*)(int)"))
    assert (run.kind, run.returns, run.start, run.head, run.end) == ("function", "void", 1, 3, 5)


def test_overloads_are_kept_apart_and_template_arguments_are_no_part_of_a_name() -> None:
    reading = whole("void f(int a);\nvoid f(float a);\nvoid A<int>::g() {}\n")
    assert [symbol.name for symbol in reading.symbols] == ["f", "f", "A.g"]
    assert named(reading, "A.g").kind == "method"


def test_a_struct_shows_bases_fields_and_their_defaults() -> None:
    reading = whole(
        "struct alignas(16) Opts : public Base<int> {\n  bool shuffled{false};\n  float* p = nullptr;\n};\n"
    )
    assert named(reading, "Opts").bases == ("Base<int>",)
    assert [(s.kind, s.annotation, s.value) for s in reading.symbols[1:]] == [
        ("field", "bool", "{false}"),
        ("field", "float*", "nullptr"),
    ]


def test_what_is_hidden_is_not_public() -> None:
    reading = whole(
        "namespace { int a(); }\nnamespace detail { int b(); }\n"
        "class C { int c; public: int d; };\nstatic int e() { return 1; }\n",
        path="csrc/a.cu",
    )
    assert [(s.name, s.public) for s in reading.symbols if s.public] == [("C", True), ("C.d", True)]


def test_kernels_constants_and_types_are_symbols() -> None:
    reading = whole(
        "__global__ void __launch_bounds__(256) kern(const __grid_constant__ P p) {}\n"
        "constexpr int kMax = 22;\nusing V = int;\n#define WIDTH 32\n#define SQ(x) ((x) * (x))\n"
    )
    assert named(reading, "kern").decorators == ("__global__",)
    assert (named(reading, "kMax").kind, named(reading, "kMax").value) == ("constant", "22")
    assert (named(reading, "V").kind, named(reading, "WIDTH").kind, named(reading, "WIDTH").value) == (
        "type",
        "constant",
        "32",
    )
    assert (named(reading, "SQ").kind, named(reading, "SQ").params) == ("macro", (Param("x"),))


def test_an_include_guard_is_no_macro() -> None:
    assert whole("#ifndef A_H_\n#define A_H_\nint f();\n#endif\n").symbols[0].name == "f"


def test_macros_in_bodies_and_branches_with_open_braces_do_not_hide_the_rest_of_the_file() -> None:
    reading = whole(
        "CUTLASS_HOST_DEVICE int a() {\n  DISPATCH(x, T, [&] { return f<<<1, 2>>>(T); });\n}\n"
        "void b() {\n#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}\n#define OPEN {\nvoid c();\n"
    )
    assert [symbol.name for symbol in reading.symbols if symbol.kind == "function"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("check", "name", "bound"),
    [
        ('FLASHINFER_CHECK(topK <= 22, "at most 22")', "topK", "<= 22"),
        ("TVM_FFI_ICHECK_LE(args.top_k, 22)", "args.top_k", "<= 22"),
        ('static_assert(N <= 8, "n")', "N", "<= 8"),
        ("TORCH_CHECK(a && (0 < x->size(0)))", "x->size(0)", "> 0"),
        ("CHECK(data.mTopK <= topk::MaxNumTopK)", "data.mTopK", "<= topk::MaxNumTopK"),
        ('if (n > kMaxRank) { throw std::runtime_error("no"); }', "n", "> kMaxRank"),
        ("if (align % 8 != 0) return Status::kErrorMisalignedOperand", "align % 8", "!= 0"),
    ],
)
def test_a_check_shows_its_limit(check: str, name: str, bound: str) -> None:
    reading = whole(f"void A::run(int topK) {{\n  {check};\n}}\n")
    refused, compiled = check.startswith("if"), check.startswith("static_assert")
    assert [site for site in reading.sites if site.kind == "limit"] == [
        Site("limit", name, 2, 2, public=not compiled, value=bound, scope="A.run", rejects=refused)
    ]


def test_a_macro_that_throws_names_the_error_it_is_told_to_throw() -> None:
    reading = whole('void f() {\n  TVM_FFI_LOG_AND_THROW(NotImplementedError) << "no " << kind << " here";\n}\n')
    assert [(site.kind, site.name) for site in reading.sites] == [("error", "NotImplementedError")]


def test_a_variable_read_by_the_name_of_a_constant_is_found_at_the_constant() -> None:
    reading = whole(
        'constexpr char const* kReserved = "ACME_RESERVED";\n'
        'constexpr char const* kOther = "ACME_OTHER";\n'
        "int f() {\n  return atoi(std::getenv(kReserved));\n}\n"
    )
    assert [(site.name, site.start) for site in reading.sites if site.kind == "env"] == [("ACME_RESERVED", 1)]


def test_the_numbers_of_a_version_are_one_version() -> None:
    reading = whole("#define ACME_MAJOR 4\n#define ACME_MINOR 3\n#define ACME_PATCH 5\n#define ACME_OTHER 1\n")
    assert sites(reading, "version") == [("ACME", "4.3.5")]
    assert [symbol.name for symbol in reading.symbols] == ["ACME_OTHER"]


def test_a_macro_without_a_name_of_the_project_only_helps() -> None:
    text = "#define ACME_MAX 4\n#define FULL_MASK 0xff\n"
    reading = whole(text, "include/acme/warp.cuh")
    assert [(symbol.name, symbol.device) for symbol in reading.symbols] == [("ACME_MAX", False), ("FULL_MASK", True)]


def test_a_function_of_a_device_that_a_kernel_of_its_file_calls_serves_that_kernel() -> None:
    text = (
        "__device__ __forceinline__ void load(int* to) { *to = 1; }\n__device__ int offered(int n) { return n; }\n"
        "__host__ __device__ int both(int n) { return n; }\n"
        "__global__ void kernel(int* to) { load(to); *to = both(2); }\n"
    )
    assert {symbol.name: symbol.device for symbol in whole(text).symbols} == {
        "load": True,
        "offered": False,
        "both": False,
        "kernel": False,
    }


def test_helpers_in_a_namespace_for_them_are_not_public() -> None:
    text = "namespace acme {\nnamespace utils {\nint grid(int n) { return n; }\n}\nint run(int n) { return n; }\n}\n"
    assert {symbol.name: symbol.public for symbol in whole(text).symbols if symbol.kind == "function"} == {
        "acme.utils.grid": False,
        "acme.run": True,
    }


def test_a_number_named_in_a_comment_is_a_constant_and_a_switch_is_none() -> None:
    text = 'void f() { g(/*size=*/h(4, 2), /* deep= */ 64, /*on=*/true, /*off=*/0, x, "/*no=*/7"); }\n'
    assert sites(whole(text), "constant") == [("deep", "64"), ("size", "h(4, 2)")]


def test_a_message_is_an_error_where_the_program_ends_behind_it() -> None:
    text = (
        'int f() {\n  std::cerr << "only said" << n;\n  go();\n  fprintf(stderr, "bad %d", n);\n  exit(1);\n'
        '  std::cerr << "no use\\n";\n  return -1;\n}\n'
    )
    assert sites(whole(text), "error") == [("exit", "bad %d"), ("stderr", "no use\\n")]


def test_a_schema_in_several_literals_is_read_as_a_compiler_joins_them() -> None:
    reading = whole('TORCH_LIBRARY(o, m) {\n  m.def("mul(Tensor a, bool "\n        "inplace) -> Tensor");\n}\n')
    assert ("mul", "mul(Tensor a, bool inplace) -> Tensor") in sites(reading, "registration")


def test_a_condition_that_only_branches_is_no_limit() -> None:
    assert whole("void f(int n) {\n  if (n > 8) {\n    g();\n  }\n}\n").sites == ()
    assert sites(whole('void f(T t) { TORCH_CHECK(t.dtype() == kHalf, "half"); }\n'), "limit") == []


def test_an_error_shows_what_it_says() -> None:
    reading = whole(
        'void f() {\n  TVM_FFI_ICHECK(ok) << "bad " << x << " shape";\n  throw std::invalid_argument("no " + y);\n'
        '  std::ostringstream err;\n  err << "too deep";\n  FLASHINFER_ERROR(err.str());\n'
        "  CUDA_CHECK(cudaFree(p));\n}\n"
    )
    assert sites(reading, "error") == [
        ("TVM_FFI_ICHECK", "bad shape"),
        ("invalid_argument", "no"),
        ("FLASHINFER_ERROR", "too deep"),
    ]


def test_variables_flags_registrations_versions_and_deprecations_are_sites() -> None:
    reading = whole(
        '// getenv("NOT_ME")\n#define LIB_VERSION_MAJOR 4\n'
        'int f() { return std::getenv("LIB_ALGO") ? 1 : getEnvBool("LIB_FAST", true); }\n'
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, Run);\n"
        'TORCH_LIBRARY_FRAGMENT(ops, m) { m.def("mul(Tensor a) -> Tensor"); }\n'
        'DEFINE_int32(port, 80, "help");\nvoid g() { cmd.get_cmd_line_argument("m", m, 1024); }\n'
        '[[deprecated("use h")]] int old(int a);\n'
    )
    assert sites(reading, "env") == [("LIB_ALGO", None), ("LIB_FAST", "true")]
    assert sites(reading, "version") == [("LIB_VERSION_MAJOR", "4")]
    assert sites(reading, "registration") == [("run", "Run"), ("mul", "mul(Tensor a) -> Tensor"), ("ops", "m")]
    assert sites(reading, "flag") == [("--port", "80"), ("--m", "1024")]
    assert sites(reading, "deprecation") == [("old", "use h")]


def test_comments_and_layout_do_not_change_the_digest_but_strings_do() -> None:
    code = whole('int f(int a, int b) { return g("a b"); }\n').code
    assert whole('// new\nint f(int a,\n      int b) {\n  return g( "a b" ); /* x */\n}\n').code == code
    assert whole('int f(int a, int b) { return g("a  b"); }\n').code != code
    assert whole('intf(int a, int b) { return g("a b"); }\n').code != code


def test_a_renamed_function_keeps_its_shape_and_a_tiny_body_has_none() -> None:
    body = "{ if (n == 0) return 1; int x = n * NAME(n - 1); return x + 1; }"
    old = whole("int fact(int n) " + body.replace("NAME", "fact"))
    new = whole("int factorial(int n) " + body.replace("NAME", "factorial"))
    assert old.symbols[0].shape == new.symbols[0].shape != ""
    assert whole("int f() { return 1; }").symbols[0].shape == ""


def test_a_fragment_of_a_struct_shows_its_fields_with_their_lines() -> None:
    reading = fragment("  bool deep{false};\n  bool useShuffledMatrixA{false};\n\n", "struct Options {", first_line=75)
    assert [(symbol.name, symbol.start, symbol.value) for symbol in reading.symbols] == [
        ("Options.deep", 75, "{false}"),
        ("Options.useShuffledMatrixA", 76, "{false}"),
    ]


def test_a_fragment_of_an_enum_shows_its_members_and_what_follows() -> None:
    reading = fragment("  GeGlu,\n};\n\nstruct Next {\n  int a;\n", "enum class ActType {")
    assert [symbol.name for symbol in reading.symbols] == ["ActType.GeGlu", "Next", "Next.a"]


def test_a_fragment_of_a_body_declares_nothing_but_shows_its_checks() -> None:
    reading = fragment(
        "    auto x = make(a,\n             b);\n    int y = 5;\n"
        '    FLASHINFER_CHECK(topK <= 22, "must have topK <= 22");\n  }\n',
        "void Runner::run(void* logits, int32_t numTok",
        first_line=60,
    )
    assert reading.symbols == ()
    assert Site("limit", "topK", 63, 63, value="<= 22", scope="Runner.run") in reading.sites


def test_a_fragment_of_a_method_declares_no_fields_of_the_class() -> None:
    text = "      auto runner = std::make_unique<Runner>(\n          a, b);\n      int y = 5;\n"
    assert fragment(text, "class Launcher : public Base {").symbols == ()
    assert (
        fragment("    y_ = 5;\n    int z = 3;\n  }\n\n  int after;\n", "class Launcher {").symbols[0].name
        == "Launcher.after"
    )


def test_a_fragment_that_leaves_a_block_of_a_method_is_still_in_the_method() -> None:
    text = "    }\n    args->fast = true;\n    bool has = indices.ndim() == 2;\n    if (has) {\n"
    assert fragment(text, "class Launcher : public Base {").symbols == ()


def test_a_value_that_the_fragment_cuts_off_is_not_told() -> None:
    table = named(fragment("constexpr int kTable[] = {\n    1, 2,\n", "}"), "kTable")
    assert (table.kind, table.value) == ("constant", None)


def test_a_fragment_of_a_signature_shows_the_parameters_in_sight() -> None:
    run = named(fragment("                 int64_t gated_act_type) {\n  work();\n", "Tensor run(Tensor a,"), "run")
    assert run.params == (Param("gated_act_type", None, "int64_t"),)


def test_a_fragment_behind_the_end_of_a_namespace_is_read_on_its_own() -> None:
    reading = fragment(
        "}  // namespace Routing\n\nnamespace MoE {\nenum class Kind : int {\n  A = 0,\n};\n", "class Runner {"
    )
    assert [symbol.name for symbol in reading.symbols] == ["MoE.Kind", "MoE.Kind.A"]


def test_a_fragment_that_begins_in_a_comment_is_read_after_it() -> None:
    assert [s.name for s in fragment(" * struct Not { int a; };\n */\nint f();\n", "").symbols] == ["f"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"int a;\n" * 300_000, "bytes"),
        (b"int a;" * 4_000, "minified"),
        (b"int a\0;", "not text"),
        (b"int a(b, c);\n" * 45_000, "syntax nodes"),
        (b"a {\n" * 5_000, "braces"),
    ],
)
def test_what_is_too_much_is_a_problem_in_words(text: bytes, problem: str) -> None:
    reading = read(Source("a.cu", text))
    assert reading.symbols == ()
    assert problem in reading.problems[0]


@pytest.mark.parametrize(
    "text",
    [
        b"{\n" * 900,
        b"}\n" * 900,
        b"a b " * 20_000,
        b"= /a" * 2_000,
        b"// x\n" * 9_000,
        b"f(" * 4_000,
        b"((((" * 4_000,
        b"struct A {\n" * 900,
        b"namespace a {" * 900 + b"\n",
        b"#if A\n{\n#else\n" * 900,
        b"template <" * 1_500,
        b'"' * 9_999 + b"\n/*",
        b"\xff\xfe\x80 int \xe4 = 5;\r\n",
        b"#define \\\n" * 3_000,
        b"int f(" + b"a<" * 3_000,
        b"enum {",
        b"",
    ],
)
def test_hostile_text_neither_crashes_nor_hangs(text: bytes) -> None:
    for path in ("a.c", "a.cu"):
        read(Source(path, text))
        read(Source(path, text, 7, whole=False, heading="class A {"))
        read(Source(path, text, 7, whole=False, heading="void f(int a"))


def test_c_is_read_as_c() -> None:
    reading = whole("typedef struct {\n  int class;\n} node_t;\nstatic int hidden(void) { return 0; }\n", path="a.c")
    assert [(symbol.name, symbol.public) for symbol in reading.symbols] == [
        ("node_t", True),
        ("node_t.class", True),
        ("hidden", False),
    ]


def test_words_without_end_are_skipped_and_the_rest_is_read() -> None:
    reading = whole("int f();\n" + "a b " * 4_000 + ";\nint g();\n")
    assert [symbol.name for symbol in reading.symbols] == ["f", "g"]
    assert reading.problems == ("include/a.cuh: 16001 bytes without a declaration were not read",)


@pytest.mark.parametrize(
    ("declared", "name", "returns"),
    [
        (b"ACME_CALL const char * say(enum word w) { return 0; }\n", "say", "char"),
        (b"ACME_CALL static bool is_on(int a) { return a; }\n", "is_on", "bool"),
        (b"ACME_API ACME_CALL acme_stage_t first(void);\n", "first", "acme_stage_t"),
        (b"ACME_STAGE const * last(int a);\n", "last", "ACME_STAGE"),
        (b"ACME_STAGE const next(int a);\n", "next", "ACME_STAGE"),
    ],
)
def test_a_macro_before_a_function_is_not_what_it_returns(declared: bytes, name: str, returns: str) -> None:
    (symbol,) = read(Source("include/acme.h", declared)).symbols
    assert (symbol.name, symbol.returns) == (name, returns)


def test_a_macro_that_qualifies_a_pointer_is_not_the_parameters_name() -> None:
    run = named(whole("void run(int n, float * ACME_RESTRICT s, const void * ACME_RESTRICT v = nullptr);\n"), "run")
    assert run.params == (
        Param("n", None, "int"),
        Param("s", None, "float *"),
        Param("v", "nullptr", "const void *"),
    )


def test_a_field_is_shown_with_what_it_points_at() -> None:
    reading = whole("struct A {\n  int const* p;\n  const float* const q = nullptr;\n  const int n = 4;\n};\n")
    assert [symbol.annotation for symbol in reading.symbols[1:]] == ["int const*", "const float* const", "int"]


def test_members_of_a_class_without_a_name_are_those_of_its_object() -> None:
    reading = whole(
        "struct A {\n  struct { int fast; } mode;\n  union { int x; float y; };\n  enum { On } state;\n};\n"
    )
    assert [symbol.name for symbol in reading.symbols] == [
        "A",
        "A.mode",
        "A.mode.fast",
        "A.x",
        "A.y",
        "A.state",
        "A.On",
    ]


def test_a_function_whose_parameters_nobody_understands_is_a_function() -> None:
    head = "template <class A, class... Ts>\nACME_HOST_DEVICE constexpr\nauto\n"
    types = "Op, a_type, b_type, fix::C<M>, fix::C<N>, fix::value<Way::Up, a>, fix::value<Scale::In, b>"
    text = (
        f"namespace lib {{\n{head}to_tiles(Tiled<Atom<Traits<{types}>, Ts...>, Us...>) {{\n  return 1;\n}}\n\n"
        f"{head}to_tiles(Tiled<Atom<Op<A, M, N>, Ts...>, Us...>) {{\n  return 2;\n}}\nvoid other(int a, float b);\n}}\n"
    )
    assert {symbol.kind for symbol in whole(text).symbols if symbol.name == "lib.to_tiles"} == {"function"}


def test_a_macro_on_a_line_of_its_own_is_not_the_type_of_the_next_field() -> None:
    fields = "struct A {\n  int x;\n\n  ACME_TRACE_MEMBERS\n\n  Fast heads;\n};\n"
    reading = whole(f"{fields}enum B {{\n  ACME_ONE\n}};\nACME_TYPE\nrun(int a);\n")
    assert [(symbol.name, symbol.annotation) for symbol in reading.symbols] == [
        ("A", None),
        ("A.x", "int"),
        ("A.heads", "Fast"),
        ("B", None),
        ("B.ACME_ONE", None),
        ("run", None),
    ]
    assert named(reading, "run").returns == "ACME_TYPE"


@pytest.mark.parametrize(("code", "told"), [("0", []), ("EXIT_SUCCESS", []), ("1", [("exit", "built for %s")])])
def test_a_program_that_ends_well_refuses_nothing(code: str, told: list[tuple[str, str]]) -> None:
    text = f'void show() {{\n  fprintf(stderr, "built for %s", target());\n  exit({code});\n}}\n'
    assert sites(whole(text, "tools/show.cpp"), "error") == told
