"""`run --replay`: the same bytes again when the repositories, the server and the network are gone."""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec
from evals.github_server.app import GitHubServer
from evals.worlds.model import World
from evals.worlds.worlds import build
from gitzette.cli import main
from tests.gitzette.conftest import Served

pytestmark = pytest.mark.usefixtures("corner")

Tree = dict[str, bytes]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("demo", 1, tmp_path_factory.mktemp("world"))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "engine"
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    for name, content in (("one.py", b"one\n"), ("two.bin", b"a\0b"), ("three.txt", b"\xff\xfe \x1b[31m\n")):
        (folder / name).write_bytes(content)
        git(folder, "add", ".")
        git(folder, "commit", "-qm", f"Add {name} | @somebody fixes #1")
    return folder


def git(folder: Path, *arguments: str) -> None:
    at = {f"GIT_{role}_DATE": "2026-02-04T10:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    env = at | {"GIT_CONFIG_GLOBAL": os.devnull, "PATH": os.environ["PATH"]}
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, env=env)


def tree(folder: Path) -> Tree:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def dumped(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "memory.db")) as db:
        return list(db.iterdump())


def runs(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """List the ids of all runs, newest first."""
    capsys.readouterr()
    main(["runs", "--json"])
    return [run["id"] for run in json.loads(capsys.readouterr().out)]


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> bytes:
    capsys.readouterr()
    assert main(["run", "--replay", *arguments]) == status
    return capsys.readouterr().out.encode()


class Gone(Served):
    """A world that is reported on until it is taken away."""

    def __init__(self, folder: Path, server: GitHubServer, world: World) -> None:
        super().__init__(folder, server, [repo.full_name for repo in world.repos])
        self.world = world
        self.day = date.fromisoformat(world.notes["reported day"])

    def report(self, *repos: str, run: str | None = None, **settings: object) -> Report:
        chosen: dict[str, Any] = settings | ({"repos": tuple(map(RepoSpec.model_validate, repos))} if repos else {})
        return asyncio.run(self.run(Window.days(self.day, self.day, "UTC"), run=run, **chosen)).report

    def take_away(self) -> None:
        """Leave nothing to read from: no server, no mirrors."""
        self.server.__exit__(None, None, None)
        for folder in (self.folder / "home").iterdir():
            if folder.is_dir():
                shutil.rmtree(folder)


@pytest.fixture
def served(world: World, tmp_path: Path) -> Iterator[Gone]:
    server = GitHubServer(world.repos, tokens=(Served.token,), now=world.now)
    server.__enter__()
    yield Gone(tmp_path, server, world)
    server.__exit__(None, None, None)


def pages(folder: Path) -> tuple[bytes, bytes]:
    (page,), (record,) = folder.glob("reports/*.md"), folder.glob("reports/*.json")
    return page.read_bytes(), record.read_bytes()


@pytest.mark.parametrize(("source", "lang"), [("both", "zh"), pytest.param("api", "en", marks=pytest.mark.heavy)])
def test_a_run_over_the_network_is_replayed_byte_for_byte_when_nothing_is_left_of_it(
    source: str, lang: str, served: Gone, capsys: pytest.CaptureFixture[str]
) -> None:
    assert served.report(source=source, lang=lang).failures == ()
    served.take_away()
    page, record = pages(served.folder / "out")
    (run,) = runs(capsys)
    before, published = dumped(served.folder / "home"), tree(served.folder / "out")
    assert told(capsys, run) == page
    assert told(capsys, run[:-3], "--json") == record
    assert dumped(served.folder / "home") == before
    assert tree(served.folder / "out") == published


def test_a_local_clone_may_go_and_both_languages_come_back(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for lang in ("en", "zh"):
        main(["run", "--repo", f"acme/engine={clone}", "--date", "2026-02-04", "--lang", lang, "--out", lang])
    shutil.rmtree(clone)
    chinese, english = runs(capsys)
    for lang, run, other in (("en", english, chinese), ("zh", chinese, english)):
        assert (told(capsys, run), told(capsys, run, "--json")) == pages(Path(lang))
        assert told(capsys, other, "--lang", lang) == pages(Path(lang))[0]


def test_a_report_that_joined_an_earlier_one_is_replayed_as_it_was_published(
    served: Gone, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [repo.full_name for repo in served.world.repos]
    served.report(names[0])
    alone = pages(served.folder / "out")
    served.report(names[1])
    both = pages(served.folder / "out")
    served.take_away()
    second, first = runs(capsys)
    assert (told(capsys, first), told(capsys, first, "--json")) == alone
    assert (told(capsys, second), told(capsys, second, "--json")) == both


@pytest.mark.parametrize(
    "name", ["sources.open", "code.landed", "code.changes", "threads.threads", "landings.elsewhere"]
)
def test_a_record_with_a_hole_is_told_and_nothing_is_printed_as_the_report(
    name: str, clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", "--repo", f"acme/engine={clone}", "--date", "2026-02-04"])
    (run,) = runs(capsys)
    with closing(sqlite3.connect(tmp_path / "home" / "memory.db")) as db, db:
        db.execute("delete from calls where name = ?", [name])
    assert main(["run", "--replay", run]) == 1
    shown = capsys.readouterr()
    assert shown.err == f"gitzette: run {run} did not record {name} of acme/engine; it cannot be replayed\n"
    assert shown.out == ""
    assert not Path("again").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope"], "there is no run 'nope'; `gitzette runs` lists them"),
        (["2", "--repo", "acme/engine"], "--replay makes the same report again; leave out --repo"),
        (["2", "--date", "2026-02-04", "--tz", "UTC"], "leave out --date, --tz"),
        (["2", "--demo"], "leave out --demo"),
    ],
)
def test_wrong_use_is_one_line_that_says_what_to_do(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--replay", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_neither_the_token_nor_a_path_of_this_machine_is_in_the_record(
    served: Gone, clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    served.server.faults.add("bad_gateway", "/issues", times=50)
    served.report(served.world.repos[0].full_name, f"acme/engine={clone}")
    with closing(sqlite3.connect(tmp_path / "home" / "memory.db")) as db:
        bodies = [zlib.decompress(row[0]) for row in db.execute("select body from artefacts")]
        tables = ("calls", "holds", "cited", "runs")
        rows = [repr(row) for table in tables for row in db.execute(f"select * from {table}")]
        origins = {row[0] for row in db.execute("select distinct origin from artefacts")}
    stored = b"\n".join([*bodies, *(row.encode() for row in rows), *(origin.encode() for origin in origins)])
    assert len(bodies) > 10
    assert Served.token.encode() not in stored
    assert str(tmp_path).encode() not in stored
    assert "git, a local clone" in origins
    assert f"git {served.server.git_url}" in origins
