"""What was run, when, and how it ended."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlite_utils import Database

from memory.database import reading, writing


@dataclass(frozen=True)
class RunRecord:
    """One run as it is remembered; what varies between equal runs stands here and not in the report."""

    id: str
    started: str
    finished: str | None
    window: str
    status: str
    details: dict[str, Any]


class Runs:
    """The history of runs."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(self, run: str, window: str, at: datetime) -> None:
        """Note that a run has started; one that never ends stays `running`."""
        values = {"id": run, "started": at.isoformat(timespec="seconds"), "window": window, "status": "running"}
        with writing(self._db):
            self._db.table("runs").insert(values, replace=True)

    def end(self, run: str, status: str, at: datetime, details: dict[str, Any]) -> None:
        """Note how a run ended and what it spent."""
        values = {"finished": at.isoformat(timespec="seconds"), "status": status, "details": json.dumps(details)}
        with writing(self._db):
            self._db.table("runs").update(run, values)

    def latest(self, limit: int = 20) -> list[RunRecord]:
        """List the newest runs first."""
        with reading():
            rows = list(self._db.table("runs").rows_where(order_by="started desc, id desc", limit=limit))
        return [
            RunRecord(
                id=row["id"],
                started=row["started"],
                finished=row["finished"],
                window=row["window"],
                status=row["status"],
                details=json.loads(row["details"] or "{}"),
            )
            for row in rows
        ]
