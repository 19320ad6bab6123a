"""The heartbeat: one small file in the output folder that tells a monitor when the last run was and how it ended."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from agent.domain import Frozen
from agent.errors import AppError, InputError, UsageError
from agent.ids import RepoId
from agent.report import Report
from agent.settings import Settings
from agent.soundness import failed_repos
from agent.window import Window, midnight, zone
from gitzette.publish import replace_file

NAME = "heartbeat.json"
_FRESH = timedelta(hours=1)


class Heartbeat(Frozen):
    """How the last run ended, and by when the next one should have begun."""

    of: Literal["gitzette"] = "gitzette"
    at: datetime
    status: Literal["done", "incomplete", "failed"]
    window: str
    says: str
    failed: tuple[RepoId, ...] = ()
    """Repositories of which nothing could be read."""
    next_expected: datetime
    """When the day under way is over in the zone: from then on a new report is due."""


@contextmanager
def beating(settings: Settings, window: Window, now: datetime) -> Iterator[Callable[[Report], None]]:
    """Leave a heartbeat whatever happens inside; what is given is told of the report where there is one."""
    beat = _Beat(settings, window, now)
    try:
        yield beat.told
    except BaseException as error:
        beat.failed(error)
        raise


def idle_beat(settings: Settings, window: Window, now: datetime) -> None:
    """Leave a heartbeat where there was nothing to do."""
    write_heartbeat(settings.out, _of(settings, window, now, "done", "nothing to do"))


def read_heartbeat(out: Path) -> Heartbeat | None:
    """Read the last heartbeat, if there is one and it is ours."""
    try:
        return Heartbeat.model_validate_json((out / NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def write_heartbeat(out: Path, beat: Heartbeat) -> None:
    """Replace the heartbeat; a report does not fail for want of one."""
    earlier = read_heartbeat(out)
    # A day that is run again leaves every file as it is, so a beat that says the same is not repeated at once.
    if earlier is not None and earlier.model_copy(update={"at": beat.at}) == beat and beat.at - earlier.at < _FRESH:
        return
    file = out / NAME
    if earlier is None and file.exists():
        sys.stderr.write(f"gitzette: {file} was not written by gitzette and is left alone\n")
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        replace_file(file, [beat.model_dump_json(indent=1), "\n"])
    except OSError as error:
        sys.stderr.write(f"gitzette: no heartbeat: {file} cannot be written: {error.strerror}\n")


class _Beat:
    """Writes the heartbeat of one run."""

    def __init__(self, settings: Settings, window: Window, now: datetime) -> None:
        self._settings = settings
        self._window = window
        self._now = now

    def told(self, report: Report) -> None:
        read = f"{len(report.sections)} of {len(report.repos)} repositories read"
        self._write("incomplete" if report.failures else "done", f"{len(report.ledger)} commits, {read}", report)

    def failed(self, error: BaseException) -> None:
        # Somebody's mistake at the keyboard makes no folder that was not there.
        if isinstance(error, UsageError | InputError) and not self._settings.out.is_dir():
            return
        says = " ".join(str(error).split()) if isinstance(error, AppError) else type(error).__name__
        self._write("failed", says)

    def _write(self, status: Literal["done", "incomplete", "failed"], says: str, report: Report | None = None) -> None:
        beat = _of(self._settings, self._window, self._now, status, says)
        failed = failed_repos(report) if report else ()
        write_heartbeat(self._settings.out, beat.model_copy(update={"failed": failed}))


def _of(
    settings: Settings, window: Window, now: datetime, status: Literal["done", "incomplete", "failed"], says: str
) -> Heartbeat:
    tomorrow = now.astimezone(zone(settings.tz)).date() + timedelta(days=1)
    return Heartbeat(
        at=now.astimezone(UTC).replace(microsecond=0),
        status=status,
        window=window.key,
        says=says,
        next_expected=midnight(tomorrow, settings.tz),
    )
