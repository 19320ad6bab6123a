"""The line of landed commits before one, with the paths each of them touched: read once, asked for many commits."""

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.domain.commits import Change
from tools.diff.lineage import line_changes
from tools.git.log import PATCH_OPTIONS, Framing
from tools.git.patch import MalformedDiff, read_files
from tools.git.view import View

_ENOUGH = 0.25
"""The least share of a file's lines; a commit that is undone by half or more has a file with twice as much."""
Lines = frozenset[bytes]


async def opposites(view: View, sha: str, others: Sequence[str], paths: Sequence[bytes]) -> list[str]:
    """Keep the commits that brought what this one takes out of a file, or took what it brings.

    Where git cannot tell because contents are missing, all are kept.
    """
    framing, found = Framing(), dict[str, dict[str, tuple[Lines, Lines]]]()
    asked = [*framing.options, *PATCH_OPTIONS, "--unified=0", "--no-renames", "--no-walk=unsorted", "--stdin", "--"]
    async with view.running([*asked, *paths], stdin="\n".join((sha, *others)).encode("ascii")) as git:
        try:
            async for record in framing.records(git.read):
                files = {file.path: line_changes(file.patch or "") for file in read_files(record.body)}
                sides = {path: (frozenset(less), frozenset(more)) for path, (less, more) in files.items()}
                found[record.header[:40].decode("ascii")] = sides
        except MalformedDiff:
            return list(others)
        if (await git.finish()).code != 0:
            return list(others)
    own = found.get(sha, {})
    return [one for one in others if any(_is_opposite(own, path, file) for path, file in found.get(one, {}).items())]


def _is_opposite(own: Mapping[str, tuple[Lines, Lines]], path: str, file: tuple[Lines, Lines]) -> bool:
    """Tell whether a file was changed the other way round."""
    less, more = own.get(path, (frozenset(), frozenset()))
    common = len(less & file[1]) + len(more & file[0])
    return common > 0 and common >= _ENOUGH * max(len(less) + len(more), len(file[0]) + len(file[1]))


Counts = Mapping[bytes, tuple[int, int]]
"""How many lines of each file came, and how many went."""
_TREES_ONLY = ("--name-only", "--no-renames", "--diff-merges=first-parent")
_COUNTS = ("--numstat", "--no-renames", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv")
_TOTALS = ("--shortstat", "--find-renames", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv")
_MANY_PATHS = 200
_FIRST_LOOK = 64
"""How many commits are read above those that are known, at first: the commits of a day lie close together."""
_FEW_LINES = 10
"""Of fewer lines only an equal patch says anything."""
_PLAIN = ("added", "removed", "modified")
_ODD = "\ufffd"
"""What stands for bytes of a path that are not UTF-8."""
_ALIKE = 0.25
"""The least share of its lines that a change can have in common with its copy or its opposite.

Less than half of what is asked of the patches later: here moved and repeated lines are counted too.
"""


@dataclass(frozen=True, slots=True)
class _Step:
    parent: str
    paths: frozenset[bytes]


@dataclass
class Line:
    """What is known of the first-parent history of a repository; a commit never changes, so it is never read again.

    Walking the history and reading sixty patches for each question would take longer than all else that a day needs.
    """

    _steps: dict[str, _Step] = field(default_factory=dict)
    _counts: dict[str, dict[bytes, tuple[int, int]]] = field(default_factory=dict)
    _totals: dict[str, int] = field(default_factory=dict)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __contains__(self, sha: str) -> bool:
        """Tell whether a commit is known to be here."""
        return sha in self._steps

    async def before(self, view: View, sha: str, paths: Sequence[str], *, most: int, depth: int) -> list[str]:
        """Name the latest commits before this one that touched these paths, newest first, not further than `depth`."""
        wanted = {path.encode("utf-8", "replace") for path in paths}
        found: list[str] = []
        at, steps = sha, 0
        while at and steps < depth and len(found) < most:
            if at not in self._steps:
                await self._read(view, at, depth - steps)
            step = self._steps[at]
            if steps and not wanted.isdisjoint(step.paths):
                found.append(at)
            at, steps = step.parent, steps + 1
        return found

    async def near(self, view: View, sha: str, others: Sequence[str], paths: Sequence[str]) -> list[str]:
        """Keep those commits that touch what this one does; of them no more than the names of their files is read.

        Where that cannot be told because contents of this commit are missing, all are kept.
        """
        asked = self._asked(sha, paths)
        own = (await self._counted(view, [sha], asked) if others else {}).get(sha)
        if own is None:
            return list(others)
        return [other for other in others if _fits(own, self._steps[sha].paths, self._steps[other].paths)]

    async def alike(self, view: View, sha: str, near: Sequence[str], paths: Sequence[str]) -> list[str]:
        """Keep those of the commits near to this one whose counts of lines allow them to be its copy or its opposite.

        None is kept where none can be the opposite: of copies alone nothing is told, what was undone has an opposite.
        Where that cannot be told because contents are missing, all are kept.
        """
        mine = self._steps[sha].paths
        asked = self._asked(sha, paths)
        own = (await self._counted(view, [sha], asked) if near else {}).get(sha)
        if own is None:
            return list(near)
        counts = await self._counted(view, near, asked)
        shared = {other: _Shared.of(own, counts.get(other, own)) for other in near}
        near = [other for other in near if shared[other].most >= shared[other].least]
        opposite = [one for one in near if one not in counts or shared[one].opposite >= shared[one].least]
        if opposite and len(mine) <= _MANY_PATHS:
            opposite = await opposites(view, sha, opposite, asked)
        if not opposite:
            return []
        wider = [other for other in near if self._steps[other].paths - mine]
        self._totals |= await _totals(view, [other for other in wider if other not in self._totals])
        return [
            other for other in near if other not in wider or shared[other].most >= _ALIKE * self._totals.get(other, 0)
        ]

    def count(self, change: Change) -> None:
        """Take the counts of lines from a patch that was read, where git would count the same without renames."""
        plain = not change.incomplete and all(
            file.status in _PLAIN and file.unreadable is None and _ODD not in file.path for file in change.files
        )
        if plain and change.commit.sha not in self._counts:
            files = {file.path.encode(): (file.additions, file.deletions) for file in change.files}
            self._counts[change.commit.sha] = files

    def _asked(self, sha: str, paths: Sequence[str]) -> list[bytes]:
        """Choose the paths whose lines are counted: all of a commit unless they are too many."""
        mine = self._steps[sha].paths
        return sorted(mine) if len(mine) <= _MANY_PATHS else [path.encode("utf-8", "replace") for path in paths]

    async def _counted(self, view: View, shas: Sequence[str], paths: Sequence[bytes]) -> dict[str, Counts]:
        """Count the lines of these paths, commit by commit, as far as they are not known; nothing where git cannot."""
        wanted = frozenset(paths)
        touched = {sha: wanted & self._steps[sha].paths for sha in shas}
        unknown = [sha for sha in shas if not touched[sha] <= self._counts.get(sha, {}).keys()]
        asked = frozenset[bytes]().union(*(touched[sha] for sha in unknown))
        for sha, found in (await _counts(view, unknown, sorted(asked))).items():
            # A file of which only the mode changed is not listed.
            self._counts[sha] = {**self._counts.get(sha, {}), **dict.fromkeys(touched[sha], (0, 0)), **found}
        counts: dict[str, Counts] = {}
        for sha in shas:
            known = self._counts.get(sha, {})
            if touched[sha] <= known.keys():
                counts[sha] = {path: known[path] for path in touched[sha]}
        return counts

    async def _read(self, view: View, sha: str, count: int) -> None:
        """Read on from a commit, down to what is known or as far as asked for."""
        async with self._reading:
            some = _FIRST_LOOK if self._steps else count
            while sha and count > 0 and sha not in self._steps:
                sha = await self._log(view, sha, min(some, count))
                count, some = count - some, 4 * some

    async def _log(self, view: View, sha: str, count: int) -> str:
        """Read some commits, and say which one comes before them."""
        options = [*_TREES_ONLY, "--first-parent", f"--max-count={count}"]
        mark = secrets.token_hex(16)
        out = await view.read(["log", "-z", f"--format={mark}%H %P%x00", *options, sha, "--"])
        last = ""
        for head, names in _records(out, mark):
            one, *parents = head.decode("ascii").split()
            last = parents[0] if parents else ""
            self._steps[one] = _Step(last, frozenset(names))
        return last


@dataclass(frozen=True, slots=True)
class _Shared:
    """How many lines two changes can have in common at most."""

    same: int
    opposite: int
    """How many one has in common with what would undo the other."""
    least: float
    """How many it must be for the one to be a copy of the other, or its opposite."""

    @property
    def most(self) -> int:
        return max(self.same, self.opposite)

    @classmethod
    def of(cls, one: Counts, other: Counts) -> "_Shared":
        pairs = [(lines, other[path]) for path, lines in one.items() if path in other]
        same = sum(min(a[0], b[0]) + min(a[1], b[1]) for a, b in pairs)
        opposite = sum(min(a[0], b[1]) + min(a[1], b[0]) for a, b in pairs)
        return cls(same, opposite, _ALIKE * max(_sum(one), _sum(other)))


def _fits(own: Counts, mine: frozenset[bytes], other: frozenset[bytes]) -> bool:
    """Tell whether a commit touches most of what this one does, and not many more files than this one has lines."""
    lines = _sum(own)
    if lines < _FEW_LINES:
        return mine == other
    touched = sum(came + went for path, (came, went) in own.items() if path in other)
    return touched >= _ALIKE * lines and len(other - mine) <= lines


async def _counts(view: View, shas: Sequence[str], paths: Sequence[bytes]) -> dict[str, Counts]:
    """Count the lines of these paths, commit by commit; nothing where git cannot."""
    if not shas:
        return {}
    mark = secrets.token_hex(16)
    options = ["log", "-z", f"--format={mark}%H%x00", *_COUNTS, "--no-walk=unsorted", "--stdin", "--"]
    told = await view.run([*options, *paths], stdin="\n".join(shas).encode("ascii"))
    if told.code != 0:
        return {}
    return {head.decode("ascii"): dict(_lines(entry) for entry in rest) for head, rest in _records(told.out, mark)}


async def _totals(view: View, shas: Sequence[str]) -> dict[str, int]:
    """Count all lines of these commits, as their patches show them."""
    if not shas:
        return {}
    mark = secrets.token_hex(16)
    asked = ["log", f"--format={mark}%H%x00", *_TOTALS, "--no-walk=unsorted", "--stdin"]
    told = await view.run(asked, stdin="\n".join(shas).encode("ascii"))
    if told.code != 0:
        return {}
    totals = {}
    for head, rest in _records(told.out, mark):
        # The files come first, then the lines that came and those that went.
        figures = [int(word) for entry in rest for word in entry.split() if word.isdigit()]
        totals[head.decode("ascii")] = sum(figures[1:])
    return totals


def _sum(counts: Counts) -> int:
    return sum(came + went for came, went in counts.values())


def _records(out: bytes, mark: str) -> Iterator[tuple[bytes, list[bytes]]]:
    """Take apart what git printed: the head of each commit, and the entries of its files."""
    for record in out.split(mark.encode("ascii"))[1:]:
        head, _, rest = record.partition(b"\0")
        yield head, [entry for entry in rest.removeprefix(b"\0\n").split(b"\0") if entry]


def _lines(entry: bytes) -> tuple[bytes, tuple[int, int]]:
    """Read how many lines of a file came and went; a binary file has none."""
    came, went, path = entry.split(b"\t", 2)
    return path, (int(came) if came.isdigit() else 0, int(went) if went.isdigit() else 0)
