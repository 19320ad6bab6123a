"""The files of one commit: all pages of them, and the patches that GitHub left out."""

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Change, FileChange
from agent.domain.errors import RateLimited, UpstreamError
from tools.github.client import GitHubClient
from tools.github.rest_shapes import COMMIT, CommitShape, FileShape
from tools.github.server_address import repo_path

FILE_CAP = 3000  # GitHub lists no more files of a commit
_PAGE_SIZES = (100, 30, 10)
_MAX_PAGES_OF_A_SIZE = 10  # Beyond this the raw diff, which is one request, is the better bargain
_RAW_DIFF = "application/vnd.github.diff"
_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
_FILE_START = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(rb"^@@ ", re.MULTILINE)
_FILE_NAME = re.compile(rb"^(?:\+\+\+|---) (?!/dev/null)(.+?)\t?$", re.MULTILINE)
_SIDE_PREFIX = len("b/")


def raw_patches(diff: bytes) -> dict[str, str]:
    """Return the patches of a raw diff by the names of their files."""
    # No line of content starts in column 0 with `diff`.
    starts = [match.start() for match in _FILE_START.finditer(diff)]
    patches: dict[str, str] = {}
    for start, end in pairwise([*starts, len(diff)]):
        hunk = _HUNK.search(diff, start, end)
        if hunk is None:
            continue
        # Git names the old file, then the new one; a name with a blank is followed by a tab.
        names = _FILE_NAME.findall(diff, start, hunk.start())
        if not names:
            continue
        name = _unquoted(names[-1])[_SIDE_PREFIX:].decode(errors="replace")
        patches[name] = diff[hunk.start() : end].rstrip(b"\n").decode(errors="replace")
    return patches


def _unquoted(name: bytes) -> bytes:
    r"""Undo git's quoting of unusual names: `"b/\346\226\207.md"`."""
    is_quoted = len(name) > 1 and name.startswith(b'"') and name.endswith(b'"')
    if not is_quoted:
        return name
    return codecs.escape_decode(name[1:-1])[0]


@dataclass
class _CommitFile:
    """A file of a commit while its patch is looked for."""

    shape: FileShape
    patch: str | None
    settled: bool  # True if nothing is missing: the patch is here, or there is none


async def read_change(client: GitHubClient, repo: RepoId, name: str, sha: str) -> Change:
    """Fetch a commit with all its files, compared with its first parent."""
    path = repo_path(name, "commits", sha)
    commit: CommitShape | None = None
    shapes: dict[str, FileShape] = {}
    async for page in client.pages(path, COMMIT):
        if commit is None:
            commit = page.value
        for shape in page.value.files or ():
            shapes[shape.filename] = shape
    assert commit is not None
    files = _first_look(list(shapes.values()))
    for size in _PAGE_SIZES:
        await _fetch_smaller_pages(client, path, files, size)
    if not all(file.settled for file in files):
        await _fetch_raw_diff(client, path, files)
    return Change(
        commit=commit.to_commit(repo),
        files=tuple(_to_file_change(file) for file in files),
        incomplete=_incomplete(commit, shapes.values()),
    )


def _first_look(shapes: Sequence[FileShape]) -> list[_CommitFile]:
    """Return the files, marked where a patch is missing.

    A count without a patch is certainly a patch left out. Then the answer's budget was spent, and a
    file without any count may lack its patch too instead of being binary.
    """
    budget_spent = any(shape.patch is None and shape.changes > 0 for shape in shapes)
    files: list[_CommitFile] = []
    for shape in shapes:
        is_settled = not _lacks_patch(shape, budget_spent=budget_spent)
        files.append(_CommitFile(shape, shape.patch, is_settled))
    return files


def _lacks_patch(shape: FileShape, *, budget_spent: bool) -> bool:
    if shape.patch is not None:
        return False
    if shape.changes > 0:
        return True
    return budget_spent and shape.status != "renamed" and shape.sha != _EMPTY_BLOB


async def _fetch_smaller_pages(
    client: GitHubClient, path: str, files: list[_CommitFile], size: int
) -> None:
    """Fetch again the pages that hold files without patch; each answer has a budget of its own.

    Only some pages are needed, so they are asked for by number. A server that cannot answer them is
    no reason to give up: the raw diff is still to come.
    """
    numbers = sorted({i // size + 1 for i, file in enumerate(files) if not file.settled})
    # A page that holds the whole commit would be the answer that we already have.
    if len(numbers) > _MAX_PAGES_OF_A_SIZE or len(files) <= size:
        return
    file_by_name = {file.shape.filename: file for file in files}
    for number in numbers:
        try:
            page = await client.get(path, COMMIT, {"per_page": size, "page": number})
        except RateLimited:
            raise
        except UpstreamError:
            return
        for shape in page.value.files or ():
            file = file_by_name.get(shape.filename)
            if file is not None and not file.settled and shape.patch is not None:
                file.shape = shape
                file.patch = shape.patch
                file.settled = True


async def _fetch_raw_diff(client: GitHubClient, path: str, files: list[_CommitFile]) -> None:
    try:
        patches = raw_patches(await client.text(path, _RAW_DIFF))
    except RateLimited:
        raise
    except UpstreamError:
        return
    for file in files:
        patch = patches.get(file.shape.filename)
        if patch and not file.settled:
            file.patch = patch
            file.settled = True


def _to_file_change(file: _CommitFile) -> FileChange:
    shape = file.shape
    patch = None if file.patch is None else file.patch.rstrip("\n")
    counts = _counts(shape, patch)
    is_renamed = shape.domain_status in ("renamed", "copied")
    is_unreadable = not file.settled and shape.changes != 0
    return FileChange(
        path=shape.filename,
        status=shape.domain_status,
        additions=counts.additions,
        deletions=counts.deletions,
        patch=patch,
        previous_path=shape.previous_filename if is_renamed else None,
        unreadable="GitHub sends no patch for this file" if is_unreadable else None,
    )


class _LineCounts(NamedTuple):
    additions: int
    deletions: int


def _counts(shape: FileShape, patch: str | None) -> _LineCounts:
    """Return the counts that came with the patch, else count its lines."""
    if shape.patch is not None:
        return _LineCounts(shape.additions, shape.deletions)
    if not patch:
        return _LineCounts(0, 0)
    return _LineCounts(patch.count("\n+"), patch.count("\n-"))


def _incomplete(commit: CommitShape, shapes: Iterable[FileShape]) -> str | None:
    """Return why files are missing: at the cap, the commit's own totals show whether some are."""
    listed = list(shapes)
    if len(listed) < FILE_CAP or commit.additions is None:
        return None
    additions = sum(shape.additions for shape in listed)
    deletions = sum(shape.deletions for shape in listed)
    if additions == commit.additions and deletions == commit.deletions:
        return None
    return f"GitHub lists only the first {FILE_CAP:,} files of a commit"
