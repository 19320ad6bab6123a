"""What a run leaves for questions: commits, threads and links, each once, and a window only when it is whole."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent.asking.query import Named
from agent.card import Card
from agent.ids import RepoId
from agent.settings import Budget, RepoSpec, Settings
from agent.window import Window
from evals.github_server.app import GitHubServer
from evals.worlds.model import World
from evals.worlds.worlds import build
from gitzette.cli import main
from gitzette.progress import QuietProgress
from gitzette.running import Covered, cover
from memory.store import open_memory

DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
NOW = datetime(2026, 2, 5, 6, tzinfo=UTC)
TOKEN = "c4nary-leaving-51fe"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("demo", 1, tmp_path_factory.mktemp("world"))


@pytest.fixture
def server(world: World) -> Iterator[GitHubServer]:
    with GitHubServer(world.repos, tokens=(TOKEN,), now=world.now) as server:
        yield server


@pytest.fixture
def settings(corner: Path, server: GitHubServer, world: World) -> Settings:
    return Settings(
        repos=tuple(RepoSpec.parse(repo.full_name) for repo in world.repos[:2]),
        home=corner,
        out=corner.parent / "out",
        github_url=server.url,
        git_url=server.git_url,
        token=SecretStr(TOKEN),
        budget=Budget(wait_seconds=1, retry_seconds=0.01),
    )


async def run(settings: Settings) -> Covered:
    return await cover(settings, {}, DAY, settings.repos, NOW, QuietProgress())


TABLES = ("evidence", "evidence_words", "evidence_refs", "complete_spans")


def counts(home: Path) -> dict[str, int]:
    with closing(sqlite3.connect(home / "memory.db")) as db:
        return {name: db.execute(f"select count(*) from {name}").fetchone()[0] for name in TABLES}


async def test_every_commit_that_was_read_is_left_with_its_facts_threads_and_links(
    settings: Settings, corner: Path
) -> None:
    report = (await run(settings)).report
    with open_memory(corner, NOW.date()) as memory:
        for spec in settings.repos:
            rows = {row.sha for row in report.ledger if row.repo == spec.name}
            assert memory.evidence.known(spec.name, sorted(rows)) == rows
            assert memory.evidence.gaps(spec.name, DAY) == []
            assert memory.evidence.has_threads(spec.name)
        deep = [row for row in report.ledger if row.depth.value == "deep"]
        cards = [memory.evidence.get(f"{row.repo}@{row.sha}") for row in deep]
        assert any(isinstance(card, Card) and card.route == "blobs" for card in cards)
        for link in report.links:
            repo, _, sha = link.change.partition("@")
            hits = memory.search.search("", [Named(kind="commit", text=sha)], [RepoId(repo)], None)
            assert link.issue in [hit.id for hit in hits]


async def test_a_window_of_which_not_every_diff_was_read_is_not_known_wholly(settings: Settings, corner: Path) -> None:
    few = settings.model_copy(update={"source": "api", "budget": settings.budget.model_copy(update={"api_diffs": 1})})
    report = (await run(few)).report
    with open_memory(corner, NOW.date()) as memory:
        for spec in settings.repos:
            landed = [row for row in report.ledger if row.repo == spec.name]
            assert memory.evidence.count(spec.name, DAY) == min(1, len(landed))
            assert bool(memory.evidence.gaps(spec.name, DAY)) == (len(landed) > 1)


def test_a_replay_leaves_nothing(settings: Settings, corner: Path) -> None:
    asyncio.run(run(settings))
    with closing(sqlite3.connect(corner / "memory.db")) as db, db:
        run_id = db.execute("select id from runs").fetchone()[0]
        for name in TABLES:
            db.execute(f"delete from {name}")
    assert main(["run", "--replay", run_id]) == 0
    assert set(counts(corner).values()) == {0}
