"""What users would not notice is not told as news to them, and what they would is not hidden behind it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import History

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])


@pytest.fixture
def past(history: Callable[[], "History"]) -> "History":
    return history()


async def told(
    past: "History", before: Mapping[str, str], after: Mapping[str, str | None], route: str = "blobs"
) -> list[Fact]:
    """Commit both versions and list the facts of the second."""
    past.commit(dict(before))
    source = GitSource(RepoId("o/r"), past.path)
    (change,) = [change async for change in source.changes([past.commit(dict(after))])]
    blobs = await source.blobs(change, paths_to_read(change)) if route == "blobs" else None
    return list(read_facts(change, blobs).facts)


async def test_a_commit_of_tests_and_workflows_is_told_as_upkeep(past: "History") -> None:
    before = {"tests/test_a.py": "a = 1\n", ".github/workflows/ci.yml": "on: push\n", "scripts/run.sh": "true\n"}
    after = {name: f"{text}# x\n" for name, text in before.items()}
    only = [fact for fact in await told(past, before, after) if fact.kind is FactKind.ONLY_UPKEEP]
    assert [(fact.severity, fact.detail) for fact in only] == [(Severity.INTERNAL, "tests, CI, scripts")]


async def test_a_commit_that_touches_source_beside_tests_is_no_upkeep(past: "History") -> None:
    before = {"tests/test_a.py": "a = 1\n", "pkg/a.py": "def run():\n    return 1\n"}
    after = {"tests/test_a.py": "a = 2\n", "pkg/a.py": "def run():\n    return 2\n"}
    assert not [fact for fact in await told(past, before, after) if fact.kind is FactKind.ONLY_UPKEEP]


async def test_prose_for_coding_assistants_beside_documents_is_only_documents(past: "History") -> None:
    before = {".claude/skills/a/page.jsx.tmpl": "a\n", "docs/a.md": "a\n"}
    after = {".claude/skills/a/page.jsx.tmpl": "b\n", "docs/a.md": "b\n"}
    assert [fact.kind for fact in await told(past, before, after)] == [FactKind.ONLY_DOCS]


@ROUTES
async def test_a_parameter_that_is_taken_apart_keeps_its_place_when_a_neighbour_goes(
    route: str, past: "History"
) -> None:
    old = "pub fn stream(\n    log: bool,\n    Options { usage, echo: _ }: Options,\n) -> u32 {\n    1\n}\n"
    new = (
        "pub fn stream(\n    Server { log }: Server,\n    Options { usage, echo: _ }: Options,\n) -> u32 {\n    1\n}\n"
    )
    facts = await told(past, {"src/lib.rs": old}, {"src/lib.rs": new}, route)
    assert not [fact for fact in facts if "Options" in f"{fact.old} {fact.new}" and "echo" in f"{fact.old} {fact.new}"]


@ROUTES
async def test_a_parameter_that_is_given_a_name_in_c_is_no_news(route: str, past: "History") -> None:
    old = "struct Runner {\n  void run(Params const&);\n};\n"
    new = "struct Runner {\n  void run(Params const& params) { go(params); }\n};\n"
    assert await told(past, {"include/a/run.h": old}, {"include/a/run.h": new}, route) == []


@ROUTES
async def test_a_type_by_a_shorter_path_is_the_same_type(route: str, past: "History") -> None:
    old = "def load(kv: cutlass.pipeline.Async, q: dict[str, x.T]):\n    return kv\n"
    new = "def load(kv: pipeline.Async, q: dict[str, x.T]):\n    return kv\n"
    assert await told(past, {"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_a_type_of_the_same_name_in_another_module_is_another_type(route: str, past: "History") -> None:
    old, new = "def load(kv: numpy.Tensor):\n    return kv\n", "def load(kv: torch.Tensor):\n    return kv\n"
    (fact,) = await told(past, {"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert (fact.kind, fact.new) == (FactKind.SIGNATURE_CHANGED, "kv: torch.Tensor")


def raising(message: str, name: str = "plan", rest: str = "") -> str:
    """Write a function that refuses something in these words."""
    return f"def {name}(n, args):\n    if n > 8:\n        raise ValueError({message}){rest}\n    return n\n"


@ROUTES
async def test_a_message_that_says_more_now_has_changed_and_did_not_come(route: str, past: "History") -> None:
    old, new = raising('"n is larger than what fits"'), raising('"n is larger than what fits. Ask for less of it"')
    (fact,) = await told(past, {"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert (fact.kind, fact.old) == (FactKind.ERROR_CHANGED, "n is larger than what fits")


@ROUTES
async def test_a_long_message_that_gets_at_its_values_otherwise_is_the_same(route: str, past: "History") -> None:
    words = "there is not enough memory for what was asked " * 4
    old = raising(f'f"{words}n={{args.server.n}} {words}"')
    new = raising(f'f"{words}n={{get_schedule().n}} {words}"')
    assert await told(past, {"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_an_assertion_that_gets_at_its_value_otherwise_is_the_same(route: str, past: "History") -> None:
    old = "def plan(n):\n    assert get_args().experts == 0\n    return n\n"
    new = "def plan(n):\n    assert get_exec().moe.experts == 0\n    return n\n"
    assert await told(past, {"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


@ROUTES
async def test_an_assertion_that_lets_another_case_through_has_changed(route: str, past: "History") -> None:
    old = "def plan(state):\n    assert state.is_cuda\n    return state\n"
    new = "def plan(state):\n    assert state.is_cuda or state.is_xpu\n    return state\n"
    (fact,) = await told(past, {"pkg/a.py": old}, {"pkg/a.py": new}, route)
    assert fact.kind is FactKind.ERROR_CHANGED
