"""Looking back over the landed line: what was called something, and who wrote the lines that a commit takes out."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Headline
from agent.domain.patch import read_patch
from agent.links.headlines import pull_named
from agent.ports.sources import Past
from agent.triage.areas import Area, area
from tools.git.landing import read_commits
from tools.git.log import PATCH_OPTIONS, Walk
from tools.git.patch import read_files
from tools.git.view import View

_MOST = 4_000
_LONGEST_TITLE = 400
_MOST_FILES, _MOST_LINES = 12, 450
_BLAMED = re.compile(rb"^(\^?)([0-9a-f]{39,40})\s", re.ASCII)
_SUBSTANCE = re.compile(r"\w.*\w", re.ASCII)


async def headed(view: View, repo: RepoId, walk: Walk | None, pattern: str, upto: str, since: datetime) -> Past:
    """List the commits of the line up to one, not before a moment, whose title fits a pattern; newest first."""
    form = re.compile(pattern, re.IGNORECASE)
    # What a shallow clone shows of its last commits is not all that they are.
    if walk is not None and not view.shallow and walk.has(upto, since):
        commits = list(islice(walk.titled(repo, form, upto, since), _MOST))
    else:
        commits = await _grepped(view, repo, pattern, upto, since)
    found = tuple(
        Headline(
            sha=commit.sha,
            at=commit.committed_at,
            author=commit.author.name,
            title=commit.title[:_LONGEST_TITLE],
            pull=pull_named(commit.subject) or pull_named(commit.title),
        )
        for commit in commits
        if form.search(commit.title) or form.search(commit.subject)
    )
    whole = not view.shallow and len(commits) < _MOST
    return Past(found=found, since=since if whole else None)


async def _grepped(view: View, repo: RepoId, pattern: str, upto: str, since: datetime) -> list[Commit]:
    """Let git look for the commits of a line in whose messages a pattern is found."""
    chosen = ["--first-parent", "--regexp-ignore-case", "--extended-regexp", f"--grep={pattern}"]
    limits = [f"--since-as-filter=@{max(1, int(since.timestamp()))} +0000", f"--max-count={_MOST}"]
    return await read_commits(view, repo, [*chosen, *limits, upto])


async def written_by(view: View, sha: str, since: datetime, *, moved: bool = False) -> Mapping[str, int]:
    """Count the lines of code that a commit takes out by who had written them; older writers have an empty name.

    Lines that were moved within a file are those of who wrote them first; with `moved` also between files.
    """
    told = await view.run(["diff-tree", "-r", "-z", *PATCH_OPTIONS, "-U0", "--no-renames", f"{sha}^", sha])
    lines = dict(_taken(told.out)) if told.code == 0 else {}
    if not lines or len(lines) > _MOST_FILES or sum(map(len, lines.values())) > _MOST_LINES:
        return {}
    counts: Counter[str] = Counter()
    options = ["-s", "-l", "-M", *(["-C"] if moved else []), "--root", "--first-parent"]
    for path, numbers in lines.items():
        ranges = [part for number in numbers for part in ("-L", f"{number},{number}")]
        limit = f"--since=@{int(since.timestamp())} +0000"
        blamed = await view.run(["blame", *options, limit, *ranges, f"{sha}^", "--", path])
        if blamed.code != 0:
            return {}
        for line in blamed.out.split(b"\n"):
            if found := _BLAMED.match(line):
                counts["" if found[1] else found[2].decode("ascii")] += 1
    return counts


def _taken(body: bytes) -> Iterator[tuple[str, list[int]]]:
    """Give the numbers of the lines of code that go from each file; blank lines and lone brackets say nothing."""
    for file in read_files(body):
        gone = read_patch(file.patch).lines("old") if area(file.path) in (Area.PRODUCT, Area.BENCH) else {}
        if numbers := [number for number, line in gone.items() if _SUBSTANCE.search(line, 1)]:
            yield file.path, numbers
