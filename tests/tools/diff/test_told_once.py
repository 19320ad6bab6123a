"""A thing is told once, as what it is to its users, and two things are not taken for one because they look alike."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@ROUTES
async def test_a_variable_that_a_class_of_settings_declares_is_no_symbol_besides(
    route: str, facts_of: "FactsOf"
) -> None:
    old = "class Envs:\n    ATLAS_A = EnvBool(False)\n"
    facts = await facts_of({"pkg/environ.py": old}, {"pkg/environ.py": f"{old}    ATLAS_B = EnvBool(True)\n"}, route)
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.ENV_ADDED, "ATLAS_B")]


@ROUTES
async def test_a_variable_with_a_new_name_is_told_as_variables_and_the_old_name_as_deprecated(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "class Envs:\n    ATLAS_A = EnvBool(False)\n    {}\n"
    old, new = (
        "ATLAS_CHUNK_SIZE = EnvInt(8)",
        'ATLAS_PIECE_SIZE = EnvIntWithAlias(8, deprecated_name="ATLAS_CHUNK_SIZE")',
    )
    facts = await facts_of({"pkg/environ.py": text.format(old)}, {"pkg/environ.py": text.format(new)}, route)
    assert [(fact.kind, fact.name, fact.new) for fact in facts] == [
        (FactKind.DEPRECATED, "ATLAS_CHUNK_SIZE", "ATLAS_PIECE_SIZE"),
        (FactKind.ENV_ADDED, "ATLAS_PIECE_SIZE", None),
    ]


@ROUTES
async def test_a_switch_that_must_be_given_is_not_one_that_might_be_under_another_name(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "def prepare(x, {}):\n    return x\n"
    before, after = text.format("skip_attn: bool = False"), text.format("full_graph: bool")
    facts = await facts_of({"pkg/a.py": before}, {"pkg/a.py": after}, route)
    assert {fact.kind for fact in facts} == {FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED}


@ROUTES
async def test_what_only_a_command_runs_is_imported_by_nobody(route: str, facts_of: "FactsOf") -> None:
    old = "def show():\n    return 1\n"
    facts = await facts_of({"pkg/__main__.py": old}, {"pkg/__main__.py": old.replace("show", "print_all")}, route)
    assert {fact.severity for fact in facts} == {Severity.INTERNAL}


@ROUTES
async def test_a_stage_that_begins_from_another_image_is_told(route: str, facts_of: "FactsOf") -> None:
    rust = "FROM ubuntu:22.04 AS rust\nRUN true\n\n"
    facts = await facts_of(
        {"docker/Dockerfile": f"{rust}FROM vendor/devel:2025 AS base\nRUN true\n"},
        {"docker/Dockerfile": f"{rust}FROM ubuntu:24.04 AS base\nRUN true\n"},
        route,
    )
    assert [(fact.kind, fact.old, fact.new, fact.detail) for fact in facts] == [
        (FactKind.IMAGE_CHANGED, "vendor/devel:2025", "ubuntu:24.04", "base")
    ]


@ROUTES
async def test_checks_without_words_are_the_same_by_what_they_check(route: str, facts_of: "FactsOf") -> None:
    text = "void run(Tensor k, Tensor v) {{\n  CHECK_SHAPE(k, batch, {0});\n  CHECK_SHAPE(v, batch, {0});\n}}\n"
    facts = await facts_of({"csrc/a.cpp": text.format("seqlen_q")}, {"csrc/a.cpp": text.format("seqlen_new")}, route)
    assert {(fact.old, fact.new) for fact in facts if fact.kind is FactKind.ERROR_CHANGED} == {
        ("k, batch, seqlen_q", "k, batch, seqlen_new"),
        ("v, batch, seqlen_q", "v, batch, seqlen_new"),
    }


@ROUTES
async def test_the_version_of_a_module_is_told_as_a_version_alone(route: str, facts_of: "FactsOf") -> None:
    text = '__version__ = "{}"\n\nfrom pkg.a import run\n'
    before = {"pkg/__init__.py": text.format("2.0.6"), "pkg/a.py": "def run():\n    return 1\n"}
    facts = await facts_of(before, {"pkg/__init__.py": text.format("2.0.7")}, route)
    assert [(fact.kind, fact.new) for fact in facts] == [(FactKind.VERSION_CHANGED, "2.0.7")]


@ROUTES
async def test_the_only_error_of_a_function_may_be_of_another_class_in_other_words(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "def run(x):\n    {}\n    return x\n"
    old = 'assert x <= 65536, "dense only supports dimension at most 64k"'
    new = 'if too_big(x):\n        raise RuntimeError("dense only supports matrix dims <= 2M")'
    facts = await facts_of({"pkg/a.py": text.format(old)}, {"pkg/a.py": text.format(new)}, route)
    kinds = {fact.kind for fact in facts if fact.kind.startswith("error-")}
    assert kinds == {FactKind.ERROR_CHANGED}


@ROUTES
async def test_what_is_handed_to_autograd_is_called_by_nobody_else(route: str, facts_of: "FactsOf") -> None:
    old = "def run(x):\n    return x\n"
    new = f"{old}\n\ndef setup_context(ctx, inputs, output):\n    ctx.x = inputs\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [(fact.name, fact.severity) for fact in facts] == [("setup_context", Severity.INTERNAL)]


@ROUTES
async def test_a_default_of_a_variable_is_no_constant_besides(route: str, facts_of: "FactsOf") -> None:
    text = (
        "import os\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    ATLAS_FAST: bool = {0}\n\n"
        'environment_variables = {{\n    "ATLAS_FAST": lambda: bool(int(os.getenv("ATLAS_FAST", "{1}"))),\n}}\n'
    )
    before, after = text.format("False", 0), text.format("True", 1)
    facts = await facts_of({"pkg/envs.py": before}, {"pkg/envs.py": after}, route)
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == [(FactKind.ENV_DEFAULT, '"0"', '"1"')]


@ROUTES
async def test_what_stands_behind_or_is_the_default_of_a_variable(route: str, facts_of: "FactsOf") -> None:
    old = "import os\n\nA = 1\n"
    new = f'{old}B = os.getenv("ATLAS_KIND", "").lower() or "fast"\n'
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert [fact.new for fact in facts if fact.kind is FactKind.ENV_ADDED] == ['"fast"']


@ROUTES
async def test_a_package_that_a_program_asks_for_at_its_start_is_told_with_the_manifest(
    route: str, facts_of: "FactsOf"
) -> None:
    project = '[project]\nname = "a"\ndependencies = [\n  "atlas-core=={}",\n]\n'
    program = 'def start():\n    assert_pkg_version(\n        "atlas-core",\n        "{}",\n        "Again.",\n    )\n'
    before, after = (
        {"pyproject.toml": project.format(version), "pkg/main.py": program.format(version)}
        for version in ("0.3.1", "0.3.2.post1")
    )
    (fact,) = await facts_of(before, after, route)
    assert (fact.kind, fact.name, len(fact.places)) == (FactKind.DEPENDENCY_CHANGED, "atlas-core", 2)
    (alone,) = await facts_of({"pkg/main.py": before["pkg/main.py"]}, {"pkg/main.py": after["pkg/main.py"]}, route)
    assert (alone.kind, alone.old, alone.new) == (FactKind.DEPENDENCY_CHANGED, "0.3.1", "0.3.2.post1")


@ROUTES
async def test_what_is_injected_behind_a_new_parameter_moves_nothing_of_the_callers(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "def load(ptr, mask=None, {}_semantic=None):\n    return ptr\n"
    (fact,) = await facts_of({"pkg/a.py": text.format("")}, {"pkg/a.py": text.format('cache="", ')}, route)
    assert (fact.kind, fact.severity) == (FactKind.PARAMETER_ADDED, Severity.ADDITIVE)


@ROUTES
async def test_a_field_that_looks_like_several_new_ones_has_become_none_of_them(
    route: str, facts_of: "FactsOf"
) -> None:
    text = "@dataclass\nclass Plan:\n    kind: str\n{}"
    old = text.format("    padding_index: int = 14\n")
    new = text.format("".join(f"    wg{n}_padding_index: int = {4 * n}\n" for n in range(3)))
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert {fact.kind for fact in facts} == {FactKind.FIELD_REMOVED, FactKind.FIELD_ADDED}


@ROUTES
@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ({}, {"uv.lock": "version = 1\n"}, [FactKind.FILE_ADDED]),
        ({"uv.lock": "version = 1\n"}, {"uv.lock": "version = 2\n"}, [FactKind.GENERATED]),
    ],
)
async def test_a_lock_is_told_once(
    before: dict[str, str], after: dict[str, str], kinds: list[FactKind], route: str, facts_of: "FactsOf"
) -> None:
    source = {"pkg/a.py": "A = 1\n"}
    facts = await facts_of(source | before, source | after, route)
    assert [fact.kind for fact in facts if fact.kind in (FactKind.FILE_ADDED, FactKind.GENERATED)] == kinds


@ROUTES
@pytest.mark.parametrize(
    ("path", "severity"),
    [("convert_weights.py", Severity.ADDITIVE), ("pkg/kernels/convert_weights.py", Severity.INTERNAL)],
)
async def test_the_flags_of_a_program_at_the_root_are_for_users(
    path: str, severity: Severity, route: str, facts_of: "FactsOf"
) -> None:
    old = 'def parse_args():\n    parser = argparse.ArgumentParser()\n    parser.add_argument("--out")\n'
    new = f'{old}    parser.add_argument("--split", action="store_true")\n'
    (fact,) = await facts_of({path: old}, {path: new}, route)
    assert (fact.kind, fact.name, fact.severity) == (FactKind.FLAG_ADDED, "--split", severity)


@ROUTES
@pytest.mark.parametrize(("caller", "told"), [("run", ["run"]), ("_run", ["_pick, _run"])])
async def test_what_a_helper_refuses_as_its_caller_does_is_told_once(
    caller: str, told: list[str], route: str, facts_of: "FactsOf"
) -> None:
    text = "def _pick(x):\n{0}    return x\n\n\ndef {1}(x):\n{0}    return _pick(x)\n"
    check = '    if x > 8:\n        raise ValueError(f"at most eight are taken, got {x}")\n'
    facts = await facts_of({"pkg/a.py": text.format("", caller)}, {"pkg/a.py": text.format(check, caller)}, route)
    assert sorted(fact.detail or "" for fact in facts if fact.kind is FactKind.ERROR_ADDED) == told


@ROUTES
async def test_a_function_is_told_by_its_declaration_and_not_by_its_definition_besides(
    facts_of: "FactsOf", route: str
) -> None:
    header, source = "#pragma once\nint acme_old(int);\n", '#include "acme.h"\nint acme_old(int a) { return a; }\n'
    new = header + "float acme_widen(short);\n"
    code = source + "float acme_widen(short a) { return a; }\nfloat acme_own(short a) { return a; }\n"
    facts = await facts_of(
        {"include/acme.h": header, "src/acme.c": source}, {"include/acme.h": new, "src/acme.c": code}, route
    )
    told = [(fact.name, fact.new, fact.places[0].file) for fact in facts]
    assert told == [
        ("acme_widen", "acme_widen(short)", "include/acme.h"),
        ("acme_own", "acme_own(a: short)", "src/acme.c"),
    ]


@ROUTES
async def test_a_new_variable_is_told_by_its_declaration_and_not_by_a_further_read(
    facts_of: "FactsOf", route: str
) -> None:
    envs, code = "class Envs:\n    ACME_OLD = EnvInt(1)\n", "import os\n\n\ndef run():\n    pass\n"
    read = code.replace("pass", 'return os.environ.get("ACME_FAST", "")')
    facts = await facts_of(
        {"acme/environ.py": envs, "acme/run.py": code},
        {"acme/environ.py": f"{envs}    ACME_FAST = EnvBool(False)\n", "acme/run.py": read},
        route,
    )
    assert [(fact.kind, fact.name, fact.new) for fact in facts] == [(FactKind.ENV_ADDED, "ACME_FAST", "False")]


@ROUTES
async def test_a_definition_that_went_to_another_source_has_moved(facts_of: "FactsOf", route: str) -> None:
    body = "int acme_helper_widen(int a) {\n  int b = a * 3;\n  return b + a / 2;\n}\n"
    header = "#pragma once\nint acme_run(int);\nint acme_helper_widen(int);\n"
    facts = await facts_of(
        {
            "include/acme.h": header,
            "src/acme.c": f"int acme_run(int a) {{ return a; }}\n{body}",
            "src/help.c": "int z;\n",
        },
        {
            "include/acme.h": header.replace("int acme_helper_widen(int);\n", ""),
            "include/help.h": "#pragma once\nint acme_helper_widen(int);\n",
            "src/acme.c": "int acme_run(int a) { return a; }\n",
            "src/help.c": f"int z;\n{body}",
        },
        route,
    )
    assert not [fact for fact in facts if fact.kind in (FactKind.SYMBOL_ADDED, FactKind.SYMBOL_REMOVED)]
