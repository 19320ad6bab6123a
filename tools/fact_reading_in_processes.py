"""Reading of the facts of commits, in other processes where these answer, else in this one."""

import asyncio
import itertools
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, TypeVar

from agent.domain.commits import Change
from agent.domain.facts import FactSheet
from agent.domain.revert_messages import Lineage
from agent.domain.surface import SurfaceChange
from tools.diff.changed_file_declarations import Blobs
from tools.diff.commit_facts import Gathered, gather
from tools.diff.declaration_reader import language_name
from tools.diff.names_sought_in_trees import SurroundingTrees, TreeNames
from tools.worker_processes import UnansweredError, WorkerProcess, WorkerProcesses

T = TypeVar("T")

_YIELDS_BEFORE_PARSING = 12
"""Parsing blocks the event loop, so first yield often enough for pending replies to be handled."""
_SLOW_LANGUAGE = "cpp"


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
        return FactReading(self, next(self._keys), _Inputs(change, blobs, partner))

    async def parse(self, read: Callable[[], T]) -> T:
        """Read in this process; other tasks run in between."""
        async with self._parse_lock:
            for _ in range(_YIELDS_BEFORE_PARSING):
                await asyncio.sleep(0)
            return read()


class _Inputs(NamedTuple):
    """What the facts of a commit are read from."""

    change: Change
    blobs: Blobs | None
    partner: Lineage | None

    def gathered(self) -> Gathered:
        """Return what differs between both versions of all files."""
        return gather(*self)


class FactReading:
    """The reading of one commit, whose files are parsed once for all that is asked of it."""

    def __init__(self, reader: FactReader, key: int, inputs: _Inputs) -> None:
        self._reader = reader
        self._key = key
        self._inputs: _Inputs | None = inputs
        self._worker: WorkerProcess | None = None
        """The process that keeps what was parsed; then the files themselves are not kept here."""

    async def names(self) -> TreeNames:
        """Return the names to look up in the trees before and after."""
        inputs = self._unread_inputs()
        try:
            answered = await self._reader.workers.call(
                _read_names, self._key, inputs, preparation=_preparation(inputs.change)
            )
        except UnansweredError:
            return await self._reader.parse(lambda: self._gathered.names)
        self._worker = answered.worker
        self._inputs = None
        return answered.value

    async def sheet(
        self, trees: SurroundingTrees | None, surface: SurfaceChange | None
    ) -> FactSheet:
        """Return the facts of the commit.

        Raise UnansweredError if the process that found its names is lost: it has to be read again.
        """
        workers = self._reader.workers
        if self._worker is not None:
            kept = await workers.call(_kept_sheet, self._key, trees, surface, by=self._worker)
            return kept.value
        inputs = self._unread_inputs()
        try:
            read = await workers.call(
                _read_sheet, inputs, trees, surface, preparation=_preparation(inputs.change)
            )
        except UnansweredError:
            return await self._reader.parse(lambda: self._gathered.sheet(trees, surface))
        return read.value

    @cached_property
    def _gathered(self) -> Gathered:
        return self._unread_inputs().gathered()

    def _unread_inputs(self) -> _Inputs:
        assert self._inputs is not None, "names are asked for once, before facts"
        return self._inputs


def _preparation(change: Change) -> str:
    """Return the language whose queries take a second to compile, if a file is written in it."""
    languages = {language_name(file.path) for file in change.files}
    return _SLOW_LANGUAGE if _SLOW_LANGUAGE in languages else ""


# ---------------------------------------------------------------- what another process does

_kept: dict[int, Gathered] = {}
"""What was read of commits, by the keys of their readings, until facts are made of it."""


def _read_names(key: int, inputs: _Inputs) -> TreeNames:
    gathered = inputs.gathered()
    _kept[key] = gathered
    return gathered.names


def _kept_sheet(
    key: int, trees: SurroundingTrees | None, surface: SurfaceChange | None
) -> FactSheet:
    return _kept.pop(key).sheet(trees, surface)


def _read_sheet(
    inputs: _Inputs, trees: SurroundingTrees | None, surface: SurfaceChange | None
) -> FactSheet:
    return inputs.gathered().sheet(trees, surface)
