"""The line of landed commits before one, with the paths each of them touched: read once, asked for many commits."""

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.git.view import View

Growth = Mapping[bytes, int]  # By how many lines each file grew or shrank
_COUNTS = (
    "--numstat",
    "--no-renames",
    "--diff-merges=first-parent",
    "--no-ext-diff",
    "--no-textconv",
)
_TREES_ONLY = ("--name-only", "--no-renames", "--diff-merges=first-parent")
_FIRST_LOOK = 64
"""How many commits are read at a time above those that are known: the commits of a day lie close together."""
_MOST, _DEPTH = 60, 2_000
"""How many commits are compared with one, and how far back: beyond that a walk over everything would be needed."""


@dataclass
class FirstParentLine:
    """What is known of the first-parent history of a repository; a commit never changes, so it is never read again."""

    _steps: dict[str, tuple[str, frozenset[bytes]]] = field(default_factory=dict)
    """The parent of each commit, and the paths that it touched."""
    _growth: dict[str, Growth] = field(default_factory=dict)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __contains__(self, sha: str) -> bool:
        """Tell whether a commit is known to be here."""
        return sha in self._steps

    async def before(self, view: "View", sha: str) -> list[str]:
        """Name the latest commits before this one that touched the same files, newest first."""
        found: list[str] = []
        at, steps, own = sha, 0, frozenset[bytes]()
        while at and steps < _DEPTH and len(found) < _MOST:
            if at not in self._steps:
                await self._read(view, at)
            parent, paths = self._steps[at]
            if not steps:
                own = paths
            elif paths == own:
                found.append(at)
            at, steps = parent, steps + 1
        return found

    async def alike(self, view: "View", sha: str, others: Sequence[str]) -> list[str]:
        """Keep the commits whose counts of lines allow them to be a copy of this one or its opposite.

        None is kept where none can be the opposite: of copies alone nothing is told, what was undone has an opposite.
        Where git cannot count because contents are missing, all are kept.
        """
        if not others:
            return []
        unknown = [one for one in (sha, *others) if one not in self._growth]
        self._growth |= await _growth(view, unknown)
        own = self._growth.get(sha)
        if own is None:
            return list(others)
        opposite = {path: -lines for path, lines in own.items()}
        found = {one: self._growth.get(one, opposite) for one in others}
        if opposite not in found.values():
            return []
        return [one for one, growth in found.items() if growth in (own, opposite)]

    async def _read(self, view: "View", sha: str) -> None:
        async with self._reading:
            if sha not in self._steps:
                await self._log(view, sha, _FIRST_LOOK if self._steps else _DEPTH)

    async def _log(self, view: "View", sha: str, count: int) -> None:
        options = [*_TREES_ONLY, "--first-parent", f"--max-count={count}"]
        mark = secrets.token_hex(16)
        out = await view.read(["log", "-z", f"--format={mark}%H %P%x00", *options, sha, "--"])
        for head, names in _records(out, mark):
            one, *parents = head.decode("ascii").split()
            self._steps[one] = (parents[0] if parents else "", frozenset(names))


async def _growth(view: "View", shas: Sequence[str]) -> dict[str, Growth]:
    """Count by how many lines the files of each commit grew; nothing where git cannot."""
    if not shas:
        return {}
    mark = secrets.token_hex(16)
    options = ["log", "-z", f"--format={mark}%H%x00", *_COUNTS, "--no-walk=unsorted", "--stdin"]
    told = await view.run(options, stdin="\n".join(shas).encode("ascii"))
    if told.code != 0:
        return {}
    counted = ((head.decode("ascii"), map(_grown, rest)) for head, rest in _records(told.out, mark))
    return {sha: {path: lines for path, lines in files if lines} for sha, files in counted}


def _records(out: bytes, mark: str) -> Iterator[tuple[bytes, list[bytes]]]:
    """Take apart what git printed: the head of each commit, and the entries of its files."""
    for record in out.split(mark.encode("ascii"))[1:]:
        head, _, rest = record.partition(b"\0")
        yield head, [entry for entry in rest.removeprefix(b"\0\n").split(b"\0") if entry]


def _grown(entry: bytes) -> tuple[bytes, int]:
    """Read by how many lines a file grew; git counts none of a binary file."""
    came, went, path = entry.split(b"\t", 2)
    return path, int(came) - int(went) if came.isdigit() else 0
