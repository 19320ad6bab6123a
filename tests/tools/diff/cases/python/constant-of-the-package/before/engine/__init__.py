"""An engine."""

MAX_BATCH = 64
_SECRET = 1
