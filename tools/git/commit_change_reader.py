"""Reader of changes of commits: in one stream, or one by one where objects are missing."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Self

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, FileChange
from agent.domain.errors import UpstreamError
from tools.git.blobs_of_commits import entries_of
from tools.git.diff_parser import (
    COMMIT_LIMITS,
    RANGE_LIMITS,
    MalformedDiff,
    PatchBody,
    PatchLimits,
    RawEntry,
    read_entries,
    unreadable,
)
from tools.git.log import (
    PATCH_OPTIONS,
    FramedCommit,
    Framing,
    parse_commit,
    read_commits,
    with_true_parents,
)
from tools.git.missing_blobs import UnreadCommits, fetch_blobs, missing_blobs
from tools.git.process import Running, patiently

if TYPE_CHECKING:
    from tools.git.isolated_repository import View
    from tools.git.opened_repository import Repository

SHALLOW = "the clone is shallow: the commit before it is not here to compare with"
NO_TREES = "its list of files is not in this repository"
_MAX_PATHS_AT_ONCE = 200  # On one command line: each path has up to four thousand bytes


class ChangeReader:
    """Reads commits in order, all in one git process.

    Where it dies, and for commits that are known to be incomplete, one is read alone and the stream
    begins anew after it. This is an object and not a generator, so that leaving it ends git at once.
    """

    def __init__(
        self, view: "View", repo: RepoId, shas: Sequence[str], gaps: UnreadCommits
    ) -> None:
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
        if not self._waiting:
            return None
        return await _read_alone(self._view, self._repo, self._waiting.popleft(), self._gaps.why)

    async def _end_stream(self) -> None:
        if self._stream is not None:
            stream = self._stream
            self._stream = None
            await stream.stop()


class PatchStream:
    """One git process that prints commits with their patches."""

    def __init__(
        self,
        view: "View",
        repo: RepoId,
        framing: Framing,
        stack: contextlib.AsyncExitStack,
        git: Running,
    ) -> None:
        self._view = view
        self._repo = repo
        self._commits = framing.commits(git.read, PatchBody)
        self._git = git
        self._stack = stack

    @classmethod
    async def start(cls, view: "View", repo: RepoId, shas: Sequence[str]) -> Self:
        """Ask git for these commits."""
        framing = Framing()
        stack = contextlib.AsyncExitStack()
        arguments = [*framing.options, *PATCH_OPTIONS, "--no-walk=unsorted", "--stdin"]
        running = view.running(arguments, stdin="\n".join(shas).encode("ascii"))
        git = await stack.enter_async_context(running)
        return cls(view, repo, framing, stack, git)

    async def next(self) -> Change | None:
        """Return the next commit; None at the end, and for one that git or we stumble over."""
        # Others have their turn, however long the history is.
        await asyncio.sleep(0)
        try:
            framed = await anext(self._commits, None)
            if framed is None or (framed.is_last and (await self._git.finish()).code != 0):
                return None
            return await _complete_change(self._view, self._repo, framed)
        except MalformedDiff:
            return None

    async def stop(self) -> None:
        """End git, whatever it was doing."""
        await self._stack.aclose()


async def _complete_change(view: "View", repo: RepoId, framed: FramedCommit[PatchBody]) -> Change:
    commit = await with_true_parents(view, parse_commit(repo, *framed.header))
    if _is_cut_off(view, commit):
        return Change(commit=commit, files=(), incomplete=SHALLOW)
    return Change(commit=commit, files=framed.body.files())


def _is_cut_off(view: "View", commit: Commit) -> bool:
    """Return True if git would show the whole tree as new because the parents are not here."""
    return commit.sha in view.shallow and bool(commit.parents)


async def stream_files(
    view: "View", command: Sequence[str], limits: PatchLimits = COMMIT_LIMITS
) -> tuple[FileChange, ...]:
    """Return the files of a diff that git prints as a list and a patch; UpstreamError if it fails."""
    body = PatchBody(limits)
    async with view.running(command) as git:
        try:
            while piece := await git.read():
                body.feed(piece)
            view.expect_success(command[0], await git.finish())
            return body.files()
        except MalformedDiff as error:
            raise UpstreamError(f"git {command[0]}: {error}", retryable=False) from error


async def _read_alone(view: "View", repo: RepoId, sha: str, why: str) -> Change | None:
    """Read one commit of which something may be missing; None if the commit itself is damaged."""
    stream = await PatchStream.start(view, repo, [sha])
    try:
        change = await stream.next()
        if change is not None:
            return change
    finally:
        await stream.stop()
    try:
        (commit,) = await read_commits(view, repo, ["--no-walk", sha])
    except UpstreamError:
        return None
    return await _piecewise(view, commit, why)


async def _piecewise(view: "View", commit: Commit, why: str) -> Change:
    """Read what can be read of one commit, without renames, which would need the missing contents."""
    entries = (await entries_of(view, [commit.sha])).get(commit.sha)
    if entries is None:
        return Change(commit=commit, files=(), incomplete=NO_TREES)
    missing = await missing_blobs(view, entries)
    file_by_path: dict[bytes, FileChange] = {}
    readable = [entry for entry in entries if missing.isdisjoint(entry.blobs)]
    for start in range(0, len(readable), _MAX_PATHS_AT_ONCE):
        batch = readable[start : start + _MAX_PATHS_AT_ONCE]
        file_by_path |= await _read_paths(view, commit.sha, batch)
    files = [file_by_path.get(entry.path) or unreadable(entry, why) for entry in entries]
    return Change(commit=commit, files=tuple(files))


async def _read_paths(
    view: "View", sha: str, entries: Sequence[RawEntry]
) -> dict[bytes, FileChange]:
    """Read the patches of some files; where git dies, halve them until the damaged one is alone."""
    framing = Framing()
    paths = {entry.path for entry in entries}
    options = [*framing.options, *PATCH_OPTIONS, "--no-renames", "--no-walk", sha, "--"]
    async with view.running([*options, *sorted(paths)]) as git:
        bodies = [framed.body async for framed in framing.commits(git.read, PatchBody)]
        is_intact = (await git.finish()).code == 0 and len(bodies) == 1
    if is_intact:
        (body,) = bodies
        # A path that was a file and became a folder also names what is in the folder.
        pairs = zip(body.entries, body.files(), strict=True)
        return {entry.path: file for entry, file in pairs if entry.path in paths}
    if len(entries) == 1:
        return {}
    half = len(entries) // 2
    first_half = await _read_paths(view, sha, entries[:half])
    return first_half | await _read_paths(view, sha, entries[half:])


_FOR_COMMITS_ONLY = "--diff-merges=first-parent"
_RENAME_LIMIT = (
    "-l4000"  # Files that git compares to find renames; its default is too few for a range
)


async def tree_change(
    repository: "Repository",
    view: "View",
    repo: RepoId,
    old: str,
    new: str,
    environ: Mapping[str, str],
) -> Change:
    """Return how one tree differs from another, as if one commit had made the difference."""
    options = [option for option in PATCH_OPTIONS if option != _FOR_COMMITS_ONLY]
    if repository.promisor is not None:
        command = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new]
        raw = await view.read(command)
        missing = await missing_blobs(view, read_entries(raw))
        if missing:
            await patiently(lambda: fetch_blobs(repository, missing, environ))
    command = ["diff-tree", "-r", "-z", _RENAME_LIMIT, *options, old, new]
    files = await stream_files(view, command, RANGE_LIMITS)
    (commit,) = await read_commits(view, repo, ["--no-walk", new])
    return Change(commit=commit.model_copy(update={"parents": (old,)}), files=files)
