"""What is the project's own, what was taken before, and what is chosen by a private name or told in two languages."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
RUST_FLAG = """use clap::Parser;

#[derive(Parser)]
pub struct BenchArgs {
    #[arg(long, %sdefault_value = "all")]
    pub subset: String,
}
"""


@ROUTES
@pytest.mark.parametrize(
    "alias", ['visible_alias = "dataset-subset", ', 'alias = "dataset-subset", ', 'aliases = ["dataset-subset"], ']
)
async def test_a_further_spelling_of_a_rust_flag_is_told(facts_of: "FactsOf", route: str, alias: str) -> None:
    file = "rust/src/server/src/lib.rs"
    (fact,) = await facts_of({file: RUST_FLAG % ""}, {file: RUST_FLAG % alias}, route)
    assert (fact.kind, fact.severity) == (FactKind.FLAG_ADDED, Severity.ADDITIVE)
    assert (fact.name, fact.new) == ("--dataset-subset", "= --subset")


@ROUTES
async def test_a_further_spelling_of_a_flag_that_is_built_is_told(facts_of: "FactsOf", route: str) -> None:
    file = "rust/src/server/src/lib.rs"
    text = 'pub fn command() -> Command {\n    Command::new("lib").arg(Arg::new("subset").long("subset")%s)\n}\n'
    new = text % '.visible_alias("dataset-subset")'
    (fact,) = await facts_of({file: text % ""}, {file: new}, route)
    assert (fact.kind, fact.name, fact.new) == (FactKind.FLAG_ADDED, "--dataset-subset", "= --subset")


@ROUTES
async def test_a_short_spelling_for_one_letter_is_no_other_flag(facts_of: "FactsOf", route: str) -> None:
    file = "rust/src/server/src/lib.rs"
    facts = await facts_of({file: RUST_FLAG % ""}, {file: RUST_FLAG % "short_alias = 'x', "}, route)
    assert not [fact for fact in facts if fact.kind is FactKind.FLAG_ADDED]


@pytest.mark.parametrize(
    ("file", "severity"),
    [
        ("rust/src/bench/src/lib.rs", Severity.ADDITIVE),
        ("rust/benches/lib.rs", Severity.INTERNAL),
        ("rust/src/server/benches/lib.rs", Severity.INTERNAL),
    ],
)
async def test_a_crate_that_measures_is_shipped_like_its_sisters(
    facts_of: "FactsOf", file: str, severity: Severity
) -> None:
    new = RUST_FLAG.replace("}\n", "    #[arg(long, default_value_t = 4096)]\n    pub output_len: usize,\n}\n") % ""
    facts = await facts_of({file: RUST_FLAG % ""}, {file: new})
    assert [(fact.name, fact.severity) for fact in facts if fact.kind is FactKind.FLAG_ADDED] == [
        ("--output-len", severity)
    ]
    assert (FactKind.ONLY_UPKEEP in {fact.kind for fact in facts}) == (severity is Severity.INTERNAL)


@ROUTES
async def test_classes_of_one_name_in_two_languages_have_their_own_fields(facts_of: "FactsOf", route: str) -> None:
    python = "from dataclasses import dataclass\n\n\n@dataclass\nclass Ready:\n    port: int = 0\n%s"
    rust = "pub struct Ready {\n    pub port: u16,\n%s}\n"
    proto = 'syntax = "proto3";\n\nmessage Ready {\n  uint32 port = 1;\n%s}\n'
    paths = ("pkg/ready.py", "rust/ready/src/lib.rs", "proto/ready.proto")
    old = dict(zip(paths, (python % "", rust % "", proto % ""), strict=True))
    added = (
        "    sleep: bool = False\n    draft: bool = False\n",
        "    pub sleep: bool,\n    pub draft: bool,\n",
        "  bool sleep = 2;\n  bool draft = 3;\n",
    )
    new = dict(zip(paths, (python % added[0], rust % added[1], proto % added[2]), strict=True))
    facts = await facts_of(old, new, route)
    assert {(fact.kind, fact.name, fact.new, fact.detail) for fact in facts} == {
        (FactKind.FIELD_ADDED, "Ready", "sleep = False, draft = False", "2 fields"),
        (FactKind.FIELD_ADDED, "Ready", "sleep, draft", "2 fields"),
        (FactKind.FIELD_ADDED, "Ready", "sleep = 2, draft = 3", "2 fields"),
    }


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("*args, **kwargs", "config: Config, *args, **kwargs", Severity.BEHAVIOUR),
        ("size, *args, **kwargs", "size, config: Config, *args, **kwargs", Severity.BEHAVIOUR),
        ("size, *args, **kwargs", "config: Config, size, *args, **kwargs", Severity.BREAKING),
        ("*args", "config: Config, *args", Severity.BREAKING),
        ("**kwargs", "config: Config, **kwargs", Severity.BREAKING),
        ("*args, **kwargs", "*args, config: Config, **kwargs", Severity.BREAKING),
    ],
)
async def test_what_was_taken_unnamed_may_get_a_name(
    facts_of: "FactsOf", route: str, old: str, new: str, severity: Severity
) -> None:
    text = "class Attention(Base):\n    def __init__(self, %s) -> None:\n        super().__init__()\n"
    facts = await facts_of({"pkg/a.py": text % old}, {"pkg/a.py": text % new}, route)
    assert [(fact.kind, fact.detail, fact.severity) for fact in facts] == [
        (FactKind.PARAMETER_ADDED, "config", severity)
    ]


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("3rdparty/amd/wheel/lib/pyproject.toml", FactKind.DEPENDENCY_CHANGED),
        ("3rdparty/other/pyproject.toml", FactKind.VENDORED),
    ],
)
async def test_the_manifest_of_a_wheel_that_the_project_packs_is_its_own(
    facts_of: "FactsOf", file: str, told: FactKind
) -> None:
    text = '[project]\nname = "lib"\ndependencies = [\n  "torch==2.%d",\n]\n'
    (fact,) = await facts_of({file: text % 8}, {file: text % 9})
    assert fact.kind is told


async def test_a_table_that_names_a_private_class_too_is_one_to_choose_from(facts_of: "FactsOf") -> None:
    text = 'class Parser:\n    DetectorMap = {\n        "r1": R1Detector,\n        "v3": _V3Detector,\n%s    }\n'
    (fact,) = await facts_of({"pkg/p.py": text % ""}, {"pkg/p.py": text % '        "dots": QwenDetector,\n'})
    assert (fact.kind, fact.name, fact.detail, fact.new) == (
        FactKind.REGISTERED,
        "dots",
        "Parser.DetectorMap",
        "QwenDetector",
    )


@ROUTES
async def test_entries_deep_in_what_a_class_holds_are_told(facts_of: "FactsOf", route: str) -> None:
    text = (
        "def tokens(\n    size,\n):\n    return size\n\n\nclass Attention(Module):\n    mapper = WeightsMapper(\n"
        '        stacked={\n            "%sq_proj": ("qkv_proj", "q"),\n        }\n    )\n'
    )
    (fact,) = await facts_of({"pkg/a.py": text % ""}, {"pkg/a.py": text % "."}, route)
    assert (fact.kind, fact.name) == (FactKind.CONSTANT_CHANGED, "Attention.mapper")
    assert fact.new == 'WeightsMapper(stacked={".q_proj": ("qkv_proj", "q")})'


@ROUTES
async def test_for_which_pythons_a_wheel_serves_is_told(facts_of: "FactsOf", route: str) -> None:
    text = 'from setuptools import setup\n\nsetup(\n    name="lib",\n%s)\n'
    new = text % '    options={"bdist_wheel": {"py_limited_api": "cp38"}},\n'
    (fact,) = await facts_of({"setup.py": text % ""}, {"setup.py": new}, route)
    assert (fact.kind, fact.name, fact.new) == (FactKind.CONFIG_ADDED, "bdist_wheel.py_limited_api", "cp38")
