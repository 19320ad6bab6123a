"""`run --resume`: a run that died goes on where it stood, and says so when there is nothing to go on with."""

import asyncio
import os
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.window import Window
from evals.github_server.app import GitHubServer
from evals.harness import TOKEN as LOOPBACK
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.sets.kills import killed_at, prepare
from evals.worlds.data_model import World
from gitzette.terminal_output import QuietProgress
from memory.recorded_answers import Artefact, Artefacts
from memory.runs import RunLocks
from memory.store import open_database, open_memory
from tests.gitzette.conftest import Command, CommandResult, Engine, Served
from tests.scripted_analysis import Dying, Stop

DAY = Window.days(date(2026, 2, 3), date(2026, 2, 3), "UTC")
NOW = datetime(2026, 2, 5, 6, tzinfo=UTC)

# LangGraph writes a checkpoint in a task of its own; a run that dies between the two leaves its coroutine behind.
pytestmark = pytest.mark.filterwarnings(
    "ignore:coroutine 'AsyncPregelLoop._checkpointer_put:RuntimeWarning"
)


@pytest.fixture
def server(demo_world: World) -> Iterator[GitHubServer]:
    with GitHubServer(
        demo_world.repos, tokens=(Served.token, LOOPBACK), now=demo_world.now
    ) as server:
        yield server


class House(Served):
    """Runs of two repositories on one day, which may die."""

    def __init__(self, folder: Path, server: GitHubServer, world: World) -> None:
        super().__init__(folder, server, [repo.full_name for repo in world.repos[:2]])

    async def die(self, step: str) -> str:
        """Run until a step, and forget how it ended, as a run that is killed does."""
        with pytest.raises(Stop):
            await self.run(DAY, Dying(step))
        with closing(sqlite3.connect(self.folder / "home" / "memory.db")) as db, db:
            db.execute(
                "update runs set status = 'running', finished = null where status = 'failed'"
            )
            return str(
                db.execute("select id from runs order by started desc, number desc").fetchone()[0]
            )


class Steps(QuietProgress):
    """Remembers which steps were taken."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        self.names.append(what)


@pytest.fixture(scope="module")
def calm_files(demo_world: World, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """Return what a run publishes that nothing disturbs."""
    with GitHubServer(demo_world.repos, tokens=(Served.token,), now=demo_world.now) as server:
        calm = House(tmp_path_factory.mktemp("calm"), server, demo_world)
        asyncio.run(calm.run(DAY))
    return calm.files


@pytest.fixture
def house(tmp_path: Path, server: GitHubServer, demo_world: World) -> House:
    return House(tmp_path, server, demo_world)


async def test_a_run_that_died_goes_on_and_gives_the_undisturbed_report(
    house: House, calm_files: Mapping[str, bytes], demo_world: World
) -> None:
    run = await house.die("reading diffs")
    assert house.files == {}
    with open_memory(house.folder / "home", NOW.date()) as memory:
        before = memory.recorder(run).answered()
    assert before
    # Once more, later; where it stands is private and holds no secret.
    with pytest.raises(Stop):
        await house.run(DAY, Dying("writing"), run=run)
    running = list((house.folder / "home" / "running").iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in running} == {0o600}
    stored = b"".join(path.read_bytes() for path in running)
    assert demo_world.repos[0].full_name.encode() in stored
    for secret in (Served.token, str(house.folder)):
        assert secret.encode() not in stored, secret
    assert (await house.run(DAY, run=run)).report.failures == ()
    with open_memory(house.folder / "home", NOW.date()) as memory:
        after = memory.recorder(run).answered()
        assert memory.runs.find(run).status == "done"
    assert {key: after[key] for key in before} == before
    assert house.files == calm_files
    assert list((house.folder / "home" / "running").iterdir()) == []


async def test_damaged_checkpoints_cost_work_but_no_answers(
    house: House, calm_files: Mapping[str, bytes], server: GitHubServer
) -> None:
    run = await house.die("writing")
    server.forget()
    checkpoints = [
        path
        for path in (house.folder / "home" / "running").iterdir()
        if path.read_bytes().startswith(b"SQLite format 3")
    ]
    assert checkpoints
    for path in checkpoints:
        path.write_bytes(b"not a database" * 1_000)
    await house.run(DAY, run=run)
    assert house.files == calm_files


async def test_a_run_that_died_between_a_step_and_its_checkpoint_goes_on_with_the_next_step(
    house: House, calm_files: Mapping[str, bytes]
) -> None:
    run = await house.die("writing")
    (checkpoints,) = (house.folder / "home" / "running").glob("*.db")
    with closing(sqlite3.connect(checkpoints)) as db, db:
        newest = "select max(checkpoint_id) from checkpoints where checkpoint_ns = ''"
        (checkpoint,) = db.execute(newest).fetchone()
        db.execute("delete from checkpoints where checkpoint_id >= ?", [checkpoint])
        db.execute("delete from writes where checkpoint_id >= ?", [checkpoint])
    await house.run(DAY, run=run)
    assert house.files == calm_files


async def test_a_run_that_another_version_began_is_begun_anew_and_asks_nothing_twice(
    house: House, calm_files: Mapping[str, bytes]
) -> None:
    run = await house.die("writing")
    with open_memory(house.folder / "home", NOW.date()) as memory:
        before = memory.recorder(run).answered()
    (checkpoints,) = (house.folder / "home" / "running").glob("*.db")
    with closing(sqlite3.connect(checkpoints)) as db, db:
        changed = db.execute(
            "update checkpoints set metadata = json_set(metadata, '$.state_version', 0)"
        )
        assert changed.rowcount
    steps = Steps()
    await house.run(DAY, steps, run=run)
    assert "opening" in steps.names
    with open_memory(house.folder / "home", NOW.date()) as memory:
        after = memory.recorder(run).answered()
    assert {key: after[key] for key in before} == before
    assert house.files == calm_files


async def test_an_answer_in_the_shape_of_another_version_is_a_failure_that_a_new_run_mends(
    house: House, calm_files: Mapping[str, bytes]
) -> None:
    run = await house.die("writing")
    threads = Artefact("threads", b'{"parts": {}, "rest": {"coverage": "of another version"}}')
    with closing(open_database(house.folder / "home")) as memory:
        Artefacts(memory).add([(threads, "")], NOW)
    with closing(sqlite3.connect(house.folder / "home" / "memory.db")) as db, db:
        db.execute("update calls set hash = ? where name = 'threads.threads'", [threads.hash])
    (checkpoints,) = (house.folder / "home" / "running").glob("*.db")
    checkpoints.unlink()
    failures = (await house.run(DAY, run=run)).report.failures
    assert {failure.stage for failure in failures} == {"threads"}
    assert all("another version of Gitzette wrote it" in failure.message for failure in failures)
    assert (await house.run(DAY)).report.failures == ()
    assert house.files == calm_files


def test_the_command_goes_on_with_the_newest_unfinished_run_and_then_says_that_it_is_finished(
    engine: Engine, corner: Path, command: Command
) -> None:
    def resumed(*more: str) -> CommandResult:
        return command("run", "--date", "2026-02-04", *engine.repo, *more)

    assert "there is no unfinished run to go on with" in resumed("--resume").err
    assert resumed().status == 0
    with closing(sqlite3.connect(corner / "memory.db")) as db, db:
        db.execute("update runs set status = 'running', finished = null")
    (run,) = command("runs", "--json").data
    assert run["status"] == "unfinished"
    assert (
        "was started with another lang; use the same to go on"
        in resumed("--resume", "--lang", "zh").err
    )
    with RunLocks(corner).hold(run["id"]):
        result = f"gitzette: run {run['id']} is still under way (process {os.getpid()}); wait for it or stop it first\n"
        assert resumed("--resume").err == result
    again = resumed("--resume", run["id"][:12])
    assert (again.status, f"going on with run {run['id']}" in again.err) == (0, True)
    again = resumed("--resume", run["id"])
    assert (again.status, f"run {run['id']} is finished (done)" in again.err) == (2, True)


@pytest.mark.heavy
async def test_killed_in_earnest_it_goes_on_to_the_same_bytes(
    tmp_path: Path, server: GitHubServer, demo_world: World
) -> None:
    with ModelServer(honest) as model:
        stage = await prepare(tmp_path / "kills", server, model, demo_world)
        assert (await killed_at(stage, 3)).complaint == ""
