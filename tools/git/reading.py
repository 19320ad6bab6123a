"""Reading commits with their patches: one stream as long as it lasts, commit by commit where something is missing."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from itertools import takewhile

from agent.domain import Change, Commit, FileChange
from agent.errors import UpstreamError
from agent.ids import RepoId
from tools.git.landing import read_commits, with_true_parents
from tools.git.log import PATCH_OPTIONS, Framing, Record, parse_commit
from tools.git.missing import Gaps, entries_of, missing_blobs
from tools.git.patch import Entry, MalformedDiff, read_entries, read_files, unreadable
from tools.git.view import View

SHALLOW = "the clone is shallow: the commit before it is not here to compare with"
NO_TREES = "its list of files is not in this repository"
_PATHS_AT_ONCE = 64 * 1024
"""How many bytes of paths are put on one command line."""


async def stream_changes(view: View, repo: RepoId, shas: Sequence[str], gaps: Gaps) -> AsyncGenerator[Change, None]:
    """Read these commits in one git process, in order.

    Where it dies, and for the commits that are known to be incomplete, one is read alone and the stream
    begins anew after it.
    """
    position = 0
    while position < len(shas):
        stretch = list(takewhile(lambda sha: sha not in gaps.shas, shas[position:]))
        async with contextlib.aclosing(_stream(view, repo, stretch)) as stream:
            async for change in stream:
                position = shas.index(change.commit.sha, position) + 1
                yield change
        if position < len(shas):
            if alone := await _read_alone(view, repo, shas[position], gaps.why):
                yield alone
            position += 1


async def _stream(view: View, repo: RepoId, shas: Sequence[str]) -> AsyncGenerator[Change, None]:
    """Read commits until all are there or git dies; the one that it dies on is not given."""
    framing = Framing()
    arguments = [*framing.options, *PATCH_OPTIONS, "--no-walk=unsorted", "--stdin"]
    if not shas:
        return
    async with view.running(arguments, stdin="\n".join(shas).encode("ascii")) as git:
        async for record in framing.records(git.read):
            if record.last and (await git.finish()).code != 0:
                return
            try:
                yield await _whole(view, repo, record)
            except MalformedDiff:
                return
            # Others have their turn, however long the history is.
            await asyncio.sleep(0)


async def _whole(view: View, repo: RepoId, record: Record) -> Change:
    """Put a commit and its files together."""
    commit = await with_true_parents(view, parse_commit(repo, record.header))
    if _cut_off(view, commit):
        return Change(commit=commit, files=(), incomplete=SHALLOW)
    return Change(commit=commit, files=read_files(record.body))


def _cut_off(view: View, commit: Commit) -> bool:
    """Tell whether git would show the whole tree as new because the commit's parents are not here."""
    return commit.sha in view.shallow and bool(commit.parents)


async def _read_alone(view: View, repo: RepoId, sha: str, why: str) -> Change | None:
    """Read one commit of which something may be missing; None if the commit itself is damaged."""
    whole = [change async for change in _stream(view, repo, [sha])]
    if whole:
        return whole[0]
    try:
        (commit,) = [commit async for commit in read_commits(view, repo, ["--no-walk", sha])]
    except UpstreamError:
        return None
    return await _piecewise(view, commit, why)


async def _piecewise(view: View, commit: Commit, why: str) -> Change:
    """Read what can be read of one commit, without renames, which would need the missing contents."""
    entries = (await entries_of(view, [commit.sha])).get(commit.sha)
    if entries is None:
        return Change(commit=commit, files=(), incomplete=NO_TREES)
    missing = await missing_blobs(view, entries)
    found: dict[bytes, FileChange] = {}
    for batch in _batches([entry for entry in entries if missing.isdisjoint(entry.blobs)]):
        found |= await _read_paths(view, commit.sha, batch)
    return Change(commit=commit, files=tuple(found.get(entry.path) or unreadable(entry, why) for entry in entries))


async def _read_paths(view: View, sha: str, entries: Sequence[Entry]) -> dict[bytes, FileChange]:
    """Read the patches of some files; where git dies, halve them until the damaged one is alone."""
    framing, paths = Framing(), {entry.path for entry in entries}
    options = [*framing.options, *PATCH_OPTIONS, "--no-renames", "--no-walk", sha, "--"]
    async with view.running([*options, *sorted(paths)]) as git:
        records = [record async for record in framing.records(git.read)]
        intact = (await git.finish()).code == 0 and len(records) == 1
    if intact:
        body = records[0].body
        # A path that was a file and became a folder also names what is in the folder.
        pairs = zip(read_entries(body)[0], read_files(body), strict=True)
        return {entry.path: file for entry, file in pairs if entry.path in paths}
    if len(entries) == 1:
        return {}
    half = len(entries) // 2
    return await _read_paths(view, sha, entries[:half]) | await _read_paths(view, sha, entries[half:])


def _batches(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Cut a list of files so that each part fits on a command line."""
    batch, size = list[Entry](), 0
    for entry in entries:
        if batch and size + len(entry.path) > _PATHS_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(entry)
        # Each argument costs its bytes and a pointer.
        size += len(entry.path) + 16
    if batch:
        yield batch
