"""The way back from published reports to the memory: what the output folder holds is known, whatever was lost."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.errors import AppError, StorageError
from agent.ids import repo_id
from agent.record import load
from agent.report import Report
from agent.window import Window
from memory.archive import Archive

_HASH = re.compile(r"[0-9a-f]{40}", re.ASCII)
_WEEK = re.compile(r"\d{4}-W\d{2}", re.ASCII)
"""An edition of a week says nothing that the reports of its days do not say."""
_NUMBER = re.compile(r"#[1-9][0-9]{0,8}", re.ASCII)
_HEAD = 4_096
_LARGEST = 64_000_000
_AT_ONCE = 50
_WINDOW = '"window": '


def rebuild(archive: Archive, folder: Path) -> list[str]:
    """Store the reports of a folder that the memory does not know; tell which files cannot be used.

    The files may have been changed by anybody: they are read with the care that is due to strangers.
    """
    told: list[str] = []
    batch: list[Report] = []
    for file in _unknown(archive, folder):
        try:
            batch.append(_report(file))
        except AppError as error:
            told.append(f"{file.name} was left out of the memory: {error}")
        if len(batch) == _AT_ONCE:
            archive.rebuild(batch)
            batch = []
    if batch:
        archive.rebuild(batch)
    return told


def _unknown(archive: Archive, folder: Path) -> list[Path]:
    """Find the files whose windows are not known, oldest first; only their beginnings are read for that."""
    windows = {file: _window_of(file) for file in sorted(folder.glob("*.json")) if not _WEEK.fullmatch(file.stem)}
    known = {window.key for window in windows.values() if window is not None}
    unknown = archive.unknown(known)
    news = [file for file, window in windows.items() if window is None or window.key in unknown]
    return sorted(news, key=lambda file: _ended(windows[file]))


def _ended(window: Window | None) -> str:
    return "" if window is None else f"{window.end.isoformat()} {window.start.isoformat()}"


def _window_of(file: Path) -> Window | None:
    """Read the window from the head of a report; None where it is not where we write it."""
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD).decode("utf-8", errors="replace")
        found, _ = json.JSONDecoder().raw_decode(head, head.index(_WINDOW) + len(_WINDOW))
        return Window.model_validate(found)
    except (OSError, ValueError, RecursionError):
        return None


def _report(file: Path) -> Report:
    """Read one report, whole and of the form that we write, or not at all."""
    try:
        if file.stat().st_size > _LARGEST:
            raise StorageError("it is larger than any report")
        report = load(file.read_bytes(), file.name)
    except OSError as error:
        raise StorageError(f"it cannot be read ({error.strerror})") from error
    if report.window.label != file.stem:
        raise StorageError(f"it holds the report of {report.window.label}")
    if wrong := next((name for name in _names(report) if not _is_sound(*name)), None):
        raise StorageError(f"{wrong[1]!r:.60} is not the name of a {wrong[0]}")
    return report


def _names(report: Report) -> Iterator[tuple[str, str]]:
    """List the names that later go to git or to the API."""
    hashes: list[Any] = [row.sha for row in report.ledger]
    for section in report.sections:
        hashes += [section.tip, section.known_tip, section.first_tip]
        yield from (("thread", f"#{line.number}") for line in section.issues)
    yield from (("commit", one) for one in hashes if one)
    yield from (("repository", name) for name in {*report.repos, *(section.repo for section in report.sections)})


def _is_sound(kind: str, name: str) -> bool:
    if kind == "commit":
        return _HASH.fullmatch(name) is not None
    if kind == "thread":
        return _NUMBER.fullmatch(name) is not None
    try:
        return repo_id(name) == name
    except AppError:
        return False
