"""The first-parent line of commits before one, with the paths each of them touched: read once for all."""

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import compress, pairwise
from typing import TYPE_CHECKING, NamedTuple

from tools.git.log import parse_seconds

if TYPE_CHECKING:
    from tools.git.isolated_repository import View

Growth = Mapping[bytes, int]  # By how many lines each file grew or shrank
_COUNTS = (
    "--numstat",
    "--no-renames",
    "--diff-merges=first-parent",
    "--no-ext-diff",
    "--no-textconv",
)
_TREES_ONLY = ("--name-status", "--no-renames", "--diff-merges=first-parent")
_COMMITS_AT_A_TIME = 64
"""Commits that are read at a time once a line is cached: those of a day lie close together."""
_MAX_COMPARED = 60  # Commits that one is compared with
_MAX_DEPTH = 2_000  # How far back: beyond that a walk over everything would be needed
_MAX_HISTORY_DEPTH = 6_000  # How far back the history of a file is followed


class _LineCommit(NamedTuple):
    parent: str  # Empty at the root
    seconds: int  # The committer date
    paths: frozenset[bytes]
    added_paths: frozenset[bytes]


class FileHistory(NamedTuple):
    """The landed commits that touched a file since some moment, newest first."""

    start: str  # The commit that the history was followed from
    commits: tuple[str, ...]
    boundary: str  # The newest commit of the line from before that moment

    @property
    def grafts(self) -> bytes:
        """A history for `git blame -S` that consists of these commits only."""
        line = dict.fromkeys((self.start, *self.commits, self.boundary))
        pairs = pairwise(line)
        return "".join(f"{commit} {parent}\n" for commit, parent in pairs).encode("ascii")


@dataclass
class FirstParentLine:
    """A cache of the first-parent history; a commit never changes, so it is never read again."""

    _commits: dict[str, _LineCommit] = field(default_factory=dict)
    _growth: dict[str, Growth] = field(default_factory=dict)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __contains__(self, sha: str) -> bool:
        """Return True if a commit was read, and so exists here."""
        return sha in self._commits

    async def before(self, view: "View", sha: str) -> list[str]:
        """Return the latest commits before this one that touched the same files, newest first."""
        commit = await self._commit(view, sha)
        same_files: list[str] = []
        current = commit.parent
        depth = 1
        while current and depth < _MAX_DEPTH and len(same_files) < _MAX_COMPARED:
            earlier = self._commits.get(current) or await self._commit(view, current)
            if earlier.paths == commit.paths:
                same_files.append(current)
            current = earlier.parent
            depth += 1
        return same_files

    async def history(
        self, view: "View", sha: str, path: bytes, since: datetime
    ) -> FileHistory | None:
        """Return which landed commits before this one touched a file since a moment.

        None if the line ends before that moment, or if the file was added since: it may have had
        another name before.
        """
        start = (await self._commit(view, sha)).parent
        earliest = int(since.timestamp())
        touching: list[str] = []
        current = start
        for _ in range(_MAX_HISTORY_DEPTH):
            if not current:
                return None
            commit = self._commits.get(current) or await self._commit(view, current)
            if commit.seconds < earliest:
                return FileHistory(start, tuple(touching), current)
            if path in commit.added_paths:
                return None
            if path in commit.paths:
                touching.append(current)
            current = commit.parent
        return None

    async def alike(self, view: "View", sha: str, others: Sequence[str]) -> list[str]:
        """Return the commits that may be a copy of this one or its opposite, by counts of lines.

        None is returned if none can be the opposite: copies alone say nothing, and what was undone
        has an opposite. If git cannot count because contents are missing, all are returned.
        """
        if not others:
            return []
        uncounted = [other for other in (sha, *others) if other not in self._growth]
        self._growth |= await _growth(view, uncounted)
        growth = self._growth.get(sha)
        if growth is None:
            return list(others)
        opposite = {path: -lines for path, lines in growth.items()}
        other_growths = {other: self._growth.get(other, opposite) for other in others}
        if opposite not in other_growths.values():
            return []
        return [other for other, lines in other_growths.items() if lines in (growth, opposite)]

    async def _commit(self, view: "View", sha: str) -> _LineCommit:
        if sha not in self._commits:
            async with self._reading:
                # Another reader may have read it while this one waited for the lock.
                if sha not in self._commits:
                    await self._read(view, sha)
        return self._commits[sha]

    async def _read(self, view: "View", sha: str) -> None:
        count = _COMMITS_AT_A_TIME if self._commits else _MAX_DEPTH
        mark = secrets.token_hex(16)
        options = [*_TREES_ONLY, "--first-parent", f"--max-count={count}"]
        header = f"--format={mark}%H %ct %P%x00"
        output = await view.read(["log", "-z", header, *options, sha, "--"])
        for record in _records(output, mark):
            listed, date, *parents = record.header.decode("ascii").split(" ")
            statuses = record.entries[::2]
            paths = record.entries[1::2]
            added = compress(paths, (status == b"A" for status in statuses))
            self._commits[listed] = _LineCommit(
                parent=parents[0],
                seconds=parse_seconds(date),
                paths=frozenset(paths),
                added_paths=frozenset(added),
            )


async def _growth(view: "View", shas: Sequence[str]) -> dict[str, Growth]:
    """Return by how many lines the files of each commit grew; nothing if git cannot count."""
    if not shas:
        return {}
    mark = secrets.token_hex(16)
    command = ["log", "-z", f"--format={mark}%H%x00", *_COUNTS, "--no-walk=unsorted", "--stdin"]
    finished = await view.run(command, stdin="\n".join(shas).encode("ascii"))
    if finished.code != 0:
        return {}
    growth: dict[str, Growth] = {}
    for record in _records(finished.out, mark):
        files: dict[bytes, int] = {}
        for entry in record.entries:
            added, removed, path = entry.split(b"\t", 2)
            # Git counts no lines of a binary file.
            lines = int(added) - int(removed) if added.isdigit() else 0
            if lines:
                files[path] = lines
        growth[record.header.decode("ascii")] = files
    return growth


class _Record(NamedTuple):
    header: bytes
    entries: list[bytes]


def _records(output: bytes, mark: str) -> Iterator[_Record]:
    """Yield the header of each commit that git printed, and the entries of its files."""
    for record in output.split(mark.encode("ascii"))[1:]:
        header, _, rest = record.partition(b"\0")
        entries = rest.removeprefix(b"\0\n").split(b"\0")
        yield _Record(header, [entry for entry in entries if entry])
