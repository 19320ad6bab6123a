"""The files of one commit: all pages of them, and the patches that GitHub left out asked for again."""

import codecs
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
_NAME = re.compile(rb"^(?:\+\+\+|---) (?!/dev/null)(.+?)\t?$", re.MULTILINE)


def raw_patches(diff: bytes) -> dict[str, str]:
    """Cut a raw diff into patches by the names of their files; no line of content starts in column 0 with `diff`."""
    starts = [match.start() for match in _START.finditer(diff)]
    found: dict[str, str] = {}
    for start, end in pairwise([*starts, len(diff)]):
        hunk = _HUNK.search(diff, start, end)
        # Git names the old file, then the new one; a blank in a name is followed by a tab at its end.
        names = _NAME.findall(diff, start, hunk.start()) if hunk else []
        if hunk and names:
            name = _unquoted(names[-1])[2:].decode(errors="replace")
            found[name] = diff[hunk.start() : end].rstrip(b"\n").decode(errors="replace")
    return found


def _unquoted(name: bytes) -> bytes:
    r"""Undo git's quoting of unusual names: `"b/\346\226\207.md"`."""
    quoted = len(name) > 1 and name.startswith(b'"') and name.endswith(b'"')
    return codecs.escape_decode(name[1:-1])[0] if quoted else name


FILE_CAP = 3000  # GitHub lists no more files of a commit
_SMALLER_PAGES = (100, 30, 10)
_MAX_REASKS = (
    10  # More pages than this at one size: the raw diff, one request, is the better bargain
)
_RAW_DIFF = "application/vnd.github.diff"
_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


@dataclass
class _Found:
    """What is known of a file's patch."""

    shape: FileShape
    patch: str | None
    settled: bool  # True when nothing is missing: the patch is here, or there is none to have


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
    return [
        _Found(shape, shape.patch, not _lacks_patch(shape, suspicious=spent)) for shape in shapes
    ]


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
    try:
        patches = raw_patches(await client.text(path, _RAW_DIFF))
    except RateLimited:
        raise
    except UpstreamError:
        return
    for file in found:
        if not file.settled and (patch := patches.get(file.shape.filename)):
            file.patch, file.settled = patch, True


def _to_file(file: _Found) -> FileChange:
    shape, renamed = file.shape, file.shape.domain_status in ("renamed", "copied")
    unreadable = (
        None if file.settled or shape.changes == 0 else "GitHub sends no patch for this file"
    )
    patch = file.patch.rstrip("\n") if file.patch is not None else None
    additions, deletions = (
        (shape.additions, shape.deletions) if shape.patch is not None else _counts(patch)
    )
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
    listed = (
        sum(file.additions for file in shapes.values()),
        sum(file.deletions for file in shapes.values()),
    )
    if listed == (head.additions, head.deletions):
        return None
    return f"GitHub lists only the first {FILE_CAP:,} files of a commit"
