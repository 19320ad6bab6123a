"""What a commit does to a path."""

from dataclasses import dataclass

from evals.worlds.objects import FILE


@dataclass(frozen=True)
class Touch:
    """What a commit does to one path; without a mode the path goes away."""

    path: bytes
    mode: int | None
    data: bytes | None = None
    """The content; None keeps what was there, for moves and changes of mode."""
    was: bytes | None = None
    """Where a moved file came from."""
    source: object | None = None
    """What the content was rendered from; kept beside it so that a later edit can go on from there."""


def put(path: str | bytes, data: str | bytes, *, mode: int = FILE, source: object | None = None) -> Touch:
    """Write a file; for a link the data is its target, for a submodule the hash of its commit."""
    if source is None and isinstance(data, str):
        source = data
    return Touch(_bytes(path), mode, _bytes(data), source=source)


def drop(path: str | bytes) -> Touch:
    """Delete a file."""
    return Touch(_bytes(path), None)


def move(old: str | bytes, new: str | bytes, data: str | bytes | None = None, *, source: object | None = None) -> Touch:
    """Move a file, with or without an edit."""
    return Touch(_bytes(new), FILE, None if data is None else _bytes(data), was=_bytes(old), source=source)


def chmod(path: str | bytes, mode: int) -> Touch:
    """Change a file's mode and nothing else."""
    return Touch(_bytes(path), mode)


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
