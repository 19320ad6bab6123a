"""The cache of answers over HTTP in SQLite."""

from memory.protocols import CacheOperations
from memory.sqlite.connection import SqliteConnection


class SqliteCache(CacheOperations):
    """The table of services' answers."""

    def __init__(self, db: SqliteConnection) -> None:
        self._db = db

    def touch(self, key: str, day: str) -> None:
        """Store that an answer was used on a day."""
        self._db.execute("update http_cache set used = ? where key = ?", [day, key])

    def forget(self, before: str) -> None:
        """Delete the answers that were last used before a day."""
        self._db.execute("delete from http_cache where used < ?", [before])
