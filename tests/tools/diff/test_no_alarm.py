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
