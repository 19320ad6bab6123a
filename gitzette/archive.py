"""The output folder: which reports are in it, which days have none, and how a file in it is replaced."""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

from agent.domain.base import InputError, StorageError
from agent.domain.report import Report, sound
from agent.reports.stored import load
from agent.settings.values import Settings

# A link definition that nothing refers to: invisible in Markdown, and the sign that the front page is ours to replace.
OURS = "[//]: # (front page of a gitzette archive)\n"
_MOMENT = r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?"
_LABEL = re.compile(rf"{_MOMENT}(?:\.\.{_MOMENT})?", re.ASCII)


class PublishedReports:
    """Reads `reports/*.json` below an output folder; nothing is kept, so what a run changes is seen at once."""

    def __init__(self, out: Path) -> None:
        self._reports = out / "reports"

    def labels(self) -> list[str]:
        """Name the reports, newest first; a single day comes before a range that begins with it."""
        found = (file.stem for file in self._reports.glob("*.json"))
        return sorted(
            filter(_LABEL.fullmatch, found),
            key=lambda one: (one[:10], ".." not in one, one),
            reverse=True,
        )

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


def missed_days(settings: Settings, last: date) -> list[date]:
    """Find the recent days up to `last` that have no report, or one that was read too early or mostly failed.

    Of the last day everything should be there: what an outage took is worth another try, but not for ever. Nothing is
    missed before the first report; without any report only the last day is.
    """
    reports = PublishedReports(settings.out)
    published = [label for label in reports.labels() if ".." not in label and label <= str(last)]
    recent = [last - timedelta(days=count) for count in reversed(range(settings.catch_up_days))]
    if not published:
        return [last]
    return [
        day
        for day in recent
        if str(day) >= min(published) and not _stands(reports, day, settings, last)
    ]


def _stands(reports: PublishedReports, day: date, settings: Settings, last: date) -> bool:
    try:
        report = reports.report(day.isoformat())
    except (StorageError, InputError):
        return False
    # A day of another zone holds the name; only another folder could take ours.
    whole = sound(report, settings.max_failed) and not (day == last and report.failures)
    return whole or report.window.tz != settings.tz


def check_writable(out: Path) -> None:
    """Refuse a folder that cannot be written before anything is read for it."""
    absolute = Path(os.path.abspath(out))  # noqa: PTH100 -- resolve() would follow links that may be broken
    place = next(place for place in (absolute, *absolute.parents) if place.is_dir())
    try:
        with tempfile.NamedTemporaryFile(dir=place, prefix=".gitzette-"):
            pass
        check_front_page(out)
    except OSError as error:
        raise StorageError(
            f"cannot write to {place}: {error.strerror}; choose another with out or --out"
        ) from error


def check_front_page(out: Path) -> None:
    """Refuse to replace somebody else's README before anything is written."""
    file = out / "README.md"
    if file.exists() and not file.read_text("utf-8", errors="replace").startswith(OURS):
        raise StorageError(
            f"{file} was not written by gitzette and is left alone; choose another folder with --out"
        )


def replace_file(file: Path, pieces: Iterable[str]) -> None:
    """Write a file so that a reader sees the old one or the new one, also after a crash."""
    replace_files({file: pieces})


def replace_files(files: Mapping[Path, Iterable[str]]) -> None:
    """Write files that belong together; if one cannot be written, all stay as they were.

    Each is first written whole beside its place, so that a full disk is noticed before anything is
    replaced. Files that would not change are not touched.
    """
    written: dict[Path, Path] = {}
    try:
        for file, pieces in files.items():
            data = b"".join(piece.encode("utf-8", errors="replace") for piece in pieces)
            if not file.exists() or file.read_bytes() != data:
                # What a run that was killed here leaves behind is overwritten by the next.
                written[file] = file.with_name(f".{file.name}.gitzette-new")
                _write(written[file], data)
        for file, fresh in written.items():
            fresh.replace(file)
    except BaseException:
        for fresh in written.values():
            fresh.unlink(missing_ok=True)
        raise


def _write(file: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    file.chmod(0o644)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let one run at a time read, merge and write; a second one waits for these moments."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
