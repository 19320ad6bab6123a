"""Runs: how they ended, which are under way, and their files below the home folder."""

import fcntl
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.domain.errors import InputError, StorageError
from agent.settings.values import Recipe
from memory.protocols import Database, Row

FINISHED = ("done", "incomplete")
"""How a run ends that published its report; any other may be resumed."""
_PROCESS_DIGITS = 20  # Bytes of a lock file that hold the number of a process


@dataclass(frozen=True)
class RunRecord:
    """One run as it is stored; what varies between equal runs is here and not in the report."""

    id: str
    started: str
    finished: str | None
    window: str
    status: str
    details: dict[str, Any]
    recipe: dict[str, Any] | None = None
    """What shaped the run; None for runs of a time when that was not kept."""


class Runs:
    """The history of runs."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(self, run: str, window: str, at: datetime, recipe: Recipe | None = None) -> None:
        """Store that a run has started or goes on; one that never ends stays `running`."""
        recipe_json = None if recipe is None else recipe.model_dump_json()
        with self._db.transaction():
            self._db.runs.begin(run, at.isoformat(timespec="seconds"), window, recipe_json)

    def end(self, run: str, status: str, at: datetime, details: dict[str, Any]) -> None:
        """Store how a run ended and what it spent."""
        with self._db.transaction():
            self._db.runs.end(run, at.isoformat(timespec="seconds"), status, json.dumps(details))

    def latest(self, limit: int = 20) -> list[RunRecord]:
        """Return the newest runs first."""
        return [_record(row) for row in self._db.runs.latest(limit)]

    def unfinished(self, since: date) -> set[str]:
        """Return the runs that began on this day or later and published nothing, dead or alive."""
        runs = self._db.runs.started_since(since.isoformat())
        return {run for run, status in runs if status not in FINISHED}

    def find(self, prefix: str) -> RunRecord:
        """Return a run by its id, or by the beginning of it where only one run has that."""
        rows = self._db.runs.with_prefix(prefix, limit=2)
        if not rows or not prefix:
            raise InputError(f"there is no run {prefix!r}; `gitzette runs` lists them")
        if len(rows) > 1:
            raise InputError(
                f"several runs begin with {prefix!r} ({rows[0][0]}, …); `gitzette runs` lists them"
            )
        return _record(rows[0])


class RunLocks:
    """Which runs are under way: each holds a lock while it lives, beside its checkpoints."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "running"

    def checkpoints(self, run: str) -> Path | str:
        """Return the file of a run's checkpoints, or the address of their database."""
        return self._folder / f"{run}.db"

    def process(self, run: str) -> int | None:
        """Return the process of a run: None when it is dead or done, 0 when that is not known."""
        try:
            descriptor = os.open(self._lock(run), os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _process_number(descriptor)
        finally:
            os.close(descriptor)
        return None

    @contextmanager
    def hold(self, run: str) -> Iterator[None]:
        """Hold the lock of a run; it ends with the process, however that ends."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._lock(run), os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StorageError(
                f"cannot write to {self._folder}: {error.strerror}; set GITZETTE_HOME"
            ) from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise still_alive(run, _process_number(descriptor)) from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)
            yield
        finally:
            os.close(descriptor)

    def finish(self, run: str) -> None:
        """Remove what a run that is finished does not need any more."""
        self.forget_checkpoints(run)
        self._lock(run).unlink(missing_ok=True)

    def forget_checkpoints(self, run: str) -> None:
        """Remove the checkpoints of a run."""
        for part in ("db", "db-wal", "db-shm"):
            (self._folder / f"{run}.{part}").unlink(missing_ok=True)

    def prune(self, unfinished: Collection[str]) -> None:
        """Remove the files of dead runs that will not be resumed."""
        if not self._folder.is_dir():
            return
        for run in {file.name.partition(".")[0] for file in self._folder.iterdir()}:
            if run not in unfinished and self.process(run) is None:
                self.finish(run)

    def _lock(self, run: str) -> Path:
        return self._folder / f"{run}.lock"


class RunFiles:
    """The private files `runs/RUN.json`: the sentences of a run that were refused, and why."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "runs"

    def path(self, run: str) -> Path:
        """Return the file of a run."""
        return self._folder / f"{run}.json"

    def write(self, run: str, content: Mapping[str, Any]) -> None:
        """Write the file of a run, whole or not at all."""
        file = self.path(run)
        part = file.with_suffix(".part")
        text = json.dumps({"run": run, **content}, ensure_ascii=False, indent=1) + "\n"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as out:
                out.write(text)
            part.replace(file)
        except OSError as error:
            raise StorageError(
                f"cannot write {file}: {error.strerror}; set GITZETTE_HOME"
            ) from error

    def forget(self, before: date) -> None:
        """Remove the files of runs that ended before a day."""
        for file in self._folder.glob("*.json"):
            if datetime.fromtimestamp(file.stat().st_mtime, UTC).date() < before:
                file.unlink(missing_ok=True)


def recipe_of(run: RunRecord) -> Recipe:
    """Return what shaped a run."""
    if run.recipe is None:
        raise StorageError(
            f"run {run.id} is from a time when runs were not recorded; it cannot be replayed"
        )
    try:
        return Recipe.model_validate_json(json.dumps(run.recipe))
    except ValidationError as error:
        raise StorageError(
            f"run {run.id} was recorded by another version of Gitzette; it cannot be replayed"
        ) from error


def still_alive(run: str, process: int) -> InputError:
    """Return the error that a run cannot be resumed because it has not stopped."""
    where = f" (process {process})" if process else ""
    return InputError(f"run {run} is still under way{where}; wait for it or stop it first")


def _process_number(descriptor: int) -> int:
    """Return the number that a lock file holds, or 0."""
    text = os.read(descriptor, _PROCESS_DIGITS)
    return int(text) if text.isdigit() else 0


def _record(row: Row) -> RunRecord:
    run, started, finished, window, status, details, recipe = row
    return RunRecord(
        id=run,
        started=started,
        finished=finished,
        window=window,
        status=status,
        details=json.loads(details) if details else {},
        recipe=json.loads(recipe) if recipe else None,
    )
