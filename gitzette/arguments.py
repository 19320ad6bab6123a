"""What the command line asks for: settings, repositories, windows; "yesterday" is resolved here, once."""

import argparse
import configparser
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.domain.base import RepoId, UsageError, repo_id
from agent.domain.window import Window, midnight, moment, zone
from agent.settings.values import FILE_NAME, RepoSpec, Settings, override, read_settings
from tools.git.repository import checkout_above

_SETTINGS = ("tz", "lang", "layout", "analyst", "source", "out", "uses")


def settings_here(environ: Mapping[str, str]) -> Settings:
    """Read the file in the folder the user stands in, if there is one, and the environment."""
    file = Path(FILE_NAME)
    return read_settings(file if file.is_file() else None, environ)


def settings_for(args: argparse.Namespace, environ: Mapping[str, str]) -> Settings:
    """Let the command line override the file and the environment."""
    given: dict[str, Any] = {key: getattr(args, key, None) for key in _SETTINGS} | {"repos": args.repo or None}
    return override(settings_here(environ), {key: value for key, value in given.items() if value is not None})


def refuse(args: argparse.Namespace, names: Sequence[str], why: str) -> None:
    """Refuse options that contradict another one."""
    if given := [name for name in names if getattr(args, name, None) not in (None, False, [])]:
        raise UsageError(f"{why}; leave out {', '.join('--' + name.replace('_', '-') for name in given)}")


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
    local = RepoId(f"local/{re.sub(r'[^A-Za-z0-9._-]', '-', path.name).strip('.') or 'checkout'}")
    return RepoSpec(name=_origin(path) or local, path=path)


def _origin(path: Path) -> RepoId | None:
    """Read the origin's address from the checkout's own configuration."""
    try:
        text = (path / ".git" / "config").read_text("utf-8", errors="replace")
        # Git indents its keys; the parser takes an indented line for a continuation.
        config = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
        config.read_string("\n".join(line.strip() for line in text.splitlines()))
        return repo_id(config['remote "origin"']["url"])
    except (OSError, KeyError, configparser.Error, UsageError, AttributeError):
        return None


def window_of(args: argparse.Namespace, tz: str, now: datetime) -> Window:
    """Read --date, or --since and --until, or take yesterday; refuse what is not over unless --partial."""
    if args.date and (args.since or args.until):
        raise UsageError("--date is one day; use either --date or --since and --until")
    if args.until and not args.since:
        raise UsageError("--until needs --since")
    window = _asked(args, tz, now)
    if now >= window.end:
        return window
    if not args.partial:
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
    return window.cut_at(now) if window.start < now < window.end else window


def _asked(args: argparse.Namespace, tz: str, now: datetime) -> Window:
    if args.date:
        day = _day(args.date, tz, now)
        return Window.days(day, day, tz)
    if not args.since:
        return Window.yesterday(now, tz)
    start = moment(args.since, tz)
    end = moment(args.until, tz) if args.until else midnight(now.astimezone(zone(tz)).date(), tz)
    if start >= end:
        raise UsageError(
            f"{args.since} to {args.until or 'today'} is empty: --until is where it ends, itself not included"
        )
    return Window(start=start, end=end, tz=tz)


def _day(text: str, tz: str, now: datetime) -> date:
    if text in ("yesterday", "today"):
        return now.astimezone(zone(tz)).date() - timedelta(days=text == "yesterday")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day; write it as 2026-02-04") from error
