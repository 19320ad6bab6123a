"""The memory in a SQLite file, through sqlite-utils."""
