"""The user's own files: listed by git in a bounded time, and searched beside the event loop."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.facts import Fact, Severity
from agent.domain.upgrade import Upgrade, UpgradeItem, Version
from tools import user_code
from tools.user_code import UserCode

ENGINE = RepoId("acme/engine")
REMOVED = Fact(kind="flag-removed", severity=Severity.BREAKING, name="--swap-space")


@pytest.fixture
def slow_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a git on the path that never answers."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "git"
    program.write_text("#!/bin/sh\n/bin/sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(user_code, "LIST_SECONDS", 1.0)


@pytest.mark.usefixtures("slow_git")
async def test_a_git_that_does_not_answer_stops_neither_other_steps_nor_the_search(
    tmp_path: Path,
) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "run.sh").write_text("engine serve --swap-space 4\n")
    search = asyncio.create_task(UserCode([code]).found(ENGINE, {"a" * 40: [REMOVED]}))
    await asyncio.sleep(0.05)
    assert not search.done()
    uses = await search
    assert [(use.file, use.line) for use in uses] == [("run.sh", 1)]


def test_a_use_belongs_to_what_it_uses_and_not_to_all_of_this_name(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("from engine.core import reduce\n\nreduce(4)\n")
    removed = Fact(
        kind="symbol-removed", severity=Severity.INTERNAL, name="reduce", module="csrc/reduce.cu"
    )
    deprecated = Fact(
        kind="deprecated",
        severity=Severity.BEHAVIOUR,
        name="reduce",
        module="engine.core",
        path="engine.core.reduce",
    )
    version = Version(name="v1", sha="a" * 40, at=datetime(2026, 2, 4, tzinfo=UTC))
    items = [UpgradeItem(fact=fact, commits=("a" * 40,)) for fact in (removed, deprecated)]
    upgrade = Upgrade(
        repo=ENGINE, old=version, new=version, titles={}, commits=1, items=tuple(items)
    )
    of_native, of_python = UserCode([tmp_path]).marked(upgrade).items
    assert [use.line for use in of_python.uses] == [1, 3]
    assert of_native.uses == ()


async def test_every_file_is_named_before_a_second_line_of_any(tmp_path: Path) -> None:
    for name in ("a.sh", "b.sh"):
        (tmp_path / name).write_text("engine serve --swap-space 4\n" * 3)
    uses = await UserCode([tmp_path]).found(ENGINE, {"a" * 40: [REMOVED]})
    assert [(use.file, use.line) for use in uses] == [("a.sh", 1), ("b.sh", 1), ("a.sh", 2)]
