"""Lines of a whole tree that hold certain words."""

from collections.abc import Sequence

from tools.git.view import View

_MOST = 4_000_000
"""Bytes of lines that are read; whoever looks for a word that is everywhere does not need all of them."""
_LONGEST = 2_000


async def lines_with(
    view: View, sha: str, words: Sequence[str], where: Sequence[bytes] = ()
) -> tuple[tuple[str, str], ...]:
    """Find the lines of a commit's files that hold one of these words, each with its path; `where` names some files."""
    if not words:
        return ()
    named = [part for word in words for part in ("-e", word)]
    pieces: list[bytes] = []
    async with view.running(["grep", "--threads=1", "-I", "-F", "-w", "--null", *named, sha, "--", *where]) as git:
        while sum(map(len, pieces)) < _MOST and (piece := await git.read()):
            pieces.append(piece)
    found = (line.partition(b"\0") for line in b"".join(pieces).split(b"\n") if b"\0" in line)
    return tuple((_path(name), line[:_LONGEST].decode("utf-8", "replace")) for name, _, line in found)


def _path(name: bytes) -> str:
    """Take the commit away that git writes before the path."""
    return name.partition(b":")[2].decode("utf-8", "replace")
