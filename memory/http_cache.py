"""A cache of answers over HTTP, and of facts of commits."""

from datetime import date, timedelta

from memory.protocols import Database, Record

_KEPT_UNUSED = timedelta(days=60)


class HttpCache:
    """Answers as bytes under a key; what was not used for two months is deleted."""

    def __init__(self, db: Database, today: date) -> None:
        self._db = db
        self._today = today.isoformat()
        with db.transaction():
            db.cache.forget((today - _KEPT_UNUSED).isoformat())

    def get(self, key: str) -> bytes | None:
        """Return the value that was put last under this key."""
        rows = self._db.select("http_cache", ["value", "used"], {"key": key})
        if not rows:
            return None
        value, used = rows[0]
        if used != self._today:
            with self._db.transaction(durable=False):
                self._db.cache.touch(key, self._today)
        return bytes(value)

    def put(self, key: str, value: bytes) -> None:
        """Store an answer under this key, in place of what was there."""
        record: Record = {"key": key, "value": value, "used": self._today}
        # What is lost when the machine dies is asked for again: not worth a wait for the disk.
        with self._db.transaction(durable=False):
            self._db.upsert("http_cache", [record], ("key",))
