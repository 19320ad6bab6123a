"""What all tests have in common."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from evals.postgres import PostgresServer, missing_postgres
from tests.made_repos import Work

# A machine that is busy with something else takes a hundred times as long for any one example.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# What Python, pytest and coverage need of the caller's environment; nothing else reaches a test.
_INHERITED = ("PATH", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
_INHERITED_PREFIXES = ("PYTHON", "PYTEST", "COV_", "COVERAGE")


# Importing all tests makes a million objects that stay to the end: nothing of it is garbage.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from here on, and leave alone what was imported."""
    gc.freeze()
    gc.enable()
    # Ten times rarer than by default, since a test leaves little that is not freed at once.
    gc.set_threshold(7_000)


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run the tests with a home folder of their own and without the caller's settings."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name not in _INHERITED and not name.startswith(_INHERITED_PREFIXES):
                patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


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
