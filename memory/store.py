"""Everything that outlives a run, opened together and closed together."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from memory.answers import Answers
from memory.archive import Archive
from memory.call_recorder import CallRecorder
from memory.catalogue import Catalogue
from memory.database import open_database
from memory.issues import OpenIssues
from memory.known_threads import KnownThreads
from memory.landings import Landings
from memory.lives import Lives
from memory.recall import Recall
from memory.retention import Retention
from memory.run_files import RunFiles
from memory.runs import Runs
from memory.search import SearchIndex
from memory.servers import Servers
from memory.told_stories import ToldStories


@dataclass(frozen=True)
class Memory:
    """The parts of the memory, each with an interface of its own."""

    answers: Answers
    landings: Landings
    issues: OpenIssues
    runs: Runs
    retention: Retention
    recall: Recall
    archive: Archive
    catalogue: Catalogue
    search: SearchIndex
    threads: KnownThreads
    lives: Lives
    stories: ToldStories
    servers: Servers
    run_files: RunFiles
    recorder: Callable[..., CallRecorder]
    """Opens the record of a run by its id; `play_only=True` to replay it."""


@contextmanager
def open_memory(home: Path, today: date) -> Iterator[Memory]:
    """Open the memory below `home`; what was not used for long is forgotten as of today."""
    db = open_database(home)
    try:
        yield Memory(
            answers=Answers(db, today),
            landings=Landings(db),
            issues=OpenIssues(db),
            runs=Runs(db),
            retention=Retention(db),
            recall=Recall(db),
            archive=Archive(db),
            catalogue=Catalogue(db),
            search=SearchIndex(db),
            threads=KnownThreads(db),
            lives=Lives(home),
            stories=ToldStories(db),
            servers=Servers(db, today),
            run_files=RunFiles(home),
            recorder=partial(CallRecorder, db),
        )
    finally:
        db.close()
