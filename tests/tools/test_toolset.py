"""What an analyst is shown of diffs."""

import subprocess
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from agent.domain import Change
from agent.ids import RepoId
from tools.git.source import GitSource
from tools.toolset import PAGE_CHARS, Toolset


class Counting(GitSource):
    """Counts how often a commit is read."""

    def __init__(self, repo: RepoId, path: Path) -> None:
        super().__init__(repo, path)
        self.read: list[str] = []

    async def changes(self, shas: Sequence[str]) -> AsyncGenerator[Change, None]:
        """Read as ever, and note it."""
        self.read += shas
        async for change in super().changes(shas):
            yield change


class Silent:
    """Has no threads and no memory."""

    async def issue(self, number: int) -> None:
        raise AssertionError(number)

    async def comments(self, number: int) -> None:
        raise AssertionError(number)

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> list[str]:
        return [words][:0]

    def report(self, day: str, *, repo: RepoId | None = None) -> list[str]:
        return [day][:0]


def commit(folder: Path, name: str) -> str:
    (folder / name).write_text("".join(f"{name} line {number}\n" for number in range(PAGE_CHARS // 8)))
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for arguments in (("add", name), (*who, "commit", "--quiet", "-m", f"add {name}"), ("rev-parse", "HEAD")):
        told = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return told.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return tmp_path


async def test_diffs_that_are_paged_through_by_turns_are_read_once_each(clone: Path) -> None:
    shas = [commit(clone, name) for name in ("one.txt", "two.txt")]
    code = Counting(RepoId("ada/engine"), clone)
    toolset = Toolset(code, Silent(), [await code.resolve(sha) for sha in shas], {}, Silent())  # type: ignore[arg-type]
    shown = [await toolset.get_diff(sha, page=page) for page in (1, 2, 3, 4) for sha in shas]
    assert [text.splitlines()[0] for text in shown] == [f"page {page} of 4" for page in (1, 1, 2, 2, 3, 3, 4, 4)]
    assert code.read == shas
    assert toolset.whole == shas
    texts = {name: "".join(text for text in shown[place::2]) for place, name in enumerate(("one.txt", "two.txt"))}
    assert all(f"+{name} line {number}\n" in texts[name] for name in texts for number in range(PAGE_CHARS // 8))
