"""Where a report goes: files under an output folder, each written whole or not at all."""

import fcntl
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from agent.errors import StorageError
from agent.pages import readme_page, report_page
from agent.record import dump, load, merge
from agent.report import Report
from agent.settings import Language, Layout
from agent.web import Web

# A link definition that nothing refers to: invisible in Markdown, and the sign that the front page is ours to replace.
_OURS = "[//]: # (front page of a gitzette archive)\n"
_MOMENT = r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?"
Note = Callable[[Report, Report | None], None]
_LANGUAGES: tuple[Language, ...] = get_args(Language)
_LABEL = re.compile(rf"{_MOMENT}(?:\.\.{_MOMENT})?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Style:
    """How reports look: their language, the further ones beside it, their layout, and where their links point."""

    web: Web
    lang: Language = "en"
    languages: tuple[Language, ...] = ()
    layout: Layout = "digest"

    @property
    def others(self) -> tuple[Language, ...]:
        """List the languages beside the first, each once."""
        return tuple(dict.fromkeys(lang for lang in self.languages if lang != self.lang))


class FilePublisher:
    """Writes `reports/DATE.md`, `reports/DATE.json` and the front page `README.md`."""

    def __init__(self, out: Path, style: Style, note: Note = lambda _, __: None) -> None:
        """Write below `out`; `note` is told of the report that each new one is merged with, before anything is."""
        self._out = out
        self._reports = out / "reports"
        self._style = style
        self._note = note

    def publish(self, report: Report) -> Report:
        """Write the report, merged with what the same window already has, and return what was written."""
        try:
            self._reports.mkdir(parents=True, exist_ok=True)
            with _locked(self._reports):
                return self._write(report)
        except OSError as error:
            raise StorageError(f"cannot write to {self._out}: {error.strerror or error}") from error

    def paths(self, report: Report) -> tuple[Path, Path]:
        """Name the Markdown and the JSON file of a report."""
        label = report.window.label
        return self._reports / f"{label}.md", self._reports / f"{label}.json"

    def _write(self, report: Report) -> Report:
        page, record = self.paths(report)
        asked, earlier = report, self._earlier(record)
        if earlier is not None and earlier.window.key == report.window.key:
            report = merge(earlier, report)
        elif earlier is not None:
            raise StorageError(
                f"{record.name} already holds {earlier.window.key}, and this run is {report.window.key}: "
                "use another --out for another time zone"
            )
        self._note(asked, earlier)
        # Everything that could be refused is looked at before anything is written.
        _check_front_page(self._out / "README.md")
        front_page = self._front_page(report)
        _replace(page, self._page(report, self._style.lang))
        for lang in self._style.others:
            _replace(page.with_name(f"{report.window.label}.{lang}.md"), self._page(report, lang))
        _replace(record, dump(report))
        _replace(self._out / "README.md", front_page)
        return report

    def _page(self, report: Report, lang: Language) -> str:
        return report_page(report, lang, self._style.web, self._style.layout)

    def _earlier(self, record: Path) -> Report | None:
        return load(record.read_bytes(), record.name) if record.exists() else None

    def _front_page(self, report: Report) -> str:
        labels = {file.stem for file in self._reports.glob("*.json") if _LABEL.fullmatch(file.stem)}
        labels.add(report.window.label)
        # Single days lead the front page; a range is shown there only when there is nothing else.
        newest = max(labels, key=lambda label: (".." not in label, label))
        latest = None if newest == report.window.label else self._earlier(self._reports / f"{newest}.json")
        style = self._style
        others = {label: [lang for lang in _LANGUAGES if self._has(label, lang)] for label in labels}
        others[report.window.label] = sorted({*others[report.window.label], *style.others})
        return _OURS + readme_page(latest or report, labels, style.lang, style.web, style.layout, others)

    def _has(self, label: str, lang: Language) -> bool:
        return (self._reports / f"{label}.{lang}.md").exists()


def _check_front_page(file: Path) -> None:
    """Refuse to replace somebody else's README before anything is written."""
    if file.exists() and not file.read_text("utf-8", errors="replace").startswith(_OURS):
        raise StorageError(f"{file} was not written by gitzette and is left alone; choose another folder with --out")


def _replace(file: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, also after a crash."""
    data = text.encode("utf-8", errors="replace")
    if file.exists() and file.read_bytes() == data:
        return
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one run at a time read, merge and write; a second one waits for these moments."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
