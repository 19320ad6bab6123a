"""The databases a memory can be in; tests look into their tables with plain SQL."""

from memory.postgres.database import PostgresDatabase
from memory.sqlite.database import SqliteDatabase

AnyDatabase = SqliteDatabase | PostgresDatabase
