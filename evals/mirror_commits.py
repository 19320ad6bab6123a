"""The commits of a mirror, read from git plainly, without the code under test."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from agent.domain.errors import InputError
from agent.domain.window import midnight
from agent.settings.values import RepoSpec
from evals.harness import Bench


@dataclass(frozen=True)
class FirstParentCommit:
    """A commit of the first-parent line and its committer date."""

    sha: str
    at: datetime


async def ask_git(git_dir: Path, *arguments: str) -> str:
    """Run git and return its output."""
    pipe = asyncio.subprocess.PIPE
    command = ("git", "--git-dir", str(git_dir), *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    output, errors = await process.communicate()
    if process.returncode:
        message = errors.decode("utf-8", "replace").strip()
        raise InputError(f"git {arguments[0]} in {git_dir}: {message}")
    return output.decode("utf-8", "replace")


async def first_parent_line(spec: RepoSpec) -> list[FirstParentCommit]:
    """Return the whole first-parent line of HEAD, newest first."""
    text = await ask_git(git_dir_of(spec), "log", "--first-parent", "--format=%H %ct", "HEAD")
    commits = []
    for line in text.splitlines():
        sha, seconds = line.split()
        commits.append(FirstParentCommit(sha, datetime.fromtimestamp(int(seconds), UTC)))
    return commits


def path_of(spec: RepoSpec) -> Path:
    """Return the path that a mirror was given with."""
    assert spec.path is not None, "the command line takes no mirror without one"
    return spec.path


def git_dir_of(spec: RepoSpec) -> Path:
    """Return the git directory of a clone or a bare mirror."""
    inside = path_of(spec) / ".git"
    return inside if inside.exists() else path_of(spec)


def days_of(
    bench: Bench, line: Sequence[FirstParentCommit] = (), count: int = 1, commits: int = 0
) -> list[date]:
    """Return the days that the command line gives, else the last ones before the newest commit's.

    The last of those has at least so many commits.
    """
    if bench.span is not None:
        first, after = map(date.fromisoformat, bench.span)
        return [first + timedelta(days=offset) for offset in range((after - first).days)]
    landed = [row.at.date() for row in line]
    last = max(landed) - timedelta(days=1)
    while landed.count(last) < commits and last > min(landed):
        last -= timedelta(days=1)
    return [last - timedelta(days=back) for back in reversed(range(count))]


def between(rows: Sequence[FirstParentCommit], days: Sequence[date], tz: str = "UTC") -> set[str]:
    """Return the commits that landed from the first to the last of these days."""
    start = midnight(days[0], tz)
    end = midnight(days[-1] + timedelta(days=1), tz)
    return {row.sha for row in rows if start <= row.at < end}
