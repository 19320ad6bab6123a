"""The command `stories` as a user meets it."""

from datetime import UTC, datetime
from pathlib import Path

from evals.worlds.worlds import build
from tests.gitzette.conftest import Command, Engine


def test_stories_are_listed_newest_first_with_their_timelines_also_when_the_memory_was_lost(
    command: Command, corner: Path, tmp_path: Path
) -> None:
    repo = "northwind-ai/tensorforge"
    world = build("stories", 1, tmp_path / "world")
    assert command("stories").out.startswith("no stories")
    for day in ("2026-03-11", "2026-03-15"):
        assert (
            command("run", "--repo", f"{repo}={world.repo(repo).git_dir}", "--date", day).status
            == 0
        )
    story_list = command("stories", "--repo", repo).out
    assert story_list.index("2026-03-15 ") < story_list.index("\n2026-03-11 ")
    assert "Relanded (Update since 2026-03-11)" in story_list
    assert " — revert\n" in story_list
    for file in corner.glob("memory.db*"):
        file.unlink()
    assert command("stories", "--repo", repo).out == story_list
    stories_found = command("stories", "--json", "--since", "2026-03-15").data["stories"]
    assert {entry["date"] for entry in stories_found} == {"2026-03-15"}
    assert any(entry["kind"] == "reland" and len(entry["steps"]) == 3 for entry in stories_found)


def test_what_one_author_numbers_is_a_series_only_under_one_name(
    command: Command, tmp_path: Path
) -> None:
    """The titles are of three series of one author, one series of two authors, and a part elsewhere."""
    engine = Engine.made(tmp_path / "engine")
    titles = (
        (2, "Ada", "[Perf][1/N] Warm up kernels (#1)"),
        (2, "Ada", "[Frontend][1/2] Read the request (#2)"),
        (3, "Bea", "[1/N] Harden the parser (#3)"),
        (3, "Ada", "[CI][2/N] Run fewer jobs (#4)"),
        (4, "Ada", "[Frontend][2/2] Answer the request (#5)"),
        (4, "Ada", "[Perf][3/N] Warm up routes (#6)"),
        (4, "Cem", "[2/N] Harden the parser (#7)"),
    )
    for minute, (day, author, title) in enumerate(titles):
        when = datetime(2026, 2, day, 9, minute, tzinfo=UTC)
        engine.commit(title, when, author, steps=f"STEPS = {minute}\n")
    result = command("run", *engine.repo, "--date", "2026-02-04", "--json")
    assert result.status == 0, result.err
    series = [
        entry["text"]["en"] for entry in result.data["claims"] if entry["predicate"] == "series"
    ]
    assert sorted(series) == [
        "Part 2 of 2; landed: part 1 [@2].",  # [Frontend]
        "Part 2 of a series; landed: part 1 [@2].",  # Harden the parser
        "Part 3 of a series; landed: part 1 [@2].",  # [Perf]: part 2 may be the one of [CI]
    ]


def test_a_title_that_reverts_several_pull_requests_reverts_each_of_them(
    command: Command, tmp_path: Path
) -> None:
    engine = Engine.made(tmp_path / "engine")
    begun = {"router": "ROUTES = 1\n", "worker": "WORKERS = 1\n", "clock": "NOW = 1\n"}

    def commit(title: str, day: int, hour: int, **files: str) -> str:
        return engine.commit(title, datetime(2026, 2, day, hour, tzinfo=UTC), **files)

    commit("Begin", 1, 9, **begun)
    routes = commit("Allow more routes (#11)", 2, 9, router="ROUTES = 22\n")
    workers = commit("Allow more workers (#12)", 2, 10, worker="WORKERS = 22\n")
    clock = commit("Tell another time (#13)", 2, 11, clock="NOW = 22\n")
    commit("Revert routes and workers (#11, #12) (#14)", 4, 9, **begun | {"clock": "NOW = 22\n"})
    commit("Revert the clock (#13) (#15)", 4, 10, **begun)
    commit("Revert to another way (#16)", 4, 11, clock="NOW = 3\n")
    result = command("run", *engine.repo, "--date", "2026-02-04", "--json")
    assert result.status == 0, result.err
    titles = {f"acme/engine@{row['sha']}": row["title"] for row in result.data["ledger"]}
    undone = [
        (titles[claim["about"][0]], claim["background"][0].partition("@")[2])
        for claim in result.data["claims"]
        if claim["predicate"] == "undoes"
    ]
    assert sorted(undone) == [
        ("Revert routes and workers (#11, #12) (#14)", sha) for sha in sorted((routes, workers))
    ] + [("Revert the clock (#13) (#15)", clock)]
