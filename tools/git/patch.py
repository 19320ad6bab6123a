"""What one commit did to its files, taken from the raw entries and the patch that git prints for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.domain.commits import Change, FileChange, FileStatus

_STATUS: dict[str, FileStatus] = {
    "A": "added",
    "D": "removed",
    "M": "modified",
    "R": "renamed",
    "C": "copied",
    "T": "changed",
}
_GITLINK = b"160000"
_NOTHING = b"0" * 40
_NEXT_FILE = b"\ndiff --git "
_FIRST_HUNK = b"\n@@ "


class MalformedDiff(ValueError):
    """The entries and the patch of a commit do not belong together."""


@dataclass(frozen=True)
class Entry:
    """One raw entry: which blobs a file had before and after."""

    status: str
    path: bytes
    previous_path: bytes | None
    modes: tuple[bytes, bytes]
    blobs: tuple[bytes, ...]  # The hashes of the contents on either side; submodules have none here

    @property
    def sections(self) -> int:
        """How many parts of the patch belong to it: a file that becomes a link is printed as deleted and created."""
        return 2 if self.status == "T" and self.modes[0][:3] != self.modes[1][:3] else 1


def read_entries(body: bytes) -> tuple[list[Entry], int]:
    """Read the raw entries of one commit, and where its patch begins."""
    at = body.find(b":")
    # A commit that changes nothing has only the NUL that ends its header.
    if at < 0 or at > 2:
        return [], len(body)
    entries = []
    while body[at : at + 1] == b":":
        try:
            entry, at = _entry(body, at)
        except ValueError as error:
            raise MalformedDiff("the list of files breaks off") from error
        entries.append(entry)
    return entries, at + 1


def read_files(body: bytes) -> tuple[FileChange, ...]:
    """Read all file changes of one commit, counted from the patch itself."""
    entries, at = read_entries(body)
    bounds = _sections(body, at)
    if len(bounds) != sum(entry.sections for entry in entries):
        raise MalformedDiff("the patch has more or fewer files than the list")
    remaining, changes = iter(bounds), []
    for entry in entries:
        changes.append(_change(body, entry, [next(remaining) for _ in range(entry.sections)]))
    return tuple(changes)


def unreadable(entry: Entry, why: str) -> FileChange:
    """Name a file whose content is not at hand."""
    return FileChange(
        path=_text(entry.path),
        status=_STATUS[entry.status],
        additions=0,
        deletions=0,
        unreadable=why,
    )


def _entry(body: bytes, at: int) -> tuple[Entry, int]:
    """Read one entry: `:modes hashes status NUL path NUL`, with two paths for a rename."""
    end = body.index(b"\0", at)
    before, after, old, new, status = body[at + 1 : end].split(b" ")
    letter, previous = chr(status[0]), None
    start, end = end + 1, body.index(b"\0", end + 1)
    path = body[start:end]
    if letter in "RC":
        previous = path
        start, end = end + 1, body.index(b"\0", end + 1)
        path = body[start:end]
    if letter not in _STATUS:
        raise MalformedDiff(f"unknown status {letter!r}")
    sides = ((before, old), (after, new))
    blobs = tuple(blob for mode, blob in sides if mode != _GITLINK and blob != _NOTHING)
    return Entry(letter, path, previous, (before, after), blobs), end + 1


def _sections(body: bytes, at: int) -> list[tuple[int, int]]:
    """Find where each file's part begins and ends; inside a hunk no line can begin with `diff`."""
    if not body.startswith(_NEXT_FILE[1:], at):
        return []
    bounds, last = [], len(body) - body.endswith(b"\n")
    while (end := body.find(_NEXT_FILE, at)) >= 0:
        bounds.append((at, end))
        at = end + 1
    return [*bounds, (at, last)]


def _change(body: bytes, entry: Entry, bounds: list[tuple[int, int]]) -> FileChange:
    """Take the hunks of one file; a binary file, a pure rename and an empty file have none."""
    additions, deletions, patches, view = 0, 0, [], memoryview(body)
    for start, end in bounds:
        hunk = body.find(_FIRST_HUNK, start, end)
        if hunk >= 0:
            additions += body.count(b"\n+", hunk, end)
            deletions += body.count(b"\n-", hunk, end)
            patches.append(str(view[hunk + 1 : end], "utf-8", "replace"))
    return FileChange(
        path=_text(entry.path),
        status=_STATUS[entry.status],
        additions=additions,
        deletions=deletions,
        patch="\n".join(patches) if patches else None,
        previous_path=None if entry.previous_path is None else _text(entry.previous_path),
    )


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")


def versions_of(change: Change, paths: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
    """Name the old and the new version of files of a change as `<commit>:<path>`; None where there is none."""
    files = {file.path: file for file in change.files}
    parent = change.commit.parents[0] if change.commit.parents else None
    named: dict[str, tuple[str | None, str | None]] = {}
    for path in paths:
        file = files[path]
        old = (
            None
            if parent is None or file.status == "added"
            else f"{parent}:{file.previous_path or path}"
        )
        named[path] = (old, None if file.status == "removed" else f"{change.commit.sha}:{path}")
    return named
