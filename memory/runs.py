"""Runs: what was run and how it ended, which are under way, and the files that they have below the home folder."""

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

from agent.domain.base import InputError, StorageError
from agent.settings.values import Recipe
from memory.database import Database, Row

FINISHED = (
    "done",
    "incomplete",
)  # How a run ends that published its report; any other may be resumed
_COLUMNS = "select id, started, finished, window_key, status, details, recipe from runs"


@dataclass(frozen=True)
class RunRecord:
    """One run as it is remembered; what varies between equal runs stands here and not in the report."""

    id: str
    started: str
    finished: str | None
    window: str
    status: str
    details: dict[str, Any]
    recipe: dict[str, Any] | None = (
        None  # What shaped the run; None for runs of a time when that was not kept
    )


class Runs:
    """The history of runs."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(self, run: str, window: str, at: datetime, recipe: Recipe | None = None) -> None:
        """Note that a run has started, or goes on; one that never ends stays `running`."""
        shaped = None if recipe is None else recipe.model_dump_json()
        with self._db.transaction():
            self._db.execute(
                "insert into runs (id, started, window_key, status, recipe, number)"
                " values (?, ?, ?, 'running', ?, (select coalesce(max(number), 0) + 1 from runs))"
                " on conflict (id) do update set status = 'running', finished = null",
                [run, at.isoformat(timespec="seconds"), window, shaped],
            )

    def end(self, run: str, status: str, at: datetime, details: dict[str, Any]) -> None:
        """Note how a run ended and what it spent."""
        with self._db.transaction():
            self._db.execute(
                "update runs set finished = ?, status = ?, details = ? where id = ?",
                [at.isoformat(timespec="seconds"), status, json.dumps(details), run],
            )

    def latest(self, limit: int = 20) -> list[RunRecord]:
        """List the newest runs first."""
        rows = self._db.rows(f"{_COLUMNS} order by started desc, number desc limit ?", [limit])
        return [_record(row) for row in rows]

    def unfinished(self, since: date) -> set[str]:
        """Name the runs that began on this day or later and published nothing, be they dead or alive."""
        rows = self._db.rows("select id, status from runs where started >= ?", [since.isoformat()])
        return {run for run, status in rows if status not in FINISHED}

    def find(self, prefix: str) -> RunRecord:
        """Find a run by its id, or by the beginning of it where only one run has that."""
        rows = self._db.rows(
            f"{_COLUMNS} where substr(id, 1, ?) = ? order by id desc limit 3", [len(prefix), prefix]
        )
        if not rows or not prefix:
            raise InputError(f"there is no run {prefix!r}; `gitzette runs` lists them")
        if len(rows) > 1:
            raise InputError(
                f"several runs begin with {prefix!r} ({rows[0][0]}, …); `gitzette runs` lists them"
            )
        return _record(rows[0])


class RunLocks:
    """Which runs are under way: each holds a lock for as long as it lives, and keeps its checkpoints beside it."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "running"

    def checkpoints(self, run: str) -> Path | str:
        """Name the file, or the database by its address, in which a run notes where it stands."""
        return self._folder / f"{run}.db"

    def process(self, run: str) -> int | None:
        """Tell which process a run lives in; None when it is dead or done, 0 when that cannot be told."""
        try:
            descriptor = os.open(self._lock(run), os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _number(os.read(descriptor, 20))
        finally:
            os.close(descriptor)
        return None

    @contextmanager
    def hold(self, run: str) -> Iterator[None]:
        """Live as this run; the lock ends with the process, however that ends."""
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
                raise still_alive(run, _number(os.read(descriptor, 20))) from None
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
        """Remove where a run stands."""
        for part in ("db", "db-wal", "db-shm"):
            (self._folder / f"{run}.{part}").unlink(missing_ok=True)

    def prune(self, unfinished: Collection[str]) -> None:
        """Remove the files of dead runs that will not be resumed."""
        if self._folder.is_dir():
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
    """Read what shaped a run."""
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
    """Say that a run cannot be resumed because it has not stopped."""
    where = f" (process {process})" if process else ""
    return InputError(f"run {run} is still under way{where}; wait for it or stop it first")


def _number(text: bytes) -> int:
    return int(text) if text.isdigit() else 0


def _record(row: Row) -> RunRecord:
    details, recipe = (json.loads(text) if text else None for text in row[5:])
    run, started, finished, window, status = row[:5]
    return RunRecord(run, started, finished, window, status, details or {}, recipe)
