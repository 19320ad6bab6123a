"""What services answered before, kept as bytes under a key."""

from datetime import date, timedelta

from sqlite_utils import Database

from memory.database import reading, writing

_KEEP = timedelta(days=60)


class Answers:
    """A store of answers; those that nobody used for two months are forgotten."""

    def __init__(self, db: Database, today: date) -> None:
        self._db = db
        self._today = today.isoformat()
        with writing(db):
            db.table("answers").delete_where("used < ?", [(today - _KEEP).isoformat()])

    def get(self, key: str) -> bytes | None:
        """Find what was put last under this key."""
        with reading():
            row = self._db.execute("select value, used from answers where key = ?", [key]).fetchone()
        if row is None:
            return None
        if row[1] != self._today:
            with writing(self._db):
                self._db.execute("update answers set used = ? where key = ?", [self._today, key])
        return bytes(row[0])

    def put(self, key: str, value: bytes) -> None:
        """Keep this under the key, in place of what was there."""
        with writing(self._db):
            self._db.table("answers").upsert({"key": key, "value": value, "used": self._today}, pk="key")
