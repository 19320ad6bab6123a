"""The version of the code that reads: what another version read may be different."""

import hashlib
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_READING_FOLDERS = ("agent", "tools")


@cache
def reading_version() -> str:
    """Return the hash of the code that reads repositories."""
    return version_of(_ROOT)


def version_of(root: Path) -> str:
    """Return the hash of the code below a folder by which repositories are read."""
    digest = hashlib.sha256()
    for folder in _READING_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".py", ".scm"):
                digest.update(str(file.relative_to(root)).encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()
