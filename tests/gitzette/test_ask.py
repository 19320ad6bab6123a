"""`gitzette ask` as a user meets it: exact look-ups, qualifiers, ranked evidence, bounds, threads and wrong use."""

import asyncio
import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gitzette.cli import main
from graphs.ask import build
from graphs.checkpoints import open_checkpoints
from tests.gitzette.conftest import Engine

FEBRUARY = "what changed in MAX_ROUTES between 2026-02-01 and 2026-02-04?"
BOUNDS = ["--since", "2026-02-01", "--until", "2026-02-05"]


pytestmark = pytest.mark.usefixtures("corner")


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Ask for JSON, and give it."""
    assert main(["ask", *arguments, "--json"]) in (0, 4)
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_names_are_told_from_facts_and_words_get_ranked_evidence_and_never_a_verdict(
    engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", FEBRUARY, *engine.repo]) == 0
    out = capsys.readouterr().out
    assert "`MAX_ROUTES`: 3 found by name, newest first." in out
    assert "from `22` to `12`" in out
    assert "No model is configured" in out
    assert "from 2026-02-01 to 2026-02-05 (UTC): 3 commits" in out
    assert main(["ask", "was the limit ever lowered, and why?", *BOUNDS, *engine.repo]) == 4
    out = capsys.readouterr().out
    assert "Evidence that fits best, ranked by words and not judged:" in out
    assert "Lower the limit of routes" in out.partition("Raise the limit")[0]
    assert main(["ask", "为什么降低 limit？", *BOUNDS, *engine.repo]) == 4
    out = capsys.readouterr().out
    assert "最相符的证据" in out
    assert "No" not in out.replace("No model", "")


def test_qualifiers_filter_and_count(engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "author:ada path:router.py", *BOUNDS, *engine.repo]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 found for `author:ada`, `path:router.py`, newest first.")
    assert out.index("Raise the limit") < out.index("Add the router")
    assert main(["ask", "is:revert", *BOUNDS, *engine.repo]) == 0
    assert capsys.readouterr().out.startswith("0 found for `is:revert`")


def test_bounds_always_hold_and_a_date_only_narrows_them(engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    told = data(capsys, "who lowered MAX_ROUTES?", *BOUNDS, *engine.repo)
    assert set(told) == {"answer", "abstained", "claims", "cites", "searched", "evidence", "dropped"}
    assert [one["rank"] for one in told["evidence"]] == [1, 2, 3]
    assert set(told["cites"]) <= {one["id"] for one in told["evidence"]}
    assert all(claim["kind"] == "fact" and claim["verdict"] == "supported" for claim in told["claims"])
    bounds = ["--since", "2026-02-03", "--until", "2026-02-04"]
    for question in ("what changed in MAX_ROUTES?", "MAX_ROUTES on 2026-02-04", "MAX_ROUTES since:2026-01-01"):
        told = data(capsys, question, *bounds, *engine.repo)
        assert "Raise the limit" in told["answer"]
        assert "Lower the limit" not in told["answer"]
        assert len(told["evidence"]) == 1


def test_what_is_not_in_memory_is_read_first_and_once(engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "what changed?", *engine.repo]) == 4
    first = capsys.readouterr()
    assert "gitzette: acme/engine: reading diffs (1)" in first.err
    assert "Tell the time" in first.out
    assert "Raise the limit" not in first.out
    assert main(["ask", "what changed?", *engine.repo]) == 4
    assert "reading diffs" not in capsys.readouterr().err
    # Nor is what a run has read.
    assert main(["run", "--date", "2026-02-04", *engine.repo]) == 0
    capsys.readouterr()
    assert main(["ask", "what changed in MAX_ROUTES on 2026-02-04?", "--json", *engine.repo]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "from `22` to `12`" in json.loads(captured.out)["answer"]


def test_a_thread_goes_on_in_the_next_process(engine: Engine, corner: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["ask", FEBRUARY, "--thread", "routes-1.0", *engine.repo])
    capsys.readouterr()
    assert main(["ask", "and 2026-02-04?", "--thread", "routes-1.0", "--json", *engine.repo]) == 4
    assert '"thread": "routes-1.0"' in capsys.readouterr().out
    assert stat.S_IMODE((corner / "threads.db").stat().st_mode) == 0o600


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Give the one line that was said, with nothing on stdout."""
    captured = capsys.readouterr()
    said = [line for line in captured.err.splitlines() if "listing commits" not in line]
    assert captured.out == ""
    assert len(said) == 1
    return said[0]


def rows(file: Path) -> list[tuple[object, ...]]:
    """Read everything that a file of conversations holds."""
    with closing(sqlite3.connect(file)) as db:
        return [row for table in ("checkpoints", "writes") for row in db.execute(f"select * from {table}")]


async def written_otherwise(home: Path, **state: object) -> None:
    """Leave a thread behind as another version would."""
    async with open_checkpoints(home / "threads.db", precious=True) as saver:
        config = {"configurable": {"thread_id": "old"}}
        await build(saver).aupdate_state(config, state, as_node="reply")  # type: ignore[arg-type]


def test_a_thread_of_another_version_is_refused_and_left_as_it_is(
    engine: Engine, corner: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corner.mkdir(mode=0o700)
    asyncio.run(written_otherwise(corner, version=99, turns=["x"]))
    before = rows(corner / "threads.db")
    assert main(["ask", "what changed?", "--thread", "old", *engine.repo]) == 2
    assert "another version of gitzette" in one_line(capsys)
    assert rows(corner / "threads.db") == before


def test_wrong_use_is_answered_in_one_line(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in (
        (["   \n"], "there is no question"),
        (["why " * 25_600], "ask in at most 4000"),
        (["what changed?", "--since", "2026-02-04", "--until", "2026-02-03"], "there is no time"),
        (["what changed?", "--since", "2999-01-01"], "2999"),
        (["since:yesterday"], "write it as 2026-02-04"),
        (["is:lucky"], "is:"),
    ):
        assert main(["ask", *arguments, *engine.repo]) == 2
        assert said in one_line(capsys)
    monkeypatch.setenv("GITZETTE_GIT_URL", "http://127.0.0.1:1")
    assert main(["ask", "what changed?", "--repo", "nobody/nothing"]) == 1
    assert "nobody/nothing" in one_line(capsys)
