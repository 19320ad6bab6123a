"""The command `stories` as a user meets it."""

from pathlib import Path

from evals.worlds.worlds import build
from tests.gitzette.conftest import Command


def test_stories_are_listed_newest_first_with_their_timelines_also_when_the_memory_was_lost(
    command: Command, corner: Path, tmp_path: Path
) -> None:
    repo, world = "northwind-ai/tensorforge", build("stories", 1, tmp_path / "world")
    assert command("stories").out.startswith("no stories")
    for day in ("2026-03-11", "2026-03-15"):
        assert (
            command("run", "--repo", f"{repo}={world.repo(repo).git_dir}", "--date", day).status
            == 0
        )
    shown = command("stories", "--repo", repo).out
    assert shown.index("2026-03-15 ") < shown.index("\n2026-03-11 ")
    assert "Relanded (Update since 2026-03-11)" in shown
    assert " — revert\n" in shown
    for file in corner.glob("memory.db*"):
        file.unlink()
    assert command("stories", "--repo", repo).out == shown
    found = command("stories", "--json", "--since", "2026-03-15").data["stories"]
    assert {one["date"] for one in found} == {"2026-03-15"}
    assert any(one["kind"] == "reland" and len(one["steps"]) == 3 for one in found)
