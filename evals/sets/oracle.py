"""What git itself says of a mirror, asked as plainly as possible and by none of the code under test."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from agent.domain.base import InputError
from agent.domain.window import midnight
from agent.settings.values import RepoSpec
from evals.harness import Bench


@dataclass(frozen=True)
class FirstParentCommit:
    """A commit of the first-parent line and its committer date."""

    sha: str
    at: datetime


async def ask_git(git_dir: Path, *arguments: str) -> str:
    """Run git and return what it printed."""
    pipe = asyncio.subprocess.PIPE
    command = ("git", "--git-dir", str(git_dir), *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    out, complaint = (text.decode("utf-8", "replace") for text in await process.communicate())
    if process.returncode:
        raise InputError(f"git {arguments[0]} in {git_dir}: {complaint.strip()}")
    return out


async def first_parent_line(spec: RepoSpec) -> list[FirstParentCommit]:
    """List the whole first-parent line of HEAD, newest first."""
    text = await ask_git(git_dir_of(spec), "log", "--first-parent", "--format=%H %ct", "HEAD")
    rows = (line.split() for line in text.splitlines())
    return [FirstParentCommit(sha, datetime.fromtimestamp(int(at), UTC)) for sha, at in rows]


def path_of(spec: RepoSpec) -> Path:
    """Give the path that a mirror was given with."""
    assert spec.path is not None, "the command line takes no mirror without one"
    return spec.path


def git_dir_of(spec: RepoSpec) -> Path:
    """Find the git directory of a clone or a bare mirror."""
    inside = path_of(spec) / ".git"
    return inside if inside.exists() else path_of(spec)


def days_of(
    bench: Bench, line: Sequence[FirstParentCommit] = (), count: int = 1, commits: int = 0
) -> list[date]:
    """List the days that are given, else the last ones before the newest commit's that end with enough commits."""
    if bench.span is not None:
        first, after = map(date.fromisoformat, bench.span)
        return [first + timedelta(days=offset) for offset in range((after - first).days)]
    landed = [row.at.date() for row in line]
    last = max(landed) - timedelta(days=1)
    while landed.count(last) < commits and last > min(landed):
        last -= timedelta(days=1)
    return [last - timedelta(days=back) for back in reversed(range(count))]


def between(rows: Sequence[FirstParentCommit], days: Sequence[date], tz: str = "UTC") -> set[str]:
    """Find the commits that landed from the first to the last of these days."""
    start, end = midnight(days[0], tz), midnight(days[-1] + timedelta(days=1), tz)
    return {row.sha for row in rows if start <= row.at < end}
