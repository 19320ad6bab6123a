"""What a run finds on this machine: folders that can be written, space, clones, and the reports so far."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from agent.errors import AppError, StorageError
from agent.settings import Settings
from agent.window import zone
from gitzette.delivery.outbox import Outbox
from gitzette.gaps import missed_days
from gitzette.heartbeat import read_heartbeat
from gitzette.publish import check_front_page
from tools.git.repository import open_repository

_ENOUGH_BYTES = 1 << 30
_OVERDUE = timedelta(days=1)
_NAMED = 4


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    says: str


def output_folder(settings: Settings) -> Finding:
    """Try whether reports can be written, and whether the front page is ours."""
    out = settings.out
    place = _nearest(out)
    try:
        with tempfile.NamedTemporaryFile(dir=place, prefix=".gitzette-"):
            pass
        check_front_page(out / "README.md")
    except OSError as error:
        return Finding("output", False, f"cannot write to {place}: {error.strerror}; choose another with out or --out")
    except AppError as error:
        return Finding("output", False, str(error))
    return Finding("output", True, str(out) if out.exists() else f"{out} will be made")


def check_output(settings: Settings) -> None:
    """Refuse a folder that cannot be written before anything is read for it."""
    found = output_folder(settings)
    if not found.ok:
        raise StorageError(found.says)


def space(settings: Settings, home: Path) -> list[Finding]:
    """Look at the disks that hold the reports and what is remembered; mirrors are the largest part."""
    places: dict[int, tuple[str, Path]] = {}
    for name, folder in (("reports", settings.out), ("mirrors and memory", home)):
        place = _nearest(folder)
        device = place.stat().st_dev
        named = f"{places[device][0]}, {name}" if device in places else name
        places[device] = (named, place)
    return [_space(named, place) for named, place in places.values()]


def _space(named: str, place: Path) -> Finding:
    free = shutil.disk_usage(place).free
    enough = free >= _ENOUGH_BYTES
    advice = "" if enough else "; less than 1 GB: make room, or move home to another disk"
    return Finding("disk", enough, f"{free / (1 << 30):.1f} GB free for {named}{advice}")


async def clones(settings: Settings) -> list[Finding]:
    """Open every clone or mirror that the configuration names by its path."""
    found = []
    for spec in settings.repos:
        if spec.path is not None:
            try:
                await open_repository(spec.path)
                found.append(Finding("clone", True, f"{spec.name}: {spec.path}"))
            except AppError as error:
                found.append(Finding("clone", False, f"{spec.name}: {error}"))
    return found


def reports(settings: Settings, now: datetime) -> Finding:
    """Look for days without a report; yesterday's may still be to come."""
    yesterday = now.astimezone(zone(settings.tz)).date() - timedelta(days=1)
    missed = missed_days(settings, yesterday)
    if missed.newest is None:
        return Finding("reports", True, "none yet")
    overdue = [day for day in missed.days if day != yesterday]
    says = f"the newest is of {missed.newest}"
    if missed.too_old:
        says += f"; {len(missed.too_old)} days are missing before {missed.too_old[-1] + timedelta(days=1)}"
    if overdue:
        told = ", ".join(map(str, overdue)) if len(overdue) <= _NAMED else f"{len(overdue)} days since {overdue[0]}"
        return Finding("reports", False, f"{says}; missing or failed: {told}: `gitzette run --catch-up` makes them")
    return Finding("reports", True, f"{says}; yesterday's is due or incomplete" if missed.days else says)


def heartbeat(settings: Settings, now: datetime) -> Finding:
    """Tell how the last run ended, and whether the next one is overdue."""
    beat = read_heartbeat(settings.out)
    if beat is None:
        return Finding("heartbeat", True, "none yet: no run has written to this folder")
    says = f"{beat.at:%Y-%m-%d %H:%M} UTC {beat.status}: {beat.window}: {beat.says}"
    if now > beat.next_expected + _OVERDUE:
        return Finding("heartbeat", False, f"{says}; no run since: is the timer on?")
    return Finding("heartbeat", beat.status == "done", says)


def deliveries(settings: Settings) -> list[Finding]:
    """Tell which reports wait to be sent; the next run sends them first."""
    try:
        waiting = Outbox(settings.out).waiting()
    except AppError as error:
        return [Finding("delivery", False, str(error))]
    told = [f"{one.channel}: {one.label} not delivered: {one.why}; the next run tries again" for one in waiting]
    if not told and settings.deliver:
        return [Finding("delivery", True, "nothing waits to be sent")]
    return [Finding("delivery", False, one) for one in told]


def _nearest(folder: Path) -> Path:
    """Find the nearest folder above that is there."""
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100 -- resolve() would follow links that may be broken
    return next(place for place in (absolute, *absolute.parents) if place.is_dir())
