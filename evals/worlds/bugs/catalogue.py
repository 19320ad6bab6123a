"""All flaws, by language and by name."""

from evals.worlds.bugs.bug import Bug
from evals.worlds.bugs.cuda import CUDA
from evals.worlds.bugs.python import PYTHON
from evals.worlds.bugs.rust import RUST
from evals.worlds.source import Language

BUGS: dict[Language, tuple[Bug, ...]] = {"python": PYTHON, "cuda": CUDA, "rust": RUST}


def bug_named(key: str) -> Bug:
    """Find a flaw by its key."""
    return next(bug for bugs in BUGS.values() for bug in bugs if bug.key == key)
