"""Parser of the diff of one commit: git's raw entries and patch, as file changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
_NO_BLOB = b"0" * 40
_FIRST_FILE = b"diff --git "
_NEXT_FILE = b"\n" + _FIRST_FILE
_FIRST_HUNK = b"\n@@ "
_MAX_BYTES_BEFORE_ENTRIES = 2
"""A NUL and a newline may stand before the list of files."""


class MalformedDiff(ValueError):
    """The entries and the patch of a commit do not belong together."""


class PatchLimits(NamedTuple):
    """The bytes of a patch to keep; the patch of a file beyond them is left out, its lines counted."""

    per_file: int
    per_commit: int


COMMIT_LIMITS = PatchLimits(per_file=8_000_000, per_commit=16_000_000)
RANGE_LIMITS = PatchLimits(per_file=8_000_000, per_commit=200_000_000)
"""What is kept of all changes between two versions."""


@dataclass(frozen=True)
class RawEntry:
    """One raw entry: which blobs a file had before and after."""

    status: str
    path: bytes
    previous_path: bytes | None
    modes: tuple[bytes, bytes]
    blobs: tuple[bytes, ...]  # The hashes of the contents on either side; submodules have none here

    @property
    def sections(self) -> int:
        """The number of parts of the patch that belong to it: a file that becomes a link has two."""
        is_other_type = self.status == "T" and self.modes[0][:3] != self.modes[1][:3]
        return 2 if is_other_type else 1


class _Parsed(NamedTuple):
    entry: RawEntry
    end: int


def _read_entry(body: bytes, start: int) -> _Parsed:
    """Read one entry: `:modes hashes status NUL path NUL`, with two paths for a rename.

    Raise ValueError if it is not complete.
    """
    fields_end = body.index(b"\0", start)
    old_mode, new_mode, old_blob, new_blob, status = body[start + 1 : fields_end].split(b" ")
    letter = chr(status[0])
    if letter not in _STATUS:
        raise MalformedDiff(f"unknown status {letter!r}")
    path_end = body.index(b"\0", fields_end + 1)
    path = body[fields_end + 1 : path_end]
    previous_path = None
    if letter in "RC":
        previous_path = path
        path_start = path_end + 1
        path_end = body.index(b"\0", path_start)
        path = body[path_start:path_end]
    blobs: list[bytes] = []
    for mode, blob in ((old_mode, old_blob), (new_mode, new_blob)):
        if mode != _GITLINK and blob != _NO_BLOB:
            blobs.append(blob)
    entry = RawEntry(letter, path, previous_path, (old_mode, new_mode), tuple(blobs))
    return _Parsed(entry, path_end + 1)


class _EntryList:
    """The raw entries of one commit, read as they come; what follows them is the patch."""

    def __init__(self) -> None:
        self._buffer = b""
        self._at = -1  # Where the next entry begins; -1 before the first one was found
        self.entries: list[RawEntry] = []

    def feed(self, piece: bytes) -> bytes | None:
        """Take a piece; return the beginning of the patch once the list is at its end."""
        self._buffer += piece
        if self._at < 0:
            self._at = self._buffer.find(b":", 0, _MAX_BYTES_BEFORE_ENTRIES + 1)
            if self._at < 0:
                # A commit that changes nothing has only the NUL that ends its header.
                has_entries = len(self._buffer) <= _MAX_BYTES_BEFORE_ENTRIES
                return None if has_entries else b""
        while self._buffer[self._at : self._at + 1] == b":":
            try:
                entry, self._at = _read_entry(self._buffer, self._at)
            except MalformedDiff:
                raise
            except ValueError:
                self._forget_read()
                return None
            self.entries.append(entry)
        if self._at >= len(self._buffer):
            self._forget_read()
            return None
        return self._buffer[self._at + 1 :]

    def _forget_read(self) -> None:
        self._buffer = self._buffer[self._at :]
        self._at = 0

    def finish(self) -> None:
        """Raise MalformedDiff if the list breaks off within an entry."""
        if self._at >= 0 and self._buffer[self._at : self._at + 1] == b":":
            raise MalformedDiff("the list of files breaks off")


class _Section:
    """The part of a patch that belongs to one file: counted whole, kept up to a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._before_hunks = b""
        self._hunks: list[bytes] = []
        self._last_byte = b""
        self.size = 0
        self.additions = 0
        self.deletions = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the part."""
        if not piece:
            return
        if not self.size:
            self._before_hunks += piece
            first_hunk = self._before_hunks.find(_FIRST_HUNK)
            if first_hunk < 0:
                return
            piece = self._before_hunks[first_hunk + 1 :]
            self._before_hunks = b""
        # A line may begin with the first byte of this piece.
        counted = self._last_byte + piece
        self.additions += counted.count(b"\n+")
        self.deletions += counted.count(b"\n-")
        self._last_byte = piece[-1:]
        self.size += len(piece)
        if self.is_too_large:
            self._hunks.clear()
        else:
            self._hunks.append(piece)

    @property
    def is_too_large(self) -> bool:
        """True if the hunks are beyond the limit and none is kept."""
        return self.size > self._limit

    @property
    def hunks(self) -> bytes:
        """The hunks, empty for a binary file, a pure rename and an empty file."""
        return b"".join(self._hunks)

    def end_with_newline(self) -> None:
        """Drop the newline behind the last line of the whole patch."""
        if self._hunks and self._hunks[-1].endswith(b"\n"):
            self._hunks[-1] = self._hunks[-1][:-1]


class PatchBody:
    """Takes the list of files and the patch of a commit as git prints them, in any pieces.

    However large a commit is, no more than the limits is held in memory.
    """

    def __init__(self, limits: PatchLimits = COMMIT_LIMITS) -> None:
        self._limits = limits
        self._left = limits.per_commit
        self._list = _EntryList()
        self._in_patch = False
        self._tail = b""
        self._sections: list[_Section] = []
        self._is_patch: bool | None = None  # None until the first bytes of the patch are there

    @property
    def entries(self) -> list[RawEntry]:
        """The files of the commit, in git's order."""
        return self._list.entries

    def feed(self, piece: bytes) -> None:
        """Take the next piece; raise MalformedDiff for a list of files that cannot be read."""
        if not self._in_patch:
            patch = self._list.feed(piece)
            if patch is None:
                return
            self._in_patch = True
            piece = patch
            if not self.entries:
                self._is_patch = False
        self._feed_patch(piece)

    def _feed_patch(self, piece: bytes) -> None:
        text = self._tail + piece
        if self._is_patch is None:
            if len(text) < len(_FIRST_FILE):
                self._tail = text
                return
            self._is_patch = text.startswith(_FIRST_FILE)
            if self._is_patch:
                self._sections.append(self._new_section())
        if not self._is_patch:
            return
        start = 0
        # Inside of a hunk no line can begin with `diff`.
        while (end := text.find(_NEXT_FILE, start)) >= 0:
            self._sections[-1].feed(text[start:end])
            self._sections.append(self._new_section())
            start = end + 1
        # The last bytes may be the beginning of the next file.
        keep = max(start, len(text) - len(_NEXT_FILE) + 1)
        self._sections[-1].feed(text[start:keep])
        self._tail = text[keep:]

    def _new_section(self) -> _Section:
        if self._sections:
            last = self._sections[-1]
            self._left -= 0 if last.is_too_large else last.size
        return _Section(min(self._limits.per_file, self._left))

    def files(self) -> tuple[FileChange, ...]:
        """Return all file changes, counted from the patch itself; to be called after the last piece."""
        self._list.finish()
        if self._sections:
            self._sections[-1].feed(self._tail)
            self._sections[-1].end_with_newline()
            self._tail = b""
        if len(self._sections) != sum(entry.sections for entry in self.entries):
            raise MalformedDiff("the patch has more or fewer files than the list")
        remaining = iter(self._sections)
        changes: list[FileChange] = []
        for entry in self.entries:
            sections = [next(remaining) for _ in range(entry.sections)]
            changes.append(_file_change(entry, sections))
        return tuple(changes)


def _file_change(entry: RawEntry, sections: Sequence[_Section]) -> FileChange:
    patches = [section.hunks for section in sections if section.size]
    omitted = sum(section.size for section in sections if section.is_too_large)
    has_patch = bool(patches) and not omitted
    return FileChange(
        path=_text(entry.path),
        status=_STATUS[entry.status],
        additions=sum(section.additions for section in sections),
        deletions=sum(section.deletions for section in sections),
        patch=_text(b"\n".join(patches)) if has_patch else None,
        previous_path=None if entry.previous_path is None else _text(entry.previous_path),
        omitted=omitted,
    )


def read_entries(body: bytes) -> list[RawEntry]:
    """Return the raw entries of one commit."""
    entry_list = _EntryList()
    entry_list.feed(body)
    entry_list.finish()
    return entry_list.entries


def unreadable(entry: RawEntry, why: str) -> FileChange:
    """Return a file whose content is not at hand."""
    return FileChange(
        path=_text(entry.path),
        status=_STATUS[entry.status],
        additions=0,
        deletions=0,
        unreadable=why,
    )


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


class FileVersions(NamedTuple):
    """Both versions of a file as `<commit>:<path>`; None where there is none."""

    old: str | None
    new: str | None


def versions_of(change: Change, paths: Sequence[str]) -> dict[str, FileVersions]:
    """Return the names of both versions of some files of a change."""
    files = {file.path: file for file in change.files}
    parent = change.commit.parents[0] if change.commit.parents else None
    versions: dict[str, FileVersions] = {}
    for path in paths:
        file = files[path]
        old = new = None
        if parent is not None and file.status != "added":
            old = f"{parent}:{file.previous_path or path}"
        if file.status != "removed":
            new = f"{change.commit.sha}:{path}"
        versions[path] = FileVersions(old, new)
    return versions
