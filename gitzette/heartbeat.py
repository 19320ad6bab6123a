"""The heartbeat: one small file in the output folder that tells a monitor when the last run was and how it ended."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from agent.domain.base import AppError, Frozen, InputError, RepoId, UsageError
from agent.domain.report import Report, failed_repos
from agent.domain.window import Window, midnight, zone
from agent.settings.values import Settings
from gitzette.publish import replace_file

NAME = "heartbeat.json"
_FRESH = timedelta(hours=1)
Status = Literal["done", "incomplete", "failed"]


class Heartbeat(Frozen):
    """How the last run ended, and by when the next one should have begun."""

    of: Literal["gitzette"] = "gitzette"
    at: datetime
    status: Status
    window: str
    says: str
    failed: tuple[RepoId, ...] = ()
    """Repositories of which nothing could be read."""
    next_expected: datetime
    """When the day under way is over in the zone: from then on a new report is due."""


def read_heartbeat(out: Path) -> Heartbeat | None:
    """Read the last heartbeat, if there is one and it is ours."""
    try:
        return Heartbeat.model_validate_json((out / NAME).read_bytes())
    except (OSError, ValidationError):
        return None


@contextmanager
def beating(settings: Settings, window: Window, now: datetime) -> Iterator[Callable[[Report], None]]:
    """Leave a heartbeat whatever happens inside; what is given is told of the report where there is one."""
    beat = Beat(settings, window, now)
    try:
        yield beat.reported
    except BaseException as error:
        # Somebody's mistake at the keyboard makes no folder that was not there.
        if not isinstance(error, UsageError | InputError) or settings.out.is_dir():
            beat.write("failed", " ".join(str(error).split()) if isinstance(error, AppError) else type(error).__name__)
        raise


class Beat:
    """Writes the heartbeat of one run."""

    def __init__(self, settings: Settings, window: Window, now: datetime) -> None:
        self._out, self._window, self._now = settings.out, window, now
        tomorrow = now.astimezone(zone(settings.tz)).date() + timedelta(days=1)
        self._next = midnight(tomorrow, settings.tz)

    def reported(self, report: Report) -> None:
        """Say what a report has."""
        says = f"{len(report.ledger)} commits, {len(report.sections)} of {len(report.repos)} repositories read"
        self.write("incomplete" if report.failures else "done", says, failed_repos(report))

    def write(self, status: Status, says: str, failed: tuple[RepoId, ...] = ()) -> None:
        """Replace the heartbeat; a report does not fail for want of one."""
        at = self._now.astimezone(UTC).replace(microsecond=0)
        key = self._window.key
        beat = Heartbeat(at=at, status=status, window=key, says=says, failed=failed, next_expected=self._next)
        file, earlier = self._out / NAME, read_heartbeat(self._out)
        # A day that is run again leaves every file as it is, so a beat that says the same is not repeated at once.
        if earlier is not None and earlier.model_copy(update={"at": at}) == beat and at - earlier.at < _FRESH:
            return
        if earlier is None and file.exists():
            sys.stderr.write(f"gitzette: {file} was not written by gitzette and is left alone\n")
            return
        try:
            self._out.mkdir(parents=True, exist_ok=True)
            replace_file(file, [beat.model_dump_json(indent=1), "\n"])
        except OSError as error:
            sys.stderr.write(f"gitzette: no heartbeat: {file} cannot be written: {error.strerror}\n")
