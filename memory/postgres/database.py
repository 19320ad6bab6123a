"""The database in PostgreSQL: all operations of the memory over one connection."""

from memory.postgres.connection import PostgresConnection
from memory.postgres.http_cache import PostgresCache
from memory.postgres.migrations import check_version
from memory.postgres.published_report_index import PostgresReports
from memory.postgres.recorded_calls import PostgresRecords
from memory.postgres.runs import PostgresRuns
from memory.postgres.search import PostgresEvidence, PostgresStatements


class PostgresDatabase(PostgresConnection):
    """A database that several machines may share."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.runs = PostgresRuns(self)
        self.records = PostgresRecords(self)
        self.cache = PostgresCache(self)
        self.reports = PostgresReports(self)
        self.statements = PostgresStatements(self)
        self.evidence = PostgresEvidence(self)


def open_postgres(address: str) -> PostgresDatabase:
    """Open a database, or raise if it was not upgraded to the version of today."""
    db = PostgresDatabase(address)
    try:
        check_version(db)
    except BaseException:
        db.close()
        raise
    return db
