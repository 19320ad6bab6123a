"""Mentions in commits: the landed ones that mention something in messages, paths or patches."""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from agent.domain.commits import Commit, Landing
from agent.domain.window import Window
from agent.ports import CommitMentions
from tools.git.blobs_of_commits import entries_of
from tools.git.diff_parser import RawEntry
from tools.git.log import PATCH_OPTIONS, Opened
from tools.git.missing_blobs import close_gaps, missing_blobs

_DIFF_OPTIONS = [option for option in PATCH_OPTIONS if option not in ("--raw", "--patch")]
_MAX_PATHS_AT_ONCE = 200  # On one command line: each path has up to four thousand bytes


class Mentions(Opened):
    """Searches landed commits whole, where an index has only a part of each."""

    _network: Mapping[str, str]

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List the landed commits of a window."""
        raise NotImplementedError

    async def members(self, sha: str) -> tuple[Commit, ...]:
        """List what a merge brought in."""
        raise NotImplementedError

    async def commits_with(self, pattern: str, window: Window) -> CommitMentions:
        """Return the landed commits of a window with a message, path or changed line that matches.

        The messages of what a merge brought in count for the merge. The pattern must mean the same
        in Python and in git; case does not matter.
        """
        commits = [row.commit for row in (await self.landed(window)).rows]
        shas = [commit.sha for commit in commits]
        view = await self._view()
        await close_gaps(await self._open(), view, shas, self._network)
        entries_by_sha = await entries_of(view, shas)
        missing = await missing_blobs(view, chain.from_iterable(entries_by_sha.values()))
        complete: list[str] = []
        incomplete: dict[str, list[RawEntry]] = {}
        unread_files = 0
        for sha in shas:
            entries = entries_by_sha.get(sha, [])
            readable = [entry for entry in entries if missing.isdisjoint(entry.blobs)]
            unread_files += len(entries) - len(readable)
            if sha not in entries_by_sha:
                unread_files += 1  # Nobody even knows how many files it has
            elif len(readable) == len(entries):
                complete.append(sha)
            else:
                incomplete[sha] = readable
        matching = await self._with_message(commits, pattern)
        matching |= await asyncio.to_thread(_with_path, entries_by_sha, pattern)
        matching |= await self._with_changed_line(complete, pattern)
        for sha, entries in incomplete.items():
            if await self._changes_line(sha, entries, pattern):
                matching.add(sha)
        matching_shas = tuple(sha for sha in shas if sha in matching)
        return CommitMentions(shas=matching_shas, unread_files=unread_files)

    async def _with_message(self, commits: Sequence[Commit], pattern: str) -> set[str]:
        search = re.compile(pattern, re.IGNORECASE).search
        matching: set[str] = set()
        for commit in commits:
            members = await self.members(commit.sha) if commit.is_merge else ()
            if any(search(each.message) for each in (commit, *members)):
                matching.add(commit.sha)
        return matching

    async def _with_changed_line(self, shas: Sequence[str], pattern: str) -> set[str]:
        """Return the commits whose patch, against their first parent, has a line that matches."""
        if not shas:
            return set()
        selection = [*_DIFF_OPTIONS, "--no-walk=unsorted", "--stdin"]
        output = await self._matching(selection, pattern, stdin="\n".join(shas).encode("ascii"))
        return set(output)

    async def _changes_line(self, sha: str, entries: Sequence[RawEntry], pattern: str) -> bool:
        """Return True if a line that matches changes in these files; git would read all others."""
        paths = [entry.path.decode("utf-8", "surrogateescape") for entry in entries]
        for start in range(0, len(paths), _MAX_PATHS_AT_ONCE):
            batch = paths[start : start + _MAX_PATHS_AT_ONCE]
            selection = ["--no-renames", "--diff-merges=first-parent", "--no-walk", sha]
            if await self._matching([*selection, "--", *batch], pattern):
                return True
        return False

    async def _matching(
        self, selection: Sequence[str], pattern: str, *, stdin: bytes = b""
    ) -> list[str]:
        command = ["log", "--format=%H", "--no-patch", "--regexp-ignore-case", f"-G{pattern}"]
        output = await (await self._view()).read([*command, *selection], stdin=stdin)
        return output.decode("ascii").split()


def _with_path(entries_by_sha: Mapping[str, Iterable[RawEntry]], pattern: str) -> set[str]:
    search = re.compile(pattern, re.IGNORECASE).search
    matching: set[str] = set()
    for sha, entries in entries_by_sha.items():
        if any(search(entry.path.decode("utf-8", "replace")) for entry in entries):
            matching.add(sha)
    return matching
