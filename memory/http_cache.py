"""Caches of answers over HTTP, of facts of commits, and of capabilities of model servers."""

import hashlib
from datetime import date, timedelta

from pydantic import ValidationError

from agent.model_capabilities import Capabilities
from memory.protocols import Database, Record

_KEPT_UNUSED = timedelta(days=60)
_FRESH_DAYS = 14
"""Servers of models are updated: what they could not do some weeks ago they may do now."""


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


class ModelServers:
    """Capabilities of models by address, so that each server is probed once in two weeks.

    What the settings say of a model's context is part of the key: it shapes what is found.
    """

    def __init__(self, cache: HttpCache, today: date) -> None:
        self._cache = cache
        self._fortnight = today.toordinal() // _FRESH_DAYS

    def get(self, url: str, model: str, context: int | None) -> Capabilities | None:
        """Return the cached capabilities unless they are outdated."""
        cached = self._cache.get(self._key(url, model, context))
        if cached is None:
            return None
        try:
            return Capabilities.model_validate_json(cached)
        except ValidationError:
            return None  # Another version of Gitzette wrote it

    def put(self, url: str, model: str, context: int | None, capabilities: Capabilities) -> None:
        """Store what was found out."""
        key = self._key(url, model, context)
        self._cache.put(key, capabilities.model_dump_json().encode())

    def _key(self, url: str, model: str, context: int | None) -> str:
        name = f"model server {self._fortnight} {url} {model} context {context}"
        return hashlib.sha256(name.encode()).hexdigest()
