"""The published reports of an output folder: which there are, each as data, and which days have none."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from agent.domain.base import InputError, StorageError
from agent.domain.report import Report, sound
from agent.domain.window import midnight
from agent.reports.stored import load
from agent.settings.values import Settings

_MOMENT = r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?"
_LABEL = re.compile(rf"{_MOMENT}(?:\.\.{_MOMENT})?", re.ASCII)


class PublishedReports:
    """Reads `reports/*.json` below an output folder; nothing is kept, so what a run changes is seen at once."""

    def __init__(self, out: Path) -> None:
        self._reports = out / "reports"

    def labels(self) -> list[str]:
        """Name the reports, newest first; a single day comes before a range that begins with it."""
        found = (file.stem for file in self._reports.glob("*.json"))
        return sorted((label for label in found if _LABEL.fullmatch(label)), key=_order, reverse=True)

    def report(self, label: str) -> Report:
        """Read one report by its label, the newest for an empty one."""
        labels = self.labels()
        if not labels:
            raise InputError("there are no reports yet; make one with: gitzette run")
        chosen = label or labels[0]
        if chosen not in labels:
            raise InputError(f"there is no report {chosen[:60]!r}; the newest is {labels[0]}")
        file = self._reports / f"{chosen}.json"
        try:
            return load(file.read_bytes(), file.name)
        except OSError as error:
            raise InputError(f"{file.name} cannot be read: {error.strerror}") from error


def _order(label: str) -> tuple[str, bool, str]:
    return label.partition("..")[0], ".." not in label, label


@dataclass(frozen=True)
class Missed:
    """Days without a report that may stand for them."""

    days: tuple[date, ...]  # Oldest first
    too_old: tuple[date, ...] = ()  # Days without any report, further back than one looks
    newest: date | None = None  # The newest day that has a report, good or bad


def missed_days(settings: Settings, last: date) -> Missed:
    """Find the days up to `last` that have no report, or one that was read too early or failed for the most part.

    Of the last day everything should be there: what an outage took is worth another try, but not for ever. Nothing is
    missed before the first report; without any report only the last day is.
    """
    reports = PublishedReports(settings.out)
    published = {day for label in reports.labels() if (day := _day(label)) is not None and day <= last}
    if not published:
        return Missed((last,))
    first, recent = min(published), last - timedelta(days=settings.catch_up_days)
    days = [first + timedelta(days=count) for count in range((last - first).days + 1)]
    missed = [day for day in days if day > recent and _exists(day, settings.tz)]
    missed = [day for day in missed if day not in published or not _stands(reports, day, settings, whole=day == last)]
    too_old = tuple(day for day in days if day <= recent and day not in published)
    return Missed(tuple(missed), too_old, max(published))


def _day(label: str) -> date | None:
    """Read the label of a single day; a range, or a day that no calendar has, is none."""
    try:
        return date.fromisoformat(label)
    except ValueError:
        return None


def _exists(day: date, tz: str) -> bool:
    """Tell whether the calendar of the zone has that day; a few were skipped."""
    return midnight(day, tz) != midnight(day + timedelta(days=1), tz)


def _stands(reports: PublishedReports, day: date, settings: Settings, *, whole: bool) -> bool:
    try:
        report = reports.report(day.isoformat())
    except (StorageError, InputError):
        return False
    # A day of another zone holds the name; only another folder could take ours.
    return report.window.tz != settings.tz or (
        sound(report, settings.max_failed) and not (whole and bool(report.failures))
    )
