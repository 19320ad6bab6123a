"""The daily graph over a served world: real git, real HTTP, real SQLite."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent.domain.base import RepoId
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec, Settings
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import World
from evals.worlds.true_ledger import gold_line, push_at
from gitzette.day_run import run_day
from gitzette.terminal_output import QuietProgress
from tests.built_once import built_world

TOKEN = "c4nary-daily-7f31"
ROUTEKIT = RepoId("lumen-ai/routekit")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return built_world(tmp_path_factory, "full")


@pytest.fixture
def server(world: World) -> Iterator[GitHubServer]:
    with GitHubServer(world.repos, tokens=(TOKEN,), now=world.now) as server:
        yield server


class House:
    """Runs reports in one home and one output folder, as a user would day after day."""

    def __init__(self, server: GitHubServer, folder: Path) -> None:
        self.server = server
        self.folder = folder

    async def report(self, window: Window, *repos: str, **settings: object) -> Report:
        values = {
            "repos": tuple(RepoSpec(name=RepoId(repo)) for repo in repos),
            "out": self.folder / "out",
            "home": self.folder / "home",
            "github_url": self.server.url,
            "git_url": self.server.git_url,
            "token": SecretStr(TOKEN),
            "budget": Budget(wait_seconds=1, retry_seconds=0.01),
        }
        chosen = Settings.model_validate(values | settings)
        return (
            await run_day(chosen, {}, window, chosen.repos, datetime.now(UTC), QuietProgress())
        ).report


@pytest.fixture
def house(server: GitHubServer, tmp_path: Path) -> House:
    return House(server, tmp_path)


def day(text: str) -> Window:
    return Window.days(date.fromisoformat(text), date.fromisoformat(text), "UTC")


@pytest.mark.parametrize("source", ["git", "api"])
async def test_day_after_day_every_landed_commit_is_told_once_late_ones_too(
    source: str, world: World, house: House
) -> None:
    repo = world.repo(ROUTEKIT)
    late_day = date.fromisoformat(world.notes["late day"])
    reported: Counter[str] = Counter()
    late: set[str] = set()
    windows = [day((late_day + timedelta(days=offset)).isoformat()) for offset in range(5)]
    for window in windows:
        house.server.set_push(ROUTEKIT, push_at(repo, window.end))
        report = await house.report(window, ROUTEKIT, source=source)
        assert report.failures == ()
        reported.update(row.sha for row in report.ledger)
        late |= {row.sha for row in report.ledger if row.late}
    start = windows[0].start
    end = windows[-1].end
    line = gold_line(world, ROUTEKIT, push_at(repo, end))
    landed = {row.sha for row in line if start <= row.committed_at < end}
    assert landed <= reported.keys()
    assert set(reported.values()) == {1}
    assert world.notes["lumen-ai/routekit: late"].split("@")[1] in late


async def test_rewritten_history_is_noticed(world: World, house: House) -> None:
    repo = world.repo(ROUTEKIT)
    forced = next(i for i, push in enumerate(repo.pushes) if push.forced)
    before = day((repo.pushes[forced].at - timedelta(days=1)).date().isoformat())
    house.server.set_push(ROUTEKIT, forced - 1)
    await house.report(before, ROUTEKIT)
    house.server.set_push(ROUTEKIT, forced)
    report = await house.report(day(repo.pushes[forced].at.date().isoformat()), ROUTEKIT)
    (section,) = report.sections
    assert "rewritten" in {notice.kind for notice in section.notices}


async def test_what_fails_fails_alone_and_is_named_and_nothing_of_the_token_is_written(
    house: House,
) -> None:
    house.server.faults.add("bad_gateway", "/issues", times=50)
    report = await house.report(day("2026-03-10"), "lumen-ai/nowhere", "lumen-ai/swiftserve")
    failures = {(failure.repo, failure.stage) for failure in report.failures}
    assert failures == {("lumen-ai/nowhere", "code"), ("lumen-ai/swiftserve", "threads")}
    assert [(section.repo, section.coverage) for section in report.sections] == [
        ("lumen-ai/swiftserve", "not read")
    ]
    assert report.ledger
    page = (house.folder / "out" / "reports" / "2026-03-10.md").read_text()
    assert "lumen-ai/nowhere" in page
    assert "not complete" in page
    files = [file for file in house.folder.rglob("*") if file.is_file()]
    assert not [file for file in files if TOKEN.encode() in file.read_bytes()]


async def test_an_empty_repository_and_an_empty_day_are_reports_too(
    world: World, house: House
) -> None:
    report = await house.report(
        day(world.notes["empty day"]),
        world.notes["empty repository"],
        world.notes["squash repository"],
    )
    assert report.failures == ()
    assert report.ledger == ()
    assert len(report.sections) == 2
