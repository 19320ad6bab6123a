"""What C, C++ and CUDA files declare."""

import pytest

from tools.diff.declaration_reader import language_of, read_declarations


def declared(path: str, text: str, *kinds: str) -> list[tuple[str, str, dict[str, str]]]:
    language = language_of(path)
    assert language
    every = read_declarations(text.encode(), language)
    return [
        (declaration.kind, declaration.path, dict(declaration.parts))
        for declaration in every
        if not kinds or declaration.kind in kinds
    ]


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


@pytest.mark.parametrize("path", ["a.c", "a.cpp", "a.cu"])
def test_a_fragment_from_the_middle_of_a_function_is_read(path: str) -> None:
    text = '  }\n  CHECK(n > 0, "n is zero");\n  return run(a, b);\n}\n\nint next(int n) { return n; }\nvoid half(int'
    assert declared(path, text, "error", "function") == [
        ("error", "CHECK", {"condition": "n > 0", "message": "n is zero"}),
        ("function", "next", {"returns": "int"}),
    ]


@pytest.mark.parametrize("path", ["a.hpp", "a.cu"])
def test_parameters_of_lambdas_and_of_functions_without_a_name_are_none(path: str) -> None:
    launch = "  auto launch = [&](auto kernel, int m = 3) { return kernel(m); };\n"
    function = f"int run(int n) {{\n{launch}  return launch(next, n);\n}}\n"
    assert declared(path, function, "parameter") == [("parameter", "run.n", {"type": "int"})]
    fragment = f"  total += 1;\n{launch}  return total;\n}}\n"
    assert declared(path, fragment, "parameter") == []
