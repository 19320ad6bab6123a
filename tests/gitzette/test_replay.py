"""`run --replay`: the same bytes again when the repositories, the server and the network are gone."""

import asyncio
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import World
from memory.recorded_answers import Artefact, Artefacts
from memory.store import open_database
from tests.gitzette.conftest import Command, Engine, Served

Tree = dict[str, bytes]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    engine = Engine.made(tmp_path / "engine")
    for name, content in (
        ("one.py", b"one\n"),
        ("two.bin", b"a\0b"),
        ("three.txt", b"\xff\xfe \x1b[31m\n"),
    ):
        (engine.folder / name).write_bytes(content)
        engine.commit(f"Add {name} | @somebody fixes #1", datetime(2026, 2, 4, 10, tzinfo=UTC))
    return engine.folder


def tree(folder: Path) -> Tree:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def dumped(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "memory.db")) as db:
        return list(db.iterdump())


def runs(command: Command) -> list[str]:
    """List the ids of all runs, newest first."""
    return [run["id"] for run in command("runs", "--json").data]


def replayed(command: Command, run: str, *more: str) -> tuple[bytes, bytes]:
    """Give the page and the data of a run once more."""
    page, data = (command("run", "--replay", run, *more, *form) for form in ((), ("--json",)))
    assert page.status == data.status == 0
    return page.out.encode(), data.out.encode()


class Gone(Served):
    """A world that is reported on until it is taken away."""

    def __init__(self, folder: Path, server: GitHubServer, world: World) -> None:
        super().__init__(folder, server, [repo.full_name for repo in world.repos])
        self.world = world
        self.day = date(2026, 2, 3)

    def report(self, *repos: str, run: str | None = None, **settings: object) -> Report:
        chosen: dict[str, Any] = settings | (
            {"repos": tuple(map(RepoSpec.model_validate, repos))} if repos else {}
        )
        return asyncio.run(
            self.run(Window.days(self.day, self.day, "UTC"), run=run, **chosen)
        ).report

    def take_away(self) -> None:
        """Leave nothing to read from: no server, no mirrors."""
        self.server.__exit__(None, None, None)
        for folder in (self.folder / "home").iterdir():
            if folder.is_dir():
                shutil.rmtree(folder)


@pytest.fixture
def served(demo_world: World, tmp_path: Path) -> Iterator[Gone]:
    server = GitHubServer(demo_world.repos, tokens=(Served.token,), now=demo_world.now)
    server.__enter__()
    yield Gone(tmp_path, server, demo_world)
    server.__exit__(None, None, None)


def pages(folder: Path) -> tuple[bytes, bytes]:
    (page,), (record,) = folder.glob("reports/*.md"), folder.glob("reports/*.json")
    return page.read_bytes(), record.read_bytes()


def test_runs_over_the_network_are_replayed_byte_for_byte_when_nothing_is_left_of_them(
    served: Gone, command: Command
) -> None:
    names = [repo.full_name for repo in served.world.repos]
    out = served.folder / "out"
    assert served.report(names[0], lang="zh").failures == ()
    alone = pages(out)
    # The second report joins the first one; each is replayed as it was published.
    assert served.report(*names[1:], lang="zh", source="api").failures == ()
    both = pages(out)
    served.take_away()
    second, first = runs(command)
    before = dumped(served.folder / "home")
    published = tree(out)
    assert replayed(command, first) == alone
    assert replayed(command, second[:-3]) == both
    assert dumped(served.folder / "home") == before
    assert tree(out) == published


def test_what_failed_in_the_run_fails_again_in_the_same_words(
    served: Gone, command: Command
) -> None:
    served.server.faults.add("bad_gateway", "/issues", times=500)
    report = served.report(served.world.repos[0].full_name, "lumen-ai/nowhere")
    assert {failure.stage for failure in report.failures} == {"code", "threads"}
    served.take_away()
    (run,) = runs(command)
    page, data = (command("run", "--replay", run, *form) for form in ((), ("--json",)))
    assert page.status == data.status == 3
    assert (page.out.encode(), data.out.encode()) == pages(served.folder / "out")


@pytest.mark.parametrize("name", ["sources.open", "landings.elsewhere"])
def test_a_record_with_a_hole_is_told_and_nothing_is_printed_as_the_report(
    name: str, clone: Path, corner: Path, command: Command
) -> None:
    command("run", "--repo", f"acme/engine={clone}", "--date", "2026-02-04")
    (run,) = runs(command)
    with closing(sqlite3.connect(corner / "memory.db")) as db, db:
        db.execute("delete from calls where name = ?", [name])
    result = command("run", "--replay", run)
    assert (result.status, result.out) == (1, "")
    assert (
        result.err
        == f"gitzette: run {run} did not record {name} of acme/engine; it cannot be replayed\n"
    )


def test_an_answer_in_the_shape_of_another_version_ends_a_replay(
    served: Gone, command: Command
) -> None:
    served.report(served.world.repos[0].full_name)
    served.take_away()
    (run,) = runs(command)
    threads = Artefact("threads", b'{"parts": {}, "rest": {"coverage": "of another version"}}')
    with closing(open_database(served.folder / "home")) as memory:
        Artefacts(memory).add([(threads, "")], datetime.now(UTC))
    with closing(sqlite3.connect(served.folder / "home" / "memory.db")) as db, db:
        db.execute("update calls set hash = ? where name = 'threads.threads'", [threads.hash])
    result = command("run", "--replay", run)
    assert (result.status, result.out) == (1, "")
    assert "a recorded threads" in result.err


def test_neither_the_token_nor_a_path_of_this_machine_is_in_the_record(
    served: Gone, clone: Path, tmp_path: Path
) -> None:
    served.server.faults.add("bad_gateway", "/issues", times=50)
    served.report(served.world.repos[0].full_name, f"acme/engine={clone}")
    with closing(sqlite3.connect(tmp_path / "home" / "memory.db")) as db:
        bodies = [zlib.decompress(row[0]) for row in db.execute("select body from artefacts")]
        tables = ("calls", "holds", "cited", "runs")
        rows = [repr(row) for table in tables for row in db.execute(f"select * from {table}")]
        origins = {row[0] for row in db.execute("select distinct origin from artefacts")}
    stored = b"\n".join(
        [*bodies, *(row.encode() for row in rows), *(origin.encode() for origin in origins)]
    )
    assert len(bodies) > 10
    assert Served.token.encode() not in stored
    assert str(tmp_path).encode() not in stored
    assert "git, a local clone" in origins
    assert f"git {served.server.git_url}" in origins
