"""How long something may take before a test says that its cost grows with more than its size."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

_SLOWER = 10
"""So much slower than usual is a machine that is busy with something else; what is wrong is slower by far more."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """See that what is done here takes about so many seconds of a quiet processor at most."""
    started = time.process_time()
    yield
    assert time.process_time() - started < seconds * _SLOWER
