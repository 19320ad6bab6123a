"""What the command line asks for: settings, repositories, windows; "yesterday" is resolved here, once."""

import argparse
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.domain.base import RepoId, UsageError
from agent.domain.references import repo_id
from agent.domain.window import Window, zone
from agent.settings.read import FILE_NAME, override, read_settings
from agent.settings.values import RepoSpec, Settings
from tools.git.repository import checkout_above

_MAX_REPO_NAME = 100  # Characters, as on GitHub
_SETTINGS = ("tz", "lang", "layout", "analyst", "source", "out", "uses")


def settings_here(environ: Mapping[str, str]) -> Settings:
    """Read the file in the folder the user stands in, if there is one, and the environment."""
    file = Path(FILE_NAME)
    return read_settings(file if file.is_file() else None, environ)


def settings_for(args: argparse.Namespace, environ: Mapping[str, str]) -> Settings:
    """Let the command line override the file and the environment."""
    given: dict[str, Any] = {key: getattr(args, key, None) for key in _SETTINGS} | {
        "repos": args.repo or None
    }
    return override(
        settings_here(environ), {key: value for key, value in given.items() if value is not None}
    )


def refuse(args: argparse.Namespace, names: Sequence[str], why: str) -> None:
    """Refuse options that contradict another one."""
    if given := [name for name in names if getattr(args, name, None) not in (None, False, [])]:
        raise UsageError(
            f"{why}; leave out {', '.join('--' + name.replace('_', '-') for name in given)}"
        )


def specs_of(settings: Settings) -> tuple[RepoSpec, ...]:
    """Name what is reported on: what is configured, else the checkout that the user stands in."""
    return settings.repos or (checkout_here(Path.cwd()),)


def checkout_here(folder: Path) -> RepoSpec:
    """Name the checkout by its origin where that is a hosted repository, else `local/<folder>`."""
    path = checkout_above(folder)
    if path is None:
        raise UsageError(
            f"no repository to report on: use --repo owner/name, write {FILE_NAME}, or stand in a git checkout"
        )
    folder_name = re.sub(r"[^A-Za-z0-9._-]", "-", path.name).strip(".")[:_MAX_REPO_NAME]
    name = f"local/{folder_name or 'checkout'}"
    with suppress(UsageError):
        name = repo_id(git_says(path, "config", "--get", "remote.origin.url"))
    return RepoSpec(name=RepoId(name), path=path)


def git_says(checkout: Path, *args: str) -> str:
    """Ask git about a checkout; nothing where it does not know."""
    done = subprocess.run(["git", "-C", str(checkout), *args], capture_output=True, check=False)
    return done.stdout.decode(errors="replace").strip()


def window_of(args: argparse.Namespace, tz: str, now: datetime) -> Window:
    """Read --date, or --since and --until, or take yesterday; refuse what is not over unless --partial."""
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
    """Read --since and --until of a question: where it names no time, it is about this; None for no bounds."""
    if until and not since:
        raise UsageError("--until needs --since")
    if not since:
        return None
    window = Window.between(since, until or "", tz, now)
    return window.cut_at(now) if window.start < now else window


def _day(text: str, today: date) -> date:
    if text in ("yesterday", "today"):
        return today - timedelta(days=text == "yesterday")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day; write it as 2026-02-04") from error
