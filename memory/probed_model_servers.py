"""The model servers that were probed, and their capabilities."""

import hashlib
from datetime import date

from pydantic import ValidationError

from agent.model_capabilities import Capabilities
from memory.http_cache import HttpCache

_FRESH_DAYS = 14
"""Servers of models are updated: what they could not do some weeks ago they may do now."""


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
