"""The output folder: which reports it has, which days it lacks, and how its files are replaced."""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

from agent.domain.errors import InputError, StorageError
from agent.domain.report import Report, sound
from agent.reports.report_json import load
from agent.settings.values import Settings

FRONT_PAGE_MARK = "[//]: # (front page of a gitzette archive)\n"
"""The first line of a front page that gitzette wrote and may replace.

It is a link definition that nothing refers to, so Markdown does not show it.
"""
_MOMENT = r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?"
_LABEL = re.compile(rf"{_MOMENT}(?:\.\.{_MOMENT})?", re.ASCII)


class PublishedReports:
    """Reads `reports/*.json` below an output folder.

    Nothing is cached, so that changes of another process are seen at once.
    """

    def __init__(self, out: Path) -> None:
        self._reports = out / "reports"

    def labels(self) -> list[str]:
        """Return the labels, newest first; a single day precedes a range that begins with it."""
        stems = [file.stem for file in self._reports.glob("*.json")]
        labels = [stem for stem in stems if _LABEL.fullmatch(stem)]
        labels.sort(key=lambda label: (label[:10], ".." not in label, label), reverse=True)
        return labels

    def report(self, label: str) -> Report:
        """Return the report with a label; the newest one if the label is empty."""
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
    """Return the recent days up to `last` without a report, or with one that must be made again.

    A report must be made again if it was read too early or mostly failed. That of the last day
    must be complete: what an outage took is worth another try, but not for ever. No day is missed
    before the first report; without any report only the last day is.
    """
    reports = PublishedReports(settings.out)
    published = [label for label in reports.labels() if ".." not in label and label <= str(last)]
    if not published:
        return [last]
    first = min(published)
    missed = []
    for age in reversed(range(settings.catch_up_days)):
        day = last - timedelta(days=age)
        if str(day) >= first and _needs_report(day, reports, settings, last):
            missed.append(day)
    return missed


def _needs_report(day: date, reports: PublishedReports, settings: Settings, last: date) -> bool:
    try:
        report = reports.report(day.isoformat())
    except (StorageError, InputError):
        return True
    if report.window.tz != settings.tz:
        # The same day in another time zone has the file name; ours would need another folder.
        return False
    if day == last and report.failures:
        return True
    return not sound(report, settings.max_failed)


def check_writable(out: Path) -> None:
    """Raise a `StorageError` if a folder cannot be written; called before anything is read."""
    # resolve() would follow links, which may be broken.
    absolute = Path(os.path.abspath(out))  # noqa: PTH100
    existing = next(folder for folder in (absolute, *absolute.parents) if folder.is_dir())
    try:
        with tempfile.NamedTemporaryFile(dir=existing, prefix=".gitzette-"):
            pass
        check_front_page(out)
    except OSError as error:
        raise StorageError(
            f"cannot write to {existing}: {error.strerror}; choose another with out or --out"
        ) from error


def check_front_page(out: Path) -> None:
    """Raise a `StorageError` if the README of a folder is somebody else's."""
    file = out / "README.md"
    if not file.exists():
        return
    if not file.read_text("utf-8", errors="replace").startswith(FRONT_PAGE_MARK):
        raise StorageError(
            f"{file} was not written by gitzette and is left alone;"
            " choose another folder with --out"
        )


def replace_file(file: Path, pieces: Iterable[str]) -> None:
    """Write a file so that a reader sees either the old or the new content, even after a crash."""
    replace_files({file: pieces})


def replace_files(files: Mapping[Path, Iterable[str]]) -> None:
    """Write files that belong together; if one cannot be written, all stay as they were.

    Each is first written to a temporary file beside it, so that a full disk is noticed before
    anything is replaced. Files whose content is the same are not touched.
    """
    temporary: dict[Path, Path] = {}
    try:
        for file, pieces in files.items():
            data = b"".join(piece.encode("utf-8", errors="replace") for piece in pieces)
            if file.exists() and file.read_bytes() == data:
                continue
            # The name is fixed: the next run overwrites what a killed one left behind.
            temporary[file] = file.with_name(f".{file.name}.gitzette-new")
            _write(temporary[file], data)
        for file, new_file in temporary.items():
            new_file.replace(file)
    except BaseException:
        for new_file in temporary.values():
            new_file.unlink(missing_ok=True)
        raise


def _write(file: Path, data: bytes) -> None:
    """Write a file and wait until it is on disk."""
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    file.chmod(0o644)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder exclusively while a run reads, merges and writes in it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
