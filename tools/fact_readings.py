"""Reading of the facts of commits, in other processes where these answer, else in this one."""

import asyncio
import itertools
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from agent.domain.commits import Change
from agent.domain.facts import FactSheet
from agent.domain.revert_messages import Lineage
from agent.domain.surface import SurfaceChange
from tools.diff.commit_facts import Gathered, gather
from tools.diff.file_versions import Blobs
from tools.diff.tree_names import SurroundingTrees, TreeNames
from tools.worker_processes import UnansweredError, WorkerProcess, WorkerProcesses

T = TypeVar("T")

_YIELDS_BEFORE_PARSING = 12
"""Parsing blocks the event loop, so first yield often enough for pending replies to be handled."""
_MAX_KEPT = 200  # Commits of which a process keeps what it read until facts are made of it


class FactReader:
    """Reads one commit at a time in each process, across all repositories."""

    def __init__(self, workers: WorkerProcesses | None = None) -> None:
        """Use the processes of `workers` beside this one."""
        self.workers = workers or WorkerProcesses(0)
        self._keys = itertools.count()
        self._parse_lock = asyncio.Lock()

    def reading(
        self, change: Change, blobs: Blobs | None, partner: Lineage | None
    ) -> "FactReading":
        """Return the reading of a commit by its patch, and by the files that were read of it."""
        return FactReading(self, next(self._keys), change, blobs, partner)

    async def parse(self, read: Callable[[], T]) -> T:
        """Read in this process; other tasks run in between."""
        async with self._parse_lock:
            for _ in range(_YIELDS_BEFORE_PARSING):
                await asyncio.sleep(0)
            return read()


class FactReading:
    """The reading of one commit, whose files are parsed once for all that is asked of it."""

    def __init__(
        self,
        reader: FactReader,
        key: int,
        change: Change,
        blobs: Blobs | None,
        partner: Lineage | None,
    ) -> None:
        self._reader = reader
        self._key = key
        self._change = change
        self._blobs = blobs
        self._partner = partner
        self._worker: WorkerProcess | None = None  # The process that keeps what was parsed

    async def names(self) -> TreeNames:
        """Return the names to look up in the trees before and after."""
        try:
            worker = self._reader.workers.choose()
            names = await worker.call(
                _read_names, self._key, self._change, self._blobs, self._partner
            )
        except UnansweredError:
            return await self._reader.parse(lambda: self._gathered.names)
        self._worker = worker
        return names

    async def sheet(
        self, trees: SurroundingTrees | None, surface: SurfaceChange | None
    ) -> FactSheet:
        """Return the facts of the commit."""
        try:
            if self._worker is not None:
                return await self._worker.call(_kept_sheet, self._key, trees, surface)
            return await self._reader.workers.call(
                _read_sheet, self._change, self._blobs, self._partner, trees, surface
            )
        except UnansweredError:
            return await self._reader.parse(lambda: self._gathered.sheet(trees, surface))

    @cached_property
    def _gathered(self) -> Gathered:
        return gather(self._change, self._blobs, self._partner)


# ---------------------------------------------------------------- what another process does

_kept: dict[int, Gathered] = {}
"""What was read of commits, by the keys of their readings, until facts are made of it."""


def _read_names(
    key: int, change: Change, blobs: Blobs | None, partner: Lineage | None
) -> TreeNames:
    gathered = gather(change, blobs, partner)
    names = gathered.names
    if len(_kept) >= _MAX_KEPT:
        del _kept[next(iter(_kept))]
    _kept[key] = gathered
    return names


def _kept_sheet(
    key: int, trees: SurroundingTrees | None, surface: SurfaceChange | None
) -> FactSheet:
    """Return the facts of what was kept; raise KeyError where it was dropped."""
    return _kept.pop(key).sheet(trees, surface)


def _read_sheet(
    change: Change,
    blobs: Blobs | None,
    partner: Lineage | None,
    trees: SurroundingTrees | None,
    surface: SurfaceChange | None,
) -> FactSheet:
    return gather(change, blobs, partner).sheet(trees, surface)
