"""Writers of the lines that commits touch, however old: `git blame` of a few lines each."""

import re
import secrets
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.links.line_writers import LineWriter, TouchedFile, touched_files
from agent.stories.timeline import headline
from tools.git.log import parse_seconds, read_commits

if TYPE_CHECKING:
    from tools.git.view import View

_MAX_DEPTH = 25_000  # Landed commits that are looked through for those that touched a file
_MAX_WRITERS = 3  # Writers of a commit's lines that are returned
_MAX_IGNORED = 40  # Commits that a repository may list as formatting
_IGNORED_LIST = ".git-blame-ignore-revs"
"""Where GitHub looks for the commits that only formatted a repository."""
_FULL_HASH = re.compile(rb"^[0-9a-f]{40}\b", re.MULTILINE)
_BLAMED = re.compile(rb"^([0-9a-f]{40}) \d+ (\d+)", re.MULTILINE)
_LISTED = ("--name-status", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv")


class _Landed(NamedTuple):
    """A commit of the landed line: what it did to which files."""

    sha: str
    parent: str  # Empty at the root
    seconds: int
    touched: frozenset[bytes]
    added: frozenset[bytes]
    renamed: Mapping[bytes, bytes]  # Earlier paths by the later ones


@dataclass
class _Trail:
    """The landed commits before one that touched a file, also under its earlier names."""

    start: str
    commits: list[str] = field(default_factory=list)
    boundary: str = ""  # The last commit that was looked at, if the file is older

    @property
    def grafts(self) -> bytes:
        """A history for `git blame -S` that consists of these commits only."""
        line = list(dict.fromkeys((self.start, *self.commits, self.boundary)))
        if not self.boundary:
            line.pop()
        lines = [f"{commit} {parent}" for commit, parent in pairwise(line)]
        return "\n".join([*lines, line[-1], ""]).encode("ascii")


class _Trails:
    """The trails of files that are followed down the landed line, from several commits on."""

    def __init__(self, paths_by_commit: Mapping[str, Sequence[bytes]]) -> None:
        self._waiting = dict(paths_by_commit)
        self._followed: dict[bytes, list[_Trail]] = defaultdict(list)
        self.by_file: dict[tuple[str, bytes], _Trail] = {}
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
            trail = _Trail(commit.parent)
            self.by_file[commit.sha, path] = trail
            if commit.parent:
                self._followed[path].append(trail)

    def _extend(self, path: bytes, commit: _Landed) -> None:
        for trail in self._followed[path]:
            trail.commits.append(commit.sha)
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


async def line_writers(
    view: "View", repo: RepoId, changes: Sequence[Change], since: datetime | None
) -> dict[str, tuple[LineWriter, ...]]:
    """Return who wrote the lines that each change touches, the likeliest to matter first.

    With `since`, renames are not followed, and lines from before that moment have no writer. Nor
    have the lines with which a repository began. Commits that it lists as formatting wrote nothing.
    """
    touched: dict[str, list[TouchedFile]] = {}
    for change in changes:
        if files := touched_files(change):
            touched[change.commit.sha] = files
    if not touched:
        return {}
    trails = await _trails(view, touched, since)
    newest = min(touched, key=lambda sha: trails.positions.get(sha, _MAX_DEPTH))
    ignored = [sha for sha in await _formatting(view, newest) if sha in trails.positions]
    counts: dict[str, _Count] = {}
    for sha, files in touched.items():
        count = _Count()
        for file in files:
            trail = trails.by_file.get((sha, _as_bytes(file.path)))
            if trail is None or not trail.commits:
                continue
            writers = await _writers(view, sha, file, trail, ignored[:_MAX_IGNORED])
            count.add(file, writers, {*trails.roots, trail.boundary})
        counts[sha] = count
    return await _with_headlines(view, repo, counts, trails.positions)


# ---------------------------------------------------------------- the landed line


async def _trails(
    view: "View", touched: Mapping[str, Sequence[TouchedFile]], since: datetime | None
) -> _Trails:
    """Follow the touched files down the landed line, each to the commit that brought it."""
    paths_by_commit: dict[str, list[bytes]] = {}
    for sha, files in touched.items():
        paths_by_commit[sha] = [_as_bytes(file.path) for file in files]
    trails = _Trails(paths_by_commit)
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
    return trails


async def _landed(
    view: "View", shas: Sequence[str], *, renames: bool
) -> AsyncGenerator[_Landed, None]:
    """Yield the commits of the landed line from the newest of these on."""
    mark = secrets.token_hex(16).encode("ascii")
    header = f"--format={mark.decode()}%H %ct %P%x00"
    options = ["--first-parent", "--topo-order", f"--max-count={_MAX_DEPTH}", *_LISTED]
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


async def _formatting(view: "View", sha: str) -> list[str]:
    """Return the commits that a repository lists as formatting only."""
    (listed,) = await view.objects.contents([f"{sha}:{_IGNORED_LIST}".encode("ascii")])
    if listed is None:
        return []
    return [line.decode("ascii") for line in _FULL_HASH.findall(listed.content)]


# ---------------------------------------------------------------- lines


async def _writers(
    view: "View", sha: str, file: TouchedFile, trail: _Trail, ignored: Sequence[str]
) -> dict[int, str]:
    """Return who wrote each touched line of a file; nothing if git cannot say it."""
    options = ["--porcelain", "-w", "-M", "--root", "--first-parent", "-S", "/dev/stdin"]
    options += [f"--ignore-rev={commit}" for commit in ignored]
    ranges = [f"-L{first},{last}" for first, last in _ranges(file.weights)]
    command: list[str | bytes] = ["blame", *options, *ranges, f"{sha}^", "--"]
    command.append(_as_bytes(file.path))
    blame = await view.run(command, stdin=trail.grafts)
    if blame.code != 0:
        return {}
    writers: dict[int, str] = {}
    for writer, number in _BLAMED.findall(blame.out):
        writers[int(number)] = writer.decode("ascii")
    return writers


def _ranges(numbers: Mapping[int, float]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


class _Count:
    """The lines that a commit touches, counted by the earlier commits that wrote them."""

    def __init__(self) -> None:
        self.changed: Counter[str] = Counter()
        self.nearby: Counter[str] = Counter()
        self.weights: dict[str, float] = defaultdict(float)

    def add(self, file: TouchedFile, writers: Mapping[int, str], nobody: set[str]) -> None:
        """Count the lines of a file; those of `nobody` are older than what was looked at."""
        for number, weight in file.weights.items():
            writer = writers.get(number, "")
            if writer and writer not in nobody:
                self.weights[writer] += weight
        self.changed.update(writers[number] for number in file.changed if number in writers)
        self.nearby.update(writers[number] for number in file.nearby if number in writers)

    def ranked(self, positions: Mapping[str, int]) -> list[str]:
        """Return the writers, those of the most lines first, of equal ones the latest."""
        unknown = len(positions)
        ranking = sorted(
            self.weights, key=lambda sha: (-self.weights[sha], positions.get(sha, unknown), sha)
        )
        return ranking[:_MAX_WRITERS]


async def _with_headlines(
    view: "View", repo: RepoId, counts: Mapping[str, _Count], positions: Mapping[str, int]
) -> dict[str, tuple[LineWriter, ...]]:
    ranked = {sha: count.ranked(positions) for sha, count in counts.items()}
    shas: dict[str, None] = {}
    for ranking in ranked.values():
        shas |= dict.fromkeys(ranking)
    if not shas:
        return {}
    selection = ["--no-walk=unsorted", "--stdin"]
    commits = await read_commits(view, repo, selection, stdin="\n".join(shas).encode("ascii"))
    heads = {commit.sha: headline(commit) for commit in commits}
    writers: dict[str, tuple[LineWriter, ...]] = {}
    for sha, ranking in ranked.items():
        count = counts[sha]
        writers[sha] = tuple(
            LineWriter(
                commit=heads[writer], changed=count.changed[writer], nearby=count.nearby[writer]
            )
            for writer in ranking
        )
    return writers


def _as_bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
