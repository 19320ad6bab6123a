"""The cache of answers over HTTP in PostgreSQL."""

from memory.postgres.connection import PostgresConnection
from memory.protocols import CacheOperations


class PostgresCache(CacheOperations):
    """The table of services' answers."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    def touch(self, key: str, day: str) -> None:
        """Store that an answer was used on a day."""
        self._db.execute("update http_cache set used = %s where key = %s", [day, key])

    def forget(self, before: str) -> None:
        """Delete the answers that were last used before a day."""
        self._db.execute("delete from http_cache where used < %s", [before])
