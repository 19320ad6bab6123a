"""Spellings, paths, heirs and parts of a machine are told for what they are, with the severity that follows."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
ASM = (
    'def {}(x, y):\n    return elementwise(\n        "{}.rn.f32 $0, $1, $2;",\n        "=f,f,f",\n'
    "        args=[x, y],\n        is_pure=True,\n    )\n"
)


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "kind", "severity"),
    [
        ('"--line-class"', '"--line", "--line-class"', FactKind.FLAG_ADDED, Severity.ADDITIVE),
        ('"--line-class"', '"--line-class", "--line"', FactKind.FLAG_ADDED, Severity.ADDITIVE),
        ('"--line", "--line-class"', '"--line-class"', FactKind.FLAG_REMOVED, Severity.BREAKING),
    ],
)
async def test_a_further_spelling_of_a_flag_renames_nothing(
    facts_of: "FactsOf", route: str, old: str, new: str, kind: FactKind, severity: Severity
) -> None:
    text = "def add_args(parser):\n    parser.add_argument(%s, type=str, default=None)\n"
    (fact,) = await facts_of({"pkg/args.py": text % old}, {"pkg/args.py": text % new}, route)
    assert (fact.kind, fact.severity, fact.name) == (kind, severity, "--line")


@pytest.mark.parametrize(
    ("made", "path"),
    [
        ('APIRouter(prefix="/v1/actions", tags=["a"])', "/v1/actions/run"),
        ('Blueprint("a", __name__, url_prefix="/v2")', "/v2/run"),
        ("APIRouter()", "/run"),
    ],
)
async def test_a_path_is_told_with_what_its_router_puts_before_it(facts_of: "FactsOf", made: str, path: str) -> None:
    old = f"from web import *\n\nrouter = {made}\n"
    new = f'{old}\n\n@router.post("/run")\ndef run():\n    return 1\n'
    facts = await facts_of({"pkg/api.py": old}, {"pkg/api.py": new})
    assert [fact.name for fact in facts if fact.kind is FactKind.ROUTE_ADDED] == [f"POST {path}"]


@ROUTES
async def test_what_a_web_framework_hands_to_a_handler_breaks_no_caller(facts_of: "FactsOf", route: str) -> None:
    text = '@app.get("/health")\nasync def health(%s):\n    return 1\n'
    facts = await facts_of({"pkg/api.py": text % ""}, {"pkg/api.py": text % "request: Request"}, route)
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.PARAMETER_ADDED, Severity.BEHAVIOUR)]


async def test_methods_of_what_walks_over_a_syntax_tree_are_internal(facts_of: "FactsOf") -> None:
    text = "import ast\n\n\nclass Rewriter(ast.NodeTransformer):\n    def make(self, node%s):\n        return node\n"
    (fact,) = await facts_of({"pkg/rewrite.py": text % ", args"}, {"pkg/rewrite.py": text % ""})
    assert (fact.kind, fact.severity) == (FactKind.PARAMETER_REMOVED, Severity.INTERNAL)


async def test_what_a_kernel_keeps_in_its_memory_is_internal(facts_of: "FactsOf") -> None:
    text = "#pragma once\nstruct %s {\n  int q;\n%s};\n"
    names = ("SharedStorageQ", "Options")
    for name, severity in zip(names, (Severity.INTERNAL, Severity.BREAKING), strict=True):
        path = f"include/acme/{name}.cuh"
        (fact,) = await facts_of({path: text % (name, "  int kpe;\n")}, {path: text % (name, "")})
        assert (fact.kind, fact.severity) == (FactKind.FIELD_REMOVED, severity)


async def test_of_helpers_that_are_nearly_alike_each_finds_its_own_heir(facts_of: "FactsOf") -> None:
    verbs = ("mul", "div", "sub")
    old = "".join(ASM.format(f"_{verb}_rn", verb) + "\n\n" for verb in verbs)
    new = "".join(ASM.format(f"{verb}_rn_f32", verb) + "\n\n" for verb in verbs)
    facts = await facts_of({"pkg/a.py": f"{old}X = 1\n"}, {"pkg/a.py": "X = 1\n", "pkg/numbers.py": f"{new}Y = 2\n"})
    renamed = {(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED}
    assert renamed == {(f"_{verb}_rn", f"{verb}_rn_f32") for verb in verbs}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("_round_to_half(value)", "round_to_half(value)"),
        ("atlas_norm_scale(x: T, w: T, eps: float)", "norm_scale(x: T, w: T, eps: float)"),
    ],
)
async def test_a_name_with_a_word_less_in_a_new_file_is_the_same_function(
    facts_of: "FactsOf", old: str, new: str
) -> None:
    body = "    return launch(%d)\n"
    facts = await facts_of(
        {"pkg/a.py": f"def {old}:\n{body % 1}\n\nX = 1\n"},
        {"pkg/a.py": "X = 1\n", "pkg/norms.py": f"def {new}:\n    y = 3\n{body % 2}"},
    )
    gone = [fact for fact in facts if fact.kind in (FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_RENAMED)]
    names = (old.partition("(")[0], new.partition("(")[0])
    assert [(fact.kind, fact.old, fact.new) for fact in gone] == [(FactKind.SYMBOL_RENAMED, *names)]


async def test_what_a_new_file_declares_under_a_condition_has_moved_there(facts_of: "FactsOf") -> None:
    body = "        total = size + 1\n        return total * size\n"
    held = f"if is_hip:\n\n    def decode_on_hip(size):\n{body}"
    facts = await facts_of(
        {"pkg/a.py": f"X = 1\n\n{held}"}, {"pkg/a.py": "X = 1\n", "pkg/hip.py": f"import os\n\n{held}"}
    )
    moved = [(fact.kind, fact.new) for fact in facts if fact.name == "decode_on_hip"]
    assert moved == [(FactKind.SYMBOL_MOVED, "pkg/hip.py")]


@ROUTES
async def test_the_same_check_of_another_thing_is_another_check(facts_of: "FactsOf", route: str) -> None:
    text = (
        'def plan(*, {0}):\n    if {0}.dtype != "int32":\n        raise ValueError("{0} must be int32")\n    return 1\n'
    )
    old, new = text.format("seq_lens"), text.format("block_starts")
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert {FactKind.ERROR_REMOVED, FactKind.ERROR_ADDED} <= {fact.kind for fact in facts}


@ROUTES
async def test_a_list_does_not_become_a_count(facts_of: "FactsOf", route: str) -> None:
    text = "def select(pred, %s):\n    return pred\n"
    facts = await facts_of(
        {"pkg/a.py": text % "write_args, yield_args"}, {"pkg/a.py": text % "write_args, args_count"}, route
    )
    assert {(fact.kind, fact.detail) for fact in facts} == {
        (FactKind.PARAMETER_REMOVED, "yield_args"),
        (FactKind.PARAMETER_ADDED, "args_count"),
    }


async def test_what_a_recipe_only_looks_for_is_no_dependency(facts_of: "FactsOf") -> None:
    old = "FROM ubuntu:22.04\nRUN pip install torch==2.9.0\n"
    new = f"{old}RUN test \"$(grep -Fxc 'numpy<=2.2.6' req.txt)\" = 1 && pip install 'scipy<=1.2.3'\n"
    facts = await facts_of({"docker/Dockerfile": old}, {"docker/Dockerfile": new})
    assert [fact.name for fact in facts if fact.kind is FactKind.DEPENDENCY_ADDED] == ["scipy"]


async def test_a_module_that_its_package_no_longer_imports_is_still_there(facts_of: "FactsOf") -> None:
    text = "from . import cuda\n%s\n__all__ = ['cuda'%s]\n"
    old = {
        "pkg/rt/__init__.py": text % ("from . import tensors\n", ", 'tensors'"),
        "pkg/rt/tensors.py": "A = 1\n",
        "pkg/rt/cuda.py": "B = 1\n",
    }
    facts = await facts_of(old, {"pkg/rt/__init__.py": text % ("", "")})
    assert not [fact for fact in facts if fact.kind is FactKind.SYMBOL_REMOVED]


@ROUTES
async def test_what_a_variant_of_an_enumeration_carries_is_told(facts_of: "FactsOf", route: str) -> None:
    text = "pub enum Finish {\n    Stop,\n    Repetition%s,\n}\n"
    facts = await facts_of({"src/lib.rs": text % ""}, {"src/lib.rs": text % "(Option<Reason>)"}, route)
    assert [(fact.kind, fact.severity, fact.new) for fact in facts] == [
        (FactKind.MEMBER_CHANGED, Severity.BREAKING, "(Option<Reason>)")
    ]


@ROUTES
async def test_what_is_registered_by_a_record_has_the_record_s_name(facts_of: "FactsOf", route: str) -> None:
    old = "from .registry import KernelSpec, register_kernel\n\n"
    new = f'{old}register_kernel(KernelSpec(op="moe.pack", target="pkg.moe:pack"))\n'
    facts = await facts_of({"pkg/__init__.py": old}, {"pkg/__init__.py": new}, route)
    assert [fact.name for fact in facts if fact.kind is FactKind.REGISTERED] == ["moe.pack"]


@pytest.mark.parametrize(("path", "is_public"), [("pkg/testing/timing.py", True), ("testing/timing.py", False)])
async def test_a_package_ships_its_own_tools_for_testing(facts_of: "FactsOf", path: str, is_public: bool) -> None:
    text = "def time_it(fn%s):\n    return fn\n"
    facts = await facts_of({path: text % ", flush=True"}, {path: text % ""})
    assert [fact.kind for fact in facts] == [FactKind.PARAMETER_REMOVED if is_public else FactKind.ONLY_TESTS]


async def test_code_for_one_device_is_no_setting(facts_of: "FactsOf") -> None:
    code = "def quantise(x):\n    return x\n" * 3
    facts = await facts_of(
        {"pkg/a/fp8_amd_gfx95.py": code}, {"pkg/a/fp8_amd_gfx95.py": None, "pkg/b/fp8_amd_gfx95.py": code}
    )
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.FILE_RENAMED, Severity.BREAKING)]


async def test_a_readme_and_a_docstring_are_comments_and_documents(facts_of: "FactsOf") -> None:
    text = 'def run(x):\n    """Run %s."""\n    return x\n'
    facts = await facts_of(
        {"README.md": "a\n", "pkg/a.py": text % "it"}, {"README.md": "b\n", "pkg/a.py": text % "them all"}
    )
    assert [(fact.kind, fact.detail) for fact in facts] == [(FactKind.ONLY_COMMENTS, "and documents")]


@ROUTES
async def test_a_default_that_only_the_announcement_of_a_class_has_is_told(facts_of: "FactsOf", route: str) -> None:
    text = (
        "#pragma once\ntemplate <typename A, Algo algo = Algo::k%s>\nstruct Conv;\n\n"
        "template <typename A, Algo algo>\nstruct Conv {\n  using T = A;\n};\n"
    )
    path = "include/acme/conv.h"
    (fact,) = await facts_of({path: text % "Slow"}, {path: text % "Fast"}, route)
    assert (fact.kind, fact.detail, fact.name) == (FactKind.SIGNATURE_CHANGED, "template", "Conv")


@ROUTES
async def test_what_is_only_announced_neither_comes_nor_goes(facts_of: "FactsOf", route: str) -> None:
    text = "#pragma once\n%sint plan(int n);\n"
    announced = "template <typename A, int stages = 2>\nstruct Conv;\n"
    path = "include/acme/conv.h"
    assert await facts_of({path: text % announced}, {path: text % ""}, route) == []


@ROUTES
async def test_a_registered_name_with_a_letter_less_was_renamed(facts_of: "FactsOf", route: str) -> None:
    text = 'int go();\nTVM_REGISTER_GLOBAL("acme.%s").set_body_typed(go);\n'
    path = "src/wrapper.cu"
    facts = await facts_of({path: text % "batch_qkv_rotary"}, {path: text % "batch_qk_rotary"}, route)
    assert [(fact.kind, fact.severity, fact.old, fact.new) for fact in facts] == [
        (FactKind.SYMBOL_RENAMED, Severity.BREAKING, "acme.batch_qkv_rotary", "acme.batch_qk_rotary")
    ]


@ROUTES
async def test_a_docstring_and_a_warning_deprecate_a_thing_once(facts_of: "FactsOf", route: str) -> None:
    old = 'import warnings\n\n\ndef bench(fn, flush=None):\n    """Time it."""\n    return fn\n'
    new = old.replace(
        'it."""', 'it.\n\n    .. deprecated::\n        ``flush`` is deprecated, use cold.\n    """'
    ).replace("    return", '    warnings.warn("flush is deprecated. Use cold.", DeprecationWarning)\n    return')
    facts = await facts_of({"pkg/bench_it.py": old}, {"pkg/bench_it.py": new}, route)
    assert [fact.name for fact in facts if fact.kind is FactKind.DEPRECATED] == ["bench"]


@ROUTES
async def test_an_argument_of_a_template_by_another_name_is_checked_as_before(facts_of: "FactsOf", route: str) -> None:
    checks = "".join(f"  static_assert({{0}} * {n} % 2 == 0);\n" for n in (4, 2))
    text = f"template <int {{0}}>\nvoid produce() {{{{\n{checks}}}}}\n"
    old, new = text.format("NUM_FRAGS_KV"), text.format("NUM_MMA_KV")
    facts = await facts_of({"include/acme/p.cuh": old}, {"include/acme/p.cuh": new}, route)
    pairs = {(fact.old, fact.new) for fact in facts if fact.kind is FactKind.ERROR_CHANGED}
    assert pairs == {(f"NUM_FRAGS_KV * {n} % 2 == 0", f"NUM_MMA_KV * {n} % 2 == 0") for n in (4, 2)}


@ROUTES
@pytest.mark.parametrize("check", ['torch.version.cuda >= "{}"', 'Version(torch.__version__) >= Version("{}")'])
async def test_a_version_that_code_compares_with_is_a_limit(facts_of: "FactsOf", route: str, check: str) -> None:
    text = f"def is_supported(device):\n    return device.major == 10 and {check}\n"
    old, new = text.format("12.9"), text.format("12.8")
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [(fact.kind, fact.detail, fact.old, fact.new) for fact in facts] == [
        (FactKind.LIMIT_CHANGED, "is_supported", '>= "12.9"', '>= "12.8"')
    ]


@ROUTES
async def test_an_upper_bound_does_not_take_the_place_of_a_lower_one(facts_of: "FactsOf", route: str) -> None:
    text = 'void run(int experts) {\n%s  CHECK(experts <= %s, "too many experts");\n}\n'
    before = text % ('  CHECK(experts >= kTop, "too few experts");\n', "kOld")
    facts = await facts_of({"src/run.cc": before}, {"src/run.cc": text % ("", "kNew")}, route)
    limits = [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.LIMIT_CHANGED]
    assert limits == [("<= kOld", "<= kNew")]


@ROUTES
async def test_a_field_without_default_of_a_struct_has_to_be_given(route: str, facts_of: "FactsOf") -> None:
    old = "class Base(msgspec.Struct, kw_only=True):\n    rid: str\n\n\nclass Out(Base, kw_only=True):\n    x: str\n"
    new = f"{old}    mask: list[int] | None\n    extra: int = 0\n"
    facts = await facts_of({"pkg/io.py": old}, {"pkg/io.py": new}, route)
    told = {fact.name.rpartition(".")[2]: fact.severity for fact in facts if fact.kind is FactKind.FIELD_ADDED}
    assert told == {"mask": Severity.BREAKING, "extra": Severity.ADDITIVE}


async def test_a_field_of_what_inherits_from_a_model_of_the_file_has_to_be_given(facts_of: "FactsOf") -> None:
    old = "class Base(BaseModel):\n    rid: str\n\n\nclass Output(Base):\n    text: str\n"
    facts = await facts_of({"pkg/io.py": old}, {"pkg/io.py": f"{old}    mask: list[int]\n"})
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.FIELD_ADDED, Severity.BREAKING)]


async def test_a_helper_that_git_prints_above_a_hunk_may_have_ended_before_it(facts_of: "FactsOf") -> None:
    filler = "".join(f"        self.a{n} = {n}\n" for n in range(12))
    helper = "        def has_blocks():\n            return True\n\n"
    text = f"class Config:\n    def check(self):\n{helper}{{}}        if self.fast:\n{{}}"
    old = text.format(filler, "            self.b = 1\n")
    new = text.format(filler, "            if self.size > 4:\n                raise ValueError('fast needs few')\n")
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, "hunks")
    assert (fact.kind, fact.detail) == (FactKind.ERROR_ADDED, None)


@ROUTES
async def test_what_a_decorator_says_to_be_supported_is_told_of_private_functions_too(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "@supported_capability([{}])\ndef _check_{}(a):\n    return a\n"
    before, after = ("".join(text.format(has, name) for name in "xy") for has in ("90, 100", "90, 100, 120"))
    facts = await facts_of({"pkg/gemm.py": before}, {"pkg/gemm.py": after}, route)
    assert [(fact.kind, fact.severity, fact.new) for fact in facts] == [
        (FactKind.SIGNATURE_CHANGED, Severity.BEHAVIOUR, "supported_capability([90, 100, 120])")
    ]
    other = before.replace("supported_capability", "traced")
    facts = await facts_of({"pkg/gemm.py": other}, {"pkg/gemm.py": other.replace("100", "110")}, route)
    assert {fact.severity for fact in facts} == {Severity.INTERNAL}


@ROUTES
async def test_what_a_kernel_calls_of_itself_is_its_own_business(route: str, facts_of: "FactsOf") -> None:
    text = (
        "class Attention:\n    @cute.kernel\n    def kernel(self, a: cute.Tensor):\n        self.mma(a)\n\n"
        "    @cute.jit\n    def mma(self, a: cute.Tensor, scale: Float32):\n        return a\n\n"
        "    @cute.jit\n    def __call__(self, a: cute.Tensor, b: cute.Tensor):\n        return self.kernel(a)\n"
    )
    (inner,) = await facts_of({"pkg/a.py": text}, {"pkg/a.py": text.replace(", scale: Float32", "")}, route)
    (outer,) = await facts_of({"pkg/b.py": text}, {"pkg/b.py": text.replace(", b: cute.Tensor", "")}, route)
    assert (inner.kind, inner.severity) == (FactKind.PARAMETER_REMOVED, Severity.INTERNAL)
    assert (outer.kind, outer.severity) == (FactKind.PARAMETER_REMOVED, Severity.BREAKING)
