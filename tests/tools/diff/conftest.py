"""A real repository in which a test makes history, read the way the product reads one."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from agent.domain import Change
from agent.facts import Fact, FactKind
from agent.ids import RepoId
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

CLEAN = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Bob",
    "GIT_COMMITTER_EMAIL": "bob@example.org",
    # Thousands of small repositories are made: without hooks, upkeep and waiting for the disk.
    "GIT_TEMPLATE_DIR": "",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.fsync",
    "GIT_CONFIG_VALUE_1": "none",
}


class History:
    """A checkout and what was committed in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._begun = False
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git here; its output."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=CLEAN, input=stdin, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(self, files: dict[str, str | None], message: str = "change") -> str:
        """Write files (None deletes one), commit them, and give the hash."""
        for name, text in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                file.unlink()
            else:
                file.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def versions(self, *trees: Mapping[str, str | None], message: str) -> list[str]:
        """Commit versions one after the other by a single process, past the checkout, and give their hashes."""
        stream = bytearray()
        for number, files in enumerate(trees, start=1):
            told = message.encode()
            stream += b"commit refs/heads/main\nmark :%d\ncommitter Bob <bob@example.org> %d +0000\n" % (number, number)
            stream += b"data %d\n%s\n" % (len(told), told)
            stream += b"from refs/heads/main^0\n" if number == 1 and self._begun else b""
            for name, text in files.items():
                # A path that begins with a quotation mark would have to be quoted; no test has one.
                path, data = name.encode(), b"" if text is None else text.encode()
                kept = b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(data), data)
                stream += b"D %s\n" % path if text is None else kept
        self._begun = True
        marks = self.path / ".git" / "marks"
        self.git("fast-import", "--quiet", f"--export-marks={marks}", stdin=bytes(stream))
        hashes = dict(line.split() for line in marks.read_text().splitlines())
        return [hashes[f":{number}"] for number in range(1, len(trees) + 1)]

    def does(self, *arguments: str) -> str:
        """Let git make a commit (revert, cherry-pick), and give its hash."""
        self.git(*arguments)
        return self.git("rev-parse", "HEAD")

    def named_by_git(self, sha: str) -> str:
        """Name a commit as `git patch-id --stable` does."""
        patch = subprocess.run(
            ["git", "diff-tree", "-p", sha], cwd=self.path, env=CLEAN, capture_output=True, check=True
        ).stdout
        return self.git("patch-id", "--stable", stdin=patch).split()[0]

    async def changes(self, *shas: str) -> list[Change]:
        """Read commits as the product does."""
        source = GitSource(RepoId("o/r"), self.path)
        return [change async for change in source.changes(shas)]


@pytest.fixture
def history(tmp_path: Path) -> Callable[[], History]:
    """Give a maker of empty repositories."""

    def make() -> History:
        path = tmp_path / str(len(list(tmp_path.iterdir())))
        path.mkdir()
        return History(path)

    return make


class FactsOf(Protocol):
    """Commits two versions of a project and lists the facts of the second, by one of both routes."""

    async def __call__(
        self, before: Mapping[str, str], after: Mapping[str, str | None], route: str = "blobs", message: str = "change"
    ) -> list[Fact]:
        """Give the facts in the order in which they are told; None for the text of a file deletes it."""
        ...


@pytest.fixture
def facts_of(all_facts_of: FactsOf) -> FactsOf:
    """Give a reader of what changes between two versions of a project, but for lines inside of functions.

    Those change in most examples of anything, and have tests of their own.
    """

    async def read(
        before: Mapping[str, str], after: Mapping[str, str | None], route: str = "blobs", message: str = "change"
    ) -> list[Fact]:
        facts = await all_facts_of(before, after, route, message)
        return [fact for fact in facts if fact.kind is not FactKind.CODE_CHANGED]

    return read


@pytest.fixture
def all_facts_of(history: Callable[[], History]) -> FactsOf:
    """Give a reader of what changes between two versions of a project."""
    past = history()

    async def read(
        before: Mapping[str, str], after: Mapping[str, str | None], route: str = "blobs", message: str = "change"
    ) -> list[Fact]:
        _, sha = past.versions(before, after, message=message)
        source = GitSource(RepoId("o/r"), past.path)
        (change,) = [change async for change in source.changes([sha])]
        blobs = await source.blobs(change, paths_to_read(change)) if route == "blobs" else None
        return list(read_facts(change, blobs).facts)

    return read
