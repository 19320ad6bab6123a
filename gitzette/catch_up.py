"""The command `run --catch-up`: a report for every day that has none yet, oldest first, each by itself."""

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime

from agent.errors import EXIT_DONE, EXIT_INCOMPLETE, AppError, UsageError
from agent.record import to_json
from agent.settings import RepoSpec, Settings
from agent.window import Window, zone
from gitzette.arguments import settings_for, specs_of, window_of
from gitzette.gaps import Missed, missed_days
from gitzette.heartbeat import idle_beat
from gitzette.running import Covered, report_on

_OTHER_WAYS = ("since", "until", "partial", "demo", "resume", "replay")


def catch_up(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on every missed day up to yesterday, or up to --date; 3 when one of them is missing or incomplete."""
    if given := [f"--{name}" for name in _OTHER_WAYS if getattr(args, name, None) not in (None, False)]:
        raise UsageError(f"--catch-up chooses the days itself; leave out {', '.join(given)}")
    settings = settings_for(args, environ)
    now = datetime.now(UTC)
    last = window_of(args, settings.tz, now)
    specs = specs_of(settings)
    missed = missed_days(settings, last.start.astimezone(zone(settings.tz)).date())
    _announce(missed, last, settings)
    if not missed.days:
        idle_beat(settings, last, now)
    days = [_one(day, settings, environ, specs, json_wanted=args.json) for day in missed.days]
    if args.json:
        made = [to_json(covered.report) for covered in days if covered is not None]
        sys.stdout.write(json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    whole = all(covered is not None and not covered.lacking for covered in days)
    return EXIT_DONE if whole else EXIT_INCOMPLETE


def _announce(missed: Missed, last: Window, settings: Settings) -> None:
    if missed.too_old:
        count, first = len(missed.too_old), missed.too_old[0]
        sys.stderr.write(
            f"gitzette: {count} days without a report since {first} are older than catch_up_days = "
            f"{settings.catch_up_days} and are left out; report on them with --date\n"
        )
    if not missed.days:
        sys.stderr.write(f"gitzette: nothing to catch up: every day up to {last.key} has its report\n")
    else:
        told = ", ".join(map(str, missed.days))
        sys.stderr.write(f"gitzette: to report on: {told} ({settings.tz})\n")


def _one(
    day: date, settings: Settings, environ: Mapping[str, str], specs: tuple[RepoSpec, ...], *, json_wanted: bool
) -> Covered | None:
    """Report on one day; what goes wrong with it must not keep the next ones from being published."""
    try:
        covered = report_on(settings, environ, Window.days(day, day, settings.tz), specs, datetime.now(UTC))
    except AppError as error:
        sys.stderr.write(f"gitzette: {day}: {' '.join(str(error).split())}\n")
        return None
    if not json_wanted:
        sys.stdout.write(f"{covered.page}\n")
        sys.stdout.flush()
    return covered
