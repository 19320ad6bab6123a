"""The memory in PostgreSQL, which several machines may share."""
