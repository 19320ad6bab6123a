"""Which changed lines are shown where no declaration says what a commit does."""

from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.facts import Fact, Severity
from tests.made_repos import Work
from tests.patience import within
from tools.diff.changed_runs import hidden_lines
from tools.diff.commit_facts import gather
from tools.diff.declaration_reader import Language
from tools.diff.files_read_for_facts import study
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
LONG_BODY = "".join(f"    total += weigh(queue, {number})\n" for number in range(20))


async def code_facts(
    path: Path, before: dict[str, str], after: dict[str, str], title: str = "change"
) -> list[Fact]:
    work = Work(path)
    work.commit("begin", {file: text.encode() for file, text in before.items()})
    sha = work.commit(title, {file: text.encode() for file, text in after.items()})
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


async def test_once_the_files_of_a_commit_are_read_they_are_not_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(tmp_path)
    body = f'def step(queue):\n    """Step."""\n    total = 0\n{LONG_BODY}'
    work.commit("begin", {"engine/steps.py": body})
    after = body.replace("Step", "Steps").replace("total = 0", "total = 1")
    sha = work.commit("change", {"engine/steps.py": after})
    source = GitSource(REPO, tmp_path)
    change = await anext(source.changes([sha]))
    gathered = gather(change, await source.blobs(change, ["engine/steps.py"]))
    monkeypatch.delattr(Language, "parse")
    assert [fact.kind for fact in gathered.sheet().facts] == ["code-changed"]


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


async def test_a_guard_that_goes_is_shown_before_larger_bodies(tmp_path: Path) -> None:
    kernels = "".join(f"def step_{name}(queue):\n    total = 0\n{LONG_BODY}\n\n" for name in "abc")
    guard = (
        "        if self.graphs:\n"
        "            report('graphs are not supported on this device; disabling them')\n"
        "            self.graphs = False\n"
    )
    options = "class Options:\n    def resolve(self):\n        self.read()\n{}        self.done()\n"
    before = {"engine/core/steps.py": kernels, "engine/core/options.py": options.format(guard)}
    after = {
        "engine/core/steps.py": kernels.replace("weigh", "weigh_all"),
        "engine/core/options.py": options.format(""),
    }
    facts = await code_facts(tmp_path, before, after)
    assert facts[0].name == "Options.resolve"


async def test_other_annotations_of_a_function_are_not_another_behaviour(tmp_path: Path) -> None:
    code = "def stream(device: {} = None) -> {}:\n    return find({})\n"
    before = {"engine/core/a.py": code.format("Cuda", "Cuda", 1)}
    after = {"engine/core/a.py": code.format("Device", "Device", 1)}
    facts = await code_facts(tmp_path / "a", before, after)
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []
    after = {"engine/core/a.py": code.format("Device", "Device", 2)}
    facts = await code_facts(tmp_path / "b", before, after)
    assert facts[0].new == "return find(2)"


async def test_arguments_of_a_decorator_are_shown_before_larger_bodies(tmp_path: Path) -> None:
    kernels = "".join(f"def step_{name}(queue):\n    total = 0\n{LONG_BODY}\n\n" for name in "abc")
    before = {
        "engine/core/steps.py": kernels,
        "engine/core/needs.py": "@supported([100])\ndef _needs(a):\n    return True\n",
    }
    after = {
        "engine/core/steps.py": kernels.replace("weigh", "weigh_all"),
        "engine/core/needs.py": "@supported([80, 100])\ndef _needs(a):\n    return True\n",
    }
    facts = await code_facts(tmp_path, before, after)
    assert facts[0].old == "@supported([100])"


async def test_several_changes_of_one_function_are_shown(tmp_path: Path) -> None:
    code = (
        "def serve(a):\n    x = first({})\n    y = 0\n    y += a\n    z = last({})\n    return z\n"
    )
    before = {"engine/core/a.py": code.format(1, 1)}
    after = {"engine/core/a.py": code.format(2, 3)}
    facts = await code_facts(tmp_path, before, after)
    lines = [line for location in facts[0].places for line in location.lines]
    assert lines == [
        "-    x = first(1)",
        "+    x = first(2)",
        "-    z = last(1)",
        "+    z = last(3)",
    ]


async def test_lines_that_another_fact_shows_are_not_shown_again(tmp_path: Path) -> None:
    before = {"engine/core/a.py": "def attend(q, lens):\n    return run(q, lens)\n"}
    after = {
        "engine/core/a.py": "def attend(q, lens):\n"
        "    is_ragged = lens is not None\n"
        "    if is_ragged and q.dim() != 3:\n"
        "        raise ValueError('q must be packed')\n"
        "    return run(q, lens)\n"
    }
    facts = await code_facts(tmp_path / "a", before, after, "Take no is_ragged tensors")
    lines = [line for fact in facts for location in fact.places for line in location.lines]
    assert lines == ["+    is_ragged = lens is not None"]
    # Beside a fact that users notice, a body is shown only if the title is about it.
    assert await code_facts(tmp_path / "b", before, after) == []


async def test_the_other_side_of_a_signature_is_not_another_behaviour(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import attend, run\n",
        "engine/core.py": "def attend(q, window):\n    return q\n\n\n"
        "def run(\n    q,\n    mode='long and slow', size=1):\n    return q\n",
    }
    after = before | {
        "engine/core.py": "def attend(q):\n    return q\n\n\n"
        "def run(\n    q,\n    mode='long and slow', size=1, limit=2\n):\n    return q\n",
    }
    assert await code_facts(tmp_path, before, after) == []


async def test_all_lines_of_an_error_belong_to_its_fact(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import attend\n",
        "engine/core.py": "def attend(q):\n    return q\n",
    }
    check = (
        "def attend(q):\n    if q is None:\n        raise ValueError(\n"
        "            f'the queries {q} are'\n            ' missing, and so'\n            ' are keys'\n"
        "            ' and values'\n        )\n    return q\n"
    )
    after = before | {"engine/core.py": check}
    assert await code_facts(tmp_path, before, after) == []


async def test_one_exchange_of_names_in_many_functions_is_told_once(tmp_path: Path) -> None:
    functions = [f"def step_{number}(q):\n    return {{}}(q, {number})\n" for number in range(4)]
    code = "\n\n".join(functions)
    before = {"engine/core/a.py": code.replace("{}", "weigh")}
    after = {"engine/core/a.py": code.replace("{}", "weigh_fast")}
    (fact,) = await code_facts(tmp_path, before, after)
    assert (fact.count, fact.name) == (4, "step_0, step_1, step_2, step_3")


async def test_what_is_logged_for_debugging_is_not_another_behaviour(tmp_path: Path) -> None:
    code = (
        "def prune(a):\n"
        "    logger.debug(\n"
        '        "{} the tokens of a long video",\n'
        "        a,\n"
        "    )\n"
        "    return a\n"
    )
    before = {"engine/core/a.py": code.format("Prune")}
    facts = await code_facts(tmp_path, before, {"engine/core/a.py": code.format("Pruning")})
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_a_call_that_follows_its_method_is_not_another_behaviour(tmp_path: Path) -> None:
    caller = "def loop(self, batch):\n    batch = {}\n    return batch\n"
    method = "class {}:\n    def prepare(self, batch):\n        return batch + self.size\n"
    before = {
        "engine/core/loop.py": caller.format("self.prepare(self.adapter, batch)"),
        "engine/core/mixin.py": method.format("Mixin"),
    }
    after = {
        "engine/core/loop.py": caller.format("self.adapter.prepare(batch)"),
        "engine/core/mixin.py": method.format("Adapter"),
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_the_place_that_uses_something_new_is_shown_before_what_it_uses(
    tmp_path: Path,
) -> None:
    code = "class Cuda:\n    def info(self):\n        return 1\n\n\n{}if has_cuda():\n    env = Cuda()\n{}"
    body = "class Metal:\n    def info(self):\n        a = 1\n        b = 2\n        return a + b\n\n\n"
    before = {"engine/check.py": code.format("", "")}
    after = {"engine/check.py": code.format(body, "elif has_metal():\n    env = Metal()\n")}
    facts = await code_facts(tmp_path, before, after)
    lines = [line for fact in facts for location in fact.places for line in location.lines]
    assert lines == ["+elif has_metal():", "+    env = Metal()", "+class Metal:"]


async def test_the_same_lines_in_several_functions_are_one_fact(tmp_path: Path) -> None:
    code = "def step_{}(queue):\n    first(queue)\n{}    last(queue)\n"
    before = {f"engine/core/{name}.py": code.format(name, "") for name in "ab"}
    after = {f"engine/core/{name}.py": code.format(name, "    sync(queue)\n") for name in "ab"}
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["step_a, step_b"]


async def test_what_changes_in_examples_alone_is_folded(tmp_path: Path) -> None:
    code = "def step(queue):\n    total = 0\n{}\n\n\nstep(queue={})\n"
    before = {"examples/gemm.py": code.format(LONG_BODY, 1), "README.md": "Old words.\n"}
    after = {
        "examples/gemm.py": code.format(LONG_BODY.replace("weigh", "sum"), 2),
        "README.md": "New words.\n",
    }
    facts = await code_facts(tmp_path, before, after)
    assert [(fact.name, fact.severity) for fact in facts] == [
        ("examples/gemm.py", Severity.INTERNAL)
    ]
    assert facts[0].places[0].lines == ("-step(queue=1)", "+step(queue=2)")


async def test_a_file_with_thousands_of_changed_declarations_is_read_in_linear_time(
    tmp_path: Path,
) -> None:
    options = "".join(f"OPTION_{number} = {number}\n" for number in range(6_000))
    check = "def check(options):\n    return options[{}]\n"
    before = {"engine/options.py": check.format(0)}
    after = {"engine/options.py": check.format(1) + options}
    with within(seconds=0.3):
        facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["check"]


async def test_a_longer_list_of_imports_is_not_another_behaviour(tmp_path: Path) -> None:
    code = "from engine.state import (\n    first_group,\n{})\n\n\ndef run(a):\n    return {}\n"
    before = {"engine/core/a.py": code.format("", "first_group(a)")}
    after = {"engine/core/a.py": code.format("    second_group_size,\n", "second_group_size(a)")}
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["run"]


async def test_what_the_title_names_is_shown_before_larger_changes(tmp_path: Path) -> None:
    kernels = "".join(f"def step_{name}(queue):\n    total = 0\n{LONG_BODY}\n\n" for name in "abc")
    small = "def pick(page_size):\n    return page_size + 1\n"
    before = {"engine/core/steps.py": kernels, "engine/core/small.py": small}
    work = Work(tmp_path)
    work.commit("begin", {file: text.encode() for file, text in before.items()})
    after = {
        "engine/core/steps.py": kernels.replace("weigh", "weigh_all"),
        "engine/core/small.py": small.replace("+ 1", "+ 2"),
    }
    changed = {file: text.encode() for file, text in after.items()}
    sha = work.commit("Fix page_size of the last page", changed)
    source = GitSource(REPO, tmp_path)
    sheet = await study(source, await anext(source.changes([sha])))
    code = [fact.name for fact in sheet.facts if fact.kind == "code-changed"]
    assert code[0] == "pick"


async def test_bodies_are_not_shown_beside_what_decides(tmp_path: Path) -> None:
    body = f"def step_{{0}}(queue):\n    total = 0\n{LONG_BODY}\n\n"
    kernels = "".join(body.format(name) for name in "ab")
    before = {
        "engine/core/steps.py": kernels,
        "engine/core/a.py": "def admit(queue):\n    if len(queue) > 8:\n        return None\n    return queue\n",
        "engine/core/b.py": "def weigh(queue):\n    total = queue.total\n    return total\n",
    }
    after = {
        "engine/core/steps.py": kernels.replace("weigh", "weigh_all"),
        "engine/core/a.py": before["engine/core/a.py"].replace(
            "len(queue) > 8", "len(queue) > queue.room"
        ),
        "engine/core/b.py": before["engine/core/b.py"].replace("queue.total", "queue.whole"),
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["admit"]


async def test_lines_of_documents_and_tests_alone_are_not_shown(tmp_path: Path) -> None:
    before = {"docs/guide.md": "# Guide\n\nRun the supoorted engine.\n"}
    after = {"docs/guide.md": "# Guide\n\nRun the supported engine.\n"}
    assert await code_facts(tmp_path / "documents", before, after) == []
    before = {"tests/test_pool.py": "def test_pool():\n    assert pool(1)\n"}
    after = {"tests/test_pool.py": "def test_pool():\n    assert pool(2)\n"}
    assert await code_facts(tmp_path / "tests", before, after) == []


async def test_code_that_is_only_indented_anew_makes_room_for_what_is_new(tmp_path: Path) -> None:
    body = "".join(f"queue.push('part {number}', weigh({number}))\n" for number in range(12))
    old = "def fill(queue):\n    if queue.open:\n" + _indented(body, 8)
    new = (
        "def fill(queue):\n    if queue.is_open and not queue.closing:\n        if queue.room:\n"
        + _indented(body, 12)
        + "        queue.settle('half full')\n"
    )
    (fact,) = await code_facts(tmp_path, {"engine/a.py": old}, {"engine/a.py": new})
    shown = "\n".join(line for place in fact.places for line in place.lines)
    assert "settle" in shown
    assert "closing" in shown


def _indented(code: str, spaces: int) -> str:
    return "".join(" " * spaces + line + "\n" for line in code.splitlines())


async def test_other_names_of_variables_are_not_another_behaviour(tmp_path: Path) -> None:
    code = (
        "def pick({1}):\n    {0} = weigh({1})\n    if {0} > 2:\n        return {0}\n    return 0\n"
    )
    before = {"engine/core/pick.py": code.format("w", "queue")}
    facts = await code_facts(
        tmp_path / "renamed", before, {"engine/core/pick.py": code.format("weight", "queue")}
    )
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []
    # Another variable that was there before is another value.
    mended = code.format("w", "queue").replace("return w", "return queue")
    facts = await code_facts(tmp_path / "mended", before, {"engine/core/pick.py": mended})
    assert [fact.new for fact in facts] == ["return queue"]


async def test_lines_that_move_away_are_not_shown_as_gone(tmp_path: Path) -> None:
    moved = "".join(f"    total += weigh(queue, {number})\n" for number in range(6))
    before = {"engine/core/a.py": f"def run(queue):\n    total = 0\n{moved}    return total\n"}
    after = {
        "engine/core/a.py": "from .b import sum_up\n\n\ndef run(queue):\n    return sum_up(queue)\n",
        "engine/core/b.py": f"def sum_up(queue):\n    total = 0\n{moved}    return total\n",
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_a_value_that_gets_a_name_is_the_same_value(tmp_path: Path) -> None:
    code = "def run(queue):\n    if {} or queue.empty:\n        return None\n    return queue\n"
    before = {"engine/core/a.py": code.format("platform.supports_graphs()")}
    named = "GRAPHS = platform.supports_graphs()\n\n\n" + code.format("GRAPHS")
    facts = await code_facts(tmp_path, before, {"engine/core/a.py": named})
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_of_lines_laid_out_anew_only_those_with_other_words_are_shown(tmp_path: Path) -> None:
    parts = [f"weigh(queue, {number})" for number in range(16)]
    before = {"engine/core/a.py": f"def run(queue):\n    return join({', '.join(parts)})\n"}
    parts[11] = "weigh(queue, 30)"
    rows = "".join(f"        {part},\n" for part in parts)
    after = {"engine/core/a.py": f"def run(queue):\n    return join(\n{rows}    )\n"}
    (fact,) = await code_facts(tmp_path, before, after)
    added = [line for line in fact.places[0].lines if line.startswith("+")]
    assert added == [
        "+        weigh(queue, 10),",
        "+        weigh(queue, 30),",
        "+        weigh(queue, 12),",
    ]


async def test_a_new_argument_is_told_with_what_the_body_does_with_it(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import attend\n",
        "engine/core.py": "def attend(q):\n    return run(q)\n",
    }
    after = before | {
        "engine/core.py": "def attend(q, scale=None):\n    return run(q if scale is None else q * scale)\n",
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["attend"]


async def test_a_test_beside_the_code_of_rust_is_not_shown(tmp_path: Path) -> None:
    code = (
        "pub fn top_k(limit: u32) -> u32 {{\n    limit + {}\n}}\n\n"
        "#[cfg(test)]\nmod tests {{\n    #[test]\n    fn limits() {{\n"
        '        assert_eq!(top_k({}), 2, "the limit is wrong");\n    }}\n}}\n'
    )
    before = {"src/limits.rs": code.format(1, 1)}
    facts = await code_facts(tmp_path, before, {"src/limits.rs": code.format(2, 0)})
    assert [fact.name for fact in facts] == ["top_k"]


async def test_the_folder_in_which_most_changes_is_not_left_out(tmp_path: Path) -> None:
    kernel = "def step_{0}(queue):\n    {1}\n" + LONG_BODY
    before = {f"engine/kernels/{name}.py": kernel.format(name, "start(queue)") for name in "abc"}
    before["engine/api.py"] = "def attend(q):\n    if q:\n        return run(q)\n    return None\n"
    after = {
        path: text.replace("weigh(queue, ", "weigh_all(queue, limit, ")
        for path, text in before.items()
    }
    after["engine/api.py"] = before["engine/api.py"].replace("if q:", "if q and q.size:")
    facts = await code_facts(tmp_path, before, after)
    assert [fact.places[0].file for fact in facts] == ["engine/api.py", "engine/kernels/a.py"]


def test_docstrings_imports_and_annotated_signatures_hide_where_their_lines_changed() -> None:
    old = b'import os\n\n\ndef run(path, *, depth=1):\n    """Run."""\n    return path\n'
    new = (
        b"import sys\nfrom a import b\n\n\ndef run(\n    path: str,\n    *,\n    depth=1,\n):\n"
        b'    """Run it."""\n    return path\n'
    )
    everywhere = [(1, 11)]
    assert hidden_lines("run.py", new, old, everywhere) == {2, 5, 6, 7, 8, 9, 10}
    assert hidden_lines("run.py", new, old, [(10, 10)]) == {10}
    assert not hidden_lines("run.py", new, b"def run(path): ...\n", [(6, 6)])
    # A version that was empty has no first line, and the file still shows what came.
    assert not hidden_lines("run.py", b"", new, [(0, 0)])
    # Text that looks like a statement ends none: the whole file is read instead.
    broken = b'def run():\n    """Run\nthe rest."""\n    return 1\n'
    assert hidden_lines("run.py", broken, b"", [(2, 2)]) == {2, 3}


async def test_a_fix_is_shown_though_its_title_names_workflows_too(tmp_path: Path) -> None:
    code = "def advance(calls, current):\n    if calls {} current:\n        return True\n    return False\n"
    before = {"engine/parser.py": code.format(">")}
    after = {"engine/parser.py": code.format(">=")}
    facts = await code_facts(tmp_path / "fix", before, after, "[CI][Bugfix] Mend the parser")
    assert [fact.severity for fact in facts] == [Severity.BEHAVIOUR]
    facts = await code_facts(tmp_path / "ci", before, after, "[CI] Mend the parser")
    assert [fact.severity for fact in facts] == [Severity.BEHAVIOUR]
    facts = await code_facts(tmp_path / "chore", before, after, "[Refactor] Tidy the parser")
    assert [fact.severity for fact in facts] == [Severity.INTERNAL]


async def test_what_is_computed_elsewhere_is_shown_with_what_it_replaces(tmp_path: Path) -> None:
    code = "def indices(past, window):\n{}    length = min(past, window - 1)\n{}    return start, length\n"
    old = code.format("    start = 0 if past < window else past % window\n", "")
    new = code.format("", "    start = (past - length) % window\n")
    facts = await code_facts(tmp_path, {"engine/cache.py": old}, {"engine/cache.py": new})
    lines = [line for location in facts[0].places for line in location.lines]
    assert "+    start = (past - length) % window" in lines


async def test_a_benchmark_of_the_package_is_shown(tmp_path: Path) -> None:
    code = "def backends():\n    known = {}\n    return known\n"
    before = {
        "engine/__init__.py": "",
        "engine/benchmark/data.py": code.format("('engine', 'other')"),
    }
    after = before | {"engine/benchmark/data.py": code.format("('engine', 'other', 'third')")}
    (fact,) = await code_facts(tmp_path, before, after)
    assert (fact.name, fact.severity) == ("engine/benchmark/data.py", Severity.BEHAVIOUR)


async def test_code_between_two_strings_is_no_sentence(tmp_path: Path) -> None:
    checks = "std::string check(int a) {{\n  return {};\n}}\n"
    prints = 'void print(Stream& ss) {{\n  ss << "a" << ")"{} << ",";\n}}\n'
    before = {
        "src/a_print.cc": prints.format(""),
        "src/check.cc": checks.format('"devices are too old"'),
    }
    after = {
        "src/a_print.cc": prints.format(' << width << "," << height << "," << depth'),
        "src/check.cc": checks.format('"devices are much too old"'),
    }
    facts = await code_facts(tmp_path, before, after)
    assert facts[0].name == "check"


async def test_of_examples_neither_comments_nor_printed_results_are_shown(tmp_path: Path) -> None:
    code = "// The {} operand\nint run(int n) {{\n  return n > {} ? 1 : 0;\n}}\n"
    before = {"examples/gemm.cu": code.format("first", 1)}
    after = {"examples/gemm.cu": code.format("second", 1)}
    assert await code_facts(tmp_path / "comment", before, after) == []
    results = "".join(f"step {number} took {{0}} ms\n" for number in range(40))
    before["examples/output.txt"] = results.format(3)
    after = {"examples/gemm.cu": code.format("second", 2), "examples/output.txt": results.format(4)}
    facts = await code_facts(tmp_path / "results", before, after)
    assert [fact.name for fact in facts] == ["run"]


async def test_programs_beside_the_product_are_shown_by_their_functions(tmp_path: Path) -> None:
    code = (
        "def pick(size):\n    if size > {}:\n        return 1\n    return 2\n\n\nSTEPS = run({})\n"
    )
    before = {"benchmarks/bench_gemm.py": code.format(1, "'a'")}
    after = {"benchmarks/bench_gemm.py": code.format(2, "'b'")}
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["pick", "benchmarks/bench_gemm.py"]


async def test_what_a_tool_wrote_is_not_shown(tmp_path: Path) -> None:
    pins = "#\n# This file is autogenerated by pip-compile\n#\nyarl=={}\n"
    before = {"requirements/constraints.txt": pins.format("1.1")}
    after = {"requirements/constraints.txt": pins.format("1.2")}
    assert await code_facts(tmp_path, before, after) == []


async def test_what_an_image_is_built_of_is_shown_before_warnings(tmp_path: Path) -> None:
    flags = 'set(FLAGS "${{FLAGS}} -Wno-unused{}")\n'
    before = {
        "CMakeLists.txt": flags.format(""),
        "docker/Dockerfile": "FROM base\nRUN cd triton && git fetch\n",
    }
    after = {
        "CMakeLists.txt": flags.format(" -Wno-unused-value"),
        "docker/Dockerfile": "FROM base\nRUN cd triton && git fetch && git cherry-pick dd998b6\n",
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["Dockerfile"]


async def test_the_type_of_a_variable_is_not_another_behaviour(tmp_path: Path) -> None:
    code = "class Request:\n    def __init__(self):\n        self.states{} = {}\n"
    before = {"engine/core/a.py": code.format("", "[]")}
    after = {"engine/core/a.py": code.format(": list[float]", "[]")}
    facts = await code_facts(tmp_path / "typed", before, after)
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []
    after = {"engine/core/a.py": code.format(": list[float]", "None")}
    facts = await code_facts(tmp_path / "changed", before, after)
    assert len(facts) == 1


async def test_a_function_is_shown_where_it_is_defined(tmp_path: Path) -> None:
    header = "namespace trace {{\nclass Writer {{\n  void write(int depth{});\n}};\n}}\n"
    source = "void Writer::write(int depth{}) {{\n  emit(depth{});\n}}\n"
    before = {"src/writer.h": header.format(""), "src/writer.cc": source.format("", "")}
    after = {
        "src/writer.h": header.format(", long begin"),
        "src/writer.cc": source.format(", long begin", " - begin"),
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact.places[0].file for fact in facts] == ["src/writer.cc"]


async def test_a_decision_is_shown_beside_an_error_that_goes(tmp_path: Path) -> None:
    error = "    if options.overlap:\n        raise ValueError('overlap cannot be used')\n"
    options = "def check(options):\n{}    return options\n"
    batch = "def split(batch):\n    if batch.size{}:\n        return batch.halves()\n    return [batch]\n"
    before = {
        "engine/__init__.py": "from .options import check\n",
        "engine/options.py": options.format(error),
        "engine/core/batch.py": batch.format(""),
    }
    after = before | {
        "engine/options.py": options.format(""),
        "engine/core/batch.py": batch.format(" > batch.rids"),
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["split"]


async def test_a_revert_is_shown_by_one_change(tmp_path: Path) -> None:
    code = "def step_{}(queue):\n    if queue.size > {}:\n        return 1\n    return 2\n"
    work = Work(tmp_path)
    work.commit("begin", {f"engine/{name}.py": code.format(name, 1).encode() for name in "abc"})
    changed = {
        f"engine/{name}.py": code.format(name, index + 2).encode()
        for index, name in enumerate("abc")
    }
    earlier = work.commit("Cut queues", changed)
    message = f'Revert "Cut queues"\n\nThis reverts commit {earlier}.'
    sha = work.commit(
        message, {f"engine/{name}.py": code.format(name, 1).encode() for name in "abc"}
    )
    source = GitSource(REPO, tmp_path)
    sheet = await study(source, await anext(source.changes([sha])))
    assert [fact.kind for fact in sheet.facts] == ["revert", "code-changed"]


async def test_a_title_names_code_by_its_words_in_the_plural(tmp_path: Path) -> None:
    code = "def {}(size):\n    if size > {}:\n        return 1\n    return 2\n"
    names = ("load_rows", "load_tiles", "store_rows", "store_tiles", "pickKernelConfig")
    before = {f"engine/core/{name}.py": code.format(name, 1) for name in names}
    after = {
        f"engine/core/{name}.py": code.format(name, index + 2) for index, name in enumerate(names)
    }
    facts = await code_facts(tmp_path, before, after, "Update selector configs")
    assert facts[0].name == "pickKernelConfig"


async def test_rows_of_tables_with_other_numbers_are_shown(tmp_path: Path) -> None:
    table = "# Engine\n\n| device | capability |\n|---|---|\n| RTX 50 | {} |\n\nSince version {}.\n"
    before = {"README.md": table.format("10.0", "1.2")}
    facts = await code_facts(tmp_path, before, {"README.md": table.format("12.0", "1.3")})
    assert [(fact.old, fact.severity) for fact in facts] == [
        ("| RTX 50 | 10.0 |", Severity.BEHAVIOUR)
    ]


async def test_steps_in_another_order_are_another_behaviour(tmp_path: Path) -> None:
    scale = "    if scaled:\n        total = total * weight\n\n"
    code = "def step(total, weight, scaled):\n{}    total = narrow(total)\n    log(total)\n{}    return total\n"
    before = {"engine/core/a.py": code.format("", scale.rstrip("\n") + "\n")}
    facts = await code_facts(
        tmp_path / "moved", before, {"engine/core/a.py": code.format(scale, "")}
    )
    assert [(fact.name, fact.severity) for fact in facts] == [("step", Severity.BEHAVIOUR)]
    # Members of a class may stand in any order.
    members = [
        "    def first(self):\n        return one()\n",
        "    def last(self):\n        return two()\n",
    ]
    before = {"engine/core/a.py": "class Steps:\n" + "\n".join(members)}
    after = {"engine/core/a.py": "class Steps:\n" + "\n".join(reversed(members))}
    facts = await code_facts(tmp_path / "members", before, after)
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_a_new_attribute_of_a_class_that_nobody_imports_is_shown(tmp_path: Path) -> None:
    code = 'class Model(Base):\n    layers = ["up"]\n{}\n    def run(self):\n        return 1\n'
    added = '    embedding_modules = {"lm_head": "output"}\n'
    before = {
        "engine/__init__.py": "from engine.api import run\n",
        "engine/api.py": "def run(): ...\n",
        "engine/models/wide.py": code.format(""),
    }
    after = before | {"engine/models/wide.py": code.format(added)}
    facts = await code_facts(tmp_path, before, after)
    assert [(fact.name, fact.severity) for fact in facts] == [("Model", Severity.BEHAVIOUR)]


async def test_branches_of_a_build_around_unchanged_code_do_not_decide(tmp_path: Path) -> None:
    kernel = "void step(int n) {{\n  run(n{});\n}}\n"
    before = {"src/step.cu": kernel.format(""), "src/warp.cuh": '#include "a.h"\n'}
    after = {
        "src/step.cu": kernel.format(" + 1"),
        "src/warp.cuh": '#ifndef USE_ROCM\n#include "a.h"\n#endif\n',
    }
    facts = await code_facts(tmp_path, before, after)
    assert facts[0].name == "step"


async def test_braces_that_a_longer_block_needs_are_not_what_is_shown(tmp_path: Path) -> None:
    code = "void set_mode(int n) {{\n  if (n < 2){}\n    mode = 1;\n{}  mode = read(n);\n}}\n"
    before = {"src/mode.cpp": code.format("", "")}
    after = {"src/mode.cpp": code.format(" {", "    return;\n  }\n")}
    (fact,) = await code_facts(tmp_path, before, after)
    assert fact.places[0].lines[0] == "+    return;"


async def test_variables_of_an_image_are_shown_before_what_its_build_prints(tmp_path: Path) -> None:
    image = "FROM base\nRUN echo one{}\nFROM base AS late\n{}RUN echo two\n"
    before = {"docker/Dockerfile": image.format("", "")}
    after = {"docker/Dockerfile": image.format(" && echo 'scale factor is set'", "ENV SCALE=1\n")}
    facts = await code_facts(tmp_path, before, after)
    shown = [line for fact in facts for place in fact.places for line in place.lines]
    assert "+ENV SCALE=1" in shown


async def test_a_method_that_has_to_be_awaited_now_is_shown(tmp_path: Path) -> None:
    code = "class Reader:\n    {}def decode(self, data):\n        return unpack(data)\n"
    before = {"engine/core/reader.py": code.format("")}
    facts = await code_facts(tmp_path, before, {"engine/core/reader.py": code.format("async ")})
    assert [(fact.new, fact.severity) for fact in facts] == [
        ("async def decode(self, data):", Severity.BEHAVIOUR)
    ]


async def test_a_function_with_another_comment_does_what_it_did(tmp_path: Path) -> None:
    code = "int run(int n) {{\n  // {} all\n  return n;\n}}\n"
    before = {"examples/a.cu": code.format("Count"), "README.md": "Old words.\n"}
    after = {"examples/a.cu": code.format("Take"), "README.md": "New words.\n"}
    assert await code_facts(tmp_path, before, after) == []


async def test_a_line_inside_of_a_call_is_shown_with_the_beginning_of_the_call(
    tmp_path: Path,
) -> None:
    code = (
        "def load(audio, rate):\n"
        "    # Models hear at one rate.\n"
        "    if rate != MODEL_RATE:\n"
        "        close(\n"
        "            audio,\n"
        "        )\n"
        "        audio = resample(\n"
        "            audio,\n"
        "            rate,\n"
        "{}"
        "            MODEL_RATE,\n"
        "        )\n"
        "    return audio\n"
    )
    before = {"engine/load.py": code.format("            rate,\n")}
    (fact,) = await code_facts(tmp_path, before, {"engine/load.py": code.format("")})
    assert fact.places[0].excerpt == ("         audio = resample(", "-            rate,")


async def test_a_branch_is_shown_with_the_condition_that_it_belongs_to(tmp_path: Path) -> None:
    code = (
        "int pick(int n) {{\n"
        "  if (n > 4) {{\n"
        "    wide(n);\n"
        "  }} else if (n > 2) {{\n"
        "    middle(n);\n"
        "  }} else {{\n"
        "    narrow(n, {});\n"
        "  }}\n"
        "  return n;\n"
        "}}\n"
    )
    before = {"src/pick.cpp": code.format(1)}
    (fact,) = await code_facts(tmp_path, before, {"src/pick.cpp": code.format(2)})
    assert fact.places[0].above == ("   if (n > 4) {", "   } else {")


async def test_a_statement_behind_a_block_is_not_shown_as_a_part_of_it(tmp_path: Path) -> None:
    code = (
        "int make(int n) {{\n"
        "  for (int i = 0; i < n; ++i) {{\n"
        "    step(i);\n"
        "  }}\n"
        "{}"
        "  return n;\n"
        "}}\n"
    )
    before = {"src/make.cpp": code.format("")}
    after = {"src/make.cpp": code.format("    int version = driver_version();\n")}
    (fact,) = await code_facts(tmp_path, before, after)
    assert fact.places[0].above == ()


async def test_what_uses_a_changed_value_is_shown_below_it(tmp_path: Path) -> None:
    code = (
        "def scaled(a, scale):\n"
        "{}"
        "    assert scale is not None, 'scales must not be None'\n"
        "    return a * scale\n"
    )
    before = {"engine/core/a.py": code.format("")}
    after = {"engine/core/a.py": code.format("    scale = unwrapped(scale)\n")}
    (fact,) = await code_facts(tmp_path, before, after)
    assert fact.places[0].below == ("     assert scale is not None, 'scales must not be None'",)


async def test_a_comment_that_comes_with_a_line_is_shown_with_it(tmp_path: Path) -> None:
    code = "void send(int n) {{\n  pack(n);\n{}  publish(n);\n}}\n"
    before = {"src/send.cu": code.format("")}
    sync = "  // All packets are there before one thread publishes them.\n  __syncthreads();\n"
    (fact,) = await code_facts(tmp_path, before, {"src/send.cu": code.format(sync)})
    assert fact.places[0].lines == tuple(f"+{line}" for line in sync.splitlines())


async def test_a_comment_above_a_function_belongs_to_it(tmp_path: Path) -> None:
    code = "struct Vector {{\n  Vector(int n) {{ fill(n); }}\n{}}};\n"
    stub = (
        "\n  // A stub that lets the template compile on all platforms.\n"
        "  Vector(long n) { fill(n); }\n"
    )
    before = {"src/vector.cpp": code.format("")}
    facts = await code_facts(tmp_path, before, {"src/vector.cpp": code.format(stub)})
    assert facts[0].places[0].lines[0] == (
        "+  // A stub that lets the template compile on all platforms."
    )


async def test_a_long_change_is_shown_from_where_it_is_explained(tmp_path: Path) -> None:
    setup = "".join(f"  int part_{number} = {number};\n" for number in range(20))
    licence = "/*\n * Licensed under the Apache License, for all who use this file.\n */\n"
    old = "void step(int n) {\n  run(n);\n}\n"
    new = (
        f"{licence}void step(int n) {{\n{setup}"
        "  // The state of padded entries is zero.\n"
        "  if (n < 0) clear(n);\n"
        "  run(n);\n}\n"
    )
    facts = await code_facts(tmp_path, {"src/step.cu": old}, {"src/step.cu": new})
    lines = [line for fact in facts for place in fact.places for line in place.lines]
    assert "+  // The state of padded entries is zero." in lines
    assert not any("License" in line for line in lines)


async def test_what_its_author_explains_is_shown_before_other_decisions(tmp_path: Path) -> None:
    names = "abcd"
    code = "def step_{}(queue):\n    if queue.size > {}:\n        return 1\n    return 2\n"
    before = {f"engine/core/{name}.py": code.format(name, 1) for name in names}
    after = {
        path: text.replace("size > 1", f"size > 1 and queue.room_{index}")
        for index, (path, text) in enumerate(before.items())
    }
    comment = "    # Full queues are not split any more.\n    if"
    after["engine/core/d.py"] = after["engine/core/d.py"].replace("    if", comment, 1)
    facts = await code_facts(tmp_path, before, after)
    assert facts[0].name == "step_d"


async def test_a_body_that_is_written_anew_is_shown_after_short_decisions(tmp_path: Path) -> None:
    body = "".join(f"    total += weigh(queue, {number})\n" for number in range(80))
    kernel = f"def step_queue(queue):\n    if queue:\n        total = 0\n{body}"
    pick = "def pick(a):\n    if a.size:\n        return 1\n    return 2\n"
    before = {"engine/core/steps.py": kernel, "engine/core/pick.py": pick}
    after = {
        "engine/core/steps.py": kernel.replace("weigh", "weigh_all").replace("if queue", "if True"),
        "engine/core/pick.py": pick.replace("a.size", "a.size and a.room"),
    }
    facts = await code_facts(tmp_path, before, after, "Step through queues")
    assert facts[0].name == "pick"


async def test_functions_that_lose_the_same_argument_are_one_fact(tmp_path: Path) -> None:
    code = "def {0}_config(a):\n    return dict({1}=field('{0}'{2}))\n"
    names = {"audio": "lengths", "image": "sizes", "video": "frames"}
    before = {
        f"engine/models/{name}.py": code.format(name, key, ", on_cpu=True")
        for name, key in names.items()
    }
    after = {f"engine/models/{name}.py": code.format(name, key, "") for name, key in names.items()}
    (fact,) = await code_facts(tmp_path, before, after)
    assert fact.name == "audio_config, image_config, video_config"
    assert (fact.old, fact.new) == (None, None)  # The line of one is not that of the others
    assert [place.file for place in fact.places] == [*before]


async def test_one_exchanged_name_is_told_for_all_lines_that_have_it(tmp_path: Path) -> None:
    code = (
        "def ask(url):\n    return get(url, '/{0}')\n\n\n"
        "def options(parser):\n    parser.add('--all', help='what {0} says')\n"
    )
    before = {"engine/client.py": code.format("get_info")}
    facts = await code_facts(tmp_path, before, {"engine/client.py": code.format("info")})
    assert [(fact.old, fact.new, fact.count) for fact in facts] == [("get_info", "info", 2)]


async def test_the_same_lines_of_other_functions_are_shown_once(tmp_path: Path) -> None:
    code = "def step_{}(queue):\n    first(queue)\n{}    last(queue)\n"
    before = {f"engine/core/{name}.py": code.format(name, "") for name in "abc"}
    after = {f"engine/core/{name}.py": code.format(name, "    sync(queue)\n") for name in "abc"}
    (fact,) = await code_facts(tmp_path, before, after)
    assert [place.lines for place in fact.places] == [("+    sync(queue)",), (), ()]


async def test_new_definitions_are_shown_with_the_lines_that_use_them(tmp_path: Path) -> None:
    before = {
        "engine/core/a.py": "def load(path):\n    return read(path)\n",
        "engine/core/b.py": "",
    }
    after = {
        "engine/core/a.py": "def load(path):\n    return checked(read(path))\n",
        "engine/core/b.py": (
            "def checked(config):\n"
            '    """Refuse what the engine cannot load."""\n'
            "    if config.bias:\n"
            "        raise ValueError('adapters with a bias are not supported')\n"
            "    return config\n"
        ),
    }
    (fact,) = await code_facts(tmp_path, before, after)
    assert fact.name == "load"
    assert fact.places[1].lines == (
        "+def checked(config):",
        '+    """Refuse what the engine cannot load."""',
        "+        raise ValueError('adapters with a bias are not supported')",
    )


async def test_the_earlier_path_of_a_moved_file_is_shown(tmp_path: Path) -> None:
    code = "def load(path):\n    return read(path, {})\n\n\n" + LONG_BODY.replace("    ", "")
    work = Work(tmp_path)
    work.commit("begin", {"engine/core/load.py": code.format(1).encode()})
    moved = {"engine/core/load.py": None, "engine/core/lora/load.py": code.format(2).encode()}
    sha = work.commit("Move it", moved)
    source = GitSource(REPO, tmp_path)
    sheet = await study(source, await anext(source.changes([sha])))
    places = [fact.places[0] for fact in sheet.facts if fact.kind == "code-changed"]
    assert [place.old_file for place in places] == ["engine/core/load.py"]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "src/a.cpp",
            "  if (major == 10 && minor) run();\n",
            "  if (major == 10 and minor) run();\n",
        ),
        (
            "src/a.cpp",
            "  run();\n",
            '  static_assert(N > 0, "there has to be an item");\n  run();\n',
        ),
        ("src/a.cpp", "  run();\n", '  assert(n > 0 && "there has to be an item");\n  run();\n'),
    ],
)
async def test_what_only_developers_notice_is_not_another_behaviour(
    tmp_path: Path, path: str, old: str, new: str
) -> None:
    code = "int step(int n) {{\n{}  return n;\n}}\n"
    facts = await code_facts(tmp_path, {path: code.format(old)}, {path: code.format(new)})
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_other_warnings_of_a_compiler_are_not_another_behaviour(tmp_path: Path) -> None:
    code = "def build():\n    flags = ['-O3',\n             '--diag-suppress=177,{}']\n    return flags\n"
    before = {"engine/jit.py": code.format("940")}
    facts = await code_facts(tmp_path, before, {"engine/jit.py": code.format("174,940")})
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_an_assertion_without_words_is_shown_after_what_users_read(tmp_path: Path) -> None:
    checks = "def check(a):\n    {}\n    return a\n"
    report = "def report(a):\n    a.print('{}')\n"
    before = {
        "engine/core/a.py": checks.format("assert a.size"),
        "engine/core/b.py": report.format("graphs need a recent device"),
    }
    after = {
        "engine/core/a.py": checks.format("assert a.size and a.room"),
        "engine/core/b.py": report.format("graphs run on any device"),
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["report", "check"]


async def test_a_classifier_of_a_package_is_not_shown(tmp_path: Path) -> None:
    code = "from setuptools import setup\n\nsetup(\n    name='engine',\n    classifiers=[\n{}    ],\n)\n"
    classifier = '        "Programming Language :: Python :: 3.9",\n'
    facts = await code_facts(
        tmp_path, {"setup.py": code.format(classifier)}, {"setup.py": code.format("")}
    )
    assert [fact for fact in facts if fact.severity is not Severity.INTERNAL] == []


async def test_what_is_switched_on_decides(tmp_path: Path) -> None:
    launch = "void launch(Params& params) {{\n  params.flash = {};\n  run(params);\n}}\n"
    step = "void step(int n) {{\n  total = weigh(n{});\n  add(total{});\n}}\n"
    before = {
        "src/launch.cu": launch.format("choose(params)"),
        "src/step.cu": step.format("", ""),
    }
    after = {
        "src/launch.cu": launch.format("true"),
        "src/step.cu": step.format(" + wide(n)", " + wide(n)"),
    }
    facts = await code_facts(tmp_path, before, after)
    assert facts[0].name == "launch"


async def test_a_function_in_which_little_changes_is_shown_whole(tmp_path: Path) -> None:
    code = (
        "def prefill(cache):\n{}    keys, values = cache.unbind()\n    size = keys.shape[{}]\n"
        "    return size\n"
    )
    before = {"engine/core/a.py": code.format("    cache = cache.transpose().copy()\n", "2")}
    after = {"engine/core/a.py": code.format("", "1 if cache.is_wide else 2")}
    (fact,) = await code_facts(tmp_path, before, after)
    lines = [line for place in fact.places for line in place.lines]
    assert "-    cache = cache.transpose().copy()" in lines


async def test_a_compound_word_of_a_title_names_a_function(tmp_path: Path) -> None:
    code = "def {}(size):\n    if size > {}:\n        return 1\n    return 2\n"
    names = ("load_rows", "load_tiles", "store_rows", "_find_nearest_profile")
    before = {f"engine/core/{name}.py": code.format(name, 1) for name in names}
    after = {
        f"engine/core/{name}.py": code.format(name, index + 2) for index, name in enumerate(names)
    }
    facts = await code_facts(tmp_path, before, after, "Cut nearest-profile keys")
    assert facts[0].name == "_find_nearest_profile"


async def test_an_argument_that_native_code_is_given_is_told_once(tmp_path: Path) -> None:
    before = {
        "engine/__init__.py": "from .core import top_k\n",
        "engine/core.py": "def top_k(q):\n    return module.top_k(q)\n",
        "csrc/top_k.cu": "void top_k(Tensor q) {\n  run(q);\n}\n",
    }
    after = before | {
        "engine/core.py": (
            "def top_k(q, starts=None):\n    return module.top_k(q, starts or q.starts)\n"
        ),
        "csrc/top_k.cu": (
            "void top_k(Tensor q, Tensor starts) {\n"
            '  if (starts.size() != q.size()) throw Error("starts must have one item a row");\n'
            "  run(q, starts);\n}\n"
        ),
    }
    facts = await code_facts(tmp_path, before, after, "Take rows apart")
    assert "csrc/top_k.cu" not in [place.file for fact in facts for place in fact.places]


async def test_beside_an_error_other_decisions_are_shown(tmp_path: Path) -> None:
    code = "def step_{}(queue):\n    if queue.size > {}:\n        return 1\n    return 2\n"
    check = "def check(options):\n{}    return options\n"
    error = (
        "    if options.a and options.b:\n        raise ValueError('a and b exclude each other')\n"
    )
    before = {f"engine/core/{name}.py": code.format(name, "1") for name in "abc"}
    after = {f"engine/core/{name}.py": code.format(name, f"queue.room_{name}") for name in "abc"}
    package = {"engine/__init__.py": "from .options import check\n"}
    before |= package | {"engine/options.py": check.format("")}
    after |= package | {"engine/options.py": check.format(error)}
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["step_a", "step_b", "step_c"]


async def test_no_functional_change_is_folded(tmp_path: Path) -> None:
    code = "int pick(int n) {{\n  return n > {} ? 1 : 0;\n}}\n"
    before = {"src/pick.cpp": code.format(1)}
    after = {"src/pick.cpp": code.format("limit()")}
    (fact,) = await code_facts(tmp_path, before, after, "[Layout][NFC] Name a limit")
    assert fact.severity is Severity.INTERNAL


async def test_other_commands_of_a_document_are_shown(tmp_path: Path) -> None:
    guide = "# Install\n\n```bash\nuv pip install {}\n```\n\nWhat you {} to know.\n"
    before = {
        "docs/install.md": guide.format("https://x.org/engine-manylinux_2_35.whl", "need"),
        "docs/upgrade.md": guide.format("--upgrade engine[old]", "need"),
    }
    after = {
        "docs/install.md": guide.format("https://x.org/engine-manylinux_2_28.whl", "have"),
        "docs/upgrade.md": guide.format("--upgrade engine[new]", "need"),
    }
    (fact,) = await code_facts(tmp_path, before, after)
    assert (fact.name, fact.severity) == ("docs/install.md", Severity.BEHAVIOUR)
    assert [len(place.lines) for place in fact.places] == [2, 2]


async def test_a_command_that_a_document_only_gets_is_not_shown(tmp_path: Path) -> None:
    guide = "# Install\n\n```bash\nuv pip install engine\n{}```\n"
    before = {"docs/install.md": guide.format("")}
    after = {"docs/install.md": guide.format("uv pip install engine[extra]\n")}
    assert await code_facts(tmp_path, before, after) == []


async def test_of_a_small_commit_everything_is_shown_that_does_something_else(
    tmp_path: Path,
) -> None:
    sizes = (
        "def sizes_of(model, only_modules=True):\n"
        "    sizes = {}\n"
        "    for name, size in model:\n"
        "        sizes[name[0]] = size\n"
        "    return sizes\n\n\n"
        "def place(model):\n"
        "    sizes = sizes_of(model)\n"
        "    return sizes\n"
    )
    before = {"engine/core/sizes.py": sizes}
    after = {
        "engine/core/sizes.py": sizes.replace(
            "    return sizes\n\n",
            "    if not only_modules:\n        sizes.update(model)\n    return sizes\n\n",
        ).replace("sizes_of(model)\n", "sizes_of(model, only_modules=False)\n")
    }
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["sizes_of", "place"]


async def test_a_branch_is_shown_with_its_condition_and_a_condition_with_its_statement(
    tmp_path: Path,
) -> None:
    code = (
        "def split(batch):\n"
        "    if batch.size == 0 and batch.is_plain:\n"
        "        gates = batch.gates\n"
        "    else:\n"
        "        sizes = batch.sizes\n"
        "        width = 2\n"
        "    if len(batch) > 5:\n"
        "        return gates\n"
        "    return None\n"
    )
    before = {"engine/core/batch.py": code}
    after = {
        "engine/core/batch.py": code.replace(
            "        width", "        gates = batch.gates[1:]\n        width"
        ).replace("> 5", "> 4")
    }
    (fact,) = await code_facts(tmp_path, before, after)
    excerpts = ["\n".join(place.excerpt) for place in fact.places]
    assert (
        "     if batch.size == 0 and batch.is_plain:\n     else:\n+        gates = batch.gates[1:]"
    ) in excerpts
    assert ("-    if len(batch) > 5:\n+    if len(batch) > 4:\n         return gates") in excerpts


async def test_an_attribute_that_its_class_still_sets_is_not_gone(tmp_path: Path) -> None:
    code = (
        "class Model:\n    has_graphs = True\n    width = 1\n    has_graphs = True\n"
        "    width = 2\n    depth = 3\n    depth = 4\n"
    )
    before = {"engine/core/model.py": code}
    kept = "class Model:\n    has_graphs = True\n    width = 2\n    depth = 3\n"
    facts = await code_facts(tmp_path, before, {"engine/core/model.py": kept})
    shown = [line for fact in facts for place in fact.places for line in place.lines]
    assert shown == ["-    depth = 4"]


async def test_an_example_in_the_docstring_of_a_module_is_not_shown(tmp_path: Path) -> None:
    code = (
        'import os\n\n"""\nRegister it.\n\nExample:\n    register(\n'
        '        name="fast",\n    )\n"""\n\n\ndef run(x):\n    return x - 1\n'
    )
    before = {"engine/core/run.py": code}
    after = {"engine/core/run.py": code.replace("fast", "faster").replace("x - 1", "x - 2")}
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["run"]


@pytest.mark.parametrize(
    ("readme", "severity"),
    [
        ("Run `topk.py` with any size.\n", Severity.BEHAVIOUR),
        ("Run it.\n", Severity.INTERNAL),
    ],
)
async def test_the_code_of_an_example_that_a_document_names_is_for_users(
    tmp_path: Path, readme: str, severity: Severity
) -> None:
    code = "def main(size):\n    return run(size, 1)\n"
    before = {"README.md": readme, "examples/topk.py": code}
    after = before | {"examples/topk.py": code.replace("1", "out=1")}
    facts = await code_facts(tmp_path, before, after)
    assert [fact.severity for fact in facts] == [severity]


async def test_what_a_requirement_is_raised_for_is_shown(tmp_path: Path) -> None:
    code = "class Kernel:\n    def __init__(self, arch):\n        self.room = room_of({})\n"
    before = {"requirements.txt": "kit>=4.1\n", "engine/kernel.py": code.format("'a1'")}
    after = {"requirements.txt": "kit>=4.2\n", "engine/kernel.py": code.format("arch")}
    facts = await code_facts(tmp_path, before, after)
    assert [fact.name for fact in facts] == ["Kernel.__init__"]
