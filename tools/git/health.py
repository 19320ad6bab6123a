"""Whether a mirror of ours can be trusted, and clearing away what a killed run left in it."""

import hashlib
import time
from pathlib import Path

_READ = 1 << 20
_TRAILER = 20
_ABANDONED_SECONDS = 3600.0


def damage(mirror: Path) -> str | None:
    """Say what is wrong with a mirror, None if nothing is.

    Every pack is read once and compared with the checksum at its end: at a gigabyte a second that costs less than
    reporting a commit as unreadable because of a bad disk.
    """
    if not (mirror / "HEAD").is_file() or not (mirror / "HEAD").stat().st_size:
        return "HEAD is missing"
    if not (mirror / "refs").is_dir() or not (mirror / "objects").is_dir():
        return "its folders are missing"
    for pack in sorted((mirror / "objects" / "pack").glob("*.pack")):
        if not _intact(pack):
            return f"{pack.name} is damaged"
        index = pack.with_suffix(".idx")
        if not index.is_file() or not _intact(index):
            return f"{index.name} is missing or damaged"
    return None


def clear_leftovers(mirror: Path) -> None:
    """Remove the locks and half packs of a run that was killed; only for who holds the mirror's own lock."""
    for lock in (
        *mirror.glob("*.lock"),
        *(mirror / "refs").rglob("*.lock"),
        *(mirror / "objects" / "info").rglob("*.lock"),
    ):
        lock.unlink(missing_ok=True)
    old = time.time() - _ABANDONED_SECONDS
    for part in (mirror / "objects" / "pack").glob("tmp_*"):
        # A reader may just be fetching blobs into one; git itself also judges them by age.
        if part.stat().st_mtime < old:
            part.unlink(missing_ok=True)


def size(mirror: Path) -> int:
    """Add up the bytes of a mirror's files."""
    return sum(file.stat().st_size for file in mirror.rglob("*") if file.is_file())


def _intact(file: Path) -> bool:
    """Compare a pack or its index with the SHA-1 of everything before it, which git puts at the end."""
    digest, tail = hashlib.sha1(usedforsecurity=False), b""
    with file.open("rb") as content:
        while piece := content.read(_READ):
            tail += piece
            digest.update(tail[:-_TRAILER])
            tail = tail[-_TRAILER:]
    return len(tail) == _TRAILER and digest.digest() == tail
