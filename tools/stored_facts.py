"""Facts of commits that were stored before, so that the same files are not parsed again.

Facts follow from what a commit changes and from the code that reads it: both make up the key.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from agent.domain.base import Frozen
from agent.domain.commits import Change
from agent.domain.facts import FactSheet
from agent.domain.revert_messages import Lineage
from agent.domain.surface import SurfaceChange
from tools.diff.changed_file_declarations import Blobs
from tools.diff.names_sought_in_trees import SurroundingTrees, TreeNames
from tools.fact_reading_in_processes import FactReader, FactReading

_ROOT = Path(__file__).resolve().parents[1]
_READING_FOLDERS = ("agent", "tools/diff", "tools/surface")
"""The code by which facts are found; another version of it may find others."""
_PARSERS = (
    "tree-sitter",
    "tree-sitter-cpp",
    "tree-sitter-go",
    "tree-sitter-javascript",
    "tree-sitter-python",
    "tree-sitter-rust",
    "tree-sitter-typescript",
)
M = TypeVar("M", bound=BaseModel)


class Store(Protocol):
    """Keeps bytes under a key from one run to the next."""

    def get(self, key: str) -> bytes | None:
        """Return what was put last under this key."""

    def put(self, key: str, value: bytes) -> None:
        """Store bytes under this key, in place of what was there."""


class _StoredNames(Frozen):
    """The names of a commit that are looked up in the trees around it."""

    come: tuple[str, ...]
    gone: tuple[str, ...]
    published: tuple[str, ...]
    variables: tuple[str, ...]


class StoredFacts:
    """Finds facts, or takes them from the store where they were found before."""

    def __init__(self, store: Store | None = None, reader: FactReader | None = None) -> None:
        self._store = store
        self.reader = reader or FactReader()

    def expect(self, commits: int) -> None:
        """Take note of commits whose facts are likely to be asked for."""
        self.reader.workers.expect(commits)

    @property
    def are_read_elsewhere(self) -> bool:
        """True if other processes read what is not stored."""
        return self.reader.workers.are_wanted

    def study(self, change: Change, blobs: Blobs | None, partner: Lineage | None) -> "FileStudy":
        """Return the study of a commit by its patch, and by the files that were read of it."""
        inputs = _digest(change, blobs, partner) if self._store is not None else ""
        return FileStudy(self, inputs, self.reader.reading(change, blobs, partner))

    def get(self, key: str, model: type[M]) -> M | None:
        """Return what is stored under a key."""
        if self._store is None or not key:
            return None
        stored = self._store.get(key)
        if stored is None:
            return None
        try:
            return model.model_validate_json(stored)
        except ValidationError:
            return None  # Damaged: it is found again, and stored in its place

    def put(self, key: str, value: BaseModel) -> None:
        """Store something under a key, if it can be written."""
        if self._store is None or not key:
            return
        try:
            self._store.put(key, value.model_dump_json().encode())
        except PydanticSerializationError:
            return  # Half of a surrogate pair cannot be written in UTF-8


class FileStudy:
    """The facts of the files of one commit, which are parsed only if no facts are stored."""

    def __init__(self, facts: StoredFacts, inputs: str, reading: FactReading) -> None:
        """Store what is read under `inputs`, the hash of what it is read from, unless that is empty."""
        self._facts = facts
        self._inputs = inputs
        self._reading = reading

    async def names(self) -> TreeNames:
        """Return the names to look up in the trees before and after."""
        key = _key("names", self._inputs)
        stored = self._facts.get(key, _StoredNames)
        if stored is not None:
            return TreeNames(
                added=frozenset(stored.come),
                removed=frozenset(stored.gone),
                published=frozenset(stored.published),
                variables=frozenset(stored.variables),
            )
        names = await self._reading.names()
        value = _StoredNames(
            come=tuple(sorted(names.added)),
            gone=tuple(sorted(names.removed)),
            published=tuple(sorted(names.published)),
            variables=tuple(sorted(names.variables)),
        )
        self._facts.put(key, value)
        return names

    async def sheet(
        self, trees: SurroundingTrees | None = None, surface: SurfaceChange | None = None
    ) -> FactSheet:
        """Return the facts of the commit."""
        key = _key("sheet", self._inputs, trees.digest if trees else "", repr(surface))
        stored = self._facts.get(key, FactSheet)
        if stored is not None:
            return stored
        sheet = await self._reading.sheet(trees, surface)
        self._facts.put(key, sheet)
        return sheet


def _digest(change: Change, blobs: Blobs | None, partner: Lineage | None) -> str:
    """Return the hash of everything that the facts of a commit are found in."""
    digest = hashlib.sha256(_reading_version().encode())
    try:
        for part in _parts(change, blobs, partner):
            digest.update(b"%d " % len(part))
            digest.update(part)
    except PydanticSerializationError:
        return ""  # Half of a surrogate pair cannot be written in UTF-8
    return digest.hexdigest()


def _parts(change: Change, blobs: Blobs | None, partner: Lineage | None) -> Iterator[bytes]:
    # As JSON, since a change from the record has other objects for the same time zone.
    yield change.model_dump_json().encode()
    yield repr(partner).encode("utf-8", "surrogatepass")
    for path, versions in (blobs or {}).items():
        yield path.encode("utf-8", "surrogatepass")
        for content in versions:
            yield b"absent" if content is None else b"content " + content


def _key(kind: str, inputs: str, *others: str) -> str:
    if not inputs:
        return ""
    text = "\0".join((kind, inputs, *others))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _reading_version() -> str:
    """Return the hash of the code that finds facts, and the versions of its parsers."""
    digest = hashlib.sha256()
    for folder in _READING_FOLDERS:
        for file in sorted((_ROOT / folder).rglob("*")):
            if file.suffix in (".py", ".scm"):
                digest.update(file.read_bytes())
    for package in _PARSERS:
        digest.update(f"{package} {version(package)}".encode())
    return digest.hexdigest()
