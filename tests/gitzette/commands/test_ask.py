"""`gitzette ask` as a user meets it: exact look-ups, qualifiers, ranked evidence, bounds, threads and wrong use."""

import asyncio
import sqlite3
import stat
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphs.ask_conversations import build
from graphs.checkpoints import open_checkpoints
from tests.gitzette.conftest import Command, CommandResult, Engine

FEBRUARY = "what changed in MAX_ROUTES between 2026-02-01 and 2026-02-04?"
BOUNDS = ["--since", "2026-02-01", "--until", "2026-02-05"]


def test_names_are_told_from_facts_and_words_get_ranked_evidence_and_never_a_verdict(
    engine: Engine, command: Command
) -> None:
    result = command("ask", FEBRUARY, *engine.repo)
    assert result.status == 0
    assert "`MAX_ROUTES`: 3 found by name." in result.out
    assert "from `22` to `12`" in result.out
    assert "No model is configured" in result.out
    assert "Searched acme/engine, 2026-02-01 to 2026-02-04 (UTC): 3 commits" in result.out
    result = command("ask", "was the limit ever lowered, and why?", *BOUNDS, *engine.repo)
    assert result.status == 4
    assert "Evidence that fits best, ranked by words and not judged:" in result.out
    assert "Lower the limit of routes" in result.out.partition("Raise the limit")[0]
    result = command("ask", "为什么降低 limit？", *BOUNDS, *engine.repo)
    assert (result.status, "最匹配的证据" in result.out) == (4, True)
    assert "No" not in result.out.replace("No model", "")
    result = command("ask", "author:ada path:router.py", *BOUNDS, *engine.repo)
    assert result.out.startswith("2 found for `author:ada`, `path:router.py`, newest first.")
    assert result.out.index("Raise the limit") < result.out.index("Add the router")


def test_bounds_always_hold_and_a_date_only_narrows_them(engine: Engine, command: Command) -> None:
    result = command("ask", "who lowered MAX_ROUTES?", *BOUNDS, "--json", *engine.repo).data
    assert set(result) == {
        "answer",
        "abstained",
        "claims",
        "cites",
        "searched",
        "failures",
        "evidence",
        "dropped",
        "spent",
    }
    assert [piece["rank"] for piece in result["evidence"]] == [1, 2, 3]
    (searched,) = result["searched"]
    assert searched["spans"] == [{"start": "2026-02-01T00:00:00Z", "end": "2026-02-05T00:00:00Z"}]
    assert set(result["cites"]) <= {piece["id"] for piece in result["evidence"]}
    assert all(
        claim["kind"] == "fact" and claim["verdict"] == "supported" for claim in result["claims"]
    )
    bounds = ["--since", "2026-02-03", "--until", "2026-02-04", "--json"]
    for question in (
        "what changed in MAX_ROUTES?",
        "MAX_ROUTES on 2026-02-04",
        "MAX_ROUTES since:2026-01-01",
    ):
        result = command("ask", question, *bounds, *engine.repo).data
        assert "Raise the limit" in result["answer"]
        assert "Lower the limit" not in result["answer"]
        assert len(result["evidence"]) == 1


def test_what_is_not_in_memory_is_read_first_and_once(engine: Engine, command: Command) -> None:
    first = command("ask", "what changed?", *engine.repo)
    assert "gitzette: acme/engine: reading diffs (1)" in first.err
    assert "Tell the time" in first.out
    assert "Raise the limit" not in first.out
    assert "reading diffs" not in command("ask", "what changed?", *engine.repo).err
    # Nor is what a run has read.
    assert command("run", "--date", "2026-02-04", *engine.repo).status == 0
    result = command("ask", "what changed in MAX_ROUTES on 2026-02-04?", "--json", *engine.repo)
    assert (result.status, result.err) == (0, "")
    assert "from `22` to `12`" in result.data["answer"]


def test_a_thread_goes_on_in_the_next_process(
    engine: Engine, corner: Path, command: Command
) -> None:
    command("ask", FEBRUARY, "--thread", "routes-1.0", *engine.repo)
    result = command("ask", "and 2026-02-04?", "--thread", "routes-1.0", "--json", *engine.repo)
    assert (result.status, result.data["thread"]) == (4, "routes-1.0")
    assert stat.S_IMODE((corner / "threads.db").stat().st_mode) == 0o600


def refused(result: CommandResult) -> str:
    """Give the one line that was said, with nothing on stdout."""
    progress_lines = [line for line in result.err.splitlines() if "listing commits" not in line]
    assert (result.status, result.out, len(progress_lines)) == (2, "", 1)
    return progress_lines[0]


def test_a_thread_of_another_version_is_refused_and_left_as_it_is(
    engine: Engine, corner: Path, command: Command
) -> None:
    async def written_otherwise() -> None:
        async with open_checkpoints(corner / "threads.db", precious=True) as saver:
            config: Any = {"configurable": {"thread_id": "old"}}
            await build(saver).aupdate_state(config, {"version": 99, "turns": ["x"]}, as_node="ask")

    def rows() -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(corner / "threads.db")) as db:
            return [
                row
                for table in ("checkpoints", "writes")
                for row in db.execute(f"select * from {table}")
            ]

    corner.mkdir(mode=0o700)
    asyncio.run(written_otherwise())
    before = rows()
    assert "another version of gitzette" in refused(
        command("ask", "what changed?", "--thread", "old", *engine.repo)
    )
    assert rows() == before


def test_wrong_use_is_answered_in_one_line(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    for arguments, progress_lines in (
        (["   \n"], "there is no question"),
        (["why " * 25_600], "ask in at most 4000"),
        (["what changed?", "--since", "2026-02-04", "--until", "2026-02-03"], "there is no time"),
        (["is:lucky"], "is:"),
    ):
        assert progress_lines in refused(command("ask", *arguments, *engine.repo))
    monkeypatch.setenv("GITZETTE_GIT_URL", "http://127.0.0.1:1")
    result = command("ask", "what changed?", "--repo", "nobody/nothing")
    assert (result.status, "nobody/nothing" in result.err) == (1, True)


def test_a_damaged_file_of_conversations_is_refused_and_left_as_it_is(
    engine: Engine, corner: Path, command: Command
) -> None:
    corner.mkdir(mode=0o700)
    damaged = b"no database" * 1_000
    (corner / "threads.db").write_bytes(damaged)
    result = command("ask", "what changed?", "--thread", "x", *engine.repo)
    assert (result.status, result.out) == (1, "")
    assert "move it away" in result.err.splitlines()[-1]
    assert (corner / "threads.db").read_bytes() == damaged


def test_two_homes_with_another_past_answer_the_same(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Scores may differ: the index counts how rare a word is in everything that a home knows."""
    question = ["ask", "which limit of routes was raised?", *BOUNDS, *engine.repo, "--json"]
    command("ask", "what changed?", "--since", "2026-01-01", *engine.repo)
    first = command(*question).data
    assert first["evidence"]
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "another"))
    second = command(*question).data
    for hit in (*first["evidence"], *second["evidence"]):
        del hit["score"]
    assert second == first


def tagged(engine: Engine, tag: str, revision: str, moment: str) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    command = ["git", *who, "-C", str(engine.folder), "tag", "-a", "-m", tag, tag, revision]
    environment = {"GIT_COMMITTER_DATE": moment, "PATH": "/usr/bin:/bin"}
    subprocess.run(command, check=True, env=environment)


def test_the_first_release_with_a_commit_is_told_though_it_was_made_after_the_window(
    engine: Engine, command: Command
) -> None:
    tagged(engine, "v1.0.0", "HEAD~3", "2026-02-02T00:00:00Z")
    tagged(engine, "v1.1.0", "HEAD~1", "2026-02-20T00:00:00Z")
    result = command("ask", "which release lowered the limit?", *BOUNDS, *engine.repo)
    lowered = next(line for line in result.out.splitlines() if "Lower the limit" in line)
    assert "first in [`v1.1.0`](https://github.com/acme/engine/releases/tag/v1.1.0)" in lowered
    assert "found by: " in lowered
    data = command("ask", "which release lowered the limit?", *BOUNDS, "--json", *engine.repo).data
    assert "acme/engine@v1.1.0" in [hit["id"] for hit in data["evidence"][:10]]


def test_a_run_indexes_tags_for_questions(engine: Engine, command: Command) -> None:
    tagged(engine, "v1.1.0", "HEAD~1", "2026-02-04T12:00:00Z")
    assert command("run", "--date", "2026-02-04", *engine.repo).status == 0
    result = command("ask", "is:release 2026-02-04", *engine.repo)
    assert result.err == ""
    assert result.out.startswith("1 found for `is:release`")
    assert "[`v1.1.0`]" in result.out


def test_what_nothing_mentions_is_stated_with_what_was_read(
    engine: Engine, command: Command
) -> None:
    result = command("ask", "was MIN_ROUTES removed?", *BOUNDS, *engine.repo)
    assert result.out.startswith(
        "No commit mentions `MIN_ROUTES` in acme/engine from 2026-02-01 to 2026-02-04."
    )
    result = command("ask", "MIN_ROUTES 被移除了吗？", *BOUNDS, *engine.repo)
    assert result.out.startswith(
        "acme/engine（2026-02-01 至 2026-02-04），没有提交提到 `MIN_ROUTES`。"
    )


def test_days_that_were_not_read_are_named(engine: Engine, command: Command) -> None:
    for day in ("2026-02-01", "2026-02-03"):
        assert command("run", "--date", day, *engine.repo).status == 0
    result = command("ask", "what did Ada do?", *engine.repo)
    assert "Searched acme/engine, 2026-02-01, 2026-02-03, " in result.out
    assert " Not read: 2026-02-02, 2026-02-04 to " in result.out


def test_a_follow_up_finds_what_any_answer_of_the_conversation_cites(
    engine: Engine, command: Command
) -> None:
    thread = ["--thread", "limits", *BOUNDS, *engine.repo]
    command("ask", "who lowered the limit?", *thread)
    command("ask", "author:ada path:router.py", *thread)
    result = command("ask", "and why?", "--json", *thread).data
    titles = result["answer"]
    assert "Lower the limit of routes" in titles
    assert "cited earlier in this conversation" in titles


def test_without_a_model_a_follow_up_alternates_with_the_last_two_answers_only(
    engine: Engine, command: Command
) -> None:
    for hour in range(1, 7):
        when = datetime(2026, 2, 3, hour, tzinfo=UTC)
        engine.commit(f"Paint colour {hour}", when, **{f"paint{hour}": f"paint = {hour}\n"})
    thread = ["--thread", "colours", "--json", *BOUNDS, *engine.repo]
    first = command("ask", "in:title lower", *thread).data["cites"]
    for hour in (1, 2):
        command("ask", f"in:title paint colour path:paint{hour}", *thread)
    follow_up = command("ask", "more paint?", *thread).data["evidence"]
    ranked_ids = [piece["id"] for piece in follow_up]
    painted = [piece["id"] for piece in follow_up if "paint" in piece["words"]]
    assert len(first) == 1
    assert len(painted) >= 4
    assert max(map(ranked_ids.index, painted)) < ranked_ids.index(first[0])
