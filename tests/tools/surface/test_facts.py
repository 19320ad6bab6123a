"""How the public surface decides what facts mean, and what they tell users to do."""

from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.facts import Fact, Severity
from agent.telling import fact_sentence
from tests.made_repos import Work
from tools.diff.sheet import study
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
    assert severities == {"attend": Severity.BREAKING, "gather": Severity.INTERNAL}


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
    named = [fact for fact in facts if fact.name == "attend" and fact.kind == "symbol-removed"]
    assert [fact.severity for fact in named] == [Severity.BREAKING]
    assert named[0].path == "engine.attend"


async def test_a_parameter_inserted_before_optional_ones_may_break_calls_by_position(
    tmp_path: Path,
) -> None:
    before = {"engine/__init__.py": "def attend(q, scale=1, window=2): ...\n"}
    after = {"engine/__init__.py": "def attend(q, scale=1, sink=0, window=2): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "parameter-added"]
    assert fact.severity is Severity.MAY_BREAK
    consequence = "Arguments that are passed by position behind it shift by one."
    assert fact_sentence(fact, "en").endswith(consequence)
    assert "其后按位置传入的参数会错开一位。" in fact_sentence(fact, "zh")


async def test_a_parameter_inserted_before_private_ones_breaks_nothing(tmp_path: Path) -> None:
    before = {"engine/__init__.py": "def attend(q, scale=1, _builder=None): ...\n"}
    after = {"engine/__init__.py": "def attend(q, scale=1, sink=0, _builder=None): ...\n"}
    facts = await facts_of(tmp_path, before, after)
    (fact,) = [fact for fact in facts if fact.kind == "parameter-added"]
    assert fact.severity is Severity.ADDITIVE
