"""How the public surface decides what facts mean, and what they tell users to do."""

from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.facts import Fact, Severity
from agent.fact_sentences import fact_sentence
from tests.made_repos import Work
from tools.diff.files_read_for_facts import study
from tools.git.source import GitSource

REPO = RepoId("acme/engine")


async def facts_of(path: Path, before: dict[str, str], after: dict[str, str]) -> list[Fact]:
    work = Work(path)
    work.commit("begin", {file: text.encode() for file, text in before.items()})
    sha = work.commit("change", {file: text.encode() for file, text in after.items()})
    source = GitSource(REPO, path)
    change = await anext(source.changes([sha]))
    return list((await study(source, change)).facts)


async def test_a_name_that_is_not_given_on_any_more_is_told_with_its_new_path(
    tmp_path: Path,
) -> None:
    before = {
        "engine/__init__.py": "from .core import attend\nfrom . import core\n",
        "engine/core.py": "def attend(q): ...\n",
    }
    facts = await facts_of(
        tmp_path, before, before | {"engine/__init__.py": "from . import core\n"}
    )
    (fact,) = [fact for fact in facts if fact.severity is Severity.BREAKING]
    assert (fact.kind, fact.name, fact.module) == ("symbol-removed", "attend", "engine")
    assert fact.places[0].lines == ("-from .core import attend",)
    sentence = "The exported name `attend` is removed; use `engine.core.attend` instead."
    assert fact_sentence(fact, "en") == sentence
    assert fact_sentence(fact, "zh") == "移除导出名称 `attend`，请改用 `engine.core.attend`。"


async def test_a_parameter_of_a_function_nobody_imports_does_not_break(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import *\n",
        "engine/core.py": "def attend(q, scale): ...\n",
        "engine/inner/__init__.py": "",
        "engine/inner/core.py": "def gather(q, scale): ...\n",
    }
    after = before | {
        "engine/core.py": "def attend(q): ...\n",
        "engine/inner/core.py": "def gather(q): ...\n",
    }
    facts = await facts_of(tmp_path, before, after)
    severities = {fact.name: fact.severity for fact in facts if fact.kind == "parameter-removed"}
    assert severities == {"attend": Severity.BREAKING}


async def test_a_parameter_that_keywords_still_take_may_break_and_no_more(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "def attend(q, scale): ...\n"}
    after = {"engine/__init__.py": "def attend(q, **options): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    severities = [fact.severity for fact in facts if fact.kind.startswith("parameter")]
    assert severities == [Severity.MAY_BREAK]


async def test_a_parameter_that_is_taken_only_by_name_now_breaks(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "def attend(q, scale): ...\n"}
    after = {"engine/__init__.py": "def attend(q, *, scale): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.severity is Severity.BREAKING]
    assert fact_sentence(fact, "en") == "`attend` takes `scale` only by name now."


async def test_an_optional_parameter_that_is_taken_only_by_name_now_may_break(
    tmp_path: Path,
) -> None:
    before = {"engine/__init__.py": "def attend(q, scale=1): ...\n"}
    after = {"engine/__init__.py": "def attend(q, *, scale=1): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    kinds = [(fact.kind, fact.severity) for fact in facts if fact.kind.startswith("parameter")]
    assert kinds == [("parameter-keyword-only", Severity.MAY_BREAK)]


async def test_what_a_module_imports_for_itself_is_not_given_to_users(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from . import core\n",
        "engine/core.py": "from .tiles import Tile\n\n\ndef attend(q): ...\n",
        "engine/tiles.py": "class Tile: ...\n",
    }
    after = before | {"engine/core.py": "def attend(q): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    assert [fact for fact in facts if fact.severity is Severity.BREAKING] == []


async def test_brackets_around_a_condition_change_no_limit(tmp_path: Path) -> None:
    code = "def attend(q):\n    assert {}, 'too many heads'\n"
    before = {"engine/__init__.py": code.format("q < 4")}
    after = {"engine/__init__.py": code.format("(q < 4)")}
    facts = await facts_of(tmp_path, before, after)
    assert [fact for fact in facts if fact.kind == "limit-changed"] == []


async def test_a_package_inside_of_another_is_not_public_by_its_own_name(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/inner/layers/__init__.py": "from .core import attend\n",
        "engine/inner/layers/core.py": "def attend(q, scale): ...\n",
    }
    after = before | {"engine/inner/layers/core.py": "def attend(q): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    assert [fact for fact in facts if fact.severity is Severity.BREAKING] == []


async def test_a_name_that_a_package_exports_no_more_breaks_though_its_function_stays_and_fails(
    tmp_path: Path,
) -> None:
    exported = 'from .core import attend\n\n__all__ = ["attend"]\n'
    before = {
        "engine/__init__.py": exported,
        "engine/core.py": "def attend(q):\n    raise ValueError('attend takes a tile')\n",
        "docs/use.md": "```python\nfrom engine.core import attend\n```\n",
    }
    after = before | {
        "engine/__init__.py": "",
        "engine/core.py": "def attend(q):\n    raise NotImplementedError('attend is removed')\n",
    }
    facts = await facts_of(tmp_path, before, after)
    removals = [fact for fact in facts if fact.name == "attend" and fact.kind == "symbol-removed"]
    assert [fact.severity for fact in removals] == [Severity.BREAKING]
    assert removals[0].path == "engine.attend"


async def test_a_parameter_inserted_before_optional_ones_may_break_calls_by_position(
    tmp_path: Path,
) -> None:
    before = {"engine/__init__.py": "def attend(q, scale=1, window=2): ...\n"}
    after = {"engine/__init__.py": "def attend(q, scale=1, sink=0, window=2): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "parameter-added"]
    assert fact.severity is Severity.MAY_BREAK
    consequence = "Arguments that are passed by position behind it take other places."
    assert fact_sentence(fact, "en").endswith(consequence)
    assert "其后按位置传入的参数会落到别的参数上。" in fact_sentence(fact, "zh")


async def test_a_parameter_inserted_before_private_ones_breaks_nothing(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "def attend(q, scale=1, _builder=None): ...\n"}
    after = {"engine/__init__.py": "def attend(q, scale=1, sink=0, _builder=None): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "parameter-added"]
    assert fact.severity is Severity.ADDITIVE


_BINDINGS = """void register_apis(pybind11::module_& m) {{
    m.def("k_grouped_gemm", &k_grouped_gemm,
          py::arg("a"), {}
          py::arg("compiled_dims") = "mn");
    m.def("helper", &helper, {});
}}
"""


async def test_arguments_that_a_binding_names_otherwise_break_calls_by_name(tmp_path: Path) -> None:
    package = "from ._C import (\n    k_grouped_gemm,\n)\n"
    before = {
        "engine/__init__.py": package,
        "csrc/api.cpp": _BINDINGS.format('py::arg("ks"),', 'py::arg("x")'),
    }
    new_arguments = 'py::arg("ks_cpu"), py::arg("pad") = true,'
    after = before | {"csrc/api.cpp": _BINDINGS.format(new_arguments, 'py::arg("y")')}
    facts = await facts_of(tmp_path, before, after)
    (broken,) = [fact for fact in facts if fact.severity is Severity.BREAKING]
    assert (broken.kind, broken.name, broken.detail) == (
        "parameter-removed",
        "k_grouped_gemm",
        "ks",
    )
    assert broken.replacement == "ks_cpu"
    assert broken.places[0].lines == ('-          py::arg("a"), py::arg("ks"),',)
    # Nothing shows that users call what the package does not give on.
    assert [fact for fact in facts if fact.name == "helper"] == []


async def test_an_argument_that_a_binding_inserts_may_break_calls_by_position(
    tmp_path: Path,
) -> None:
    before = {
        "engine/__init__.py": "from ._C import k_grouped_gemm\n",
        "csrc/api.cpp": _BINDINGS.format("", 'py::arg("x")'),
    }
    after = before | {
        "csrc/api.cpp": _BINDINGS.format('py::arg("pad") = true,', 'py::arg("x")'),
    }
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "parameter-added"]
    assert (fact.severity, fact.name, fact.new) == (
        Severity.MAY_BREAK,
        "k_grouped_gemm",
        "pad = true",
    )


async def test_a_parameter_in_the_place_of_another_is_named(tmp_path: Path) -> None:
    package = {"engine/__init__.py": "from .core import attend\n"}
    code = "def attend(q: Tensor, {}, causal: bool = False):\n    return run(q)\n"
    before = package | {"engine/core.py": code.format("kv_scales: Tensor | None = None")}
    after = package | {"engine/core.py": code.format("kv_cache_sf: Tensor | None = None")}
    facts = await facts_of(tmp_path / "a", before, after)
    (fact,) = [fact for fact in facts if fact.severity is Severity.BREAKING]
    assert (fact.detail, fact.replacement) == ("kv_scales", "kv_cache_sf")
    # Which of two new ones takes the place nobody can say.
    after = package | {"engine/core.py": code.format("sf: Tensor, limit: int = 0")}
    facts = await facts_of(tmp_path / "b", before, after)
    removed_parameters = [fact for fact in facts if fact.kind == "parameter-removed"]
    assert [fact.replacement for fact in removed_parameters] == [None]


async def test_a_private_variable_that_goes_breaks_nobody(tmp_path: Path) -> None:
    code = "import os\n\n\ndef tile():\n    return os.getenv('{}')\n"
    for name in ("_ENGINE_TILE", "ENGINE_INTERNAL_TILE"):
        before = {"engine/tiles.py": code.format(name)}
        after = {"engine/tiles.py": "def tile():\n    return None\n"}
        facts = await facts_of(tmp_path / name, before, after)
        assert [fact for fact in facts if fact.kind == "env-removed"] == []


async def test_the_position_of_an_item_is_no_limit(tmp_path: Path) -> None:
    code = (
        "def run(stride):\n    if stride[{}] != {}:\n        raise ValueError('not contiguous')\n"
    )
    before = {"engine/core.py": code.format(2, 1)}
    facts = await facts_of(tmp_path / "a", before, {"engine/core.py": code.format(-1, 1)})
    assert [fact for fact in facts if fact.kind == "limit-changed"] == []
    facts = await facts_of(tmp_path / "b", before, {"engine/core.py": code.format(2, 8)})
    assert [fact.kind for fact in facts] == ["limit-changed"]


async def test_the_version_that_a_package_says_it_has_is_told(tmp_path: Path) -> None:
    code = "import os\n\n__version__ = '{}'\n"
    before = {"engine/__init__.py": code.format("2.4.0")}
    facts = await facts_of(tmp_path, before, {"engine/__init__.py": code.format("2.5.0")})
    (fact,) = [fact for fact in facts if fact.kind == "version-changed"]
    assert (fact.old, fact.new) == ("2.4.0", "2.5.0")


async def test_a_value_that_two_stages_of_an_image_share_is_told_once(tmp_path: Path) -> None:
    image = "FROM base AS build\nARG NIXL_VERSION={0}\nFROM base AS run\nARG NIXL_VERSION={0}\n"
    guide = {"README.md": "Build it with `docker build -f docker/Dockerfile .`.\n"}
    before = guide | {"docker/Dockerfile": image.format("0.10.1")}
    after = guide | {"docker/Dockerfile": image.format("v1.2.0")}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "config-key-changed"]
    assert (fact.name, fact.old, fact.new) == ("NIXL_VERSION", "0.10.1", "v1.2.0")
    assert [location.line for location in fact.places] == [2, 4]


async def test_methods_of_a_class_that_only_extensions_import_may_break(tmp_path: Path) -> None:
    scheduler = "class Scheduler:\n    def admit(self, batch, room): ...\n"
    before = {
        "README.md": "```python\nfrom engine.core.scheduler import Scheduler\n```\n",
        "engine/__init__.py": "from .core import run\n",
        "engine/core/__init__.py": "def run(q): ...\n",
        "engine/core/scheduler.py": scheduler,
    }
    after = before | {"engine/core/scheduler.py": scheduler.replace(", room", "")}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "parameter-removed"]
    assert fact.severity is Severity.MAY_BREAK


async def test_an_attribute_that_nobody_fills_in_may_break_and_no_more(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "class tune:\n    log = print\n\n    def run(self): ...\n"}
    after = {"engine/__init__.py": "class tune:\n    _log = print\n\n    def run(self): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    assert Severity.BREAKING not in {fact.severity for fact in facts}


async def test_native_arguments_of_what_a_package_only_calls_do_not_break(tmp_path: Path) -> None:
    binding = 'm.def("make_load", &make_load, py::arg("address"), py::arg("mask") = py::none());\n'
    before = {
        "engine/__init__.py": "def load(builder, p):\n    return builder.make_load(p)\n",
        "csrc/binding.cpp": f"void bind(py::module m) {{\n  {binding}}}\n",
    }
    after = before | {
        "csrc/binding.cpp": before["csrc/binding.cpp"].replace(', py::arg("mask") = py::none()', "")
    }
    facts = await facts_of(tmp_path, before, after)
    assert Severity.BREAKING not in {fact.severity for fact in facts}


async def test_a_default_that_stands_elsewhere_now_is_not_told_as_another(tmp_path: Path) -> None:
    code = (
        "import argparse\n\n\nclass Args:\n    seed: int = {field}\n\n\n"
        "def parse(cls):\n    parser = argparse.ArgumentParser()\n"
        '    parser.add_argument("--seed", default={default})\n'
    )
    before = {"engine/cli.py": code.format(field=0, default="0")}
    after = {"engine/cli.py": code.format(field=7, default="Args.seed")}
    facts = await facts_of(tmp_path, before, after)
    kinds = {fact.kind: (fact.old, fact.new) for fact in facts}
    assert "flag-default-changed" not in kinds
    assert kinds["field-default-changed"] == ("0", "7")


async def test_one_new_parameter_of_two_functions_is_one_fact(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "def attend(q): ...\n\n\ndef gather(q): ...\n"}
    after = {
        "engine/__init__.py": "def attend(q, *, scale=None): ...\n\n\ndef gather(q, *, scale=None): ...\n"
    }
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "parameter-added"]
    assert (fact.name, fact.detail, fact.count) == ("attend, gather", "scale", 2)


async def test_a_new_method_of_a_class_that_a_package_gives_on_is_told(tmp_path: Path) -> None:
    handler = "class Handler:\n    def run(self): ...\n"
    before = {"engine/__init__.py": "from .core import Handler\n", "engine/core.py": handler}
    after = before | {
        "engine/core.py": handler + "\n    def restore(self): ...\n\n    def _map(self): ...\n"
    }
    facts = await facts_of(tmp_path, before, after)
    added = {fact.name: fact.severity for fact in facts if fact.kind == "symbol-added"}
    assert added == {"Handler.restore": Severity.ADDITIVE}


async def test_a_table_that_is_merged_into_a_registry_is_one(tmp_path: Path) -> None:
    code = (
        '_NATIVE = {{"Code": ("{module}", "{name}")}}\n'
        "MODELS = {{\n    **_NATIVE,\n}}\n\n\n"
        "def load(name):\n    return MODELS[name]\n"
    )
    before = {"engine/registry.py": code.format(module="code", name="CodeModel")}
    after = {"engine/registry.py": code.format(module="shared", name="SharedModel")}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "registration-changed"]
    assert fact.severity is Severity.BEHAVIOUR


async def test_a_version_in_a_header_is_told(tmp_path: Path) -> None:
    before = {"include/engine/version.h": "#pragma once\n#define ENGINE_MINOR 3\n"}
    after = {"include/engine/version.h": "#pragma once\n#define ENGINE_MINOR 4\n"}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "constant-changed"]
    assert (fact.severity, fact.old, fact.new) == (Severity.BEHAVIOUR, "3", "4")


async def test_what_stands_beside_a_documented_class_may_break_and_no_more(tmp_path: Path) -> None:
    code = "class Args:\n    def run(self): ...\n\n\n{rest}"
    before = {
        "README.md": "```python\nfrom engine.core.args import Args\n```\n",
        "engine/__init__.py": "from .core import run\n",
        "engine/core/__init__.py": "def run(q): ...\n",
        "engine/core/args.py": code.format(rest="def fill(q): ...\n"),
    }
    facts = await facts_of(tmp_path, before, before | {"engine/core/args.py": code.format(rest="")})
    (fact,) = [fact for fact in facts if fact.kind == "symbol-removed"]
    assert (fact.name, fact.severity) == ("fill", Severity.MAY_BREAK)


async def test_an_option_whose_name_is_still_there_without_dashes_is_not_gone(
    tmp_path: Path,
) -> None:
    before = {
        "engine/cli.py": 'import argparse\n\np = argparse.ArgumentParser()\np.add_argument("--opt-level")\n'
    }
    after = {"engine/cli.py": 'class OptLevel:\n    option_name = "opt-level"\n'}
    kinds = {fact.kind for fact in await facts_of(tmp_path, before, after)}
    assert "flag-removed" not in kinds


async def test_a_hook_that_python_does_not_enforce_may_break_and_no_more(tmp_path: Path) -> None:
    code = "from abc import abstractmethod\n\n\nclass Meta(type):\n    def size(cls): ...\n"
    before = {"engine/__init__.py": code}
    after = {"engine/__init__.py": code + "\n    @abstractmethod\n    def width(cls): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "hook-added"]
    assert fact.severity is Severity.MAY_BREAK


async def test_arguments_that_are_passed_by_name_only_now_are_shown_by_the_star(
    tmp_path: Path,
) -> None:
    body = "    depth = weigh(depth)\n    return depth\n"
    before = {"engine/__init__.py": f"def create(\n    depth,\n    length,\n):\n{body}"}
    after = {
        "engine/__init__.py": (
            f"def create(\n    *,\n    depth,\n    length,\n):\n    store = alloc(depth)\n{body}"
        )
    }
    facts = await facts_of(tmp_path, before, after)
    shown = {fact.detail: fact.places[0].lines for fact in facts if fact.detail is not None}
    assert shown["depth"] == ("+    *,",)


def facts_by_name(facts: list[Fact]) -> dict[str, Severity]:
    return {fact.name: fact.severity for fact in facts if fact.kind.endswith("-removed")}


async def test_a_setting_breaks_only_if_documents_name_it(tmp_path: Path) -> None:
    options = 'parser.add_argument("--pages")\nparser.add_argument("--trace")\n'
    reads = 'os.environ.get("ENGINE_TRACE")\nos.environ.get("ENGINE_HOME")\n'
    before = {
        "engine/server.py": options + reads,
        "README.md": "# Run\n\n`engine --pages 4`\n",
        "examples/serve.sh": "ENGINE_HOME=/tmp engine\n",
        "CONTRIBUTING.md": "Set `ENGINE_TRACE` and give `--trace` to see more.\n",
    }
    facts = await facts_of(tmp_path, before, before | {"engine/server.py": "run()\n"})
    assert facts_by_name(facts) == {
        "--pages": Severity.BREAKING,
        "--trace": Severity.MAY_BREAK,
        "ENGINE_HOME": Severity.BREAKING,
        "ENGINE_TRACE": Severity.MAY_BREAK,
    }


async def test_variables_break_where_a_document_shows_the_file_that_reads_them(
    tmp_path: Path,
) -> None:
    before = {
        "engine/envs.py": 'os.environ.get("ENGINE_TRACE")\n',
        "docs/variables.md": '--8<-- "engine/envs.py:variables"\n',
    }
    facts = await facts_of(tmp_path, before, before | {"engine/envs.py": "run()\n"})
    assert facts_by_name(facts) == {"ENGINE_TRACE": Severity.BREAKING}


async def test_an_option_of_cmake_that_moves_to_another_file_is_told_by_its_value(
    tmp_path: Path,
) -> None:
    before = {
        "CMakeLists.txt": 'option(ENGINE_TESTS "Build tests" ON)\noption(ENGINE_OLD "Old" ON)\n',
        "cmake/options.cmake": "if(ENGINE_USED)\nendif()\n",
        "README.md": "cmake -DENGINE_TESTS=OFF -DENGINE_OLD=OFF\n",
    }
    after = before | {
        "CMakeLists.txt": "include(cmake/options.cmake)\n",
        "cmake/options.cmake": 'option(ENGINE_TESTS "Build tests" OFF)\nif(ENGINE_USED)\nendif()\n',
    }
    facts = await facts_of(tmp_path, before, after)
    told = {(fact.kind, fact.name, fact.severity) for fact in facts if fact.name[:7] == "ENGINE_"}
    assert told == {
        ("config-key-changed", "ENGINE_TESTS", Severity.BEHAVIOUR),
        ("config-key-removed", "ENGINE_OLD", Severity.BREAKING),
    }


async def test_an_option_that_cmake_still_reads_is_not_gone(tmp_path: Path) -> None:
    before = {
        "CMakeLists.txt": 'option(ENGINE_TESTS "Build tests" ON)\n',
        "cmake/tests.cmake": "if(ENGINE_TESTS)\nendif()\n",
        "README.md": "cmake -DENGINE_TESTS=OFF\n",
    }
    facts = await facts_of(tmp_path, before, before | {"CMakeLists.txt": "project(engine)\n"})
    assert facts_by_name(facts) == {}


async def test_a_route_that_moves_into_a_router_is_neither_gone_nor_new(tmp_path: Path) -> None:
    before = {
        "engine/server.py": '@app.get("/v1/models")\ndef models(): ...\n',
        "README.md": "GET /v1/models\n",
    }
    after = before | {
        "engine/server.py": "app.include_router(router)\n",
        "engine/models.py": 'router = APIRouter(prefix="/v1")\n\n\n'
        '@router.get("/models")\ndef models(): ...\n',
    }
    facts = await facts_of(tmp_path, before, after)
    assert [fact for fact in facts if fact.kind.startswith("route-")] == []


async def test_a_name_that_is_made_of_parts_now_is_not_certain_to_be_gone(tmp_path: Path) -> None:
    before = {
        "engine/server.py": 'os.environ.get("ENGINE_TRACE")\n'
        'Counter("engine:requests", "Requests")\n'
        'os.environ.get("ENGINE_HOME")\n',
        "README.md": "ENGINE_TRACE, ENGINE_HOME, engine:requests\n",
    }
    after = before | {
        "engine/server.py": 'os.environ.get(f"{PREFIX}_TRACE")\n'
        'Counter("engine" + ":requests", "Requests")\n'
    }
    facts = await facts_of(tmp_path, before, after)
    assert facts_by_name(facts) == {
        "ENGINE_TRACE": Severity.MAY_BREAK,
        "engine:requests": Severity.MAY_BREAK,
        "ENGINE_HOME": Severity.BREAKING,
    }


async def test_an_attribute_that_the_constructor_sets_now_is_not_told_as_gone(
    tmp_path: Path,
) -> None:
    before = {"engine/__init__.py": "class Engine:\n    limit: int = 4\n    size: int = 2\n"}
    after = {
        "engine/__init__.py": "class Engine:\n    size: int = 2\n\n"
        "    def __init__(self):\n        self.limit: int = 4\n"
    }
    facts = await facts_of(tmp_path, before, after)
    assert facts_by_name(facts) == {}


async def test_an_error_is_told_where_public_functions_lead_to_it(tmp_path: Path) -> None:
    code = (
        "def attend(q):\n    return _check(q)\n\n\n"
        "def _check(q):\n    {}return q\n\n\n"
        "def tune(q):\n    {}return q\n"
    )
    errors = (
        "if q is None:\n        raise ValueError('no queries are given')\n    ",
        "if q == 3:\n        raise TypeError('three is too many here')\n    ",
    )
    before = {
        "engine/__init__.py": "from .core import attend\n",
        "engine/core.py": code.format("", ""),
    }
    facts = await facts_of(tmp_path, before, before | {"engine/core.py": code.format(*errors)})
    severities = {fact.name: fact.severity for fact in facts if fact.kind == "error-added"}
    assert severities == {"ValueError": Severity.BEHAVIOUR}


async def test_a_constant_is_told_where_public_code_uses_it(tmp_path: Path) -> None:
    code = "LIMIT = {0}\nROWS = {0}\n\n\ndef attend(q):\n    return q[:LIMIT]\n\n\ndef tune(q):\n    return q[:ROWS]\n"
    before = {
        "engine/__init__.py": "from .core import attend\n",
        "engine/core.py": code.format(4),
        "engine/_tiles.py": "DEPTH = 4\n",
        "engine/limits.py": "WIDTH = 4\n",
    }
    after = before | {
        "engine/core.py": code.format(8),
        "engine/_tiles.py": "DEPTH = 8\n",
        "engine/limits.py": "WIDTH = 8\n",
    }
    facts = await facts_of(tmp_path, before, after)
    told = {
        fact.name
        for fact in facts
        if fact.kind == "constant-changed" and fact.severity is Severity.BEHAVIOUR
    }
    assert told == {"LIMIT", "WIDTH"}


async def test_a_class_that_becomes_abstract_is_not_certain_to_have_subclasses(
    tmp_path: Path,
) -> None:
    hook = "    @abstractmethod\n    def load(self): ...\n"
    before = {"engine/__init__.py": "class Spec:\n    def name(self): ...\n"}
    after = {"engine/__init__.py": f"class Spec(ABC):\n    def name(self): ...\n{hook}"}
    facts = await facts_of(tmp_path, before, after)
    severities = [fact.severity for fact in facts if fact.kind == "hook-added"]
    assert severities == [Severity.MAY_BREAK]


async def test_another_pin_of_a_submodule_is_told_as_a_dependency(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.commit("begin", {"README.md": b"engine\n"})
    for digit in "12":
        pin = f"160000,{digit * 40},3rdparty/tiles"
        work.git("update-index", "--add", "--cacheinfo", pin)
        work.git("commit", "--quiet", "-m", "pin")
    source = GitSource(REPO, tmp_path)
    change = await anext(source.changes([work.head()]))
    facts = (await study(source, change)).facts
    (fact,) = [fact for fact in facts if fact.kind == "dependency-changed"]
    assert (fact.severity, fact.name, fact.old) == (
        Severity.BEHAVIOUR,
        "3rdparty/tiles",
        "1" * 40,
    )


async def test_a_variable_is_renamed_only_to_one_with_words_of_its_name(tmp_path: Path) -> None:
    before = {"engine/env.py": 'os.getenv("ENGINE_NVCC")\nos.getenv("ENGINE_KEEP_TILES")\n'}
    after = {"engine/env.py": 'os.getenv("ENGINE_JIT_NVCC")\nos.getenv("ENGINE_USE_DRIVER")\n'}
    facts = await facts_of(tmp_path, before, after)
    told = {(fact.kind, fact.name, fact.old) for fact in facts if fact.kind.startswith("env-")}
    assert told == {
        ("env-renamed", "ENGINE_JIT_NVCC", "ENGINE_NVCC"),
        ("env-removed", "ENGINE_KEEP_TILES", None),
        ("env-added", "ENGINE_USE_DRIVER", None),
    }


async def test_a_special_case_of_a_template_may_be_gone_while_the_template_is_there(
    tmp_path: Path,
) -> None:
    template = "template <typename T>\nstruct Tile {};\n"
    special = "template <>\nstruct Tile<half_t> {};\n"
    before = {
        "include/engine/tile.h": template + special,
        "README.md": "#include <engine/tile.h>\n",
    }
    facts = await facts_of(tmp_path, before, before | {"include/engine/tile.h": template})
    assert [fact for fact in facts if fact.severity is Severity.BREAKING] == []


async def test_a_parameter_that_everything_stands_for_now_is_not_told(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "def attend(q, scale=1, *, mode=2): ...\n"}
    after = {"engine/__init__.py": "def attend(q, *args, **options): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_a_new_name_with_its_entry_in_a_list_of_exports_is_told_once(tmp_path: Path) -> None:
    before = {"engine/__init__.py": '__all__ = [\n    "run",\n]\n\n\ndef run(q): ...\n'}
    after = {
        "engine/__init__.py": '__all__ = [\n    "run",\n    "stop",\n]\n\n\n'
        "def run(q): ...\n\n\ndef stop(q): ...\n"
    }
    facts = await facts_of(tmp_path, before, after)
    told = [(fact.kind, fact.name) for fact in facts if fact.severity is not Severity.INTERNAL]
    assert told == [("symbol-added", "stop")]


async def test_another_spelling_of_a_type_is_no_other_value(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "Dim = Union[Fixed, Open]\nLIMIT = 4\n"}
    after = {"engine/__init__.py": "Dim = Fixed | Open\nLIMIT = 8\n"}
    facts = await facts_of(tmp_path, before, after)
    told = [fact.name for fact in facts if fact.severity is not Severity.INTERNAL]
    assert told == ["LIMIT"]


async def test_an_option_is_documented_without_what_it_takes(tmp_path: Path) -> None:
    before = {
        "src/cli.ts": 'program\n  .option("--host <address>", "where to listen", "::1")\n  .parse();\n',
        "README.md": "engine --host 127.0.0.1\n",
    }
    facts = await facts_of(tmp_path, before, before | {"src/cli.ts": "program.parse();\n"})
    assert list(facts_by_name(facts).values()) == [Severity.BREAKING]


async def test_a_field_of_a_record_that_programs_exchange_breaks(tmp_path: Path) -> None:
    record = "from pydantic import BaseModel\nclass Payload(BaseModel):\n    ids: list[int]\n"
    before = {"engine/__init__.py": f"{record}    text: str = ''\n"}
    facts = await facts_of(tmp_path, before, {"engine/__init__.py": record})
    assert facts_by_name(facts) == {"Payload.text": Severity.BREAKING}


async def test_a_document_of_the_commit_itself_makes_nothing_public(tmp_path: Path) -> None:
    before = {"engine/env.py": 'os.environ.get("ENGINE_TRACE")\n', "README.md": "engine\n"}
    after = {"engine/env.py": "run()\n", "README.md": "ENGINE_TRACE is gone.\n"}
    facts = await facts_of(tmp_path, before, after)
    assert facts_by_name(facts) == {"ENGINE_TRACE": Severity.MAY_BREAK}


async def test_what_gave_a_name_on_is_shown_and_not_what_only_has_the_word(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "# attend comes first\n\nfrom .core import (\n    attend,\n    gather,\n)\n\n\n"
        "def run():\n    attend = 5\n    return attend\n",
        "engine/core.py": "def attend(q): ...\ndef gather(q): ...\n",
        "engine/other.py": "from .core import attend\n\nprint(attend)\n",
    }
    after = before | {
        "engine/__init__.py": "from .core import (\n    gather,\n)\n\n\ndef run():\n    return 5\n",
        "engine/other.py": "print()\n",
    }
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.name == "attend"]
    assert [(place.file, place.lines) for place in fact.places] == [
        ("engine/__init__.py", ("-    attend,",))
    ]


async def test_a_name_taken_from_all_of_the_module_that_a_package_gives_on_is_shown(
    tmp_path: Path,
) -> None:
    names = '__all__ = [\n    "attend",\n    "gather",\n]\n'
    before = {
        "engine/__init__.py": "from .core import *\n",
        "engine/core.py": f"{names}\n\ndef attend(q): ...\ndef gather(q): ...\n",
        "engine/other.py": "def attend(q): ...\n",
    }
    after = before | {
        "engine/core.py": before["engine/core.py"].replace('    "attend",\n', ""),
        "engine/other.py": "",
    }
    facts = await facts_of(tmp_path, before, after)
    places = [fact.places[0] for fact in facts if fact.detail == "export"]
    assert [(place.file, place.lines) for place in places] == [
        ("engine/core.py", ('-    "attend",',))
    ]


async def test_a_name_that_no_removed_line_gave_on_has_no_proof_in_another_file(
    tmp_path: Path,
) -> None:
    before = {
        "engine/__init__.py": "from .core import *\nfrom .other import *\n",
        "engine/core.py": "def attend(q): ...\n",
        "engine/other.py": "def run():\n    attend = 5\n    return attend\n",
    }
    after = before | {
        "engine/__init__.py": "from .other import *\n",
        "engine/other.py": "def run():\n    return 5\n",
    }
    facts = await facts_of(tmp_path, before, after)
    assert [fact for fact in facts if fact.name == "attend"] == []


async def test_how_a_parameter_is_taken_is_shown_by_its_declaration_and_not_by_a_body(
    tmp_path: Path,
) -> None:
    function = (
        "def attend(\n    q,\n    timeout,\n):\n    return q\n\n\ndef gather(q):\n    return q\n"
    )
    before = {"engine/__init__.py": function}
    after = {
        "engine/__init__.py": function.replace("    timeout,", "    *,\n    timeout,").replace(
            "    return q\n", "    # timeout: now by name\n    timeout = 5\n    return q\n"
        )
    }
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "parameter-keyword-only"]
    assert fact.places[0].lines == ("+    *,",)


async def test_what_documents_of_sphinx_list_is_public(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/sparse/__init__.py": "from .core import gather, scatter\n",
        "engine/sparse/core.py": "def gather(q): ...\ndef scatter(q): ...\ndef helper(q): ...\n",
        "engine/hidden.py": "def attend(q): ...\n",
        "docs/api.rst": (
            "Sparse\n======\n\n.. currentmodule:: engine.sparse\n\n.. autosummary::\n"
            "    :toctree: generated\n\n    gather\n    core.scatter\n\nThe name attend is none.\n"
        ),
    }
    after = before | {
        "engine/sparse/__init__.py": "",
        "engine/sparse/core.py": (
            "def gather(q): ...\ndef scatter(q, k): ...\ndef helper(q, k): ...\n"
        ),
        "engine/hidden.py": "def attend(q, k): ...\n",
    }
    facts = await facts_of(tmp_path, before, after)
    breaking = {(fact.kind, fact.name) for fact in facts if fact.severity is Severity.BREAKING}
    assert breaking == {("symbol-removed", "gather"), ("parameter-added", "scatter")}


async def test_a_member_that_leaves_an_enumeration_breaks(tmp_path: Path) -> None:
    code = "from enum import Enum\n\n\nclass Mode(str, Enum):\n    EAGER = 'eager'\n{}"
    before = {
        "engine/__init__.py": "from .modes import Mode\n",
        "engine/modes.py": code.format("    GRAPH = 'graph'\n"),
    }
    facts = await facts_of(tmp_path, before, before | {"engine/modes.py": code.format("")})
    (fact,) = [fact for fact in facts if fact.severity is Severity.BREAKING]
    assert (fact.kind, fact.name) == ("enum-member-removed", "Mode.GRAPH")


async def test_what_a_package_gives_on_beside_its_own_module_is_new_for_users(
    tmp_path: Path,
) -> None:
    before = {
        "engine/__init__.py": "from . import core as core\nfrom .core import attend as attend\n",
        "engine/core.py": "def attend(q): ...\n",
    }
    after = before | {"engine/core.py": "def attend(q, scale=1): ...\n"}
    (fact,) = await facts_of(tmp_path, before, after)
    assert (fact.kind, fact.severity) == ("parameter-added", Severity.ADDITIVE)


async def test_a_package_that_documents_show_gives_on_more_than_they_list(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/comm/__init__.py": "from .core import gather, reduce, scatter\n",
        "engine/comm/core.py": "def gather(q): ...\ndef reduce(q): ...\ndef scatter(q): ...\n",
        "docs/api.rst": ".. currentmodule:: engine.comm\n\n.. autofunction:: gather\n",
    }
    after = before | {
        "engine/comm/core.py": (
            "def gather(q): ...\ndef reduce(q, k=1): ...\ndef scatter(q, k): ...\n"
        ),
    }
    facts = await facts_of(tmp_path, before, after)
    assert {(fact.name, fact.severity) for fact in facts} == {
        ("reduce", Severity.ADDITIVE),
        ("scatter", Severity.MAY_BREAK),
    }


async def test_a_package_right_inside_gives_on_what_it_lists(tmp_path: Path) -> None:
    core = "def gather(q): ...\ndef scatter(q): ...\ndef helper(q): ...\n"
    listed = "from .core import gather, helper, scatter\n\n__all__ = ['gather', 'scatter']\n"
    before = {
        "engine/__init__.py": "VERSION = '1'\n",
        "engine/comm/__init__.py": listed,
        "engine/comm/core.py": core,
        "engine/comm/inner/__init__.py": listed,
        "engine/comm/inner/core.py": core,
    }
    changed = core.replace("gather(q)", "gather(q, k=1)").replace("(q)", "(q, k)")
    after = before | {"engine/comm/core.py": changed, "engine/comm/inner/core.py": changed}
    facts = await facts_of(tmp_path, before, after)
    assert {(fact.name, fact.severity, fact.places[0].file) for fact in facts} == {
        ("gather", Severity.ADDITIVE, "engine/comm/core.py"),
        ("scatter", Severity.MAY_BREAK, "engine/comm/core.py"),
    }


async def test_a_name_that_goes_is_told_where_all_adds_a_list_by_its_name(tmp_path: Path) -> None:
    listed = (
        "from .core import attend, gather\n\ntry:\n    from .fast import run\n\n"
        "    _fast = ['run']\nexcept ImportError:\n    _fast = []\n\n"
        "__all__ = [\n    'attend',\n    'gather',\n] + _fast\n"
    )
    before = {
        "engine/__init__.py": listed,
        "engine/core.py": "def attend(q): ...\ndef gather(q): ...\n",
        "engine/fast.py": "def run(q): ...\n",
    }
    after = before | {
        "engine/__init__.py": listed.replace(", gather", "").replace("    'gather',\n", ""),
        "engine/core.py": "def attend(q): ...\n",
    }
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.severity is Severity.BREAKING]
    assert (fact.kind, fact.name) == ("symbol-removed", "gather")


async def test_additions_to_what_documents_describe_are_told(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/core.py": "def attend(q): ...\ndef norm(q): ...\n",
        "docs/api.rst": ".. autofunction:: engine.core.attend\n\nSee :func:`~engine.core.flush`.\n",
        "examples/run.py": "from engine.core import norm\n",
    }
    code = (
        "def attend(q, scale=1): ...\ndef norm(q, scale=1): ...\ndef flush(): ...\ndef run(): ...\n"
    )
    facts = await facts_of(tmp_path, before, before | {"engine/core.py": code})
    assert {(fact.kind, fact.name) for fact in facts} == {
        ("parameter-added", "attend"),
        ("symbol-added", "flush"),
    }


@pytest.mark.parametrize(
    ("document", "severity"),
    [
        (".. currentmodule:: engine.sparse\n\n.. autofunction:: gather\n", Severity.BREAKING),
        ("Engine\n", Severity.MAY_BREAK),
    ],
)
async def test_what_a_package_lists_in_all_is_as_public_as_the_package(
    document: str, severity: Severity, tmp_path: Path
) -> None:
    package = 'from .core import gather, scatter\n\n__all__ = [\n    "gather",\n    "scatter",\n]\n'
    before = {
        "engine/__init__.py": "",
        "engine/sparse/__init__.py": package,
        "engine/sparse/core.py": "def gather(q): ...\ndef scatter(q): ...\n",
        "docs/api.rst": document,
    }
    after = before | {
        "engine/sparse/__init__.py": 'from .core import gather\n\n__all__ = [\n    "gather",\n]\n',
    }
    (fact,) = await facts_of(tmp_path, before, after)
    assert (fact.kind, fact.name, fact.severity) == ("symbol-removed", "scatter", severity)


async def test_what_a_package_gives_to_the_tests_of_others_is_told(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "",
        "engine/testing/__init__.py": "from .tiles import make_tile\n",
        "engine/testing/tiles.py": "def make_tile(size): ...\n",
        "engine/testing/test_tiles.py": "def helper(size): ...\n",
        "docs/api.rst": ".. autofunction:: engine.testing.make_tile\n",
    }
    after = before | {
        "engine/testing/tiles.py": "def make_tile(): ...\n",
        "engine/testing/test_tiles.py": "def helper(): ...\n",
    }
    (fact,) = await facts_of(tmp_path, before, after)
    assert (fact.kind, fact.name, fact.severity) == (
        "parameter-removed",
        "make_tile",
        Severity.BREAKING,
    )


async def test_documents_of_the_newer_version_show_what_came(tmp_path: Path) -> None:
    work = Work(tmp_path)
    old = work.commit("begin", {"engine/__init__.py": b"", "engine/core.py": b"def run(): ...\n"})
    files = {
        "engine/core.py": b"def run(): ...\ndef flush(): ...\n",
        "docs/api.rst": b".. autofunction:: engine.core.flush\n",
    }
    new = work.commit("change", files)
    change = await GitSource(REPO, tmp_path).surface_between(old, new)
    assert change is not None
    assert [name.path for name in change.described] == ["engine.core.flush"]


@pytest.mark.parametrize(
    ("package", "document", "severity"),
    [
        ("from . import jit\n", "import engine\n", Severity.MAY_BREAK),
        ("from . import jit\n\n__all__ = ['jit']\n", "import engine\n", Severity.BREAKING),
        ("from . import jit\n", "from engine import jit\n", Severity.BREAKING),
    ],
)
async def test_a_module_that_a_package_only_binds_is_not_certain_to_be_public(
    package: str, document: str, severity: Severity, tmp_path: Path
) -> None:
    before = {
        "engine/__init__.py": package,
        "engine/jit/__init__.py": "from .core import build, Runtime\n",
        "engine/jit/core.py": "def build(name): ...\nclass Runtime: ...\n",
        "README.md": f"```python\n{document}```\n",
    }
    after = before | {
        "engine/jit/__init__.py": "from .core import build\n",
        "engine/jit/core.py": "def build(): ...\nclass Runtime: ...\n",
    }
    facts = await facts_of(tmp_path, before, after)
    assert {(fact.kind, fact.name, fact.severity) for fact in facts} == {
        ("parameter-removed", "build", severity),
        ("symbol-removed", "Runtime", severity),
    }


async def test_arguments_without_names_of_their_own_may_break(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "def attend(q, *more, **options): ...\ndef norm(q, **more): ...\n"
    }
    after = {"engine/__init__.py": "def attend(q, **given): ...\ndef norm(q, eps=1): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    removed = {(fact.name, fact.detail, fact.severity) for fact in facts if "removed" in fact.kind}
    assert removed == {
        ("attend", "*more", Severity.MAY_BREAK),
        ("norm", "**more", Severity.MAY_BREAK),
    }


async def test_an_argument_has_the_position_by_which_it_was_passed(tmp_path: Path) -> None:
    code = "class Tile:\n    def attend(self, q, /, {}, *, mask=0{}): ...\ndef norm({}eps=1): ...\n"
    before = {"engine/__init__.py": code.format("k, scale", ", bias=1", "x, ")}
    after = {"engine/__init__.py": code.format("k", "", "x, *, ")}
    facts = await facts_of(tmp_path, before, after)
    arguments = [fact for fact in facts if fact.kind.startswith("parameter-")]
    assert {(fact.kind, fact.detail, fact.position) for fact in arguments} == {
        ("parameter-removed", "scale", 2),
        ("parameter-removed", "bias", None),
        ("parameter-keyword-only", "eps", 1),
    }


async def test_a_field_that_may_be_left_out_now_is_told_as_such(tmp_path: Path) -> None:
    code = "from pydantic import BaseModel\n\n\nclass TileRequest(BaseModel):\n    rows: int{}\n"
    before = {"engine/__init__.py": code.format("")}
    (fact,) = await facts_of(tmp_path, before, {"engine/__init__.py": code.format(" = 4")})
    assert fact.severity is Severity.BEHAVIOUR
    sentence = "`TileRequest.rows` may be left out now; its default is `4`."
    assert fact_sentence(fact, "en") == sentence
    assert fact_sentence(fact, "zh") == "`TileRequest.rows` 现在可以省略，默认值为 `4`。"


async def test_what_a_package_gives_on_now_is_new_whenever_it_was_defined(tmp_path: Path) -> None:
    package = 'from .core import attend{}\n\n__all__ = [\n    "attend",\n{}]\n'
    code = "def attend(q): ...\ndef norm(q): ...\nTILES = make(4)\n{}"
    before = {
        "engine/__init__.py": package.format("", ""),
        "engine/core.py": code.format(""),
    }
    listed = '    "norm",\n    "TILES",\n    "scale",\n'
    after = {
        "engine/__init__.py": package.format(", norm, TILES, scale", listed),
        "engine/core.py": code.format("def scale(q): ...\n"),
    }
    facts = await facts_of(tmp_path, before, after)
    (added,) = [fact for fact in facts if fact.kind == "symbol-added"]
    assert sorted(added.name.split(", ")) == ["TILES", "norm", "scale"]


async def test_a_field_of_a_public_record_is_new(tmp_path: Path) -> None:
    code = "from dataclasses import dataclass\n\n\n@dataclass\nclass Routed:\n    rows: int\n{}"
    before = {
        "engine/__init__.py": "from .core import Routed\n",
        "engine/core.py": code.format(""),
    }
    after = before | {"engine/core.py": code.format("    weights: int = 0\n")}
    (fact,) = await facts_of(tmp_path, before, after)
    assert (fact.kind, fact.name) == ("field-added", "Routed.weights")
