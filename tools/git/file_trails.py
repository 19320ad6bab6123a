"""Trails of files: the landed commits that touched them, under earlier names too, in one walk."""

import secrets
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.commits import Change
from agent.links.touched_lines import TouchedFile, touched_files
from tools.git.log import parse_seconds

if TYPE_CHECKING:
    from tools.git.isolated_repository import View

MAX_DEPTH = 25_000  # Landed commits that are looked through for those that touched a file
_LISTED = ("--name-status", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv")


class LeftFile(NamedTuple):
    """A file as a commit left it."""

    sha: str
    path: bytes

    @property
    def name(self) -> bytes:
        """The name by which git knows its content."""
        return self.sha.encode("ascii") + b":" + self.path


class _Landed(NamedTuple):
    """A commit of the landed line: what it did to which files."""

    sha: str
    parent: str  # Empty at the root
    seconds: int
    touched: frozenset[bytes]
    added: frozenset[bytes]
    renamed: Mapping[bytes, bytes]  # Earlier paths by the later ones


@dataclass
class FileTrail:
    """The landed commits before one that touched a file, also under its earlier names."""

    start: str
    commits: list[str] = field(default_factory=list)
    versions: list[LeftFile] = field(default_factory=list)  # The file as each of them left it
    boundary: str = ""  # The last commit that was looked at, if the file is older

    @property
    def grafts(self) -> bytes:
        """A history for `git blame -S` that consists of these commits only."""
        line = list(dict.fromkeys((self.start, *self.commits, self.boundary)))
        if not self.boundary:
            line.pop()
        lines = [f"{commit} {parent}" for commit, parent in pairwise(line)]
        return "\n".join([*lines, line[-1], ""]).encode("ascii")


class Trails:
    """The trails of files that are followed down the landed line, from several commits on."""

    def __init__(self, paths_by_commit: Mapping[str, Sequence[bytes]]) -> None:
        self._waiting = dict(paths_by_commit)
        self._followed: dict[bytes, list[FileTrail]] = defaultdict(list)
        self.by_file: dict[tuple[str, bytes], FileTrail] = {}
        self.roots: set[str] = set()
        self.positions: dict[str, int] = {}
        self.last = ""

    @property
    def are_complete(self) -> bool:
        """True once every file is followed to the commit that brought it."""
        return not self._waiting and not self._followed

    def add(self, commit: _Landed) -> None:
        """Take the next commit of the line, newest first."""
        self.last = commit.sha
        self.positions[commit.sha] = len(self.positions)
        if not commit.parent:
            self.roots.add(commit.sha)
        for path in commit.touched & self._followed.keys():
            self._extend(path, commit)
        for path in self._waiting.pop(commit.sha, ()):
            trail = FileTrail(commit.parent)
            self.by_file[commit.sha, path] = trail
            if commit.parent:
                self._followed[path].append(trail)

    def _extend(self, path: bytes, commit: _Landed) -> None:
        for trail in self._followed[path]:
            trail.commits.append(commit.sha)
            trail.versions.append(LeftFile(commit.sha, path))
        earlier_path = commit.renamed.get(path)
        if earlier_path is None:
            if path in commit.added:
                del self._followed[path]
            return
        trails = self._followed.pop(path)
        for trail in trails:
            # Git compares whole trees for the earlier name: those of neighbours differ least.
            trail.commits.append(commit.parent)
        self._followed[earlier_path] += trails

    def end_at(self, boundary: str) -> None:
        """Mark the trails that go on beyond the last commit."""
        for trails in self._followed.values():
            for trail in trails:
                trail.boundary = boundary


class FollowedChanges(NamedTuple):
    """Changes with the files that they touch, which were followed down the landed line."""

    shas: tuple[str, ...]  # Of the changes that were asked for
    changes: Sequence[Change]
    files: Mapping[str, Sequence[TouchedFile]]  # By the hashes of the changes that touch some
    trails: Trails


async def follow(
    view: "View", shas: tuple[str, ...], changes: Sequence[Change], since: datetime | None
) -> FollowedChanges:
    """Follow the files that changes touch down the landed line, each to the commit that brought it.

    With `since`, renames are not followed, and no commit from before that moment is looked at.
    """
    touched: dict[str, list[TouchedFile]] = {}
    paths_by_commit: dict[str, list[bytes]] = {}
    for change in changes:
        if files := touched_files(change):
            touched[change.commit.sha] = files
            paths_by_commit[change.commit.sha] = [as_bytes(file.path) for file in files]
    trails = Trails(paths_by_commit)
    followed = FollowedChanges(shas, changes, touched, trails)
    if not touched:
        return followed
    earliest = int(since.timestamp()) if since else 0
    async with aclosing(_landed(view, list(touched), renames=since is None)) as line:
        async for commit in line:
            if commit.seconds < earliest:
                trails.end_at(commit.sha)
                break
            trails.add(commit)
            if trails.are_complete:
                break
        else:
            trails.end_at(trails.last)
    return followed


async def _landed(
    view: "View", shas: Sequence[str], *, renames: bool
) -> AsyncGenerator[_Landed, None]:
    """Yield the commits of the landed line from the newest of these on."""
    mark = secrets.token_hex(16).encode("ascii")
    header = f"--format={mark.decode()}%H %ct %P%x00"
    options = ["--first-parent", "--topo-order", f"--max-count={MAX_DEPTH}", *_LISTED]
    options.append("--find-renames" if renames else "--no-renames")
    async with view.running(["log", "-z", header, *options, *shas, "--"]) as git:
        rest = b""
        while piece := await git.read():
            *records, rest = (rest + piece).split(mark)
            for record in records:
                if record:
                    yield _parse(record)
        if rest:
            yield _parse(rest)


def _parse(record: bytes) -> _Landed:
    header, _, listed = record.partition(b"\0")
    sha, date, *parents = header.decode("ascii").split(" ")
    fields = iter(listed.removeprefix(b"\0").removeprefix(b"\n").split(b"\0"))
    touched: set[bytes] = set()
    added: set[bytes] = set()
    renamed: dict[bytes, bytes] = {}
    for status in fields:
        if not status:
            continue
        path = next(fields)
        if status[:1] in (b"R", b"C"):
            earlier_path = path
            path = next(fields)
            renamed[path] = earlier_path
        elif status[:1] == b"A":
            added.add(path)
        touched.add(path)
    return _Landed(
        sha=sha,
        parent=parents[0],
        seconds=parse_seconds(date),
        touched=frozenset(touched),
        added=frozenset(added),
        renamed=renamed,
    )


def as_bytes(path: str) -> bytes:
    """Return a path as git knows it."""
    return path.encode("utf-8", "surrogateescape")
