"""The doctor: what it looks at, what it says, and its exit status."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.loopback import Loopback
from tests.gitzette.conftest import Command, Engine


def test_a_fresh_folder_with_a_repository_is_well_and_the_last_line_says_so(
    tmp_path: Path, command: Command
) -> None:
    Engine.made(tmp_path / "engine")
    Path("gitzette.toml").write_text(f'repos = ["a/engine={tmp_path}/engine"]')
    result = command("doctor")
    assert result.status == 0
    assert result.out.splitlines()[-1].startswith("all is well")
    for what in ("configuration", "reports: none yet", "memory", "git", "token"):
        assert what in result.out
    assert "model" not in result.out
    assert not Path("gazette").exists()


def test_a_folder_in_which_a_run_would_have_nothing_to_read_needs_care(command: Command) -> None:
    result = command("doctor")
    assert result.status == 3
    assert "CARE  configuration: 0 repositories" in result.out
    assert "`gitzette init --repo owner/name`" in result.out
    assert not Path("gazette").exists()


def test_a_model_that_is_asked_for_and_not_named_needs_care(
    tmp_path: Path, command: Command
) -> None:
    Engine.made(tmp_path / "engine")
    settings = f'analyst = "model"\nrepos = ["a/engine={tmp_path}/engine"]\n'
    Path("gitzette.toml").write_text(settings)
    result = command("doctor")
    assert result.status == 3
    assert "CARE  model: the analyst is a model: set GITZETTE_MODEL and" in result.out


def test_missing_days_and_clones_are_named_with_what_makes_them(
    tmp_path: Path, command: Command
) -> None:
    def found(what: str) -> str:
        return str(
            [
                finding["says"]
                for finding in command("doctor", "--json").data["findings"]
                if finding["what"] == what
            ][-1]
        )

    Engine.made(tmp_path / "engine")
    Path("gitzette.toml").write_text(f'repos = ["a/engine={tmp_path}/engine"]')
    today = datetime.now(UTC).date()
    command("run", "--date", str(today - timedelta(days=2)))
    assert "yesterday's is due" in found("reports")
    assert found("git") == f"a/engine: {tmp_path}/engine"
    command("run", "--date", str(today - timedelta(days=4)))
    assert f"missing or failed: {today - timedelta(days=3)}: `gitzette run --catch-up`" in found(
        "reports"
    )
    command("run", "--catch-up")
    assert command("doctor").status == 0
    (tmp_path / "engine").rename(tmp_path / "away")
    result = command("doctor", "--json")
    assert (result.status, result.data["verdict"]) == (3, "needs care: git")


def test_a_run_that_was_killed_is_named_with_how_to_go_on(
    engine: Engine, corner: Path, command: Command
) -> None:
    command("run", "--date", "2026-02-04", *engine.repo)
    # A killed run leaves a row that says "running" and no process that holds its lock.
    with closing(sqlite3.connect(corner / "memory.db")) as connection, connection:
        connection.execute("update runs set status = 'running'")
    result = command("doctor", "--json")
    assert result.status == 3
    findings = result.data["findings"]
    (problem,) = (finding["says"] for finding in findings if finding["what"] == "memory")
    assert "the run of 2026-02-04 UTC" in problem
    assert "was killed before its end; `gitzette run --resume` goes on with it" in problem


def test_a_damaged_memory_is_named_and_what_to_do_about_it_gives_a_whole_one(
    engine: Engine, corner: Path, command: Command
) -> None:
    run = ("run", "--date", "2026-02-04", *engine.repo)
    assert command(*run).status == 0
    file = corner / "memory.db"
    # A page that nobody needs in order to open the file and to list the runs.
    with closing(sqlite3.connect(file)) as db:
        (page,) = db.execute("select rootpage from sqlite_master where name = 'calls'").fetchone()
        (size,) = db.execute("pragma page_size").fetchone()
    with file.open("r+b") as stream:
        stream.seek((page - 1) * size)
        stream.write(b"\xa5" * size)
    result = command("doctor")
    assert result.status == 3
    (line,) = (line for line in result.out.splitlines() if line.startswith("CARE  memory: "))
    assert f"{file} is damaged (" in line
    file.rename(corner / "damaged.db")
    assert command(*run).status == 0
    assert "\nok    memory: " in command("doctor").out


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        # The server is asked what it can do; this one cannot chat.
        (
            200,
            b'{"object": "list", "data": [{"id": "large"}]}',
            "large does not answer small questions",
        ),
        (200, b'{"data": [{"id": "small"}]}', "answers, but does not offer large"),
        (401, b"{}", "{url}/models refuses the key (HTTP 401)"),
    ],
)
def test_the_endpoint_of_a_model_is_asked_where_one_is_configured(
    status: int, body: bytes, says: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: list[str | None] = []

    async def answer(request: Request) -> Response:
        keys.append(request.headers.get("authorization"))
        return Response(body, status if request.url.path == "/v1/models" else 404)

    server = Loopback()
    server.start(Starlette(routes=[Route("/{_:path}", answer, methods=["GET", "POST"])]))
    for name, value in (("GITZETTE_MODEL_URL", f"{server.url}/v1"), ("GITZETTE_MODEL", "large")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_API_KEY", "c4nary")
    result = command("doctor", "--json")
    server.stop()
    assert result.status == 3
    assert says.format(url=f"{server.url}/v1") in result.out
    assert set(keys) == {"Bearer c4nary"}
    assert "c4nary" not in result.out + result.err
