"""Where a report goes: a page in each language, a record and the front page, each written whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from agent.domain.base import Language, StorageError
from agent.domain.report import Report
from agent.reports.merging import merge
from agent.reports.stored import dumped, load
from agent.settings.values import Settings, Shape
from agent.web import Web
from gitzette.archive import OURS, PublishedReports, check_front_page, locked, replace_file
from gitzette.render.compose import report_page
from gitzette.render.templating import readme_page
from memory.database import moment_of
from memory.fleet import Fleet

Note = Callable[[Report, Report | None], None]
_LANGUAGES: tuple[Language, ...] = get_args(Language)


class FilePublisher:
    """Writes `reports/DATE.md`, `reports/DATE.json` and the front page `README.md`."""

    def __init__(self, out: Path, shape: Shape, web: Web, note: Note | None = None) -> None:
        """Write below `out`; `note` is told of the report that each new one is merged with, before anything is."""
        self._out, self._reports, self._web = out, out / "reports", web
        self._lang, self._layout = shape.lang, shape.layout
        self._others = tuple(dict.fromkeys(lang for lang in shape.languages if lang != shape.lang))
        self._note = note

    def publish(self, report: Report) -> Report:
        """Write the report, merged with what the same window already has, and return what was written."""
        try:
            self._reports.mkdir(parents=True, exist_ok=True)
            with locked(self._reports):
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
        if self._note is not None:
            self._note(asked, earlier)
        # Everything that could be refused is looked at before anything is written.
        check_front_page(self._out)
        text = self._page(report, self._lang)
        front_page = self._front_page(report, text)
        replace_file(page, [text])
        for lang in self._others:
            replace_file(
                page.with_name(f"{report.window.label}.{lang}.md"), [self._page(report, lang)]
            )
        replace_file(record, dumped(report))
        replace_file(self._out / "README.md", [front_page])
        return report

    def _page(self, report: Report, lang: Language) -> str:
        return report_page(report, lang, self._web, self._layout)

    def _earlier(self, record: Path) -> Report | None:
        return load(record.read_bytes(), record.name) if record.exists() else None

    def _front_page(self, report: Report, page: str) -> str:
        """Show the newest day, or the newest range where there is no day, and list all reports."""
        labels = {*PublishedReports(self._out).labels(), report.window.label}
        newest = max(labels, key=lambda label: (".." not in label, label))
        if newest != report.window.label and (
            found := self._earlier(self._reports / f"{newest}.json")
        ):
            page = self._page(found, self._lang)
        others = {
            label: [lang for lang in _LANGUAGES if (self._reports / f"{label}.{lang}.md").exists()]
            for label in labels
        }
        others[report.window.label] = sorted({*others[report.window.label], *self._others})
        return OURS + readme_page(page, labels, self._lang, others)


def bring_reports(fleet: Fleet, settings: Settings, edition: str) -> None:
    """Write an edition's reports from the database to this machine's folder: those that are new there or changed."""
    publisher = FilePublisher(settings.out, settings, Web(settings.web))
    for label, (key, finished) in sorted(fleet.labels(edition).items()):
        file, at = settings.out / "reports" / f"{label}.json", moment_of(finished).timestamp()
        # The time of a file tells which state of the edition it holds.
        if (not file.exists() or file.stat().st_mtime != at) and (
            there := fleet.edition(edition, key)
        ):
            publisher.publish(there)
            os.utime(file, (at, at))
