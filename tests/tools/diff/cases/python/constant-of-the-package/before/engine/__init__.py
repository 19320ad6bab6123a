"""An engine."""

MAX_BATCH = 64
