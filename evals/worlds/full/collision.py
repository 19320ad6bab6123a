"""Two commits whose hashes begin alike, so that a short hash names both."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evals.worlds.history import History, Note
from evals.worlds.touch import Touch

DIGITS = 7
_TRIES = 1 << 16

Candidate = tuple[str, Sequence[Touch], Note]
"""A branch, what is to be committed there, and the message without its last line."""


def commit_alike(history: History, one: Candidate, other: Candidate) -> tuple[str, str]:
    """Commit on two branches, varying a trailer of both until the hashes share their first digits."""
    known = dict(_variants(history, one))
    for prefix, trailer in _variants(history, other):
        if prefix in known:
            return _commit(history, one, known[prefix]), _commit(history, other, trailer)
    raise AssertionError("no two of so many hashes begin alike")


def _variants(history: History, candidate: Candidate) -> Iterator[tuple[str, bytes]]:
    branch, touches, note = candidate
    body = history.preview(branch, touches, replace(note, message=note.raw + _trailer(0)))
    size = len(_trailer(0))
    start = hashlib.sha1(b"commit %d\0" % len(body) + body[:-size], usedforsecurity=False)
    for i in range(_TRIES):
        trial = start.copy()
        trial.update(_trailer(i))
        yield trial.hexdigest()[:DIGITS], _trailer(i)


def _commit(history: History, candidate: Candidate, trailer: bytes) -> str:
    branch, touches, note = candidate
    return history.commit(branch, touches, replace(note, message=note.raw + trailer))


def _trailer(i: int) -> bytes:
    return b"\nChange-Id: I%08x\n" % i
