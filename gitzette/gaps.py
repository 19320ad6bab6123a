"""Which days have no report yet that may stand for them."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from agent.errors import StorageError
from agent.record import load
from agent.settings import Settings
from agent.soundness import sound
from agent.window import midnight


@dataclass(frozen=True)
class Missed:
    """Days without a report that may stand for them."""

    days: tuple[date, ...]
    """Oldest first."""
    too_old: tuple[date, ...] = ()
    """Days without any report, further back than one looks."""
    newest: date | None = None
    """The newest day that has a report, good or bad."""


def missed_days(settings: Settings, last: date) -> Missed:
    """Find the days up to `last` that have no report, or one that was read too early or failed for the most part.

    Of the last day everything should be there: what an outage took is worth another try, but not for ever. Nothing is
    missed before the first report; without any report only the last day is.
    """
    published = {day: file for day, file in _published(settings.out / "reports") if day <= last}
    if not published:
        return Missed((last,))
    first = min(published)
    days = [first + timedelta(days=count) for count in range((last - first).days + 1)]
    recent = last - timedelta(days=settings.catch_up_days)
    candidates = [day for day in days if day > recent and _exists(day, settings.tz)]
    missed = tuple(d for d in candidates if not _stands(published.get(d), settings, whole=d == last))
    too_old = tuple(day for day in days if day <= recent and day not in published)
    return Missed(missed, too_old, max(published))


def _published(reports: Path) -> list[tuple[date, Path]]:
    """List the reports on single days by the names of their files."""
    found = []
    for file in reports.glob("????-??-??.json"):
        try:
            found.append((date.fromisoformat(file.stem), file))
        except ValueError:
            continue
    return found


def _exists(day: date, tz: str) -> bool:
    """Tell whether the calendar of the zone has that day; a few were skipped."""
    return midnight(day, tz) != midnight(day + timedelta(days=1), tz)


def _stands(file: Path | None, settings: Settings, *, whole: bool) -> bool:
    if file is None:
        return False
    try:
        report = load(file.read_bytes(), file.name)
    except (StorageError, OSError):
        return False
    if report.window.tz != settings.tz:
        # A day of another zone holds the name; only another folder could take ours.
        return True
    return sound(report, settings.max_failed) and not (whole and report.failures)
