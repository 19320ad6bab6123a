"""Turns command-line arguments into settings, repositories and windows.

"Yesterday" is resolved here, once.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.domain.base import RepoId
from agent.domain.errors import InputError, UsageError
from agent.domain.references import repo_id
from agent.domain.window import Window, zone
from agent.settings.read import FILE_NAME, override, read_settings
from agent.settings.values import RepoSpec, Settings
from tools.git.opened_repository import checkout_above, config_file
from tools.git.process import run_local

_MAX_REPO_NAME = 100  # Characters, as on GitHub
_SETTINGS = ("tz", "lang", "layout", "analyst", "source", "out", "uses")


def settings_here(environ: Mapping[str, str]) -> Settings:
    """Return the settings of the environment and of the file in the current folder, if any."""
    file = Path(FILE_NAME)
    return read_settings(file if file.is_file() else None, environ)


def settings_for(args: argparse.Namespace, environ: Mapping[str, str]) -> Settings:
    """Return the settings of file and environment, overridden by the command line."""
    given: dict[str, Any] = {}
    for key in _SETTINGS:
        value = getattr(args, key, None)
        if value is not None:
            given[key] = value
    if args.repo:
        given["repos"] = args.repo
    return override(settings_here(environ), given)


def refuse_options(args: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    """Raise a `UsageError` if one of the named options was given."""
    given = []
    for name in names:
        if getattr(args, name, None) not in (None, False, []):
            given.append(f"--{name.replace('_', '-')}")
    if given:
        raise UsageError(f"{reason}; leave out {', '.join(given)}")


def specs_of(settings: Settings) -> tuple[RepoSpec, ...]:
    """Return the configured repositories; if there are none, the checkout of the current folder."""
    return settings.repos or (checkout_here(Path.cwd()),)


def checkout_here(folder: Path) -> RepoSpec:
    """Return the checkout around a folder.

    It is named by its origin if that is a hosted repository, otherwise `local/<folder>`.
    """
    path = checkout_above(folder)
    if path is None:
        raise UsageError(
            f"no repository to report on: use --repo owner/name, write {FILE_NAME},"
            " or stand in a git checkout"
        )
    folder_name = re.sub(r"[^A-Za-z0-9._-]", "-", path.name).strip(".")[:_MAX_REPO_NAME]
    name = f"local/{folder_name or 'checkout'}"
    # What is wrong with a checkout is said when it is read.
    with suppress(UsageError, InputError, OSError):
        name = repo_id(
            git_output(
                path, "config", "--file", str(config_file(path)), "--get", "remote.origin.url"
            )
        )
    return RepoSpec(name=RepoId(name), path=path)


def git_output(checkout: Path, *args: str) -> str:
    """Return what git prints about a checkout; an empty string if it fails."""
    try:
        git = run_local(args, checkout)
    except TimeoutError:
        return ""
    return git.out.decode("utf-8", "replace").strip()


def window_of(args: argparse.Namespace, tz: str, now: datetime) -> Window:
    """Return the window of --date, or of --since and --until; without these, yesterday.

    A window that is not over is refused, unless --partial is given.
    """
    if args.date and (args.since or args.until):
        raise UsageError("--date is one day; use either --date or --since and --until")
    if args.until and not args.since:
        raise UsageError("--until needs --since")
    today = now.astimezone(zone(tz)).date()
    if args.since:
        window = Window.between(args.since, args.until or str(today), tz, now)
    else:
        day = _day(args.date or "yesterday", today)
        window = Window.days(day, day, tz)
    if now < window.end and not args.partial:
        raise UsageError(
            f"{window.label} is not over in {tz} (it ends at {window.end:%Y-%m-%d %H:%M} UTC); "
            "wait, or use --partial for a report labelled as such"
        )
    return window.cut_at(now)


def bound_of(since: str | None, until: str | None, tz: str, now: datetime) -> Window | None:
    """Return the window of --since and --until, which holds for questions that name no time.

    Return None if neither is given.
    """
    if until and not since:
        raise UsageError("--until needs --since")
    if not since:
        return None
    window = Window.between(since, until or "", tz, now)
    if window.start >= now:
        return window
    return window.cut_at(now)


def _day(text: str, today: date) -> date:
    if text == "today":
        return today
    if text == "yesterday":
        return today - timedelta(days=1)
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day; write it as 2026-02-04") from error
