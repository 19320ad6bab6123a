"""An engine."""

from engine.cache import Cache
