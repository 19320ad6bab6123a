"""A memory that is lost comes back from the published reports, and the next report is the same to the byte."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.domain.base import RepoId
from agent.domain.window import Window
from agent.settings.values import Budget
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import World
from evals.worlds.true_ledger import push_at
from tests.built_once import built_world
from tests.gitzette.conftest import Served

ROUTEKIT = RepoId("lumen-ai/routekit")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return built_world(tmp_path_factory, "full")


@pytest.fixture
def server(world: World) -> Iterator[GitHubServer]:
    with GitHubServer(world.repos, tokens=(Served.token,), now=world.now) as server:
        yield server


class House(Served):
    """One home and one output folder, day after day."""

    def __init__(self, folder: Path, server: GitHubServer, **settings: object) -> None:
        budget = Budget(wait_seconds=1, retry_seconds=0.01, deep=3)
        super().__init__(folder, server, [ROUTEKIT], **{"budget": budget} | settings)

    def lose_memory(self) -> None:
        for file in (self.folder / "home").glob("memory.db*"):
            file.unlink()

    def moments(self) -> dict[str, int]:
        """When each published file was last written."""
        published = (self.folder / "out").rglob("*")
        return {file.name: file.stat().st_mtime_ns for file in published if file.is_file()}

    def remembered(self) -> dict[str, list[tuple[object, ...]]]:
        """What the memory knows of published reports; the order in which it learnt that does not count."""
        tables = {
            "tips": "repo, window_key, window_start, window_end, base, tip",
            "landed": "repo, sha, window_key, window_start, window_end, late",
            "published": "window_key, label",
            "statements": "repo, window_key, label, window_start, cites, texts",
        }
        with closing(sqlite3.connect(self.folder / "home" / "memory.db")) as db:
            return {
                name: sorted(db.execute(f"select {columns} from {name}"))
                for name, columns in tables.items()
            }


def day(text: str, offset: int = 0) -> Window:
    chosen = date.fromisoformat(text) + timedelta(days=offset)
    return Window.days(chosen, chosen, "UTC")


async def test_the_late_day_is_told_the_same_with_the_memory_lost_before_it(
    world: World, server: GitHubServer, tmp_path: Path
) -> None:
    calm = House(tmp_path / "calm", server)
    lost = House(tmp_path / "lost", server)
    late: set[str] = set()
    # Near the end a day is run again: its report then has a newer tip than the one from which the next one counts.
    for offset, pushed in ((0, 0), (2, 2), (3, 3), (2, 3), (4, 4)):
        window = day(world.notes["late day"], offset)
        server.set_push(
            ROUTEKIT, push_at(world.repo(ROUTEKIT), day(world.notes["late day"], pushed).end)
        )
        lost.lose_memory()
        reports = [(await house.run(window)).report for house in (calm, lost)]
        assert reports[0] == reports[1]
        assert calm.files == lost.files
        assert calm.remembered() == lost.remembered()
        late |= {row.sha for row in reports[0].ledger if row.late}
    assert world.notes["lumen-ai/routekit: late"].split("@")[1] in late


async def test_the_same_day_twice_reads_no_diff_again_and_leaves_the_files_as_they_were(
    world: World, server: GitHubServer, tmp_path: Path
) -> None:
    late = world.notes["late day"]
    budget = Budget(wait_seconds=1, retry_seconds=0.01, api_diffs=500, deep=500)
    house = House(tmp_path, server, source="api", budget=budget)
    for offset in range(3):
        await house.run(day(late, offset))
    files = house.files
    moments = house.moments()
    requests = diffs_requested(server)
    assert requests > 0

    await house.run(day(late, 1))
    assert diffs_requested(server) == requests
    assert (house.files, house.moments()) == (files, moments)

    first = date.fromisoformat(late)
    week = (await house.run(Window.days(first, first + timedelta(days=2), "UTC"))).report
    assert diffs_requested(server) == requests
    assert len(week.ledger) >= 3
    assert files.items() - {("README.md", files["README.md"])} <= house.files.items()


def diffs_requested(server: GitHubServer) -> int:
    """Count the requests for single commits, which bring their diffs."""
    return sum(re.search(r"/commits/[0-9a-f]{40}", hit.path) is not None for hit in server.requests)


async def test_damaged_reports_are_left_out_with_a_word_and_left_alone(
    world: World, server: GitHubServer, tmp_path: Path
) -> None:
    house = House(tmp_path, server, source="git")
    first = day(world.notes["late day"], -1)
    await house.run(first)
    reports = tmp_path / "out" / "reports"
    good = json.loads((reports / f"{first.label}.json").read_text())
    line = {
        "number": 0,
        "title": "",
        "author": None,
        "event": "opened",
        "at": "2025-01-11T00:00:00Z",
        "labels": [],
    }
    hostile = {
        "2025-01-01": b"\xff\xfe not JSON",
        "2025-01-04": b'{"format": 99, "window": null}',
        "2025-01-05": json.dumps(good).encode(),
        "2025-01-06": _changed(
            good, "2025-01-06", lambda data: data["sections"][0].update(tip="--upload-pack=evil")
        ),
        "2025-01-08": _changed(
            good, "2025-01-08", lambda data: data["sections"][0].update(repo="../../etc")
        ),
        "2025-01-11": _changed(
            good, "2025-01-11", lambda data: data["sections"][0].update(issues=[line])
        ),
    }
    for label, data in hostile.items():
        (reports / f"{label}.json").write_bytes(data)
    (reports / "2025-01-10.json").mkdir()
    house.lose_memory()
    covered = await house.run(day(world.notes["late day"], 0))
    notices = "\n".join(covered.notices)
    for label in (*hostile, "2025-01-10"):
        assert f"{label}.json was left out of the memory" in notices
    assert len(covered.notices) == len(hostile) + 1
    for label, data in hostile.items():
        assert (reports / f"{label}.json").read_bytes() == data
    assert {row[1] for row in house.remembered()["tips"]} == {
        first.key,
        day(world.notes["late day"], 0).key,
    }


def _changed(good: dict[str, Any], label: str, change: Callable[[dict[str, Any]], None]) -> bytes:
    data = json.loads(json.dumps(good))
    start = date.fromisoformat(label)
    data["window"] |= {
        "start": f"{start}T00:00:00Z",
        "end": f"{start + timedelta(days=1)}T00:00:00Z",
    }
    change(data)
    return json.dumps(data).encode()
