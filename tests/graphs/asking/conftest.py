"""A small repository with a history worth asking about, and a way to ask."""

import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent.asking.reply import Reply
from agent.settings import RepoSpec, Settings
from agent.window import Window
from gitzette.asking import answered, asking_deps
from gitzette.progress import QuietProgress
from graphs import ask as asking

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
Ask = Callable[[str], Awaitable[Reply]]


class History:
    """Writes commits one day after another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.day = datetime(2026, 3, 1, 9, tzinfo=UTC)
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str, **env: str) -> str:
        plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(self.folder)}
        told = subprocess.run(
            ["git", "-C", str(self.folder), *args],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | plain | env,
        )
        return told.stdout.strip()

    def commit(self, message: str, files: dict[str, str], author: str = "Ada") -> str:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        when = self.day.isoformat()
        self.day += timedelta(days=1)
        who = {f"GIT_{role}_NAME": author for role in ("AUTHOR", "COMMITTER")}
        who |= {f"GIT_{role}_EMAIL": "a@example.com" for role in ("AUTHOR", "COMMITTER")}
        self.git("add", "-A", **who)
        self.git("commit", "-q", "-m", message, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when, **who)
        return self.git("rev-parse", "HEAD")


_CACHE = "class PrefixCache:\n    def evict(self):\n        {}\n        return None\n"
_POOL = "import os\n\n{}\nprint(os.environ['LUMEN_CACHE_DIR'])\n"
_SIZES = "BIG = int(os.environ.get('LUMEN_POOL_BIG', '8'))\nSMALL = int(os.environ.get('LUMEN_POOL_SMALL', '2'))\n"


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep one repository and its memory for all questions: nobody changes either."""
    return tmp_path_factory.mktemp("asking")


@pytest.fixture(scope="session")
def history(place: Path) -> dict[str, str]:
    """Make the repository; give the hashes of its commits by short names."""
    folder = place / "code"
    folder.mkdir()
    book = History(folder)
    shas = {}
    shas["start"] = book.commit("Initial commit", {"app/cache.py": _CACHE.format("pass"), "app/limits.py": ""})
    shas["limit"] = book.commit("Add MAX_QUEUE (#2)", {"app/limits.py": "MAX_QUEUE = 64\n"}, "Bo Chen")
    shas["raise"] = book.commit("Raise MAX_QUEUE (#3)", {"app/limits.py": "MAX_QUEUE = 256\n"}, "Ada")
    shas["caching"] = book.commit(
        "Fix prefix caching for long prompts (#4)\n\nEviction kept the newest block, so long prompts never hit.",
        {"app/cache.py": _CACHE.format("self.drop_oldest()")},
        "Bo Chen",
    )
    shas["prefix"] = book.commit("Log the prefix of each request (#5)", {"app/log.py": "PREFIX = 'x'\n"}, "Cem")
    shas["fast"] = book.commit("Add the fast path (#6)", {"app/fast.py": "def fast_path():\n    return 1\n"}, "Cem")
    shas["undo"] = book.commit(
        f'Revert "Add the fast path (#6)" (#7)\n\nThis reverts commit {shas["fast"]}.\n\n'
        "It hangs on two nodes whenever the cache is cold.",
        {"app/fast.py": ""},
        "Ada",
    )
    shas["torch"] = book.commit("Bump torch to 2.10.0 (#8)", {"requirements.txt": "torch==2.10.0\n"}, "Bo Chen")
    shas["variables"] = book.commit(
        "Read the pool's sizes from the environment (#10)", {"app/pool.py": _POOL.format(_SIZES)}, "Bo Chen"
    )
    shas["no variables"] = book.commit("Clean up the pool (#11)", {"app/pool.py": _POOL.format("SIZE = 1\n")}, "Cem")
    shas["lower"] = book.commit("Lower MAX_QUEUE (#9)", {"app/limits.py": "MAX_QUEUE = 128\n"}, "Cem")
    book.git("tag", "v1.0.0", shas["torch"])
    return shas


@pytest.fixture
def long_history(tmp_path: Path) -> tuple[Path, str]:
    """Make a repository in which somebody landed one commit a long time before twenty others."""
    folder = tmp_path / "code"
    folder.mkdir()
    book = History(folder)
    book.day -= timedelta(days=10)
    book.commit("Initial commit", {"app/a.py": "A = 0\n"})
    mine = book.commit("Say more (#2)", {"app/b.py": "B = 1\n"}, "Dora Weiss")
    for number in range(20):
        book.commit(f"Step {number} (#{number + 3})", {"app/a.py": f"A = {number + 1}\n"})
    return folder, mine


@pytest.fixture
async def ask_series(tmp_path: Path) -> AsyncIterator[Ask]:
    """Ask about a repository in which parts of two series landed, one of them with a gap."""
    folder = tmp_path / "code"
    folder.mkdir()
    book = History(folder)
    titles = [
        "[Pool][1/N] Count",
        "[Pool][2/N] Sort",
        "[View] Draw a number (1/2)",
        "[View] Draw the missing number (2/2)",
    ]
    for number, title in enumerate([*titles, "[Pool][4/N] Drop", "[Pool] Say less"]):
        book.commit(f"{title} (#{number + 1})", {"app/a.py": f"A = {number}\n"})
    async with asking_in(tmp_path) as one:
        yield one


@pytest.fixture
async def ask_flags(tmp_path: Path) -> AsyncIterator[Ask]:
    """Ask about a repository in which a flag took the place of a variable, in a commit that names an issue."""
    folder = tmp_path / "code"
    folder.mkdir()
    book = History(folder)
    asked = "import os\n\nFAST = os.environ.get('LUMEN_FAST', '0')\n"
    given = "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--fast-backend')\n"
    book.commit("Initial commit", {"app/main.py": asked, "README.md": "Serves."})
    book.commit("Choose the backend of attention, slots leaked (#40) (#41)", {"app/main.py": given})
    async with asking_in(tmp_path) as one:
        yield one


@pytest.fixture
async def ask(history: dict[str, str], place: Path) -> AsyncIterator[Ask]:
    """Ask about the repository, whose whole history is in memory."""
    del history
    async with asking_in(place) as one:
        yield one


@pytest.fixture
async def ask_long(long_history: tuple[Path, str]) -> AsyncIterator[Ask]:
    """Ask about the repository with twenty commits of one day each."""
    async with asking_in(long_history[0].parent) as one:
        yield one


@pytest.fixture
async def ask_two(tmp_path: Path) -> AsyncIterator[Ask]:
    """Ask about two repositories that both work on the same thing, one of them much more."""
    added = {
        "code": ["Add whisper transcription with language detection (#2)", "Add gRPC tracing (#3)"],
        "tools": ["Support the whisper model (#2)", "Test whisper on two cards (#3)"],
    }
    for name, titles in added.items():
        folder = tmp_path / name
        folder.mkdir()
        book = History(folder)
        book.commit("Initial commit (#1)", {"app/a.py": "A = 0\n"})
        for number, title in enumerate(titles):
            book.commit(title, {"app/a.py": f"A = {number + 1}\n"})
    async with asking_in(tmp_path, tuple(added)) as one:
        yield one


@asynccontextmanager
async def asking_in(place: Path, names: tuple[str, ...] = ("code",)) -> AsyncIterator[Ask]:
    """Read everything of the repositories in a folder, and answer questions about them."""
    specs = tuple(RepoSpec.parse(f"lumen-ai/{name}={place / name}") for name in names)
    settings = Settings(repos=specs, home=place / "home", out=place / "out")
    async with asking_deps(settings, {}, specs, NOW, QuietProgress()) as deps:
        since = Window(start=datetime(2026, 2, 15, tzinfo=UTC), end=NOW + timedelta(seconds=1), tz="UTC")
        for spec in specs:
            await deps.stock.complete(spec, since)

        async def one(question: str) -> Reply:
            return await answered(question, replace(deps, bench=asking.Bench()))

        yield one
