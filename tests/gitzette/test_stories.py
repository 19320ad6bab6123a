"""The command `stories` as a user meets it."""

import json
from pathlib import Path

import pytest

from evals.worlds.model import World
from evals.worlds.worlds import build
from gitzette.cli import main

pytestmark = pytest.mark.usefixtures("corner")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("stories", 1, tmp_path_factory.mktemp("world"))


def test_without_reports_it_says_so_and_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stories", "--repo", "octo/engine", "--since", "2026-02-01"]) == 0
    assert capsys.readouterr().out.startswith("no stories are remembered")


def test_a_day_that_is_none_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stories", "--since", "yesterday"]) == 2
    assert "is not a day" in capsys.readouterr().err


def test_stories_are_listed_newest_first_with_their_timelines_also_when_the_memory_was_lost(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = "northwind-ai/tensorforge"
    for day in ("2026-03-11", "2026-03-15"):
        assert main(["run", "--repo", f"{repo}={world.repo(repo).git_dir}", "--date", day]) == 0
    capsys.readouterr()
    assert main(["stories", "--repo", repo]) == 0
    shown = capsys.readouterr().out
    assert shown.index("2026-03-15 ") < shown.index("\n2026-03-11 ")
    assert "Relanded (Update since 2026-03-11)" in shown
    assert " — revert\n" in shown
    for file in (tmp_path / "home").glob("memory.db*"):
        file.unlink()
    assert main(["stories", "--repo", repo]) == 0
    assert capsys.readouterr().out == shown
    assert main(["stories", "--json", "--since", "2026-03-15"]) == 0
    found = json.loads(capsys.readouterr().out)["stories"]
    assert {one["date"] for one in found} == {"2026-03-15"}
    assert any(one["kind"] == "reland" and len(one["steps"]) == 3 for one in found)
