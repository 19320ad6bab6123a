"""Which window the command line asks for; "yesterday" is resolved here, once."""

import argparse
from datetime import date, datetime, timedelta

from agent.errors import UsageError
from agent.window import Window, midnight, moment, zone


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
    start, end = moment(since, tz), moment(until, tz) if until else now.replace(microsecond=0) + timedelta(seconds=1)
    if start >= end:
        raise UsageError(f"there is no time from {since} to {until or 'now'}; --until is where it ends, not included")
    window = Window(start=start, end=end, tz=tz)
    return window.cut_at(now) if start < now < end else window


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
            f"the window from {args.since} to {args.until or 'today'} is empty: --until is where it ends, "
            "itself not included; use --date for a single day"
        )
    return Window(start=start, end=end, tz=tz)


def _day(text: str, tz: str, now: datetime) -> date:
    if text in ("yesterday", "today"):
        today = now.astimezone(zone(tz)).date()
        return today if text == "today" else date.fromordinal(today.toordinal() - 1)
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day; write it as 2026-02-04") from error
