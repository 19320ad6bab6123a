"""Which runs are under way: each holds a lock for as long as it lives, and keeps its checkpoints beside it."""

import fcntl
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import InputError, StorageError

_FOLDER = "running"


class Lives:
    """The files that a run has only until it is finished."""

    def __init__(self, home: Path) -> None:
        self._folder = home / _FOLDER

    def checkpoints(self, run: str) -> Path:
        """Name the file in which a run notes where it stands."""
        return self._folder / f"{run}.db"

    def process(self, run: str) -> int | None:
        """Tell which process a run lives in; None when it is dead or done, 0 when that cannot be told."""
        try:
            descriptor = os.open(self._lock(run), os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _number(os.read(descriptor, 20))
        finally:
            os.close(descriptor)
        return None

    @contextmanager
    def hold(self, run: str) -> Iterator[None]:
        """Live as this run; the lock ends with the process, however that ends."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._lock(run), os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StorageError(f"cannot write to {self._folder}: {error.strerror}; set GITZETTE_HOME") from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise still_alive(run, _number(os.read(descriptor, 20))) from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)
            yield
        finally:
            os.close(descriptor)

    def finish(self, run: str) -> None:
        """Remove what a run that is finished does not need any more."""
        database = self.checkpoints(run)
        for file in (database, *(database.with_name(f"{database.name}-{part}") for part in ("wal", "shm"))):
            file.unlink(missing_ok=True)
        self._lock(run).unlink(missing_ok=True)

    def prune(self, unfinished: Collection[str]) -> None:
        """Remove the files of dead runs that will not be taken up again."""
        if self._folder.is_dir():
            for run in {file.name.partition(".")[0] for file in self._folder.iterdir()}:
                if run not in unfinished and self.process(run) is None:
                    self.finish(run)

    def _lock(self, run: str) -> Path:
        return self._folder / f"{run}.lock"


def still_alive(run: str, process: int) -> InputError:
    """Say that a run cannot be taken up because it was never put down."""
    where = f" (process {process})" if process else ""
    return InputError(f"run {run} is still under way{where}; wait for it or stop it first")


def _number(text: bytes) -> int:
    return int(text) if text.isdigit() else 0
