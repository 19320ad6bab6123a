"""The command `run --week`: the daily reports of a week as one edition; days without a report are reported on first."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, AppError, InputError, UsageError
from agent.domain.report import Report
from agent.domain.window import Window
from agent.editions.week import days_of, week_of
from agent.reports.stored import load
from agent.settings.values import Settings
from agent.text.web import Web
from gitzette.arguments import settings_for, specs_of
from gitzette.publish import replace_file
from gitzette.render.editions import week_page
from gitzette.running import report_on

_OTHER_WAYS = ("date", "since", "until", "resume", "replay", "catch_up", "demo", "partial")


def weekly(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write `reports/2026-W06.md` and `.json` in every language of the reports; 3 when a day of the week is missing."""
    if given := [f"--{name.replace('_', '-')}" for name in _OTHER_WAYS if getattr(args, name, None)]:
        raise UsageError(f"--week names the days itself; leave out {', '.join(given)}")
    settings = settings_for(args, environ)
    reports = list(_days(args.week, settings, environ))
    if not reports:
        raise InputError(f"there is no report of any day of {args.week}, and none could be made")
    week, folder, web = week_of(args.week, settings.tz, reports), settings.out / "reports", Web(settings.web)
    data = json.dumps(week.data(), ensure_ascii=False, indent=1) + "\n"
    for lang in dict.fromkeys((settings.lang, *settings.languages)):
        ending = ".md" if lang == settings.lang else f".{lang}.md"
        replace_file(folder / f"{week.label}{ending}", [week_page(week, lang, web)])
    replace_file(folder / f"{week.label}.json", [data])
    for day in week.missing:
        sys.stderr.write(f"gitzette: {args.week}: {day} has no report\n")
    sys.stdout.write(data if args.json else f"{folder / week.label}.md\n")
    return EXIT_INCOMPLETE if week.missing or week.report.failures else EXIT_DONE


def _days(label: str, settings: Settings, environ: Mapping[str, str]) -> Iterator[Report]:
    """Read each day's report, or make it where the day is over and has none."""
    now = datetime.now(UTC)
    for day in days_of(label):
        window, file = Window.days(day, day, settings.tz), settings.out / "reports" / f"{day}.json"
        try:
            if file.is_file():
                yield load(file.read_bytes(), file.name)
            elif window.end <= now:
                yield report_on(settings, environ, window, specs_of(settings), now).report
        except (AppError, OSError) as error:
            sys.stderr.write(f"gitzette: {day}: {' '.join(str(error).split())}\n")
