"""What is written otherwise and the same to those who use it: checks, entries, inherited members, parts of kernels."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
CHECKED = "void run(Tensor x, int n) {{\n  {}\n  launch(x, n);\n}}\n"


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('TORCH_CHECK(x.is_cuda(), "x must be on a GPU");', 'STD_TORCH_CHECK(x.is_cuda(), "x must be on a GPU");'),
        ("TORCH_CHECK_EQ(x.dim(), n);", "STD_TORCH_CHECK(x.dim() == n);"),
        ("TORCH_CHECK_EQ(x.scalar_type(), c10::Long);", "STD_TORCH_CHECK(x.scalar_type() == torch::stable::Long);"),
        ("CUTLASS_CHECK(gemm.run());", "CUTLASS_CHECK(gemm.run(stream));"),
    ],
)
async def test_a_check_by_a_sister_macro_is_the_same_check(old: str, new: str, route: str, facts_of: "FactsOf") -> None:
    before, after = ({"csrc/ops.cpp": CHECKED.format(check)} for check in (old, new))
    facts = await facts_of(before, after, route)
    assert [fact for fact in facts if fact.kind.startswith("error-")] == []


@ROUTES
async def test_a_check_of_another_class_or_by_a_sister_in_other_words_has_changed(
    route: str, facts_of: "FactsOf"
) -> None:
    old = CHECKED.format('TORCH_CHECK(n <= 8, "n must be at most eight");')
    new = CHECKED.format('STD_TORCH_CHECK(n <= 9, "n must be at most nine");')
    (fact,) = [
        fact
        for fact in await facts_of({"csrc/ops.cpp": old}, {"csrc/ops.cpp": new}, route)
        if fact.kind is FactKind.ERROR_CHANGED
    ]
    assert (fact.old, fact.new) == ("n must be at most eight", "n must be at most nine")


@ROUTES
async def test_what_the_definition_of_a_macro_passes_on_is_no_message(route: str, facts_of: "FactsOf") -> None:
    old, new = (f"#define ACME_FAIL(cond, ...) \\\n  ACME_CHECK({word}, __VA_ARGS__)\n" for word in ("false", "cond"))
    facts = await facts_of({"include/acme/fail.h": old}, {"include/acme/fail.h": new}, route)
    assert [fact for fact in facts if fact.kind.startswith("error-")] == []


@ROUTES
async def test_a_check_is_not_gone_where_the_method_leaves_its_work_to_the_base(
    route: str, facts_of: "FactsOf"
) -> None:
    check = '        if not ready:\n            raise ValueError("the barrier must be a pointer to memory")\n'
    head = "from lib import Line as LineOg\n\n\nclass Line(LineOg):\n    def create(ready):\n"
    old = f"{head}{check}        return Line()\n"
    new = old.replace(check, "").replace("return Line()", "return LineOg.create(ready)")
    facts = await facts_of({"pkg/line.py": old}, {"pkg/line.py": new}, route)
    assert [fact for fact in facts if fact.kind.startswith("error-")] == []


@ROUTES
async def test_a_helper_that_is_called_refuses_in_words_of_its_own(route: str, facts_of: "FactsOf") -> None:
    old = "def run(x):\n    if not x:\n        raise ValueError('run needs a template, x has none')\n    go(x)\n"
    new = "from .words import encode_simple\n\n\ndef run(x):\n    encode_simple(x)\n    go(x)\n"
    helper = (
        "def encode_simple(x):\n    if not x:\n        raise ValueError('a template is missing, this x has none')\n"
    )
    facts = await facts_of(
        {"pkg/a.py": old, "pkg/words.py": "LEAST = 1\n"},
        {"pkg/a.py": new, "pkg/words.py": f"LEAST = 1\n\n\n{helper}"},
        route,
    )
    assert [fact for fact in facts if fact.kind is FactKind.ERROR_REMOVED] == []


@ROUTES
async def test_an_operator_that_another_file_still_registers_is_not_gone(route: str, facts_of: "FactsOf") -> None:
    entry = 'PYBIND11_MODULE(acme, m) {\n  m.def("merge", &Merge, "Merge");\n'
    old = {"csrc/aot_ops.cu": f"{entry}}}\n", "csrc/jit_ops.cu": f'{entry}  m.def("plan", &Plan);\n}}\n'}
    new = {"csrc/aot_ops.cu": None, "csrc/jit_ops.cu": f'{entry}  m.def("plan_all", &Plan);\n}}\n'}
    facts = await facts_of(old, new, route)
    assert "merge" not in [fact.name for fact in facts if fact.kind is FactKind.UNREGISTERED]


@ROUTES
async def test_a_fragment_belongs_to_a_library_that_is_there(route: str, facts_of: "FactsOf") -> None:
    new = 'int one() { return 1; }\nTORCH_LIBRARY_FRAGMENT(acme, m) {\n  m.def("mul(Tensor a) -> Tensor");\n}\n'
    facts = await facts_of({"csrc/ops.cpp": "int one() { return 1; }\n"}, {"csrc/ops.cpp": new}, route)
    assert [fact.name for fact in facts if fact.kind is FactKind.REGISTERED] == ["mul"]


async def test_a_field_that_a_class_had_from_its_base_is_not_new(facts_of: "FactsOf") -> None:
    base = "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n    rid: str = None\n\n\n"
    old = f"{base}@dataclass\nclass Ask(Base):\n    text: str = ''\n"
    new = f"{base}@dataclass\nclass Ask:\n    rid: str = None\n    text: str = ''\n    size: int = 1\n"
    facts = await facts_of({"pkg/ask.py": old}, {"pkg/ask.py": new}, "blobs")
    assert [fact.name for fact in facts if fact.kind is FactKind.FIELD_ADDED] == ["Ask.size"]


async def test_a_private_method_that_a_base_has_as_well_is_not_told_as_gone(facts_of: "FactsOf") -> None:
    base = "class Base:\n    def _name(self):\n        return 'base'\n"
    own = "from .base import Base\n\n\nclass Own(Base):\n    def size(self):\n        return 1\n"
    old = {"pkg/base.py": base, "pkg/own.py": f"{own}\n    def _name(self):\n        return 'own'\n"}
    new = {"pkg/base.py": f"{base}\n    def length(self):\n        return 2\n", "pkg/own.py": own}
    facts = await facts_of(old, new, "blobs")
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.SYMBOL_ADDED, "Base.length")]


COLLECTIVE = """namespace acme {{
struct CollectiveMma {{
  struct Arguments {{
    int {0}_count;
  }};
  struct LoadParams {{
    int {0}_tiles;
  }};
  void load({1}int k) {{
    go(k);
  }}
}};
}}
"""


@ROUTES
async def test_what_the_functions_of_a_collective_hand_each_other_breaks_nobody(
    route: str, facts_of: "FactsOf"
) -> None:
    path = "include/acme/collective/mma.hpp"
    old, new = COLLECTIVE.format("old", "int stage, "), COLLECTIVE.format("new", "")
    facts = await facts_of({path: old}, {path: new}, route)
    breaking = [fact.name for fact in facts if fact.severity is Severity.BREAKING]
    assert breaking == ["acme.CollectiveMma.Arguments.new_count"]


async def test_what_a_script_installs_at_whatever_version_the_package_does_not_ask_for(facts_of: "FactsOf") -> None:
    path = "docker/install/packages.sh"
    (fact,) = await facts_of(
        {path: "pip3 install numpy\n"}, {path: "pip3 install numpy\npip3 install click\n"}, "blobs"
    )
    assert (fact.kind, fact.name, fact.severity) == (FactKind.DEPENDENCY_ADDED, "click", Severity.INTERNAL)


async def test_a_line_of_another_language_in_a_setup_is_no_requirement(facts_of: "FactsOf") -> None:
    old = "lines = ['cxx = c++']\n"
    new = "lines = ['cxx = c++']\nlines += ['ninja_required_version = 1.3']\n"
    facts = await facts_of({"setup.py": old}, {"setup.py": new}, "blobs")
    assert [fact for fact in facts if fact.kind is FactKind.DEPENDENCY_ADDED] == []


@ROUTES
async def test_a_type_of_a_package_with_a_longer_name_is_the_same_type(route: str, facts_of: "FactsOf") -> None:
    old, new = (f"def width(kind) -> {name}.DataType:\n    return kind\n" for name in ("acme", "acme_cppgen"))
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [fact for fact in facts if fact.kind is FactKind.SIGNATURE_CHANGED] == []


@ROUTES
async def test_a_parameter_of_another_type_of_the_family_was_renamed(route: str, facts_of: "FactsOf") -> None:
    old = "def pick(params: TileSchedulerParams):\n    return params\n"
    new = "def pick(args: TileSchedulerArguments):\n    return args\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [fact.kind for fact in facts] == [FactKind.PARAMETER_RENAMED, FactKind.SIGNATURE_CHANGED]


@ROUTES
async def test_types_that_are_wrapped_alike_are_of_no_family(route: str, facts_of: "FactsOf") -> None:
    old = "def pick(block: dsl.ConstExpr[int] = 128):\n    return block\n"
    new = "def pick(shape_mn: dsl.ConstExpr[Pair] = (1, 2)):\n    return shape_mn\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [fact.kind for fact in facts if fact.kind is FactKind.PARAMETER_RENAMED] == []


@ROUTES
async def test_a_class_and_its_constructor_are_deprecated_once(route: str, facts_of: "FactsOf") -> None:
    old = 'class Divisor:\n    """Divide fast."""\n\n    def __init__(self, x):\n        self.x = x\n'
    new = (
        'class Divisor:\n    """Divide fast.\n\n    .. deprecated:: 2.0\n       Use DivisorV2 instead.\n    """\n\n'
        "    def __init__(self, x):\n        warnings.warn('Divisor is deprecated', DeprecationWarning)\n"
        "        self.x = x\n"
    )
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [fact.name for fact in facts if fact.kind is FactKind.DEPRECATED] == ["Divisor"]


async def test_a_script_that_looks_for_tests_is_no_test(facts_of: "FactsOf") -> None:
    facts = await facts_of({"tests/test_a.py": "A = 1\n"}, {"scripts/find_marked_tests.py": "print('none')\n"}, "blobs")
    assert [fact.detail for fact in facts if fact.kind is FactKind.FILE_ADDED] == ["script"]


@ROUTES
async def test_a_name_reached_by_a_longer_path_is_the_same_value(route: str, facts_of: "FactsOf") -> None:
    old = "LIMIT = Arch.fast_90\nKIND = 'pkg.fast'\n"
    new = "LIMIT = base.Arch.fast_90\nKIND = 'fast'\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [fact.name for fact in facts] == ["KIND"]


@ROUTES
async def test_the_space_before_a_literal_s_suffix_is_no_rename(route: str, facts_of: "FactsOf") -> None:
    text = "namespace lib {{\ninline int operator{}_kb(unsigned long long x) {{ return x; }}\n}}\n"
    before, after = {"include/lib.h": text.format(' "" ')}, {"include/lib.h": text.format('""')}
    assert [fact.kind for fact in await facts_of(before, after, route)] == [FactKind.ONLY_FORMATTING]
