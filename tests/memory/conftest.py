"""Real repositories to record from, and the things that go wrong with a source."""

import shutil
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.errors import UpstreamError
from evals.postgres import PostgresServer
from memory.postgres.database import PostgresDatabase
from memory.postgres.migrations import upgrade
from memory.store import database_in_memory
from tests.databases import AnyDatabase
from tests.made_repos import NOON, Work
from tools.git.source import GitSource

REPO = RepoId("octo/engine")


class Watched:
    """A source over a real clone that counts what it is asked, and breaks where a test wants it to."""

    def __init__(self, path: Path) -> None:
        self.repo = REPO
        self.inner = GitSource(REPO, path)
        self.asked: list[object] = []
        self.given: list[str] = []
        self.closed = 0
        self.breaks_after: int | None = None
        self.leaves_out: set[str] = set()
        self.adds: list[str] = []

    async def open(self) -> "Watched":
        self.asked.append("open")
        return self

    async def changes(self, shas: Sequence[str]) -> AsyncGenerator[Change, None]:
        self.asked.append(list(shas))
        try:
            async for change in self.inner.changes(
                [sha for sha in shas if sha not in self.leaves_out]
            ):
                if self.breaks_after is not None and len(self.given) >= self.breaks_after:
                    raise UpstreamError("the disk is gone", retryable=True)
                self.given.append(change.commit.sha)
                yield change
                async for stranger in self.inner.changes(self.adds):
                    yield stranger
        finally:
            self.closed += 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@pytest.fixture(scope="session")
def postgres(postgres_server: PostgresServer) -> str:
    """The address of a PostgreSQL database with a memory in it."""
    with closing(PostgresDatabase(postgres_server.address)) as database:
        upgrade(database)
    return postgres_server.address


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest) -> Iterator[AnyDatabase]:
    """A memory that is gone after the test: every test of it is a contract that both databases hold."""
    if request.param == "sqlite":
        with closing(database_in_memory()) as database:
            yield database
        return
    with closing(PostgresDatabase(request.getfixturevalue("postgres"))) as database:
        tables = database.tables() - {"schema_version"}
        with database.transaction():
            for table in tables:
                database.execute(f"delete from {table}")
        yield database


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six commits with text that is hard to keep: zero bytes, half characters, escapes, and a binary file."""
    work = Work(tmp_path_factory.mktemp("history"))
    bidi = "中文 \u2028 \u202e\n".encode()
    hostile = [b"plain\n", b"bad \xff\xfe utf-8\n", bidi, b"\x1b[31m \x01\n", b"a\0b", b"end\n"]
    for number, content in enumerate(hostile):
        work.commit(b"Add %d \xff\n" % number, {f"file{number}.txt": content}, at=NOON)
    return work.path


@pytest.fixture
def clone(history: Path, tmp_path: Path) -> Path:
    """The six commits, for one test to do with as it likes."""
    return shutil.copytree(history, tmp_path / "engine")


@pytest.fixture
def shas(history: Path) -> list[str]:
    """The commits, newest first."""
    return Work(history).git("rev-list", "main").split()


@pytest.fixture
def watched(clone: Path) -> Callable[[], Watched]:
    """Make a source over the clone."""
    return lambda: Watched(clone)
