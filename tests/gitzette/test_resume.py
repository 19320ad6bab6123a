"""`run --resume`: a run that died goes on where it stood, and says so when there is nothing to go on with."""

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agent.domain.window import Window
from evals.github_server.app import GitHubServer
from evals.harness import TOKEN as LOOPBACK
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.sets.kills import killed_at, prepare
from evals.worlds.model import World
from evals.worlds.worlds import build
from gitzette.cli import main
from gitzette.progress import QuietProgress
from memory.runs import RunLocks
from memory.store import open_memory
from tests.gitzette.conftest import Served

DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
NOW = datetime(2026, 2, 5, 6, tzinfo=UTC)

# LangGraph writes a checkpoint in a task of its own; a run that dies between the two leaves its coroutine behind.
pytestmark = pytest.mark.filterwarnings("ignore:coroutine 'AsyncPregelLoop._checkpointer_put:RuntimeWarning")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("demo", 1, tmp_path_factory.mktemp("world"))


@pytest.fixture
def server(world: World) -> Iterator[GitHubServer]:
    with GitHubServer(world.repos, tokens=(Served.token, LOOPBACK), now=world.now) as server:
        yield server


@pytest.fixture(autouse=True)
def _own_corner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in an empty folder with a home of its own, and with none of the user's settings."""
    corner = tmp_path / "corner"
    corner.mkdir()
    monkeypatch.chdir(corner)
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GITZETTE_OUT", str(tmp_path / "out"))
    monkeypatch.setenv("GITHUB_TOKEN", Served.token)


class Stop(Exception):
    """The end of a run that nothing announces."""


class Dying(QuietProgress):
    """Ends the run the first time that a step of this name is told."""

    def __init__(self, step: str) -> None:
        self.step_to_die_at = step

    def step(self, repo: str, what: str, done: int = 0, total: int = 0) -> None:
        if what == self.step_to_die_at:
            raise Stop


class House(Served):
    """Runs of two repositories on one day, which may die."""

    def __init__(self, folder: Path, server: GitHubServer, world: World) -> None:
        super().__init__(folder, server, [repo.full_name for repo in world.repos[:2]])

    async def die(self, step: str) -> str:
        """Run until a step, and forget how it ended, as a run that is killed does."""
        with pytest.raises(Stop):
            await self.run(DAY, Dying(step))
        with closing(sqlite3.connect(self.folder / "home" / "memory.db")) as db, db:
            db.execute("update runs set status = 'running', finished = null where status = 'failed'")
            return str(db.execute("select id from runs order by started desc, number desc").fetchone()[0])

    def command(self, *arguments: str) -> int:
        repos = [part for spec in self.settings.repos for part in ("--repo", spec.name)]
        return main(["run", *repos, "--date", "2026-02-04", *arguments])

    def checkpoint(self, run: str) -> Path:
        return self.folder / "home" / "running" / f"{run}.db"


@pytest.fixture
def house(tmp_path: Path, server: GitHubServer, world: World) -> House:
    return House(tmp_path, server, world)


@pytest.fixture
def calm(tmp_path: Path, server: GitHubServer, world: World) -> House:
    return House(tmp_path / "calm", server, world)


@pytest.mark.parametrize("step", ["reading diffs", "writing"])
async def test_a_run_that_died_goes_on_and_gives_the_undisturbed_report(house: House, calm: House, step: str) -> None:
    await calm.run(DAY)
    run = await house.die(step)
    assert house.files == {}
    with open_memory(house.folder / "home", NOW.date()) as memory:
        before = memory.recorder(run).answered()
    assert before
    assert (await house.run(DAY, run=run)).report.failures == ()
    with open_memory(house.folder / "home", NOW.date()) as memory:
        after = memory.recorder(run).answered()
        assert memory.runs.find(run).status == "done"
    assert {key: after[key] for key in before} == before
    assert house.files == calm.files
    assert list((house.folder / "home" / "running").iterdir()) == []


async def test_where_a_run_stands_is_private_and_holds_no_secret(house: House, world: World) -> None:
    run = await house.die("writing")
    file = house.checkpoint(run)
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    stored = b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert world.repos[0].full_name.encode() in stored
    for secret in (Served.token, str(house.folder)):
        assert secret.encode() not in stored, secret


def test_the_command_goes_on_with_the_newest_unfinished_run_and_then_says_that_it_is_finished(
    house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, server: GitHubServer
) -> None:
    monkeypatch.setenv("GITZETTE_GITHUB_URL", server.url)
    monkeypatch.setenv("GITZETTE_GIT_URL", server.git_url)
    assert house.command("--resume") == 2
    assert "there is no run with these settings to go on with" in capsys.readouterr().err
    assert house.command() == 0
    with closing(sqlite3.connect(house.folder / "home" / "memory.db")) as db, db:
        db.execute("update runs set status = 'running', finished = null")
    capsys.readouterr()
    assert main(["runs", "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)
    assert run["status"] == "unfinished"
    assert house.command("--resume", "--lang", "zh") == 2
    assert house.command("--resume", run["id"], "--lang", "zh") == 2
    assert "was started with another lang; use the same to go on" in capsys.readouterr().err
    with RunLocks(house.folder / "home").hold(run["id"]):
        assert house.command("--resume") == 2
        told = f"gitzette: run {run['id']} is still under way (process {os.getpid()}); wait for it or stop it first\n"
        assert capsys.readouterr().err == told
    assert house.command("--resume", run["id"][:12]) == 0
    assert f"going on with run {run['id']}" in capsys.readouterr().err
    assert house.command("--resume") == 2
    assert f"run {run['id']} is finished (done)" in capsys.readouterr().err


@pytest.mark.heavy
async def test_killed_in_earnest_it_goes_on_to_the_same_bytes(
    tmp_path: Path, server: GitHubServer, world: World
) -> None:
    with ModelServer(honest) as model:
        stage = await prepare(tmp_path / "kills", server, model, world)
        assert (await killed_at(stage, 3)).complaint == ""
