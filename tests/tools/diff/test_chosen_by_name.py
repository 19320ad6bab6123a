"""What users choose by name: kernels that records describe, choices of flags and variables, what is on its way out."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
SPEC = """register_kernel(
    KernelSpec(
        op="moe.topk",
        backend=Backend.{},
        target="{}",
{}    )
)
"""


async def test_a_kernel_that_is_registered_for_another_backend_too_is_told_by_it(facts_of: "FactsOf") -> None:
    old = SPEC.format("AOT", "wheel:topk", "")
    new = SPEC.format("AOT", "wheel:topk", "        capabilities=HIP,\n") + SPEC.format("JIT", "pkg.moe:topk", "")
    facts = await facts_of({"pkg/ops.py": old}, {"pkg/ops.py": new})
    assert {(fact.kind, fact.name, fact.detail, fact.new) for fact in facts} == {
        (FactKind.REGISTRATION_CHANGED, "moe.topk", "AOT", 'target="wheel:topk", capabilities=HIP'),
        (FactKind.REGISTERED, "moe.topk", "JIT", 'target="pkg.moe:topk"'),
    }


@ROUTES
async def test_a_backend_that_a_kernel_loses_is_told(route: str, facts_of: "FactsOf") -> None:
    kept = SPEC.format("JIT", "pkg.moe:topk", "")
    before = {"pkg/ops.py": kept + SPEC.format("AOT", "wheel:topk", "")}
    facts = await facts_of(before, {"pkg/ops.py": kept}, route)
    assert [(fact.kind, fact.name, fact.detail) for fact in facts] == [(FactKind.UNREGISTERED, "moe.topk", "AOT")]


PARSER = """from tables import apis

def parse(parser):
    parser.add_argument(
        "--routine",
        choices=list(apis["gemm"]){},
    )
"""


@ROUTES
async def test_a_further_list_of_choices_that_stands_elsewhere_is_told_by_its_name(
    route: str, facts_of: "FactsOf"
) -> None:
    old, new = (
        PARSER.format('\n        + list(apis["moe"])'),
        '\n        + list(apis["moe"])\n        + list(apis["comm"])',
    )
    facts = await facts_of({"pkg/args.py": old}, {"pkg/args.py": PARSER.format(new)}, route)
    assert [(fact.kind, fact.name, fact.new) for fact in facts] == [
        (FactKind.FLAG_CHOICES, "--routine", '*apis["gemm"], *apis["moe"], *apis["comm"]')
    ]


@ROUTES
async def test_choices_that_moved_into_a_list_elsewhere_are_not_gone(route: str, facts_of: "FactsOf") -> None:
    text = 'def parse(parser):\n    parser.add_argument("--mode", choices=["a"{})\n'
    old, new = text.format(', "b", "c"]'), text.format("] + OTHERS")
    facts = await facts_of({"pkg/args.py": old}, {"pkg/args.py": new}, route)
    assert facts == []


@ROUTES
async def test_a_variable_that_a_helper_deprecates_is_told_with_what_to_use(route: str, facts_of: "FactsOf") -> None:
    text = 'import os\n\nenvironment_variables = {{\n    "APP_MOE": {},\n}}\n'
    read = 'lambda: os.getenv("APP_MOE", "0")'
    gone = f'deprecated_env(\n        "APP_MOE",\n        "v2",\n        "Use --moe-backend.",\n        {read},\n    )'
    facts = await facts_of({"pkg/envs.py": text.format(read)}, {"pkg/envs.py": text.format(gone)}, route)
    assert [(fact.kind, fact.name, fact.new) for fact in facts] == [
        (FactKind.DEPRECATED, "APP_MOE", "v2 Use --moe-backend.")
    ]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [('["a", "b"]', '["a", "b", "c"]', Severity.BEHAVIOUR), ('["a", "b"]', '["a"]', Severity.BREAKING)],
)
async def test_the_choices_of_a_variable_are_told_as_choices(
    old: str, new: str, severity: Severity, route: str, facts_of: "FactsOf"
) -> None:
    text = 'environment_variables = {{\n    "APP_MODE": env_with_choices("APP_MODE", "a", {}),\n}}\n'
    (fact,) = await facts_of({"pkg/envs.py": text.format(old)}, {"pkg/envs.py": text.format(new)}, route)
    assert (fact.name, fact.detail, fact.severity) == ("APP_MODE", "choices", severity)


@ROUTES
async def test_choices_of_a_variable_in_another_order_are_the_same(route: str, facts_of: "FactsOf") -> None:
    text = 'environment_variables = {{\n    "APP_MODE": env_with_choices("APP_MODE", "a", [{}]),\n}}\n'
    old, new = text.format('"a", "b"'), text.format('"b", "a"')
    assert await facts_of({"pkg/envs.py": old}, {"pkg/envs.py": new}, route) == []


CONVERTED = """@Model.register({})
class BloomModel(Model):
    size = 1


@Model.register("Other")
class OtherModel(Model):
    size = 2
"""


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"Bloom"', '"Bloom", "BloomLM"', [(FactKind.REGISTERED, Severity.ADDITIVE, "BloomLM")]),
        ('"Bloom", "BloomLM"', '"Bloom"', [(FactKind.UNREGISTERED, Severity.BREAKING, "BloomLM")]),
        ('"Bloom", "BloomLM"', '\n    "Bloom",\n    "BloomLM",\n', []),
    ],
)
async def test_each_word_by_which_a_class_is_chosen_is_told(
    old: str, new: str, told: list[tuple[FactKind, Severity, str]], route: str, facts_of: "FactsOf"
) -> None:
    facts = await facts_of(
        {"convert_model.py": CONVERTED.format(old)}, {"convert_model.py": CONVERTED.format(new)}, route
    )
    kinds = [(fact.kind, fact.severity, fact.name) for fact in facts if fact.kind is not FactKind.ONLY_FORMATTING]
    assert kinds == told


@ROUTES
async def test_what_a_program_at_the_top_declares_nobody_imports(route: str, facts_of: "FactsOf") -> None:
    text = "class A(Model):\n    def load(self, path):\n        return path\n"
    for path, severity in (("convert_model.py", Severity.INTERNAL), ("pkg/convert_model.py", Severity.BREAKING)):
        (fact,) = await facts_of({path: text}, {path: text.replace(", path)", ")")}, route)
        assert (fact.kind, fact.severity) == (FactKind.PARAMETER_REMOVED, severity)
