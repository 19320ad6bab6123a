"""Reading commits with their patches: one stream as long as it lasts, commit by commit where something is missing."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Self

from agent.domain import Change, Commit, FileChange
from agent.errors import UpstreamError
from agent.ids import RepoId
from tools.git.landing import read_commits, with_true_parents
from tools.git.log import PATCH_OPTIONS, Framing, Record, parse_commit
from tools.git.missing import Gaps, entries_of, missing_blobs
from tools.git.patch import Entry, MalformedDiff, read_entries, read_files, unreadable
from tools.git.process import Running
from tools.git.view import View

SHALLOW = "the clone is shallow: the commit before it is not here to compare with"
NO_TREES = "its list of files is not in this repository"
_PATHS_AT_ONCE = 64 * 1024
"""How many bytes of paths are put on one command line."""


class ChangeReader:
    """Reads commits in order, all in one git process.

    Where it dies, and for the commits that are known to be incomplete, one is read alone and the stream begins anew
    after it. An object and not a generator, so that leaving it ends git at once.
    """

    def __init__(self, view: View, repo: RepoId, shas: Sequence[str], gaps: Gaps) -> None:
        self._view = view
        self._repo = repo
        self._waiting = deque(shas)
        self._gaps = gaps
        self._stream: PatchStream | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end_stream()

    async def next(self) -> Change | None:
        """Read the next commit; None after the last. One that cannot be read at all is left out."""
        while self._waiting:
            change = await self._from_stream() or await self._alone()
            if change is not None:
                return change
        return None

    async def _from_stream(self) -> Change | None:
        """Take the next commit from the stream; None where it has ended."""
        if self._stream is None:
            stretch = list(takewhile(lambda sha: sha not in self._gaps.shas, self._waiting))
            if not stretch:
                return None
            self._stream = await PatchStream.start(self._view, self._repo, stretch)
        change = await self._stream.next()
        if change is None or change.commit.sha != self._waiting[0]:
            await self._end_stream()
            return None
        self._waiting.popleft()
        return change

    async def _alone(self) -> Change | None:
        """Read the next commit by itself."""
        return (
            await _read_alone(self._view, self._repo, self._waiting.popleft(), self._gaps.why)
            if self._waiting
            else None
        )

    async def _end_stream(self) -> None:
        """Stop git, if it runs."""
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await stream.stop()


class PatchStream:
    """One git process that prints commits with their patches."""

    def __init__(
        self, view: View, repo: RepoId, framing: Framing, stack: contextlib.AsyncExitStack, git: Running
    ) -> None:
        self._view = view
        self._repo = repo
        self._records = framing.records(git.read)
        self._git = git
        self._stack = stack

    @classmethod
    async def start(cls, view: View, repo: RepoId, shas: Sequence[str]) -> Self:
        """Ask git for these commits."""
        framing, stack = Framing(), contextlib.AsyncExitStack()
        arguments = [*framing.options, *PATCH_OPTIONS, "--no-walk=unsorted", "--stdin"]
        git = await stack.enter_async_context(view.running(arguments, stdin="\n".join(shas).encode("ascii")))
        return cls(view, repo, framing, stack, git)

    async def next(self) -> Change | None:
        """Read the next commit; None at the end, and for the one that git died on."""
        # Others have their turn, however long the history is.
        await asyncio.sleep(0)
        record = await anext(self._records, None)
        if record is None or (record.last and (await self._git.finish()).code != 0):
            return None
        try:
            return await _whole(self._view, self._repo, record)
        except MalformedDiff:
            return None

    async def stop(self) -> None:
        """End git, whatever it was doing."""
        await self._stack.aclose()


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
    stream = await PatchStream.start(view, repo, [sha])
    try:
        if whole := await stream.next():
            return whole
    finally:
        await stream.stop()
    try:
        (commit,) = await read_commits(view, repo, ["--no-walk", sha])
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
