"""What users would not notice is not told as news to them, and what they would is not hidden behind it."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


async def test_a_commit_of_tests_and_workflows_is_told_as_upkeep(facts_of: "FactsOf") -> None:
    before = {"tests/test_a.py": "a = 1\n", ".github/workflows/ci.yml": "on: push\n", "scripts/run_tests.sh": "true\n"}
    after = {name: f"{text}# x\n" for name, text in before.items()}
    only = [fact for fact in await facts_of(before, after) if fact.kind is FactKind.ONLY_UPKEEP]
    assert [(fact.severity, fact.detail) for fact in only] == [(Severity.INTERNAL, "tests, CI, scripts")]


async def test_a_commit_that_touches_source_beside_tests_is_no_upkeep(facts_of: "FactsOf") -> None:
    before = {"tests/test_a.py": "a = 1\n", "pkg/a.py": "def run():\n    return 1\n"}
    after = {"tests/test_a.py": "a = 2\n", "pkg/a.py": "def run():\n    return 2\n"}
    assert not [fact for fact in await facts_of(before, after) if fact.kind is FactKind.ONLY_UPKEEP]


async def test_prose_for_coding_assistants_beside_documents_is_only_documents(facts_of: "FactsOf") -> None:
    before = {".claude/skills/a/page.jsx.tmpl": "a\n", "docs/a.md": "a\n"}
    after = {".claude/skills/a/page.jsx.tmpl": "b\n", "docs/a.md": "b\n"}
    assert [fact.kind for fact in await facts_of(before, after)] == [FactKind.ONLY_DOCS]


@ROUTES
async def test_a_parameter_that_is_taken_apart_keeps_its_place_when_a_neighbour_goes(
    route: str, facts_of: "FactsOf"
) -> None:
    old = "pub fn stream(\n    log: bool,\n    Options { usage, echo: _ }: Options,\n) -> u32 {\n    1\n}\n"
    new = (
        "pub fn stream(\n    Server { log }: Server,\n    Options { usage, echo: _ }: Options,\n) -> u32 {\n    1\n}\n"
    )
    facts = await facts_of({"src/lib.rs": old}, {"src/lib.rs": new}, route)
    assert not [fact for fact in facts if "Options" in f"{fact.old} {fact.new}" and "echo" in f"{fact.old} {fact.new}"]


@ROUTES
async def test_a_parameter_that_is_given_a_name_in_c_is_no_news(route: str, facts_of: "FactsOf") -> None:
    old = "struct Runner {\n  void run(Params const&);\n};\n"
    new = "struct Runner {\n  void run(Params const& params) { go(params); }\n};\n"
    assert await facts_of({"include/a/run.h": old}, {"include/a/run.h": new}, route) == []


@ROUTES
async def test_a_type_by_a_shorter_path_is_the_same_type(route: str, facts_of: "FactsOf") -> None:
    old = "def load(kv: cutlass.pipeline.Async, q: dict[str, x.T]):\n    return kv\n"
    new = "def load(kv: pipeline.Async, q: dict[str, x.T]):\n    return kv\n"
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_a_type_of_the_same_name_in_another_module_is_another_type(route: str, facts_of: "FactsOf") -> None:
    old, new = "def load(kv: numpy.Tensor):\n    return kv\n", "def load(kv: torch.Tensor):\n    return kv\n"
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert (fact.kind, fact.new) == (FactKind.SIGNATURE_CHANGED, "kv: torch.Tensor")


def raising(message: str, name: str = "plan", rest: str = "") -> str:
    """Write a function that refuses something in these words."""
    return f"def {name}(n, args):\n    if n > 8:\n        raise ValueError({message}){rest}\n    return n\n"


@ROUTES
async def test_a_message_that_says_more_now_has_changed_and_did_not_come(route: str, facts_of: "FactsOf") -> None:
    old, new = raising('"n is larger than what fits"'), raising('"n is larger than what fits. Ask for less of it"')
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert (fact.kind, fact.old) == (FactKind.ERROR_CHANGED, "n is larger than what fits")


@ROUTES
async def test_a_long_message_that_gets_at_its_values_otherwise_is_the_same(route: str, facts_of: "FactsOf") -> None:
    words = "there is not enough memory for what was asked " * 4
    old = raising(f'f"{words}n={{args.server.n}} {words}"')
    new = raising(f'f"{words}n={{get_schedule().n}} {words}"')
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_an_assertion_that_gets_at_its_value_otherwise_is_the_same(route: str, facts_of: "FactsOf") -> None:
    old = "def plan(n):\n    assert get_args().experts == 0\n    return n\n"
    new = "def plan(n):\n    assert get_exec().moe.experts == 0\n    return n\n"
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_an_assertion_that_lets_another_case_through_has_changed(route: str, facts_of: "FactsOf") -> None:
    old = "def plan(state):\n    assert state.is_cuda\n    return state\n"
    new = "def plan(state):\n    assert state.is_cuda or state.is_xpu\n    return state\n"
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert fact.kind is FactKind.ERROR_CHANGED


@ROUTES
async def test_the_signature_of_a_binding_is_not_shown_for_the_python_function(route: str, facts_of: "FactsOf") -> None:
    before = {"pkg/__init__.py": "import os\n", "csrc/ops.h": "#pragma once\n"}
    header = "#pragma once\nvoid silu_and_mul(Tensor& out, Tensor& input);\n"
    body = "def silu_and_mul(input, out=None):\n    return out\n"
    after = {"pkg/__init__.py": "import os\nfrom .act import silu_and_mul\n", "csrc/ops.h": header, "pkg/act.py": body}
    facts = await facts_of(before, after, route)
    (fact,) = [one for one in facts if one.name == "silu_and_mul" and one.severity is Severity.ADDITIVE]
    assert "Tensor" not in (fact.new or "")


@ROUTES
async def test_a_name_that_stays_as_an_alias_is_still_registered(route: str, facts_of: "FactsOf") -> None:
    old = '@register_kernel("deep_mega")\nclass Deep:\n    pass\n'
    new = '@register_kernel("sm100_deep", deprecated_aliases=("deep_mega",))\nclass Deep:\n    pass\n'
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert FactKind.UNREGISTERED not in [fact.kind for fact in facts]


@ROUTES
async def test_a_package_that_gives_on_what_was_renamed_is_no_second_alarm(route: str, facts_of: "FactsOf") -> None:
    body = (
        "class {}:\n    rows: int = 1\n    cols: int = 2\n\n    def area(self):\n        return self.rows * self.cols\n"
    )
    before = {"pkg/config.py": body.format("MegaConfig"), "pkg/__init__.py": "from .config import MegaConfig\n"}
    after = {"pkg/config.py": body.format("Sm90Config"), "pkg/__init__.py": "from .config import Sm90Config\n"}
    assert [fact.kind for fact in await facts_of(before, after, route)] == [FactKind.SYMBOL_RENAMED]


@ROUTES
async def test_a_constant_that_went_into_a_class_is_not_gone(route: str, facts_of: "FactsOf") -> None:
    old = "namespace ns {\nconstexpr int kBlock = 128;\n}\n"
    new = "namespace ns {\nstruct Config {\n  static constexpr int kBlock = 128;\n};\n}\n"
    facts = await facts_of({"include/a/k.h": old}, {"include/a/k.h": new}, route)
    assert FactKind.SYMBOL_REMOVED not in [fact.kind for fact in facts]
    assert [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED] == [
        ("ns.kBlock", "ns.Config.kBlock")
    ]


async def test_a_file_that_was_laid_out_anew_in_another_folder_has_moved(facts_of: "FactsOf") -> None:
    lines = [f"int f{n}(int a, int b) {{ return a + b * {n}; }}" for n in range(20)]
    spread = "\n".join(line.replace("{ ", "{\n    ").replace("; }", ";\n}") for line in lines)
    after = {"src/render/a.cpp": None, "src/ext/a.cpp": spread + "\n"}
    facts = await facts_of({"src/render/a.cpp": "\n".join(lines) + "\n"}, after)
    assert [(fact.kind, fact.old) for fact in facts] == [(FactKind.FILE_RENAMED, "src/render/a.cpp")]


async def test_empty_modules_that_git_pairs_are_no_news(facts_of: "FactsOf") -> None:
    before = {"pkg/a/__init__.py": "", "pkg/b/__init__.py": "", "pkg/run.py": "def run():\n    return 1\n"}
    after = {"pkg/a/__init__.py": None, "pkg/b/__init__.py": None, "pkg/c/__init__.py": ""}
    facts = await facts_of(before, after)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]


async def test_what_new_files_have_of_a_removed_one_is_not_told_as_gone(facts_of: "FactsOf") -> None:
    old = "".join(f"def {name}_step(q):\n    return q\n\n\n" for name in ("decode", "prefill", "gone"))
    new = {f"pkg/{name}.py": f"def {name}_step(q):\n    return q\n" for name in ("decode", "prefill")}
    facts = await facts_of({"pkg/ops.py": old}, {"pkg/ops.py": None, **new})
    (fact,) = [one for one in facts if one.kind is FactKind.FILE_REMOVED]
    assert (fact.old, fact.new) == ("gone_step", "pkg/decode.py, pkg/prefill.py")


async def test_a_method_of_a_class_in_a_new_file_is_compared_with_the_old_one(facts_of: "FactsOf") -> None:
    old = "class DecodeWrapper:\n    def begin(self, a, b):\n        return a\n\n\ndef other():\n    return 1\n"
    new = "class DecodeWrapper:\n    def begin(self, a, b, dtype):\n        return a\n"
    facts = await facts_of({"pkg/ops.py": old}, {"pkg/ops.py": None, "pkg/decode.py": new})
    (fact,) = [one for one in facts if one.kind is FactKind.PARAMETER_ADDED]
    assert (fact.name, fact.detail, fact.severity) == ("DecodeWrapper.begin", "dtype", Severity.BREAKING)
    assert fact.places[0].file == "pkg/decode.py"


@ROUTES
async def test_a_function_that_moved_between_files_with_another_parameter_has_moved(
    route: str, facts_of: "FactsOf"
) -> None:
    keep = "def keep():\n    return 1\n"
    before = {"pkg/a.py": f"{keep}\n\ndef resolve_capacity(n):\n    return n + 1\n", "pkg/b.py": keep}
    after = {"pkg/a.py": keep, "pkg/b.py": f"{keep}\n\ndef resolve_capacity(n, limit):\n    return min(n, limit)\n"}
    kinds = {fact.kind for fact in await facts_of(before, after, route)}
    assert kinds == {FactKind.SYMBOL_MOVED, FactKind.PARAMETER_ADDED}


async def test_a_script_that_makes_what_users_get_is_no_upkeep(facts_of: "FactsOf") -> None:
    before, after = {"tools/library/scripts/generator.py": "a = 1\n"}, {"tools/library/scripts/generator.py": "a = 2\n"}
    assert not [fact for fact in await facts_of(before, after) if fact.kind is FactKind.ONLY_UPKEEP]


@ROUTES
async def test_an_error_that_another_file_raises_in_much_the_same_words_is_not_gone(
    route: str, facts_of: "FactsOf"
) -> None:
    words = "{} requires a tokenizer with a chat template, but it has none"
    old = raising(f'"{words.format("--apply-template")}"')
    after = {
        "pkg/a.py": "def plan(n, args):\n    return encode_chat(n)\n",
        "pkg/b.py": raising(f'"{words.format("This")} at all"', "encode_chat"),
    }
    facts = await facts_of({"pkg/a.py": old}, after, route)
    assert FactKind.ERROR_REMOVED not in [fact.kind for fact in facts]


@ROUTES
async def test_what_a_new_helper_refuses_is_told_where_only_old_code_calls_it(route: str, facts_of: "FactsOf") -> None:
    old = "def load(tenant):\n    return tenant\n"
    helper = (
        'def _normal(t):\n    if t is not None:\n        raise TypeError("tenant must be text")\n    return t\n\n\n'
    )
    facts = await facts_of(
        {"pkg/a.py": old},
        {"pkg/a.py": f"{helper}{old.replace('return tenant', 'return _normal(tenant)')}"},
        route,
    )
    assert [fact.new for fact in facts if fact.kind is FactKind.ERROR_ADDED] == ["tenant must be text"]


@ROUTES
async def test_a_method_whose_body_stayed_under_another_name_was_renamed(route: str, facts_of: "FactsOf") -> None:
    body = "        a = self.q(x)\n        b = self.k(x)\n        return a + b\n"
    old = f"class Layer:\n    def attn_gemm_parallel(self, x):\n{body}"
    new = f"class Layer:\n    def run_projections(self, x):\n{body.replace('a + b', 'a - b')}"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [(fact.kind, fact.old) for fact in facts] == [(FactKind.SYMBOL_RENAMED, "attn_gemm_parallel")]


@ROUTES
async def test_a_name_registered_for_several_things_is_told_without_the_first_of_them(
    route: str, facts_of: "FactsOf"
) -> None:
    old = "#include <a.h>\n"
    new = f"{old}REGISTER_LAUNCHER(768, fp32, 1);\nREGISTER_LAUNCHER(768, fp16, 1);\n"
    facts = await facts_of({"csrc/k.cu": old}, {"csrc/k.cu": new}, route)
    assert [(fact.name, fact.new) for fact in facts if fact.kind is FactKind.REGISTERED] == [("768", None)]


@ROUTES
async def test_a_macro_before_a_parameter_is_not_its_type(route: str, facts_of: "FactsOf") -> None:
    old = "__global__ void attend(GRID_CONSTANT Fwd_params const params, GRID_CONSTANT int const rows) {\n}\n"
    new = "__global__ void attend(GRID_CONSTANT int const rows) {\n}\n"
    facts = await facts_of({"include/a/k.cuh": old}, {"include/a/k.cuh": new}, route)
    assert [(fact.kind, fact.old) for fact in facts] == [(FactKind.PARAMETER_REMOVED, "params: Fwd_params const")]


@ROUTES
async def test_a_parameter_behind_a_macro_keeps_its_name_when_its_type_changes(route: str, facts_of: "FactsOf") -> None:
    text = "void attend(CUTE_GRID_CONSTANT typename Epilogue<K, {}>::Params const params, int n) {{\n}}\n"
    before, after = {"include/a/k.cuh": text.format("S")}, {"include/a/k.cuh": text.format("Q")}
    facts = await facts_of(before, after, route)
    assert [(fact.kind, fact.detail) for fact in facts] == [(FactKind.SIGNATURE_CHANGED, "params")]


async def test_a_commit_of_benchmarks_alone_is_told_as_upkeep(facts_of: "FactsOf") -> None:
    before = {"benchmarks/bench_a.py": "a = 1\n", "benchmarks/README.md": "a\n"}
    after = {"benchmarks/bench_a.py": "a = 2\n", "benchmarks/README.md": "b\n"}
    only = [fact for fact in await facts_of(before, after) if fact.kind is FactKind.ONLY_UPKEEP]
    assert [fact.detail for fact in only] == ["benchmarks"]


async def test_a_context_that_is_made_by_other_means_is_the_same_to_its_users(facts_of: "FactsOf") -> None:
    before = {"pkg/a.py": "@contextmanager\ndef buffer(x):\n    old = swap(x)\n    yield\n    swap(old)\n"}
    after = {"pkg/a.py": "def buffer(x):\n    return scoped(x)\n"}
    assert await facts_of(before, after) == []


async def test_an_alias_that_is_computed_follows_what_it_is_made_of(facts_of: "FactsOf") -> None:
    head = "#pragma once\nnamespace acme {\n"
    for old, new, severity in (
        ("decltype(inner::get_layout(Shape{}))", "decltype(detail::get_layout(Shape{}))", Severity.INTERNAL),
        ("uint32_t", "size_t", Severity.BEHAVIOUR),
    ):
        file = "include/acme/layout.h"
        facts = await facts_of({file: f"{head}using Index = {old};\n}}\n"}, {file: f"{head}using Index = {new};\n}}\n"})
        assert [fact.severity for fact in facts] == [severity], old


@ROUTES
async def test_other_quotes_whole_decimals_and_sorted_imports_are_only_formatting(
    route: str, facts_of: "FactsOf"
) -> None:
    old = (
        "from b import d, c\nimport a\n\n\nclass N:\n    def __init__(self, mode='', ratio=4., drop=.5, p=0.):\n"
        "        assert mode == ''\n        self.a = self.b = a.run(1. if mode else .2)\n"
        "\n    def run(self):\n        ''' Run. '''\n        return 1\n"
    )
    new = (
        'import a\nfrom b import c, d\n\n\nclass N:\n    def __init__(self, mode="", ratio=4.0, drop=0.5, p=0.0):\n'
        '        assert mode == ""\n        self.a = (\n            self.b\n        ) = a.run(1.0 if mode else 0.2)\n'
        '\n    def run(self):\n        """Run."""\n        return 1\n'
    )
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [fact.kind for fact in facts] == [FactKind.ONLY_FORMATTING]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Optional[Batch]", 'Optional["Batch"]', False),
        ("dict[str, 'pkg.Batch']", "dict[str, Batch]", False),
        ('Literal["a"]', 'Literal["b"]', True),
        ('Optional[Literal["a"]]', 'Optional[Literal["b"]]', True),
        ('Optional["Batch"]', 'Optional["Bunch"]', True),
    ],
)
async def test_quotes_around_a_name_within_a_type_change_nothing(
    old: str, new: str, told: bool, facts_of: "FactsOf"
) -> None:
    before, after = (f"def run(batch: {type_}):\n    return batch\n" for type_ in (old, new))
    assert bool(await facts_of({"pkg/a.py": before}, {"pkg/a.py": after})) is told
