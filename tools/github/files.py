"""The files of one commit: all pages of them, and the patches that GitHub left out asked for again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from agent.domain.base import RateLimited, RepoId, UpstreamError
from agent.domain.commits import Change, FileChange
from tools.github.address import repo_path
from tools.github.shapes import COMMIT, CommitShape, FileShape

if TYPE_CHECKING:
    from tools.github.client import GitHubClient

_START = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(rb"^@@ ", re.MULTILINE)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@dataclass(frozen=True)
class RawFile:
    """One file of a raw diff; `patch` is None where there are no hunks."""

    path: str | None
    """None where the header cannot be read without doubt; its place in the order still tells."""
    patch: str | None
    binary: bool


def parse(diff: bytes) -> list[RawFile]:
    """Cut a diff into its files, in order; lines of content never start in column 0 with `diff`."""
    starts = [match.start() for match in _START.finditer(diff)]
    return [_file(diff[start:end]) for start, end in pairwise([*starts, len(diff)])]


def _file(part: bytes) -> RawFile:
    hunk = _HUNK.search(part)
    header = part[: hunk.start()] if hunk else part
    patch = part[hunk.start() :].rstrip(b"\n").decode(errors="replace") if hunk else None
    lines = header.split(b"\n")
    binary = patch is None and any(line.startswith((b"Binary files ", b"GIT binary patch")) for line in lines)
    path = _path(lines)
    return RawFile(path.decode(errors="replace") if path is not None else None, patch, binary)


def _path(lines: list[bytes]) -> bytes | None:
    """Find the name after the change, where a line of its own tells it."""
    marks = {b"rename to ": b"", b"copy to ": b"", b"+++ ": b"b/", b"--- ": b"a/"}
    for mark, prefix in marks.items():
        for line in lines[1:]:
            # git ends a name that has a blank with a tab
            name = _unquote(line.removeprefix(mark).removesuffix(b"\t")) if line.startswith(mark) else b"/dev/null"
            if name != b"/dev/null":
                return name.removeprefix(prefix)
    return None


def _unquote(name: bytes) -> bytes:
    r"""Undo git's quoting of unusual names: `"\346\226\207.md"`."""
    if len(name) < 2 or not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(_character, name[1:-1])


def _character(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _LETTERS.get(code, code)


FILE_CAP = 3000
"""GitHub lists no more files of a commit."""
_SMALLER_PAGES = (100, 30, 10)
_MAX_REASKS = 10
"""More pages than this at one size: the raw diff, one request, is the better bargain."""
_RAW_DIFF = "application/vnd.github.diff"
_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


@dataclass
class _Found:
    """What is known of a file's patch."""

    shape: FileShape
    patch: str | None
    settled: bool
    """True when nothing is missing: the patch is here, or there is none to have."""


async def read_change(client: "GitHubClient", repo: RepoId, name: str, sha: str) -> Change:
    """Read a commit with all its files, against its first parent."""
    path = repo_path(name, "commits", sha)
    head: CommitShape | None = None
    shapes: dict[str, FileShape] = {}
    async for page in client.pages(path, COMMIT):
        head = head or page.value
        shapes |= {file.filename: file for file in page.value.files or ()}
    assert head is not None
    found = _first_look(list(shapes.values()))
    for size in _SMALLER_PAGES:
        await _ask_smaller(client, path, found, size)
    if not all(file.settled for file in found):
        await _ask_raw(client, path, found)
    files = tuple(_to_file(file) for file in found)
    return Change(commit=head.to_commit(repo), files=files, incomplete=_incomplete(head, shapes))


def _first_look(shapes: Sequence[FileShape]) -> list[_Found]:
    """Decide which patches are missing.

    A count without a patch is certainly a patch left out. Where one was left out the budget of the answer was spent,
    and a file that shows no count either may be another victim rather than a binary file.
    """
    spent = any(shape.patch is None and shape.changes > 0 for shape in shapes)
    return [_Found(shape, shape.patch, not _lacks_patch(shape, suspicious=spent)) for shape in shapes]


def _lacks_patch(shape: FileShape, *, suspicious: bool) -> bool:
    if shape.patch is not None:
        return False
    if shape.changes > 0:
        return True
    return suspicious and shape.status != "renamed" and shape.sha != _EMPTY_BLOB


async def _ask_smaller(client: "GitHubClient", path: str, found: list[_Found], size: int) -> None:
    """Ask again for the pages that hold files without patch; each answer has a budget of its own.

    These pages are asked for by number, for only some of them are needed. A server that cannot answer them is no
    reason to give up: the raw diff is still to come.
    """
    pages = sorted({index // size + 1 for index, file in enumerate(found) if not file.settled})
    # A page that holds the whole commit would be the answer that we already have.
    if len(pages) > _MAX_REASKS or len(found) <= size:
        return
    by_name = {file.shape.filename: file for file in found}
    for number in pages:
        try:
            page = await client.get(path, COMMIT, {"per_page": size, "page": number})
        except RateLimited:
            raise
        except UpstreamError:
            return
        for shape in page.value.files or ():
            file = by_name.get(shape.filename)
            if file is not None and not file.settled and shape.patch is not None:
                file.shape, file.patch, file.settled = shape, shape.patch, True


async def _ask_raw(client: "GitHubClient", path: str, found: list[_Found]) -> None:
    """Take what is still missing from the raw diff, by name, else by its place in the order."""
    try:
        parts = parse(await client.text(path, _RAW_DIFF))
    except RateLimited:
        raise
    except UpstreamError:
        return
    by_name = {part.path: part for part in parts if part.path is not None}
    for index, file in enumerate(found):
        if file.settled:
            continue
        part = by_name.get(file.shape.filename)
        if part is None and len(parts) == len(found):
            part = parts[index]
        if part is not None and (part.patch is not None or file.shape.changes == 0):
            file.patch, file.settled = part.patch, True


def _to_file(file: _Found) -> FileChange:
    shape, renamed = file.shape, file.shape.domain_status in ("renamed", "copied")
    unreadable = None if file.settled or shape.changes == 0 else "GitHub sends no patch for this file"
    patch = file.patch.rstrip("\n") if file.patch is not None else None
    additions, deletions = (shape.additions, shape.deletions) if shape.patch is not None else _counts(patch)
    return FileChange(
        path=shape.filename,
        status=shape.domain_status,
        additions=additions,
        deletions=deletions,
        patch=patch,
        previous_path=shape.previous_filename if renamed else None,
        unreadable=unreadable,
    )


def _counts(patch: str | None) -> tuple[int, int]:
    """Count the lines of a patch that came without counts; a file without patch has none."""
    return (patch.count("\n+"), patch.count("\n-")) if patch else (0, 0)


def _incomplete(head: CommitShape, shapes: dict[str, FileShape]) -> str | None:
    """At the cap the commit's own totals tell whether files are missing."""
    if len(shapes) < FILE_CAP or head.additions is None:
        return None
    listed = sum(file.additions for file in shapes.values()), sum(file.deletions for file in shapes.values())
    if listed == (head.additions, head.deletions):
        return None
    return f"GitHub lists only the first {FILE_CAP:,} files of a commit"
