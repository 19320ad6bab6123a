"""An engine."""

MAX_BATCH = 128
