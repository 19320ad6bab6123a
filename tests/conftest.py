"""What all tests have in common."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from evals.postgres import PostgresServer, missing_postgres
from tests.made_repos import Work

# A machine that is busy with something else takes a hundred times as long for any one example.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server of the tests' own."""
    if (why := missing_postgres()) is not None:
        pytest.skip(why)
    with PostgresServer() as server:
        yield server


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """An empty checkout."""
    return Work(tmp_path / "work")
