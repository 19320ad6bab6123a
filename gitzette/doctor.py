"""The command `doctor`: what a run needs, whether it is there, and what to do where it is not."""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

from agent.errors import EXIT_DONE, EXIT_INCOMPLETE, AppError
from agent.settings import FILE_NAME, Settings, read_settings
from gitzette.wiring import home_of, keeper_of
from memory.database import open_database
from memory.runs import Runs
from tools.git.repository import OLDEST_GIT, git_version
from tools.github.client import GitHubClient

_SKEW_SECONDS = 120


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    says: str


def doctor(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Look at everything; 3 when something needs care."""
    findings = asyncio.run(_examine(environ))
    if args.json:
        sys.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=1) + "\n")
    else:
        for finding in findings:
            sys.stdout.write(f"{'ok  ' if finding.ok else 'CARE'}  {finding.what}: {finding.says}\n")
    return EXIT_DONE if all(finding.ok for finding in findings) else EXIT_INCOMPLETE


async def _examine(environ: Mapping[str, str]) -> list[Finding]:
    file = Path(FILE_NAME)
    try:
        settings = read_settings(file if file.is_file() else None, environ)
    except AppError as error:
        return [Finding("configuration", False, str(error))]
    about = f"{FILE_NAME}, {len(settings.repos)} repositories" if file.is_file() else f"no {FILE_NAME} here; defaults"
    return [
        Finding("configuration", True, about),
        await _git(),
        _database(settings, environ),
        *_mirrors(settings, environ),
        *await _github(settings),
    ]


async def _git() -> Finding:
    try:
        version = await git_version()
    except AppError as error:
        return Finding("git", False, str(error))
    oldest = ".".join(map(str, OLDEST_GIT))
    text = ".".join(map(str, version))
    return Finding("git", version >= OLDEST_GIT, f"{text}" if version >= OLDEST_GIT else f"{text}; needs {oldest}")


def _database(settings: Settings, environ: Mapping[str, str]) -> Finding:
    home = home_of(settings, environ)
    try:
        db = open_database(home)
        runs = Runs(db).latest(1)
        db.close()
    except AppError as error:
        return Finding("memory", False, str(error))
    last = f"last run {runs[0].started} {runs[0].status}" if runs else "no runs yet"
    return Finding("memory", True, f"{home}; {last}")


def _mirrors(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    keeper = keeper_of(settings, home_of(settings, environ), None, environ)
    found = [
        Finding("mirror", True, f"{repo}: {keeper.size(repo) / 1_048_576:.1f} MB in {path}")
        for repo, path in keeper.mirrors()
    ]
    return found or [Finding("mirror", True, "none kept yet")]


async def _github(settings: Settings) -> list[Finding]:
    """Ask for the rate limit, which is free, and compare clocks."""
    token = settings.token.get_secret_value() if settings.token else None
    if token is None:
        return [
            Finding("token", True, "none: code is read from git; threads only for numbers named in subjects (60/h)")
        ]
    try:
        async with GitHubClient(base_url=settings.github_url, token=token) as client:
            limits = await client.rate_limit()
    except AppError as error:
        return [Finding("token", False, f"{settings.github_url}: {error}")]
    enough = limits.remaining > 100
    skew = abs(parsedate_to_datetime(limits.date).timestamp() - time.time()) if limits.date else 0.0
    return [
        Finding("token", True, f"accepted by {settings.github_url}"),
        Finding("rate limit", enough, f"{limits.remaining} of {limits.limit} requests left"),
        Finding("clock", skew < _SKEW_SECONDS, f"{skew:.0f} s away from GitHub's"),
    ]
