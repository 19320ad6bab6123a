"""What is known of the servers of models, so that each is probed once and not in every run."""

import hashlib
from datetime import date, timedelta

from pydantic import ValidationError
from sqlite_utils import Database

from agent.capabilities import Capabilities
from memory.database import reading, writing

_FRESH = timedelta(days=14)
"""Servers are updated; what they could not do some weeks ago they may do now."""


class Servers:
    """Remembers what models at their addresses can do."""

    def __init__(self, db: Database, today: date) -> None:
        self._db = db
        self._today = today

    def get(self, url: str, model: str) -> Capabilities | None:
        """Find what was found out, unless that is long ago."""
        since = (self._today - _FRESH).isoformat()
        with reading():
            row = self._db.execute(
                "select body from model_servers where key = ? and probed >= ?", [_key(url, model), since]
            ).fetchone()
        try:
            return Capabilities.model_validate_json(row[0]) if row else None
        except ValidationError:
            return None

    def put(self, url: str, model: str, found: Capabilities) -> None:
        """Remember it."""
        row = (_key(url, model), found.model_dump_json(), self._today.isoformat())
        with writing(self._db, durable=False):
            self._db.conn.execute("insert or replace into model_servers (key, body, probed) values (?, ?, ?)", row)


def _key(url: str, model: str) -> str:
    return hashlib.sha256(f"{url} {model}".encode()).hexdigest()
