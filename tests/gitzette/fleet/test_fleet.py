"""Workers: editions share what is read, what fails can be tried again, and any machine shows what was published."""

import asyncio
import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml  # type: ignore[import-untyped]
from starlette.responses import Response
from starlette.testclient import TestClient

from agent.domain.base import RepoId
from agent.domain.errors import ConfigError
from agent.domain.report import Report
from agent.settings.read import read_settings
from agent.settings.values import Edition, FleetLimits, RepoSpec, Settings
from evals.loopback import Loopback
from evals.postgres import PostgresServer
from gitzette.cli import main
from gitzette.fleet.commands import COMMON, DEAD_AFTER, MAX_TRIES, Engine
from gitzette.fleet.edition_plans import (
    day_window,
    edition_of,
    missing_days,
    part_plan,
    request_limit,
    shown_edition,
)
from gitzette.fleet.worker_tasks import deliver
from gitzette.home_folder import memory_of
from gitzette.live.app import app
from gitzette.settings_from_arguments import settings_here
from memory.fleet import QueuedTask
from memory.store import Memory

DAY = "2026-02-04"
ROOT = Path(__file__).parents[3]
ENGINE = RepoId("acme/engine")
COPY = RepoId("acme/copy")
NOW = datetime(2026, 2, 8, 12, tzinfo=UTC)


@pytest.fixture
def posts(monkeypatch: Any) -> Iterator[list[str]]:
    """What a receiver of reports is sent, by method."""
    taken: list[str] = []

    async def take(scope: Any, receive: Any, send: Any) -> None:
        taken.append(scope["method"])
        await Response("ok")(scope, receive, send)

    receiver = Loopback()
    receiver.start(take)
    monkeypatch.setenv("HOOK", f"{receiver.url}/")
    yield taken
    receiver.stop()


@pytest.fixture
def team(
    postgres_server: PostgresServer, engine: Any, corner: Path, tmp_path: Path, monkeypatch: Any
) -> Path:
    """A folder with two editions over two repositories, and an empty database."""
    del corner
    engine.cloned(tmp_path / "copy")
    Path("gitzette.toml").write_text(
        f'repos = ["{ENGINE}={engine.folder}", "{COPY}={tmp_path / "copy"}"]\nsource = "git"\n'
        '[[edition]]\nname = "both"\nlang = "zh"\ndeliver = []\n'
        f'[[edition]]\nname = "small"\nrepos = ["{ENGINE}"]\n[[deliver]]\nkind = "webhook"\naddress_env = "HOOK"\n'
    )
    postgres_server.create(tmp_path.name)
    monkeypatch.setenv("GITZETTE_DATABASE", postgres_server.address_of(tmp_path.name))
    return Path.cwd()


def work(queues: list[str] | None = None) -> None:
    """Do everything that is queued, as a worker would."""

    async def until_empty() -> None:
        engine = Engine(settings_here(os.environ), os.environ)
        options: dict[str, Any] = {
            "queues": queues,
            "wait": False,
            "concurrency": 2,
            "install_signal_handlers": False,
        }
        async with engine.app.open_async():
            # What the last task queues may come too late for a worker that does not wait: editions, then deliveries.
            for _ in range(3):
                await engine.app.run_worker_async(**options)

    asyncio.run(until_empty())


@contextmanager
def memory() -> Iterator[Memory]:
    with memory_of(settings_here(os.environ), os.environ) as opened:
        yield opened


def tasks(about: str = "") -> list[QueuedTask]:
    with memory() as opened:
        return [task for task in opened.fleet.tasks() if about in task.about]


def test_editions_share_the_reading_and_say_what_one_machine_says(
    team: Path, posts: list[str], capsys: Any, monkeypatch: Any
) -> None:
    assert main(["worker"]) == 1
    assert "run: gitzette database upgrade" in capsys.readouterr().err
    assert [main(["database", "upgrade"]) for _ in range(2)] == [0, 0]
    assert capsys.readouterr().out.endswith("changes made\nnothing to do\n")
    assert [main(["schedule", "--date", DAY]) for _ in range(2)] == [0, 0]
    assert capsys.readouterr().out == "2 repositories queued\n0 repositories queued\n"
    work()
    done = [task.about for task in tasks() if task.status == "done" and task.task != "delivery"]
    assert sorted(done) == [
        f"{COPY} {DAY}",
        f"{ENGINE} {DAY}",
        f"edition both {DAY}",
        f"edition small {DAY}",
    ]
    deliver(settings_here(os.environ), os.environ, "small", day_window(DAY, "UTC"))
    assert posts == ["POST"]
    page = get("both", "/zh/runs.html")
    assert str(COPY) in page
    assert "完成：5" in page
    assert "MAX_ROUTES" in get("both", f"/zh/days/{DAY}.html")
    get("small", "/")
    monkeypatch.delenv("GITZETTE_DATABASE")
    config = Path("gitzette.toml").read_text().partition("[[edition]]")[0]
    for name, repos, more in (("both", [ENGINE, COPY], 'lang = "zh"\n'), ("small", [ENGINE], "")):
        Path("gitzette.toml").write_text(config + more)
        monkeypatch.setenv("GITZETTE_HOME", str(team / name))
        specs = [
            f"--repo={spec.name}={spec.path}"
            for spec in settings_here(os.environ).repos
            if spec.name in repos
        ]
        assert main(["run", "--date", DAY, "--out", f"alone/{name}", *specs]) == 0
        for file in (f"{DAY}.json", f"{DAY}.md"):
            workers = (team / "gazette" / name / "reports" / file).read_bytes()
            assert workers == (team / "alone" / name / "reports" / file).read_bytes()


def get(edition: str, path: str) -> str:
    """Open a page of an edition, as a machine that did no work."""
    name, settings = shown_edition(settings_here(os.environ), edition)
    served = app(settings, os.environ, settings.out / "site", None, name)
    answer = TestClient(served, base_url="http://127.0.0.1").get(path)
    assert answer.status_code == 200
    return answer.text


def composed() -> Report:
    with memory() as opened:
        edition_found = opened.fleet.edition("both", day_window(DAY, "UTC").key)
    assert edition_found is not None
    return edition_found


def test_what_fails_for_good_waits_for_a_person_and_joins_its_edition_later(
    team: Path, posts: list[str], capsys: Any
) -> None:
    path = settings_here(os.environ).repos[1].path
    assert path is not None
    away = path.rename(team / "away")
    main(["database", "upgrade"])
    main(["schedule", "--date", DAY])
    work()
    (failed,) = tasks(COPY)
    assert failed.status == "failed"
    assert "does not exist; give the path of a clone" in failed.progress
    assert [(failure.repo, failure.stage) for failure in composed().failures] == [(COPY, "code")]
    away.rename(path)
    assert main(["schedule", "--retry", str(failed.id)]) == 0
    work()
    assert tasks(COPY)[0].status == "done"
    assert not composed().failures
    assert posts
    # Nothing waits for a time at which the edition would be late: it is there.
    assert {line.split()[1] for line in listed(capsys)} == {"done"}


def listed(capsys: Any) -> list[str]:
    """Return what `schedule --list` prints."""
    capsys.readouterr()
    assert main(["schedule", "--list"]) == 0
    return list(capsys.readouterr().out.splitlines())


def execute(sql: str, *values: Any) -> None:
    """Change the database, to what workers would have left in it."""
    address = settings_here(os.environ).database_address
    assert address is not None
    with psycopg.connect(address) as connection:
        connection.execute(sql, values)


@pytest.mark.usefixtures("team", "posts")
def test_an_edition_does_not_wait_for_what_was_tried_for_the_last_time(capsys: Any) -> None:
    main(["database", "upgrade"])
    main(["schedule", "--date", DAY])
    execute("update procrastinate_jobs set attempts = %s where args->>'repo' = %s", MAX_TRIES, COPY)
    plan = part_plan(settings_here(os.environ), COPY, day_window(DAY, "UTC"))
    # Somebody else holds this run all the time, so it never comes to be read.
    with memory() as opened, opened.run_locks.hold(plan.run):
        work()
    (failed,) = [line for line in listed(capsys) if COPY in line]
    assert failed.split()[1] == "failed"
    assert "is still under way" in failed
    (failure,) = composed().failures
    assert failure.repo == COPY
    assert failure.message in failed
    assert not [line for line in listed(capsys) if line.split()[1] == "queued"]
    # Once it is mended, a person has it read, and the edition has everything.
    assert main(["schedule", "--retry", failed.split()[0]]) == 0
    work()
    assert not composed().failures


@pytest.mark.usefixtures("team")
def test_an_edition_does_not_wait_for_what_kills_every_worker(capsys: Any) -> None:
    main(["database", "upgrade"])
    main(["schedule", "--date", DAY])
    execute(
        "with dead as (insert into procrastinate_workers (last_heartbeat)"
        " values (now() - interval '1 hour') returning id)"
        " update procrastinate_jobs set status = 'doing', attempts = %s, worker_id = dead.id"
        " from dead where args->>'repo' = %s",
        MAX_TRIES,
        COPY,
    )

    async def sweep() -> None:
        engine = Engine(settings_here(os.environ), os.environ)
        async with engine.app.open_async():
            await engine.sweep()

    asyncio.run(sweep())
    work()
    (failed,) = [line for line in listed(capsys) if COPY in line]
    assert failed.split()[1] == "failed"
    assert failed.endswith("its worker died, and it was tried 31 times")
    assert [failure.repo for failure in composed().failures] == [COPY]


def test_a_task_that_failed_or_waits_for_another_try_is_listed_with_its_reason(
    team: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.delenv("HOOK", raising=False)
    main(["database", "upgrade"])
    main(["schedule", "--date", DAY])
    work()
    (delivery,) = [line for line in listed(capsys) if "delivery" in line]
    assert delivery.split()[1] in ("queued", "failed")
    assert "HOOK" in delivery
    # An edition of which another machine knows, and this one does not.
    main(["schedule", "--date", "2026-02-03"])
    config = team / "gitzette.toml"
    config.write_text(config.read_text().replace('name = "both"', 'name = "all"'))
    execute("update procrastinate_jobs set scheduled_at = now() where args->>'edition' = 'both'")
    work()
    (edition,) = [line for line in listed(capsys) if "edition both 2026-02-03" in line]
    assert edition.split()[1] == "failed"
    assert edition.endswith("there is no edition 'both' in this machine's gitzette.toml")


@pytest.mark.usefixtures("team")
def test_a_repository_goes_to_the_machine_that_has_its_mirror_while_that_is_alive(
    capsys: Any,
) -> None:
    main(["database", "upgrade"])
    with memory() as opened:
        opened.fleet.put_mirror("place-there", ENGINE)
        opened.fleet.alive("place-there")
        assert opened.fleet.place_of(ENGINE, timedelta(seconds=DEAD_AFTER)) == "place-there"
        assert main(["schedule", "--date", DAY]) == 0
        work([COMMON])
        assert [task.status for task in tasks(f"{ENGINE} ")] == ["queued"]
        # What waits can be cancelled by hand, here the edition for when it is late.
        (late,) = [task for task in tasks("edition both") if task.status == "queued"]
        assert main(["schedule", "--cancel", str(late.id)]) == 0
        assert "cancelled" in {task.status for task in tasks("edition both")}
        assert main(["schedule", "--cancel", str(late.id)]) == 2
        assert "cannot be cancelled" in capsys.readouterr().err
        opened.fleet.move_orphans(COMMON, timedelta(seconds=-1))
    work([COMMON])
    assert [task.status for task in tasks(f"{ENGINE} ")] == ["done"]


@pytest.mark.usefixtures("team")
def test_a_shared_limit_is_never_exceeded_and_some_of_it_is_left_to_people() -> None:
    main(["database", "upgrade"])
    limits = FleetLimits(requests=20, requests_seconds=86_400)
    settings = settings_here(os.environ).model_copy(update={"limits": limits})

    async def admitted(background: bool) -> int:
        with (
            memory_of(settings, os.environ) as first_memory,
            memory_of(settings, os.environ) as other,
        ):
            waits = [
                request_limit(fleet.fleet, settings, background=background)
                for fleet in (first_memory, other)
            ]
            for number in range(40):
                wait = waits[number % 2]
                assert wait is not None
                try:
                    await asyncio.wait_for(wait(), 0.2)
                except TimeoutError:
                    return number
        return 40

    assert asyncio.run(admitted(True)) == 18
    assert asyncio.run(admitted(False)) == 2


def test_without_a_database_nothing_of_workers_is_there(corner: Path, capsys: Any) -> None:
    del corner
    assert main(["worker"]) == main(["schedule"]) == main(["database", "upgrade"]) == 2
    assert capsys.readouterr().err.count("set database or GITZETTE_DATABASE to postgresql://…") == 3
    alone = Settings(repos=(RepoSpec(name=ENGINE),), limits=FleetLimits(requests=1))
    assert shown_edition(alone, None) == ("", alone)


def test_a_part_is_planned_for_all_editions_that_have_the_repository() -> None:
    editions = (
        Edition(name="zh", lang="zh", repos=(ENGINE,)),
        Edition(name="all", tz="UTC"),
        Edition(name="asia", tz="Asia/Tokyo"),
    )
    settings = Settings(repos=(RepoSpec(name=ENGINE), RepoSpec(name=COPY)), edition=editions)
    window = day_window(DAY, "UTC")
    plan = part_plan(settings, ENGINE, window)
    assert (plan.settings.lang, plan.settings.languages) == ("zh", ("en",))
    assert [spec.name for spec in plan.beside] == [COPY]
    assert plan.key != part_plan(settings, ENGINE, day_window(DAY, "Asia/Tokyo")).key
    assert plan.run == part_plan(settings, ENGINE, window).run
    with pytest.raises(ConfigError, match="no edition"):
        edition_of(settings, "none")


def test_days_that_an_outage_left_out_are_caught_up_with() -> None:
    settings = Settings(repos=(RepoSpec(name=ENGINE),), catch_up_days=3)
    days = [f"2026-02-0{day}" for day in (5, 6, 7)]
    assert missing_days(settings, {}, NOW) == days[2:]
    assert missing_days(settings, {"2026-02-04": "", days[1]: ""}, NOW) == [days[0], days[2]]
    assert missing_days(settings, {"2025-12-01": ""}, NOW) == days


def test_compose_starts_commands_and_sets_variables_that_there_are() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    commands = tomllib.loads((ROOT / "gitzette" / "commands.toml").read_text())
    assert services.pop("database")["environment"]["POSTGRES_DB"] == "gitzette"
    for service in services.values():
        command, *rest = service["command"]
        assert {option for option in rest if option.startswith("--")} <= commands[command][
            "options"
        ].keys()
        assert service["build"]["args"]["LOCK"] == "requirements-server.lock"
        given = {
            name: "postgresql://x"
            for name in service["environment"]
            if name.startswith("GITZETTE_")
        }
        assert read_settings(None, given | {"GITZETTE_MODEL_URL": ""}).database
