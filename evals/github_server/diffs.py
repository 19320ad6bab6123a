"""What a commit did to its files: parsed from git's raw and patch output, and listed within GitHub's patch budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals.github_server.responses import Json

# One answer carries about this much patch, and one file at most this much (GitHub's "repository limits").
PATCH_BYTES, PATCH_LINES = 1_000_000, 20_000
FILE_BYTES, FILE_LINES = 500_000, 20_000

_STATUS = {"A": "added", "D": "removed", "M": "modified", "T": "changed", "R": "renamed", "C": "copied"}
_FILE = b"diff --git "

# git's own marks of a file's kind, the first digits of its mode.
_KIND = slice(0, -4)

OPTIONS = (
    "-r", "-z", "-M", "--raw", "-p", "--full-index", "--inter-hunk-context=1",
    "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
"""The options of `git diff-tree` that give GitHub's order, status and hunks."""


@dataclass(frozen=True)
class FileDiff:
    """One file of a diff with its whole patch."""

    path: str
    status: str
    sha: str
    additions: int
    deletions: int
    patch: str | None
    previous: str | None = None

    @property
    def size(self) -> int:
        """How many bytes of patch the file has."""
        return len(self.patch.encode()) if self.patch else 0

    @property
    def lines(self) -> int:
        """How many lines of patch the file has."""
        return self.patch.count("\n") + 1 if self.patch else 0


@dataclass(frozen=True)
class _Entry:
    letter: str
    old_mode: bytes
    new_mode: bytes
    sha: str
    path: bytes
    previous: bytes | None

    @property
    def parts(self) -> int:
        """A file that became a link, or the like, is printed as a removal and an addition."""
        return 2 if self.letter == "T" and self.old_mode[_KIND] != self.new_mode[_KIND] else 1


def parse(output: bytes) -> tuple[FileDiff, ...]:
    """Read what `git diff-tree` printed with our options."""
    entries, start = _entries(output)
    parts = _parts(output, start)
    return tuple(_file(entry, [next(parts, b"") for _ in range(entry.parts)]) for entry in entries)


def _entries(output: bytes) -> tuple[list[_Entry], int]:
    entries: list[_Entry] = []
    place = 0
    while output[place : place + 1] == b":":
        head, _, place = _until_nul(output, place)
        old_mode, new_mode, old, new, letter = head[1:].split(b" ")
        path, _, place = _until_nul(output, place)
        previous = None
        if letter[:1] in (b"R", b"C"):
            previous, (path, _, place) = path, _until_nul(output, place)
        sha = old if letter == b"D" else new
        entries.append(_Entry(chr(letter[0]), old_mode, new_mode, sha.decode(), path, previous))
    return entries, place + 1


def _until_nul(output: bytes, place: int) -> tuple[bytes, int, int]:
    end = output.index(b"\0", place)
    return output[place:end], end, end + 1


def _parts(output: bytes, place: int) -> Iterator[bytes]:
    # Lines of hunks begin with a space, a sign or a backslash, so the word at the start of a line is always a new file.
    while 0 <= place < len(output):
        end = output.find(b"\n" + _FILE, place)
        yield output[place:] if end < 0 else output[place : end + 1]
        place = end + 1 if end >= 0 else -1


def _file(entry: _Entry, parts: list[bytes]) -> FileDiff:
    hunks = b"\n".join(filter(None, map(_hunks, parts)))
    return FileDiff(
        path=entry.path.decode("utf-8", "replace"),
        status=_STATUS.get(entry.letter, "changed"),
        sha=entry.sha,
        additions=hunks.count(b"\n+"),
        deletions=hunks.count(b"\n-"),
        patch=hunks.decode("utf-8", "replace") if hunks else None,
        previous=None if entry.previous is None else entry.previous.decode("utf-8", "replace"),
    )


def _hunks(part: bytes) -> bytes:
    start = part.find(b"\n@@ ")
    return part[start + 1 :].removesuffix(b"\n") if start >= 0 else b""


def list_files(entries: Sequence[FileDiff]) -> list[Json]:
    """Show files with their patches until the budget of one answer is spent; the others keep only their counts."""
    shown: list[Json] = []
    size = lines = 0
    spent = False
    for entry in entries:
        too_big = entry.size > FILE_BYTES or entry.lines > FILE_LINES
        if not too_big:
            spent = spent or size + entry.size > PATCH_BYTES or lines + entry.lines > PATCH_LINES
        with_patch = entry.patch is not None and not spent and not too_big
        if with_patch:
            size, lines = size + entry.size, lines + entry.lines
        shown.append(_file_json(entry, with_patch=with_patch))
    return shown


def _file_json(entry: FileDiff, *, with_patch: bool) -> Json:
    shown: Json = {
        "sha": entry.sha,
        "filename": entry.path,
        "status": entry.status,
        "additions": entry.additions,
        "deletions": entry.deletions,
        "changes": entry.additions + entry.deletions,
    }
    if with_patch:
        shown["patch"] = entry.patch
    if entry.previous is not None:
        shown["previous_filename"] = entry.previous
    return shown
