"""The command `run --catch-up`: a report for every day that has none yet, oldest first, each by itself."""

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, AppError
from agent.domain.window import Window, zone
from agent.reports.stored import to_json
from agent.settings.values import Settings
from gitzette.arguments import refuse, settings_for, specs_of, window_of
from gitzette.heartbeat import Beat
from gitzette.published import Missed, missed_days
from gitzette.running import Covered, report_on

_OTHER_WAYS = ("since", "until", "partial", "demo", "resume", "replay")


def catch_up(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on every missed day up to yesterday, or up to --date; 3 when one of them is missing or incomplete."""
    refuse(args, _OTHER_WAYS, "--catch-up chooses the days itself")
    settings, now = settings_for(args, environ), datetime.now(UTC)
    last = window_of(args, settings.tz, now)
    specs_of(settings)
    missed = missed_days(settings, last.start.astimezone(zone(settings.tz)).date())
    sys.stderr.write("".join(f"gitzette: {line}\n" for line in _announced(missed, last, settings)))
    if not missed.days:
        Beat(settings, last, now).write("done", "nothing to do")
    days = [_one(day, settings, environ, json_wanted=args.json) for day in missed.days]
    if args.json:
        made = [to_json(covered.report) for covered in days if covered is not None]
        sys.stdout.write(json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    whole = all(covered is not None and not covered.lacking for covered in days)
    return EXIT_DONE if whole else EXIT_INCOMPLETE


def _announced(missed: Missed, last: Window, settings: Settings) -> list[str]:
    lines = []
    if missed.too_old:
        lines.append(
            f"{len(missed.too_old)} days without a report since {missed.too_old[0]} are older than catch_up_days = "
            f"{settings.catch_up_days} and are left out; report on them with --date"
        )
    if not missed.days:
        return [*lines, f"nothing to catch up: every day up to {last.key} has its report"]
    return [*lines, f"to report on: {', '.join(map(str, missed.days))} ({settings.tz})"]


def _one(day: date, settings: Settings, environ: Mapping[str, str], *, json_wanted: bool) -> Covered | None:
    """Report on one day; what goes wrong with it must not keep the next ones from being published."""
    window = Window.days(day, day, settings.tz)
    try:
        covered = report_on(settings, environ, window, specs_of(settings), datetime.now(UTC))
    except AppError as error:
        sys.stderr.write(f"gitzette: {day}: {' '.join(str(error).split())}\n")
        return None
    if not json_wanted:
        sys.stdout.write(f"{covered.page}\n")
        sys.stdout.flush()
    return covered
