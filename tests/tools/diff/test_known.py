"""The tree before a commit tells what is not new and what a package gives on."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId
from tools.diff.study import study
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import History


@pytest.fixture
def past(history: Callable[[], "History"]) -> "History":
    return history()


async def studied(past: "History", sha: str, *, hunks: bool = False) -> list[Fact]:
    source = GitSource(RepoId("o/r"), past.path)
    (change,) = [change async for change in source.changes([sha])]
    facts = (await study(source, change, hunks=hunks)).facts
    return [fact for fact in facts if fact.kind is not FactKind.CODE_CHANGED]


async def test_a_variable_that_an_untouched_file_reads_is_not_new(past: "History") -> None:
    past.commit(
        {
            "pkg/old.py": 'import os\n\nA = os.environ.get("ATLAS_A")\nB = os.environ.get(\n    "ATLAS_B", "1"\n)\n',
            "tests/test_old.py": 'import os\n\nos.environ["ATLAS_C"] = "1"\nC = os.environ["ATLAS_C"]\n',
        }
    )
    reads = "".join(f'{name} = os.getenv("ATLAS_{name}")\n' for name in "ABC")
    facts = await studied(past, past.commit({"pkg/new.py": f"import os\n\n{reads}"}))
    assert [fact.name for fact in facts if fact.kind is FactKind.ENV_ADDED] == ["ATLAS_C"]


async def test_a_variable_that_an_untouched_file_goes_on_reading_is_not_gone(past: "History") -> None:
    reads = "import os\n\n" + "".join(f'{name} = os.getenv("ATLAS_{name}")\n' for name in "ABC")
    past.commit(
        {
            "pkg/old.py": reads,
            "pkg/kept.py": 'import os\n\nA = os.environ.get("ATLAS_A")\n',
            "tests/test_old.py": 'import os\n\nB = os.environ["ATLAS_B"]\n',
        }
    )
    facts = await studied(past, past.commit({"pkg/old.py": "import os\n"}))
    assert sorted(fact.name for fact in facts if fact.kind is FactKind.ENV_REMOVED) == ["ATLAS_B", "ATLAS_C"]


@pytest.mark.parametrize("given_on", [True, False])
async def test_a_private_module_is_public_where_its_package_gives_all_of_it_on(past: "History", given_on: bool) -> None:
    line = "from ._core import *\n" if given_on else "from ._core import other\n"
    core = "def decode(query, lse=None):\n    return query\n"
    past.commit({"pkg/mla/__init__.py": line, "pkg/mla/_core.py": core})
    (fact,) = await studied(past, past.commit({"pkg/mla/_core.py": core.replace(", lse=None", "")}))
    assert fact.kind is FactKind.PARAMETER_REMOVED
    assert fact.severity is (Severity.BREAKING if given_on else Severity.INTERNAL)


async def test_the_patch_alone_is_read_without_the_tree(past: "History") -> None:
    past.commit({"pkg/old.py": 'import os\n\nA = os.environ.get("ATLAS_A")\n'})
    sha = past.commit({"pkg/new.py": 'import os\n\nA = os.environ.get("ATLAS_A")\n'})
    facts = await studied(past, sha, hunks=True)
    assert [fact.name for fact in facts if fact.kind is FactKind.ENV_ADDED] == ["ATLAS_A"]


@pytest.mark.parametrize("user", ["pkg/api.py", "tests/test_it.py"])
async def test_what_only_kernels_of_one_folder_use_is_internal(past: "History", user: str) -> None:
    tasks = "def create_task(smem, queue):\n    return smem\n"
    schedule = "from .tasks import create_task\n\n\ndef build(a):\n    return create_task(a, 1)\n"
    past.commit({"pkg/kernels/fmha/tasks.py": tasks, "pkg/kernels/fmha/schedule.py": schedule, user: schedule})
    (fact,) = await studied(past, past.commit({"pkg/kernels/fmha/tasks.py": tasks.replace(", queue", "")}))
    assert fact.kind is FactKind.PARAMETER_REMOVED
    assert fact.severity is (Severity.INTERNAL if user.startswith("tests") else Severity.BREAKING)


@pytest.mark.parametrize("given_on", ["", "from .helpers import execute\n"])
async def test_what_a_compiler_s_package_does_not_give_on_is_internal(past: "History", given_on: str) -> None:
    helpers = "def execute(func, names):\n    return func\n"
    user = "from .helpers import execute\n\n\ndef _go(f):\n    return execute(f, 1)\n"
    folder = "pkg/base_dsl"
    past.commit({f"{folder}/__init__.py": given_on, f"{folder}/helpers.py": helpers, f"{folder}/dsl.py": user})
    (fact,) = await studied(past, past.commit({"pkg/base_dsl/helpers.py": helpers.replace(", names", "")}))
    assert fact.kind is FactKind.PARAMETER_REMOVED
    assert fact.severity is (Severity.BREAKING if given_on else Severity.INTERNAL)


@pytest.mark.parametrize("left", ["", "\nB = envs.ATLAS_A\n"])
async def test_a_variable_of_which_every_line_goes_is_removed(past: "History", left: str) -> None:
    declares = 'import os\n\nATLAS_A = os.environ.get("ATLAS_A", "0")\n'
    uses = "from pkg import envs\n\nA = envs.ATLAS_A\n"
    past.commit({"pkg/envs.py": declares, "pkg/user.py": f"{uses}{left}"})
    sha = past.commit({"pkg/envs.py": "import os\n", "pkg/user.py": f"A = 1\n{left}"})
    facts = await studied(past, sha)
    told = [fact.name for fact in facts if fact.kind is FactKind.ENV_REMOVED]
    assert told == ([] if left else ["ATLAS_A"])


@pytest.mark.parametrize("user", ["pkg/lang/core.py", "examples/first.py"])
async def test_of_a_compiler_s_class_users_call_what_examples_call(past: "History", user: str) -> None:
    dsl = "class Dsl:\n    def trace(self, func, names):\n        return func\n"
    calls = "from pkg.base_dsl import Dsl\n\nDsl().trace(1, 2)\n"
    past.commit({"pkg/base_dsl/__init__.py": "from .dsl import Dsl\n", "pkg/base_dsl/dsl.py": dsl, user: calls})
    (fact,) = await studied(past, past.commit({"pkg/base_dsl/dsl.py": dsl.replace(", names", "")}))
    assert fact.severity is (Severity.BREAKING if user.startswith("examples") else Severity.INTERNAL)


@pytest.mark.parametrize(
    ("listed", "severity"), [("watch = atlas.watch:main", Severity.ADDITIVE), ("x = atlas.y:main", Severity.INTERNAL)]
)
async def test_flags_of_a_module_that_is_installed_as_a_command_are_for_users(
    listed: str, severity: Severity, past: "History"
) -> None:
    text = "import argparse\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n{}    parser.parse_args()\n"
    setup = f'from setuptools import setup\n\nsetup(entry_points={{"console_scripts": ["{listed}"]}})\n'
    past.commit({"lib/watch.py": text.format(""), "setup.py": setup})
    flag = '    parser.add_argument("--depth", type=int, default=9)\n'
    facts = await studied(past, past.commit({"lib/watch.py": text.format(flag)}))
    told = [(fact.name, fact.severity) for fact in facts if fact.kind is FactKind.FLAG_ADDED]
    assert told == [("--depth", severity)]


@pytest.mark.parametrize(("home", "told"), [("include/acme/utils.h", []), ("src/own.h", ["ACME_SWITCH"])])
async def test_a_macro_that_another_header_has_already_is_not_new(past: "History", home: str, told: list[str]) -> None:
    macro = "#define ACME_SWITCH(mode, ...) \\\n  run(mode, __VA_ARGS__)\n"
    past.commit({home: f"#pragma once\n{macro}", "include/acme/rope.h": "#pragma once\nint rope(int);\n"})
    facts = await studied(past, past.commit({"include/acme/rope.h": f"#pragma once\n{macro}int rope(int);\n"}))
    assert [fact.name for fact in facts] == told


@pytest.mark.parametrize(
    ("manifest", "severity"),
    [
        ('[package]\nname = "router"\npublish = false  # only a program\n', Severity.INTERNAL),
        ('[package]\npublish = false\n[lib]\ncrate-type = ["cdylib"]\n', Severity.BREAKING),
        ("[package]\n# publish = false\n", Severity.BREAKING),
    ],
)
async def test_a_crate_that_is_nowhere_to_be_had_breaks_nobody(
    past: "History", manifest: str, severity: Severity
) -> None:
    text = "pub fn record(route: &str, code: u16) -> u16 {\n    code\n}\n"
    past.commit({"router/Cargo.toml": manifest, "router/src/lib.rs": text})
    (fact,) = await studied(past, past.commit({"router/src/lib.rs": text.replace("route: &str, ", "")}))
    assert (fact.kind, fact.severity) == (FactKind.PARAMETER_REMOVED, severity)


@pytest.mark.parametrize("user", ["", "pkg/api.py"])
async def test_what_only_helps_the_compiler_of_a_backend_breaks_nobody(past: "History", user: str) -> None:
    text = "def features(arch):\n    return arch\n\n\ndef f():\n    return features('a')\n"
    used = {user: "from pkg.backend.compiler import features\n"} if user else {}
    past.commit({"pkg/backend/compiler.py": text, **used})
    new = text.replace("def features(arch):\n    return arch\n\n\n", "").replace("features('a')", "'a'")
    (fact,) = await studied(past, past.commit({"pkg/backend/compiler.py": new}))
    assert fact.kind is FactKind.SYMBOL_REMOVED
    assert fact.severity is (Severity.BREAKING if user else Severity.INTERNAL)


@pytest.mark.parametrize(("base", "told"), [("True", [("field-changed", "True", "False")]), ("False", []), ("", None)])
async def test_a_field_that_a_base_of_another_file_has_is_not_new(
    past: "History", base: str, told: list[tuple[str, str, str]] | None
) -> None:
    field = f"    adjust: bool = {base}\n" if base else ""
    heir = "from pkg.base import Params\n\n\n@dataclass\nclass Own(Params):\n    size: int = 1\n"
    past.commit({"pkg/base.py": f"@dataclass\nclass Params:\n    rows: int = 2\n{field}", "pkg/own.py": heir})
    facts = await studied(past, past.commit({"pkg/own.py": f"{heir}    adjust: bool = False\n"}))
    expected = [("field-added", None, "adjust = False")] if told is None else told
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == expected


async def test_a_method_that_a_base_out_of_sight_has_too_changes_what_callers_get(past: "History") -> None:
    base = "class Base:\n    wants_lengths = True\n\n    def parse(self, text):\n        return text\n"
    heir = "from pkg.base import Base\n\n\nclass Heir(Base):\n    size = 1\n{}"
    own = (
        "    wants_lengths = False\n\n    def parse(self, text):\n        return text.lower()\n"
        "\n    def more(self):\n        return 2\n"
    )
    past.commit({"pkg/base.py": base, "pkg/heir.py": heir.format("")})
    facts = await studied(past, past.commit({"pkg/heir.py": heir.format(own)}))
    assert {(fact.kind, fact.name, fact.severity) for fact in facts} == {
        (FactKind.SYMBOL_ADDED, "Heir.parse", Severity.BEHAVIOUR),
        (FactKind.SYMBOL_ADDED, "Heir.more", Severity.ADDITIVE),
        (FactKind.CONSTANT_CHANGED, "Heir.wants_lengths", Severity.BEHAVIOUR),
    }


@pytest.mark.parametrize("inherited", [True, False])
async def test_a_field_that_a_base_in_a_file_left_alone_has_is_neither_gone_nor_renamed(
    past: "History", inherited: bool
) -> None:
    fields = (
        "    lora_names_mapping: dict = field(default_factory=dict)\n    width: int = 8\n"
        if inherited
        else "    x: int\n"
    )
    heir = "from .base import Base\n\n\n@dataclass\nclass Heir(Base):\n    {}\n"
    mapping = "names_mapping: dict = field(default_factory=dict)"
    past.commit(
        {
            "pkg/base.py": f"@dataclass\nclass Base:\n{fields}",
            "pkg/heir.py": heir.format(f"lora_{mapping}"),
            "pkg/other.py": heir.format("width: int = 9\n    depth: int = 1"),
        }
    )
    sha = past.commit({"pkg/heir.py": heir.format(mapping), "pkg/other.py": heir.format("depth: int = 1")})
    facts = {(fact.kind, fact.name) for fact in await studied(past, sha)}
    assert facts == (
        set() if inherited else {(FactKind.FIELD_RENAMED, "Heir.names_mapping"), (FactKind.FIELD_REMOVED, "Heir.width")}
    )
