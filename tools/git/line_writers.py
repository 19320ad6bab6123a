"""Writers of the lines that commits touch, however old: `git blame` of a few lines each."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agent.domain.base import RepoId
from agent.links.touched_lines import LineWriter, TouchedFile
from agent.stories.timeline import headline
from tools.git.file_trails import MAX_DEPTH, FileTrail, FollowedChanges, as_bytes
from tools.git.log import read_commits

if TYPE_CHECKING:
    from tools.git.isolated_repository import View

_MAX_WRITERS = 3  # Writers of a commit's lines that are returned
_MAX_IGNORED = 40  # Commits that a repository may list as formatting
_IGNORED_LIST = ".git-blame-ignore-revs"
"""Where GitHub looks for the commits that only formatted a repository."""
_FULL_HASH = re.compile(rb"^[0-9a-f]{40}\b", re.MULTILINE)
_BLAMED = re.compile(rb"^([0-9a-f]{40}) \d+ (\d+)", re.MULTILINE)


async def line_writers(
    view: "View", repo: RepoId, followed: FollowedChanges
) -> dict[str, tuple[LineWriter, ...]]:
    """Return who wrote the lines that each change touches, the likeliest to matter first.

    Lines from before the moment to which files were followed have no writer. Nor have the lines
    with which a repository began. Commits that it lists as formatting wrote nothing.
    """
    touched = followed.files
    if not touched:
        return {}
    trails = followed.trails
    newest = min(touched, key=lambda sha: trails.positions.get(sha, MAX_DEPTH))
    ignored = [sha for sha in await _formatting(view, newest) if sha in trails.positions]
    counts: dict[str, _Count] = {}
    for sha, files in touched.items():
        count = _Count()
        for file in files:
            trail = trails.by_file.get((sha, as_bytes(file.path)))
            if trail is None or not trail.commits:
                continue
            writers = await _writers(view, sha, file, trail, ignored[:_MAX_IGNORED])
            count.add(file, writers, {*trails.roots, trail.boundary})
        counts[sha] = count
    return await _with_headlines(view, repo, counts, trails.positions)


async def _formatting(view: "View", sha: str) -> list[str]:
    """Return the commits that a repository lists as formatting only."""
    (listed,) = await view.objects.contents([f"{sha}:{_IGNORED_LIST}".encode("ascii")])
    if listed is None:
        return []
    return [line.decode("ascii") for line in _FULL_HASH.findall(listed.content)]


# ---------------------------------------------------------------- lines


async def _writers(
    view: "View", sha: str, file: TouchedFile, trail: FileTrail, ignored: Sequence[str]
) -> dict[int, str]:
    """Return who wrote each touched line of a file; nothing if git cannot say it."""
    options = ["--porcelain", "-w", "-M", "--root", "--first-parent", "-S", "/dev/stdin"]
    options += [f"--ignore-rev={commit}" for commit in ignored]
    ranges = [f"-L{first},{last}" for first, last in _ranges(file.weights)]
    command: list[str | bytes] = ["blame", *options, *ranges, f"{sha}^", "--"]
    command.append(as_bytes(file.path))
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
        line_writers: list[LineWriter] = []
        for writer in ranking:
            changed = count.changed[writer]
            nearby = count.nearby[writer]
            line_writers.append(LineWriter(commit=heads[writer], changed=changed, nearby=nearby))
        writers[sha] = tuple(line_writers)
    return writers
