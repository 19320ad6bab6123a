"""Looking back over the landed line: what was called something, and who wrote the lines that a commit takes out."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from agent.areas import Area, area
from agent.domain import Commit
from agent.headlines import pull_named
from agent.ids import RepoId
from agent.sources import Headline, Past
from tools.git.landing import read_commits
from tools.git.view import View
from tools.git.walk import Walk

_MOST = 4_000
_LONGEST_TITLE = 400
_MOST_FILES, _MOST_LINES = 12, 450
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+", re.ASCII)
_BLAMED = re.compile(rb"^(\^?)([0-9a-f]{39,40})\s", re.ASCII)
_SUBSTANCE = re.compile(rb"\w[^\n]*\w", re.ASCII)


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


@dataclass
class _Taken:
    """Which lines of one file a commit takes out, by their numbers in the version before it."""

    path: bytes
    numbers: list[int] = field(default_factory=list)


async def written_by(view: View, sha: str, since: datetime, *, moved: bool = False) -> Mapping[str, int]:
    """Count the lines of code that a commit takes out by who had written them; older writers have an empty name.

    Lines that were moved within a file are those of who wrote them first; with `moved` also between files.
    """
    told = await view.run(
        ["diff-tree", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-renames", "--no-textconv", f"{sha}^", sha]
    )
    files = _taken(told.out) if told.code == 0 else []
    if not files or len(files) > _MOST_FILES or sum(len(one.numbers) for one in files) > _MOST_LINES:
        return {}
    counts: Counter[str] = Counter()
    for one in files:
        ranges = [part for number in one.numbers for part in ("-L", f"{number},{number}")]
        asked = [
            "blame",
            "-s",
            "-l",
            "-M",
            *(["-C"] if moved else []),
            "--root",
            "--first-parent",
            f"--since=@{int(since.timestamp())} +0000",
            *ranges,
        ]
        blamed = await view.run([*asked, f"{sha}^", "--", one.path])
        if blamed.code != 0:
            return {}
        for line in blamed.out.split(b"\n"):
            if found := _BLAMED.match(line):
                counts["" if found[1] else found[2].decode("ascii")] += 1
    return counts


def _taken(patch: bytes) -> list[_Taken]:
    """Read the numbers of the lines of code that go; blank lines and lone brackets say nothing."""
    files: list[_Taken] = []
    number = 0
    for line in patch.split(b"\n"):
        if line.startswith(b"--- a/"):
            files.append(_Taken(line[6:]))
        elif line.startswith(b"--- "):
            files.append(_Taken(b""))
        elif hunk := _HUNK.match(line):
            number = int(hunk[1])
        elif line.startswith(b"-") and files:
            if _SUBSTANCE.search(line[1:]):
                files[-1].numbers.append(number)
            number += 1
    return [one for one in files if one.path and one.numbers and _is_code(one.path)]


def _is_code(path: bytes) -> bool:
    return area(path.decode("utf-8", "replace")) in (Area.PRODUCT, Area.BENCH)
