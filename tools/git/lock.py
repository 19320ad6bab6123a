"""One run at a time: a lock file that tells who holds it."""

import asyncio
import contextlib
import fcntl
import os
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from agent.errors import StorageError, UpstreamError

_POLL_SECONDS = 0.1


@contextlib.asynccontextmanager
async def exclusively(path: Path, *, patience: float, what: str) -> AsyncIterator[None]:
    """Hold the lock at `path`; wait at most `patience` seconds for whoever has it.

    The lock is the kernel's and ends with its process, so a run that was killed leaves nothing to clean up.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    try:
        await _acquire(descriptor, patience, what)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC".encode(), 0)
        yield
    finally:
        os.close(descriptor)


async def _acquire(descriptor: int, patience: float, what: str) -> None:
    """Try until the lock is ours or patience is over; waiting in the kernel would stop every other repository."""
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace") or "another process"
                message = f"{what} is in use by {holder}; try again when it is done"
                raise UpstreamError(message, retryable=True) from error
            await asyncio.sleep(_POLL_SECONDS)
        else:
            return
