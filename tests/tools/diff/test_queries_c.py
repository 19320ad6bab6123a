"""What C, C++ and CUDA files declare."""

import pytest

from tools.diff.declarations import language_of, read_declarations


def declared(path: str, text: str, *kinds: str) -> list[tuple[str, str, dict[str, str]]]:
    language = language_of(path)
    assert language
    every = read_declarations(text.encode(), language)
    return [(one.kind, one.path, dict(one.parts)) for one in every if not kinds or one.kind in kinds]


def test_a_c_header_declares_macros_records_enumerations_and_functions() -> None:
    text = """#ifndef A_H
#define A_H
#include <stdio.h>
#define LIMIT 8
typedef struct { char *name; } pen;
typedef enum { RED = 1 } colour;
static const int depth = 3;
struct node *find(struct tree *tree, int);
#endif
"""
    assert declared("a.c", text) == [
        ("import", "<stdio.h>", {}),
        ("constant", "LIMIT", {"value": "8"}),
        ("class", "pen", {}),
        ("field", "pen.name", {"type": "char *"}),
        ("enum", "colour", {}),
        ("member", "colour.RED", {"value": "1"}),
        ("constant", "depth", {"type": "int", "value": "3"}),
        ("function", "find", {"returns": "struct node *"}),
        ("parameter", "find.tree", {"type": "struct tree *"}),
    ]


@pytest.mark.parametrize("path", ["a.hpp", "a.cuh"])
def test_classes_have_bases_members_methods_and_templates(path: str) -> None:
    text = """namespace a::b {
template <typename T, int N = 4>
class K : public Base<T>, private Q {
 public:
  K(int size = 3);
  T operator[](int i) const { return data[i]; }
  static constexpr int kSize = 2;
  enum class Mode : int { fast = 1 };
  T* data = nullptr;
};
}
"""
    assert declared(path, text) == [
        ("namespace", "a::b", {}),
        ("class", "a::b.K", {"template": "<typename T, int N = 4>", "base": "Base<T>, Q"}),
        ("function", "a::b.K.K", {}),
        ("parameter", "a::b.K.K.size", {"type": "int", "default": "3"}),
        ("function", "a::b.K.operator[]", {"returns": "T"}),
        ("parameter", "a::b.K.operator[].i", {"type": "int"}),
        ("constant", "a::b.K.kSize", {"type": "int", "value": "2"}),
        ("enum", "a::b.K.Mode", {"base": "int"}),
        ("member", "a::b.K.Mode.fast", {"value": "1"}),
        ("field", "a::b.K.data", {"type": "T*", "value": "nullptr"}),
    ]


def test_a_method_outside_of_its_class_belongs_to_it_and_an_object_is_no_function() -> None:
    text = "int a::K::f(T * x) { dim3 grid(n, m * k); return 0; }\ntemplate <class T> T* K<T>::g() { return p; }\n"
    assert declared("a.cpp", text) == [
        ("function", "K.f", {"returns": "int"}),
        ("parameter", "K.f.x", {"type": "T *"}),
        ("function", "K<T>.g", {"template": "<class T>", "returns": "T*"}),
    ]


def test_kernels_are_functions() -> None:
    text = (
        "template <int N>\n__global__ void __launch_bounds__(256) add(const float* __restrict__ x, int n) { x[n]; }\n"
    )
    # The grammar of C++ takes the mark of a kernel for its type.
    assert declared("a.cu", text) == [
        ("function", "add", {"template": "<int N>", "returns": "void"}),
        ("parameter", "add.x", {"type": "const float*"}),
        ("parameter", "add.n", {"type": "int"}),
    ]


def test_refusals_have_words_and_conditions() -> None:
    text = """void f() {
  TORCH_CHECK(a == b, "sizes differ: ", a);
  CHECK_EQ(a, b) << "no";
  if (n < 0) { throw std::invalid_argument("n is negative"); }
}"""
    assert declared("a.cu", text, "error") == [
        ("error", "f.TORCH_CHECK", {"condition": "a == b", "message": "sizes differ:"}),
        ("error", "f.CHECK_EQ", {"condition": "a, b", "message": "no"}),
        ("error", "f.std::invalid_argument", {"condition": "n < 0", "message": "n is negative"}),
    ]


def test_variables_and_flags_have_defaults() -> None:
    text = """DEFINE_int32(port, 8080, "where to listen");
static cl::opt<int> Depth("depth", cl::desc("how deep"), cl::init(3));
void f() {
  auto b = ours::get_env<int>("B", 7);
  add_opt(common_arg({"-n", "--count"}, "N", "how many", set).set_env("COUNT"));
}
"""
    assert declared("a.cpp", text, "flag", "env") == [
        ("flag", "port", {"default": "8080", "help": "where to listen"}),
        ("flag", "depth", {"help": "how deep", "default": "3"}),
        ("env", "f.B", {"default": "7"}),
        ("env", "f.COUNT", {}),
        ("flag", "f.--count", {"help": "Nhow many"}),
    ]


def test_bindings_register_names_with_their_library() -> None:
    text = """TORCH_LIBRARY_FRAGMENT(ours, m) {
  m.def("scale(Tensor x) -> Tensor");
  m.impl("scale", torch::kCUDA, &scale);
}
PYBIND11_MODULE(ext, m) { py::class_<A>(m, "A").def("run", &A::run); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plan, Plan);"""
    assert declared("a.cc", text) == [
        ("registration", "scale", {"table": "ours"}),
        ("registration", "scale", {"value": "&scale", "table": "ours"}),
        ("registration", "A", {}),
        ("registration", "run", {"value": "&A::run", "table": "ext"}),
        ("registration", "plan", {"value": "Plan"}),
    ]


@pytest.mark.parametrize("path", ["a.c", "a.h", "a.cu"])
def test_deprecations_have_messages(path: str) -> None:
    text = '[[deprecated("use g")]] int f(void);\nint h(int a) __attribute__((deprecated("use i")));\n'
    assert declared(path, text, "deprecation") == [
        ("deprecation", "f.f", {"message": "use g"}),
        ("deprecation", "h.h", {"message": "use i"}),
    ]


@pytest.mark.parametrize("path", ["a.c", "a.cpp", "a.cu"])
def test_a_fragment_from_the_middle_of_a_function_is_read(path: str) -> None:
    text = '  }\n  CHECK(n > 0, "n is zero");\n  return run(a, b);\n}\n\nint next(int n) { return n; }\nvoid half(int'
    assert declared(path, text, "error", "function") == [
        ("error", "CHECK", {"condition": "n > 0", "message": "n is zero"}),
        ("function", "next", {"returns": "int"}),
    ]
