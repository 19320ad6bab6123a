"""What was run, when, and how it ended."""

import json
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from pydantic import ValidationError
from sqlite_utils import Database

from agent.errors import InputError, StorageError
from agent.recipe import Recipe
from memory.database import reading, writing

FINISHED = ("done", "incomplete")
"""How a run ends that published its report; any other may be taken up again."""


@dataclass(frozen=True)
class RunRecord:
    """One run as it is remembered; what varies between equal runs stands here and not in the report."""

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
        """Note that a run has started, or goes on; one that never ends stays `running`."""
        shaped = None if recipe is None else recipe.model_dump_json()
        with writing(self._db):
            self._db.conn.execute(
                "insert into runs (id, started, window, status, recipe) values (?, ?, ?, 'running', ?)"
                " on conflict (id) do update set status = 'running', finished = null",
                (run, at.isoformat(timespec="seconds"), window, shaped),
            )

    def end(self, run: str, status: str, at: datetime, details: dict[str, Any]) -> None:
        """Note how a run ended and what it spent."""
        values = {"finished": at.isoformat(timespec="seconds"), "status": status, "details": json.dumps(details)}
        with writing(self._db):
            self._db.table("runs").update(run, values)

    def latest(self, limit: int = 20) -> list[RunRecord]:
        """List the newest runs first."""
        with reading():
            rows = list(self._db.table("runs").rows_where(order_by="started desc, rowid desc", limit=limit))
        return [_record(row) for row in rows]

    def unfinished(self, since: date) -> set[str]:
        """Name the runs that began on this day or later and published nothing, be they dead or alive."""
        with reading():
            rows = self._db.table("runs").rows_where("started >= ?", [since.isoformat()], select="id, status")
            return {row["id"] for row in rows if row["status"] not in FINISHED}

    def find(self, prefix: str) -> RunRecord:
        """Find a run by its id, or by the beginning of it where only one run has that."""
        with reading():
            rows = list(
                self._db.table("runs").rows_where(
                    "substr(id, 1, ?) = ?", [len(prefix), prefix], order_by="id desc", limit=3
                )
            )
        if not rows or not prefix:
            raise InputError(f"there is no run {prefix!r}; `gitzette runs` lists them")
        if len(rows) > 1:
            raise InputError(f"several runs begin with {prefix!r} ({rows[0]['id']}, …); `gitzette runs` lists them")
        return _record(rows[0])


def recipe_of(run: RunRecord) -> Recipe:
    """Read what shaped a run."""
    if run.recipe is None:
        raise StorageError(f"run {run.id} is from a time when runs were not recorded; it cannot be replayed")
    try:
        return Recipe.model_validate_json(json.dumps(run.recipe))
    except ValidationError as error:
        raise StorageError(
            f"run {run.id} was recorded by another version of Gitzette; it cannot be replayed"
        ) from error


def _record(row: dict[str, Any]) -> RunRecord:
    return RunRecord(
        id=row["id"],
        started=row["started"],
        finished=row["finished"],
        window=row["window"],
        status=row["status"],
        details=json.loads(row["details"] or "{}"),
        recipe=json.loads(row["recipe"]) if row["recipe"] else None,
    )
