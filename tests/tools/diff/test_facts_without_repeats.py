"""Which facts are told: what users reach, and each change once."""

from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.facts import Fact, Severity
from tests.made_repos import Work
from tools.diff.files_read_for_facts import study
from tools.git.source import GitSource

REPO = RepoId("acme/engine")


async def facts_of(path: Path, before: dict[str, str], after: dict[str, str]) -> list[Fact]:
    work = Work(path)
    work.commit("begin", {file: text.encode() for file, text in before.items()})
    gone = dict.fromkeys(before.keys() - after.keys())
    sha = work.commit("change", gone | {file: text.encode() for file, text in after.items()})
    source = GitSource(REPO, path)
    change = await anext(source.changes([sha]))
    return list((await study(source, change)).facts)


async def test_an_option_that_is_a_field_and_an_argument_is_told_once(tmp_path: Path) -> None:
    code = (
        "from dataclasses import dataclass\n\n\n"
        "@dataclass\nclass EngineArgs:\n    depth: int = 1\n{field}\n\n"
        "def add_options(parser):\n    parser.add_argument('--depth', default=1)\n{option}\n\n"
        "def serve(depth=1{argument}): ...\n"
    )
    before = {
        "engine/__init__.py": "from .core import EngineArgs, serve\n",
        "engine/core.py": code.format(field="", option="", argument=""),
    }
    new = {
        "field": "    tile_rows: int = 2\n",
        "option": "    parser.add_argument('--tile-rows', default=2)\n",
        "argument": ", tile_rows=2",
    }
    facts = await facts_of(tmp_path, before, before | {"engine/core.py": code.format(**new)})
    assert [(fact.kind, fact.name) for fact in facts] == [("flag-added", "--tile-rows")]


async def test_an_argument_and_a_field_of_the_same_name_break_by_themselves(tmp_path: Path) -> None:
    code = (
        "from dataclasses import dataclass\n\n\n"
        "@dataclass\nclass EngineConfig:\n    depth: int = 1\n{field}\n\n"
        "def serve(depth=1{argument}): ...\n"
    )
    old = {"field": "    tile_rows: int = 2\n", "argument": ", tile_rows=2"}
    before = {
        "engine/__init__.py": "from .core import EngineConfig, serve\n",
        "engine/core.py": code.format(**old),
    }
    after = before | {"engine/core.py": code.format(field="", argument="")}
    facts = await facts_of(tmp_path, before, after)
    assert {(fact.kind, fact.name, fact.severity) for fact in facts} == {
        ("field-removed", "EngineConfig.tile_rows", Severity.BREAKING),
        ("parameter-removed", "serve", Severity.BREAKING),
    }


async def test_an_option_without_a_default_is_none_as_before(tmp_path: Path) -> None:
    code = "def add(parser):\n    parser.add_argument('--chat-template', type=str{})\n"
    before = {"engine/core.py": code.format(", default=None")}
    facts = await facts_of(tmp_path, before, {"engine/core.py": code.format("")})
    assert [fact for fact in facts if fact.kind == "flag-default-changed"] == []


async def test_a_tool_that_a_package_ships_among_its_tests_is_no_test(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "", "engine/test/few_shot.py": "ROUNDS = 2\n"}
    facts = await facts_of(tmp_path, before, before | {"engine/test/few_shot.py": "ROUNDS = 4\n"})
    assert "only-tests" not in {fact.kind for fact in facts}
    before = {"engine/__init__.py": "", "engine/test/test_shot.py": "ROUNDS = 2\n"}
    path = tmp_path / "test"
    facts = await facts_of(path, before, before | {"engine/test/test_shot.py": "ROUNDS = 4\n"})
    assert [fact.kind for fact in facts] == ["only-tests"]


async def test_the_options_of_a_benchmark_that_a_package_ships_are_told(tmp_path: Path) -> None:
    code = "def add(parser):\n    parser.add_argument('--rounds')\n{}"
    option = "    parser.add_argument('--link-vars')\n"
    before = {"engine/__init__.py": "", "engine/benchmarks/serve.py": code.format("")}
    after = before | {"engine/benchmarks/serve.py": code.format(option)}
    facts = await facts_of(tmp_path, before, after)
    assert [(fact.kind, fact.name) for fact in facts] == [("flag-added", "--link-vars")]


async def test_empty_files_are_not_paired_as_renamed(tmp_path: Path) -> None:
    code = "def run(queue):\n    return queue[:{}]\n"
    before = {"engine/a/__init__.py": "", "engine/core.py": code.format(1)}
    after = {"engine/b/__init__.py": "", "engine/core.py": code.format(2)}
    facts = await facts_of(tmp_path, before, after)
    assert "file-renamed" not in {fact.kind for fact in facts}


async def test_the_version_in_a_setup_under_another_name_is_told(tmp_path: Path) -> None:
    code = (
        "from setuptools import setup\n\n\ndef perform():\n    setup(name='tiles', version='{}')\n"
    )
    before = {"python/setup_tiles.py": code.format("4.2.1")}
    facts = await facts_of(tmp_path, before, {"python/setup_tiles.py": code.format("4.3.0")})
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == [
        ("version-changed", "4.2.1", "4.3.0")
    ]


async def test_what_users_do_not_reach_is_shown_as_lines_and_not_told(tmp_path: Path) -> None:
    code = "def _tile(queue, rows={}):\n    return queue[:rows]\n"
    before = {"engine/__init__.py": "", "engine/core.py": code.format(4)}
    facts = await facts_of(tmp_path, before, before | {"engine/core.py": code.format(8)})
    assert [fact.kind for fact in facts] == ["code-changed"]
    assert facts[0].severity is Severity.BEHAVIOUR


async def test_requirements_that_stand_in_another_file_now_are_the_same(tmp_path: Path) -> None:
    setup = "from setuptools import setup\n\nsetup(name='engine', install_requires={})\n"
    before = {"setup.py": setup.format("['tilelib==1.0', 'numpy', 'click']")}
    after = {
        "setup.py": setup.format("open('requirements.txt').read().splitlines()"),
        "requirements.txt": "tilelib==1.1\nnumpy\n",
    }
    facts = await facts_of(tmp_path, before, after)
    told = {fact.name for fact in facts if fact.kind.startswith("dependency-")}
    assert told == {"tilelib", "click"}
