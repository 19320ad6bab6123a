"""Everything that outlives a run, opened together and closed together."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from memory.answers import Answers
from memory.database import open_database
from memory.issues import OpenIssues
from memory.landings import Landings
from memory.runs import Runs


@dataclass(frozen=True)
class Memory:
    """The parts of the memory, each with an interface of its own."""

    answers: Answers
    landings: Landings
    issues: OpenIssues
    runs: Runs


@contextmanager
def open_memory(home: Path, today: date) -> Iterator[Memory]:
    """Open the memory below `home`; what was not used for long is forgotten as of today."""
    db = open_database(home)
    try:
        yield Memory(Answers(db, today), Landings(db), OpenIssues(db), Runs(db))
    finally:
        db.close()
