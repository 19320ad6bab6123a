"""The tree of the user's own code at a commit, whatever is checked out."""

import asyncio
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from agent.bumps.python_uses import imported_packages
from tools.diff.file_roles import Role, role
from tools.packages.repository_trees import TreeReader

_MAX_FILES = 50_000
_MAX_CHARACTERS = 1_000_000  # Of a file that is searched
_MAX_PYTHON_CHARACTERS = 400_000  # Of a file that is parsed, which takes seconds for so many
_MAX_DEPTH = 40  # Folders
_MAX_NAME = 255  # Bytes of a part of a path, as file systems count them
_PYTHON = (".py", ".pyi")
_NO_TEXT = (".png", ".jpg", ".gif", ".ico", ".pdf", ".zip", ".gz", ".whl", ".so", ".bin", ".pt")


@dataclass(frozen=True)
class OwnTree:
    """The text files of a commit by their paths."""

    texts: Mapping[str, str]
    left_out: int  # Files beyond the limits

    @classmethod
    async def at(cls, trees: TreeReader, sha: str, folders: Collection[str] = ()) -> "OwnTree":
        """Read the files of a commit, all or those below some folders."""
        listing = await trees.listing(sha)
        paths: list[str] = []
        for path, entry in listing.items():
            is_inside = not folders or any(_is_below(path, folder) for folder in folders)
            if entry.is_file and is_inside and not path.lower().endswith(_NO_TEXT):
                paths.append(path)
        texts: dict[str, str] = {}
        for path, text in (await trees.texts(sha, paths[:_MAX_FILES])).items():
            if len(text) <= _MAX_CHARACTERS and "\0" not in text:
                texts[path] = text
        return cls(texts, len(paths) - len(texts))

    @property
    def python_files(self) -> dict[str, str]:
        """The Python files that are parsed."""
        files: dict[str, str] = {}
        for path, text in self.texts.items():
            if path.endswith(_PYTHON) and len(text) <= _MAX_PYTHON_CHARACTERS:
                files[path] = text
        return files

    @property
    def large_python_files(self) -> int:
        """How many Python files are too large to be parsed."""
        count = 0
        for path, text in self.texts.items():
            count += path.endswith(_PYTHON) and len(text) > _MAX_PYTHON_CHARACTERS
        return count

    async def imported_packages(self) -> set[str]:
        """Return the top-level names that the Python files import; a limit of time may end it."""
        names: set[str] = set()
        for text in self.python_files.values():
            await asyncio.sleep(0)
            names |= imported_packages(text)
        return names

    @contextmanager
    def written_out(self, words: Collection[str]) -> Iterator[Path]:
        """Yield a temporary folder with the files that hold one of some words.

        Only texts are written, under their own paths; nothing there is ever run.
        """
        lowered = [word.lower() for word in words]
        with tempfile.TemporaryDirectory(prefix="gitzette-own-") as name:
            folder = Path(name)
            for path, text in self.texts.items():
                if not _is_plain(path):
                    continue
                if role(path) is Role.LOCK:
                    continue  # What it names belongs to the packages that it lists
                content = text.lower()
                if not any(word in content for word in lowered):
                    continue
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, "utf-8", errors="replace", newline="")
            yield folder


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _is_plain(path: str) -> bool:
    """Return True for a path that stays in its folder and that every file system can hold."""
    parts = PurePosixPath(path).parts
    if path.startswith("/") or len(parts) > _MAX_DEPTH or "\ufffd" in path:
        return False
    return all(map(_is_plain_name, parts))


def _is_plain_name(name: str) -> bool:
    return name not in (".", "..", ".git") and len(name.encode("utf-8", "replace")) <= _MAX_NAME
