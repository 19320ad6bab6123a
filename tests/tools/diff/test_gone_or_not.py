"""What a class inherits now, what became a method and what is still said is not told as gone."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity
from tools.diff import resolving
from tools.diff.reading import Symbol

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf


async def test_private_methods_that_a_new_base_may_have_are_not_told_as_removed(facts_of: "FactsOf") -> None:
    run = "    def run(self):\n        return 1\n"
    old = f"class PoolBase:\n{run}\n    def _log(self, x):\n        raise KeyError('no such model here')\n"
    new = f"class PoolServing(BaseServing):\n{run}"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": f"from .base import BaseServing\n\n\n{new}"})
    assert {fact.kind for fact in facts} == {FactKind.SYMBOL_RENAMED, FactKind.BASE_CHANGED}


async def test_private_methods_of_a_class_with_the_same_bases_are_told(facts_of: "FactsOf") -> None:
    old = "class Pool(Base):\n    def run(self):\n        return 1\n\n    def _log(self, x):\n        return x\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": old.partition("    def _log")[0]})
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.SYMBOL_REMOVED, "Pool._log")]


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ('    if x > 8:\n        return "the decode kernel takes no tensor scales"\n', False),
        ('    if x > 8:\n        return ("the decode kernel takes "\n            "no tensor scales")\n', False),
        ('    if x > 8:\n        warnings.warn("the decode kernel takes no tensor scales")\n', True),
        ("    return x\n", True),
    ],
)
async def test_an_error_whose_words_are_still_a_reason_is_not_gone(now: str, told: bool, facts_of: "FactsOf") -> None:
    raised = 'def run(x):\n    if x > 8:\n        raise ValueError("the decode kernel takes no tensor scales")\n'
    facts = await facts_of(
        {"pkg/a.py": raised, "pkg/b.py": "def _why(x):\n    pass\n"},
        {"pkg/a.py": "def run(x):\n    pass\n", "pkg/b.py": f"def _why(x):\n{now}"},
    )
    assert (FactKind.ERROR_REMOVED in {fact.kind for fact in facts}) is told


async def test_a_function_that_became_a_method_was_renamed(facts_of: "FactsOf") -> None:
    body = "{0}def validate_staging({1}):\n{0}    if size > 2:\n{0}        return 1\n{0}    return {2}\n"
    config = "class Config:\n    size: int = 1\n\n    def run(self):\n        return 1\n\n"
    facts = await facts_of(
        {"pkg/a.py": config + "\n" + body.format("", "size", "size")},
        {"pkg/a.py": config + body.format("    ", "self, size", "self.size")},
    )
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == [
        (FactKind.SYMBOL_RENAMED, "validate_staging", "Config.validate_staging")
    ]


async def test_a_number_in_other_units_is_renamed_and_not_changed(facts_of: "FactsOf") -> None:
    facts = await facts_of({"pkg/a.py": "SPLIT_MIN_TILES = 16\n"}, {"pkg/a.py": "SPLIT_MIN_TOKENS = 2048\n"})
    assert [fact.kind for fact in facts] == [FactKind.SYMBOL_RENAMED]


async def test_the_default_of_a_flag_that_follows_a_renamed_field_is_the_same(facts_of: "FactsOf") -> None:
    text = (
        "@dataclass\nclass Args:\n    {0}: str = 'x'\n    other: int = 1\n\n\n"
        "def add(parser):\n    parser.add_argument('--prefix', default=Args.{0})\n"
    )
    facts = await facts_of({"pkg/a.py": text.format("file_prefix")}, {"pkg/a.py": text.format("profile_prefix")})
    assert [fact.kind for fact in facts] == [FactKind.FIELD_RENAMED]


async def test_brackets_around_a_name_in_a_decorator_mean_nothing(facts_of: "FactsOf") -> None:
    text = '@heuristics({{"EVEN": lambda args: args["n"] % {} == 0}})\ndef run(a):\n    return a\n'
    facts = await facts_of(
        {"pkg/a.py": text.format('(args["B"])')}, {"pkg/a.py": text.format('args["B"]') + "\n\nX_Y = 1\n"}
    )
    assert [fact.name for fact in facts] == ["X_Y"]


async def test_a_deprecation_in_other_words_is_not_new(facts_of: "FactsOf") -> None:
    text = '@deprecated("workspace() is deprecated, use {} to manage the memory")\ndef workspace(a):\n    return a\n'
    facts = await facts_of({"pkg/a.py": text.format("Shared")}, {"pkg/a.py": text.format("FusionShared")})
    assert not [fact for fact in facts if fact.kind is FactKind.DEPRECATED]


async def test_what_replaces_a_deprecated_flag_is_told_where_its_words_say_so_now(facts_of: "FactsOf") -> None:
    text = "def parse(args):\n    logger.warning(\"argument '--no-cache' is deprecated{}. It goes in v0.9.\")\n"
    old, new = text.format(""), text.format(" and replaced with '--cache-mode'")
    (fact,) = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})
    assert (fact.kind, fact.name) == (FactKind.DEPRECATED, "--no-cache")
    assert fact.old == "argument '--no-cache' is deprecated. It goes in v0.9."
    assert fact.new == "argument '--no-cache' is deprecated and replaced with '--cache-mode'. It goes in v0.9."
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": text.format(" by now")}) == []


async def test_a_helper_that_is_told_what_is_deprecated_deprecates_nothing_itself(facts_of: "FactsOf") -> None:
    new = (
        "import warnings\n\n\ndef _warn(name, advice):\n"
        '    warnings.warn(f"Environment variable {name} is deprecated. {advice}")\n'
    )
    facts = await facts_of({"pkg/settings.py": "import warnings\n"}, {"pkg/settings.py": new})
    assert FactKind.DEPRECATED not in {fact.kind for fact in facts}


async def test_a_deprecation_is_named_after_what_is_deprecated(facts_of: "FactsOf") -> None:
    plain = "class Args:\n    def handle(self):\n        pass\n\n\n"
    plain += "def module():\n    def inner(a):\n        return a\n\n    return inner\n"
    new = plain.replace(
        "        pass\n", '        logger.warning("--fast-mode is deprecated; use --mode instead.")\n'
    ).replace("    def inner", '    @deprecated("use outer")\n    def inner')
    facts = await facts_of({"pkg/server_args.py": plain}, {"pkg/server_args.py": new})
    assert {fact.name for fact in facts if fact.kind is FactKind.DEPRECATED} == {"--fast-mode", "inner"}


async def test_what_a_module_asks_of_the_machine_is_its_own_business(facts_of: "FactsOf") -> None:
    text = "import os\n\npin_memory = is_pin_memory_available()\n"
    facts = await facts_of({"pkg/a.py": text}, {"pkg/a.py": "import os\n"})
    assert [(fact.kind, fact.severity) for fact in facts] == [(FactKind.SYMBOL_REMOVED, Severity.INTERNAL)]


async def test_the_choices_of_a_variable_are_no_flag(facts_of: "FactsOf") -> None:
    text = 'def level():\n    return env_with_choices("ATLAS_QUANT", "NONE", ["FP", "NONE"{}])\n'
    (fact,) = await facts_of({"pkg/envs.py": text.format("")}, {"pkg/envs.py": text.format(', "INT3"')})
    assert (fact.kind, fact.severity, fact.detail) == (FactKind.CONFIG_CHANGED, Severity.BEHAVIOUR, "choices")


async def test_a_setting_that_a_workflow_computes_now_is_changed_and_not_gone(facts_of: "FactsOf") -> None:
    text = "jobs:\n  a:\n    env:\n{}      # why\n{}"
    old, new = "      MODEL_PATH: /models/a\n", "      MODEL_PATH: ${{ matrix.path }}\n      TOKEN: ${{ secrets.t }}\n"
    path = ".github/workflows/a.yml"
    facts = await facts_of({path: text.format(old, "")}, {path: text.format("", new)})
    assert [(fact.name, fact.old) for fact in facts if fact.kind is FactKind.CONFIG_CHANGED] == [
        ("MODEL_PATH", "/models/a")
    ]
    assert not [fact for fact in facts if fact.kind in (FactKind.CONFIG_ADDED, FactKind.CONFIG_REMOVED)]


async def test_a_method_that_anybody_may_call_now_is_new(facts_of: "FactsOf") -> None:
    text = "pub struct Info {{}}\n\nimpl Info {{\n    pub{} fn token(&self) -> u8 {{\n        1\n    }}\n}}\n"
    facts = await facts_of({"src/a.rs": text.format("(crate)")}, {"src/a.rs": text.format("")})
    assert [(fact.kind, fact.name, fact.severity) for fact in facts] == [
        (FactKind.SYMBOL_ADDED, "Info.token", Severity.ADDITIVE)
    ]


async def test_what_a_build_backend_asks_for_is_a_dependency(facts_of: "FactsOf") -> None:
    text = '_requires_for_aot = ["torch", "ninja"{}]\n'
    facts = await facts_of({"backend.py": text.format("")}, {"backend.py": text.format(', "requests"')})
    assert [fact.name for fact in facts if fact.kind is FactKind.DEPENDENCY_ADDED] == ["requests"]


async def test_the_constants_of_a_new_file_stand_beside_its_functions(facts_of: "FactsOf") -> None:
    text = "SUPPORTED_TOPK = (1, 2)\n_OWN_PART = 1\n\n\ndef transform(a):\n    return a\n"
    facts = await facts_of({"pkg/a.py": "x = 1\n"}, {"pkg/b.py": text})
    assert [fact.new for fact in facts] == ["transform, SUPPORTED_TOPK"]


async def test_a_check_of_a_host_function_is_an_error(facts_of: "FactsOf") -> None:
    text = "void gemm(int n) {{\n  int m = n;\n{}  run(m);\n}}\n"
    check = '  RuntimeCheck(n % 8 == 0, "n must be a multiple of 8");\n'
    facts = await facts_of({"csrc/a.cuh": text.format("")}, {"csrc/a.cuh": text.format(check)})
    assert [(fact.kind, fact.new) for fact in facts] == [(FactKind.ERROR_ADDED, "n must be a multiple of 8")]


@pytest.mark.parametrize("base", ["", "(InitInfo)"])
async def test_a_class_with_other_bases_and_members_is_not_the_one_that_stood_there(
    base: str, facts_of: "FactsOf"
) -> None:
    fields = "    group: int = 0\n    src: int = 0\n    stream: int = 0\n    packed: bool = False\n"
    others = "    address: str = ''\n    port: int = 0\n    size: int = 0\n    packed: bool = False\n"
    old = f"@dataclass\nclass TrainerSendArgs:\n{fields}"
    new = f"@dataclass\nclass TrainerInitArgs{base}:\n{others}"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, "blobs")
    renamed = [fact.name for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED]
    assert renamed == ([] if base else ["TrainerInitArgs"])


async def test_a_class_that_is_registered_under_the_name_of_another_is_its_heir(facts_of: "FactsOf") -> None:
    body = "    def load(self, data: bytes) -> int:\n        return len(data)\n"
    before = f'@VIDEOS.register("opencv")\nclass OpenCvVideo(Loader):\n{body}'
    fresh = "class PyAvVideoMixin:\n    def decode(self, data: bytes) -> int:\n        return len(data[1:])\n\n\n"
    helpers = "\n\n".join(f"def helper_{n}() -> int:\n    return {n}" for n in range(30))
    after = f'{fresh}{helpers}\n\n\n@VIDEOS.register("opencv")\nclass Video(Loader, PyAvVideoMixin):\n{body}'
    facts = await facts_of({"pkg/video.py": before}, {"pkg/video.py": after})
    renamed = [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED]
    assert renamed == [("OpenCvVideo", "Video")]


async def test_a_method_renamed_by_the_words_of_another_class_is_renamed_too(facts_of: "FactsOf") -> None:
    rest = "    def plan(self, size):\n        return size * 2\n\n"
    cpu = f"class CpuRunner:\n{rest}    def replay(self, batch):\n        out = batch + 1\n        return out * 2\n"
    base = f"class BaseRunner:\n{rest}    def replay(self, batch, **kwargs):\n        return self.replay_one(batch)\n"
    facts = await facts_of(
        {"pkg/cpu.py": cpu, "pkg/base.py": base},
        {
            "pkg/cpu.py": cpu.replace("replay", "execute"),
            "pkg/base.py": base.replace("replay_one", "run_each_of").replace("replay", "execute"),
        },
    )
    assert {(fact.kind, fact.old, fact.new) for fact in facts} == {(FactKind.SYMBOL_RENAMED, "replay", "execute")}


async def test_what_a_kernel_keeps_in_shared_memory_breaks_nobody(facts_of: "FactsOf") -> None:
    old = "template <typename T, int N>\nstruct SharedStorageSimple {\n  T data[N];\n};\n"
    new = "template <typename T, int N, int STAGES>\nstruct SharedStorageSimple {\n  T data[N * STAGES];\n};\n"
    facts = await facts_of({"include/pkg/a.cuh": old}, {"include/pkg/a.cuh": new})
    assert {fact.severity for fact in facts} <= {Severity.INTERNAL}


async def test_what_a_package_takes_from_elsewhere_in_the_project_is_not_its_own_to_give(facts_of: "FactsOf") -> None:
    old = "from pkg.utils import is_hip\nfrom pkg.layers.quant.base import Base\n\nHIP = is_hip()\n"
    new = "from pkg.layers.quant.base import Config\n\nHIP = False\n"
    facts = await facts_of({"pkg/layers/quant/__init__.py": old}, {"pkg/layers/quant/__init__.py": new})
    told = {(fact.kind, fact.name) for fact in facts if fact.kind.value.startswith("symbol-")}
    assert told == {(FactKind.SYMBOL_REMOVED, "Base"), (FactKind.SYMBOL_ADDED, "Config")}


async def test_what_a_record_is_made_of_is_no_news_to_those_who_made_it_before(facts_of: "FactsOf") -> None:
    old = "class Kernel:\n    def __init__(self, name, attrs=None):\n        self.name, self.attrs = name, attrs\n"
    old += "\n    def __repr__(self):\n        return self.name\n"
    new = "@dataclass\nclass Kernel:\n    name: str\n    attrs: dict\n    module: str\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})
    assert [(fact.kind, fact.name) for fact in facts if fact.severity is Severity.BREAKING] == [
        (FactKind.FIELD_ADDED, "Kernel.module")
    ]


async def test_what_a_record_hands_to_itself_when_it_is_made_nobody_must_pass(facts_of: "FactsOf") -> None:
    text = "@dataclass\nclass Config:\n    model: str\n{}\n    def __post_init__(self{}):\n        check(self)\n"
    old, new = text.format("", ""), text.format("    device: InitVar[str | None] = None\n", ", device: str | None")
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})
    assert {(fact.kind, fact.severity) for fact in facts} == {
        (FactKind.FIELD_ADDED, Severity.ADDITIVE),
        (FactKind.PARAMETER_ADDED, Severity.INTERNAL),
    }


def test_a_built_in_constant_is_the_same_by_whichever_name_it_is_asked_for() -> None:
    one, other = (
        Symbol("VERSION", "constant", 1, 1, 1, public=True, value=text) for text in ('env!("A_V")', "built_env!(V)")
    )
    assert resolving.is_same(one, other, ({}, {}), {})
    assert not resolving.is_same(one, one._replace(value='"1.2"'), ({}, {}), {})
