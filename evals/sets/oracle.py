"""What git itself says of a mirror, asked as plainly as possible and by none of the code under test."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from agent.domain.base import InputError
from agent.domain.window import midnight


@dataclass(frozen=True)
class Row:
    """A commit of the first-parent line and its committer date."""

    sha: str
    at: datetime


async def ask_git(git_dir: Path, *arguments: str) -> bytes:
    """Run git and return what it printed."""
    process = await asyncio.create_subprocess_exec(
        "git", "--git-dir", str(git_dir), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, complaint = await process.communicate()
    if process.returncode:
        raise InputError(f"git {arguments[0]} in {git_dir}: {complaint.decode('utf-8', 'replace').strip()}")
    return out


async def first_parent_line(git_dir: Path) -> list[Row]:
    """List the whole first-parent line of HEAD, newest first."""
    text = await ask_git(git_dir, "log", "--first-parent", "--format=%H %ct", "HEAD")
    return [
        Row(sha, datetime.fromtimestamp(int(at), UTC))
        for sha, at in (line.split() for line in text.decode().splitlines())
    ]


def git_dir_of(path: Path) -> Path:
    """Find the git directory of a clone or a bare mirror."""
    return path / ".git" if (path / ".git").exists() else path


def days_of(span: tuple[str, str]) -> list[date]:
    """List the days from the first up to, not including, the last."""
    try:
        first, last = (date.fromisoformat(text) for text in span)
    except ValueError as error:
        raise InputError("--since and --until must be days such as 2026-07-01") from error
    return [first + timedelta(days=offset) for offset in range((last - first).days)]


def last_days(newest: datetime, count: int) -> list[date]:
    """List the days up to the newest commit's."""
    return [newest.date() - timedelta(days=back) for back in reversed(range(count))]


def between(rows: list[Row], days: list[date], tz: str) -> set[str]:
    """Find the commits that landed from the first to the last of these days."""
    start, end = midnight(days[0], tz), midnight(days[-1] + timedelta(days=1), tz)
    return {row.sha for row in rows if start <= row.at < end}
