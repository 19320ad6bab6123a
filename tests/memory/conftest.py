"""Real repositories to record from, and the things that go wrong with a source."""

import os
import subprocess
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from agent.domain import Change, Commit, Landing
from agent.errors import UpstreamError
from agent.ids import RepoId
from agent.sources import Study
from agent.window import Window
from memory.database import Database
from memory.migrations import database_in_memory
from tools.git.source import GitSource

REPO = RepoId("octo/engine")
DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
_WHO = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", "2026-02-04T10:00:00Z"))
}


class Watched:
    """A source over a real clone that counts what it is asked, and breaks where a test wants it to."""

    def __init__(self, path: Path) -> None:
        self.repo = REPO
        self.inner = GitSource(REPO, path)
        self.asked: list[object] = []
        self.given: list[str] = []
        self.closed = 0
        self.breaks_after: int | None = None
        self.error: UpstreamError = UpstreamError("the disk is gone", retryable=True)
        self.leaves_out: set[str] = set()
        self.adds: list[str] = []

    async def open(self) -> "Watched":
        """Stand behind a recorded source."""
        self.asked.append("open")
        return self

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List what landed."""
        self.asked.append("landed")
        return await self.inner.landed(window, known_tip=known_tip)

    async def changes(self, shas: Sequence[str]) -> AsyncGenerator[Change, None]:
        """Stream the commits; it may break or leave some out."""
        self.asked.append(list(shas))
        try:
            async for change in self.inner.changes([sha for sha in shas if sha not in self.leaves_out]):
                if self.breaks_after is not None and len(self.given) >= self.breaks_after:
                    raise self.error
                self.given.append(change.commit.sha)
                yield change
                async for stranger in self.inner.changes(self.adds):
                    yield stranger
        finally:
            self.closed += 1

    async def members(self, sha: str) -> tuple[Commit, ...]:
        """List what a merge brought in."""
        self.asked.append(("members", sha))
        return await self.inner.members(sha)

    async def blobs(self, change: Change, paths: Sequence[str]) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        """Read both versions of files."""
        self.asked.append(("blobs", list(paths)))
        return await self.inner.blobs(change, paths)

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Name earlier commits."""
        self.asked.append(("before", sha))
        return await self.inner.before(sha, paths)

    async def foresee(self, studies: Sequence[Study]) -> None:
        """Hear what will be asked for; it may break."""
        self.asked.append([("foresee", study.change.commit.sha, study.read, study.telling) for study in studies])
        if self.breaks_after is not None:
            raise self.error

    async def resolve(self, prefix: str) -> Commit:
        """Find one commit."""
        self.asked.append(("resolve", prefix))
        return await self.inner.resolve(prefix)


@pytest.fixture
def db() -> Iterator[Database]:
    """A memory that is gone after the test."""
    with closing(database_in_memory()) as database:
        yield database


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Six commits with text that is hard to keep: zero bytes, half characters, escapes, and a binary file."""
    folder = tmp_path / "engine"
    hostile = [
        b"plain\n",
        b"bad \xff\xfe utf-8\n",
        "中文 \u2028 \u202e\n".encode(),
        b"\x1b[31m \x01\n",
        b"a\0b",
        b"end\n",
    ]
    git(folder.parent, "init", "--quiet", "--initial-branch=main", str(folder))
    for number, content in enumerate(hostile):
        (folder / f"file{number}.txt").write_bytes(content)
        git(folder, "add", ".")
        git(folder, "-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "-F", "-", stdin=b"Add %d \xff\n" % number)
    return folder


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git with nothing of the machine's configuration."""
    env = _WHO | {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=env, input=stdin, capture_output=True, check=True)
    return done.stdout.decode("ascii").strip()


@pytest.fixture
def shas(clone: Path) -> list[str]:
    """The commits, newest first."""
    return git(clone, "rev-list", "main").split()


@pytest.fixture
def watched(clone: Path) -> Callable[[], Watched]:
    """Make a source over the clone."""
    return lambda: Watched(clone)
