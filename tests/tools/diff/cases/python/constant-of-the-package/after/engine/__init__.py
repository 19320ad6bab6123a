"""An engine."""

MAX_BATCH = 128
_SECRET = 2
