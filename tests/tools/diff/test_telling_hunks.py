"""Which changed lines are shown where no declaration tells what a commit does."""

from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.facts import Fact, Severity
from tests.made_repos import Work
from tools.diff.sheet import study
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
LONG_BODY = "".join(f"    total += weigh(queue, {number})\n" for number in range(20))


async def code_facts(path: Path, before: dict[str, str], after: dict[str, str]) -> list[Fact]:
    work = Work(path)
    work.commit("begin", {file: text.encode() for file, text in before.items()})
    sha = work.commit("change", {file: text.encode() for file, text in after.items()})
    source = GitSource(REPO, path)
    change = await anext(source.changes([sha]))
    sheet = await study(source, change)
    return [fact for fact in sheet.facts if fact.kind == "code-changed"]


async def test_lines_that_users_run_into_are_shown_before_larger_ones(tmp_path: Path) -> None:
    kernels = "".join(f"def step_{name}(queue):\n    total = 0\n{LONG_BODY}\n\n" for name in "abc")
    checks = (
        "def check(options):\n"
        "    options.report('graphs need a recent device')\n"
        "    return options\n"
    )
    before = {"engine/core/steps.py": kernels, "engine/core/checks.py": checks}
    after = {
        "engine/core/steps.py": kernels.replace("weigh", "weigh_all"),
        "engine/core/checks.py": checks.replace("need a recent", "run on any"),
    }
    facts = await code_facts(tmp_path, before, after)
    assert facts[0].name == "check"


async def test_functions_that_users_import_are_shown_before_larger_ones(tmp_path: Path) -> None:
    kernels = "".join(f"def step_{name}(queue):\n    total = 0\n{LONG_BODY}\n\n" for name in "abc")
    before = {
        "engine/__init__.py": "from .core.api import attend\n",
        "engine/core/__init__.py": "",
        "engine/core/api.py": "def attend(q):\n    return run(q, 1)\n",
        "engine/core/steps.py": kernels,
    }
    after = before | {
        "engine/core/api.py": "def attend(q):\n    return run(q, 2)\n",
        "engine/core/steps.py": kernels.replace("weigh", "weigh_all"),
    }
    facts = await code_facts(tmp_path, before, after)
    assert facts[0].name == "attend"


async def test_a_docstring_is_not_shown_as_another_behaviour(tmp_path: Path) -> None:
    code = (
        'class Copy:\n    """Copies.\n\n    {}\n    """\n\n    def run(self):\n        return {}\n'
    )
    before = {"engine/copy.py": code.format("Raises if the device is old.", 1)}
    after = {"engine/copy.py": code.format("Raises if the device is very old.", 2)}
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["Copy.run"]


async def test_branches_that_are_exchanged_are_not_another_behaviour(tmp_path: Path) -> None:
    before = (
        "def pool(config):\n"
        "    if config.can_sleep:\n"
        "        allocator = find_allocator()\n"
        "        return allocator.pool()\n"
        "    else:\n"
        "        return empty()\n"
    )
    after = (
        "def pool(config):\n"
        "    if not config.can_sleep:\n"
        "        return empty()\n"
        "    allocator = find_allocator()\n"
        "    return allocator.pool()\n"
    )
    facts = await code_facts(tmp_path, {"engine/pool.py": before}, {"engine/pool.py": after})
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_a_condition_that_is_turned_round_by_itself_is_another_behaviour(
    tmp_path: Path,
) -> None:
    code = "def pool(config):\n    if {}config.can_sleep:\n        return 1\n    return 2\n"
    before = {"engine/pool.py": code.format("")}
    facts = await code_facts(tmp_path, before, {"engine/pool.py": code.format("not ")})
    assert [fact.severity for fact in facts] == [Severity.BEHAVIOUR]


async def test_a_new_example_is_no_other_behaviour(tmp_path: Path) -> None:
    before = {"engine/pool.py": "def pool(): ...\n"}
    after = before | {"examples/pool.py": "import engine\n\nengine.pool()\n"}
    facts = await code_facts(tmp_path, before, after)
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []
