"""Publishes a report: a page in each language, a record and the front page, all of them or none."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_args

from agent.domain.base import Language, StorageError
from agent.domain.report import Report
from agent.reports.merging import merge
from agent.reports.stored import dumped, load
from agent.settings.values import ReportShape, Settings
from agent.web import Web
from gitzette.archive import OURS, PublishedReports, check_front_page, locked, replace_files
from gitzette.render.compose import report_page
from gitzette.render.templating import readme_page
from memory.columns import moment_of
from memory.fleet import Fleet

Note = Callable[[Report, Report | None], None]
_LANGUAGES: tuple[Language, ...] = get_args(Language)


class FilePublisher:
    """Writes `reports/DATE.md`, `reports/DATE.json` and the front page `README.md`."""

    def __init__(self, out: Path, shape: ReportShape, web: Web, note: Note | None = None) -> None:
        """Write below `out`; `note` is told which report each new one is merged with, before that."""
        self._out = out
        self._reports = out / "reports"
        self._web = web
        self._lang = shape.lang
        self._layout = shape.layout
        further = dict.fromkeys(lang for lang in shape.languages if lang != shape.lang)
        self._further_languages = tuple(further)
        self._note = note

    def publish(self, report: Report) -> Report:
        """Write the report, merged with what its window already has, and return what was written."""
        try:
            self._reports.mkdir(parents=True, exist_ok=True)
            with locked(self._reports):
                return self._write(report)
        except OSError as error:
            raise StorageError(f"cannot write to {self._out}: {error.strerror or error}") from error

    def paths(self, report: Report) -> tuple[Path, Path]:
        """Return the Markdown and the JSON file of a report."""
        label = report.window.label
        return self._reports / f"{label}.md", self._reports / f"{label}.json"

    def _write(self, report: Report) -> Report:
        page, record = self.paths(report)
        earlier = self._load(record)
        if earlier is not None and earlier.window.key != report.window.key:
            raise StorageError(
                f"{record.name} already holds {earlier.window.key},"
                f" and this run is {report.window.key}: use another --out for another time zone"
            )
        merged = merge(earlier, report) if earlier is not None else report
        if self._note is not None:
            self._note(report, earlier)
        # Everything that could be refused is looked at before anything is written.
        check_front_page(self._out)
        text = self._page(merged, self._lang)
        front_page = self._front_page(merged, text)
        files: dict[Path, Iterable[str]] = {page: [text]}
        for lang in self._further_languages:
            name = f"{merged.window.label}.{lang}.md"
            files[page.with_name(name)] = [self._page(merged, lang)]
        files[record] = dumped(merged)
        files[self._out / "README.md"] = [front_page]
        replace_files(files)
        return merged

    def _page(self, report: Report, lang: Language) -> str:
        return report_page(report, lang, self._web, self._layout)

    def _load(self, record: Path) -> Report | None:
        if not record.exists():
            return None
        return load(record.read_bytes(), record.name)

    def _front_page(self, report: Report, page: str) -> str:
        """Return a page with the newest day, or the newest range, and a list of all reports."""
        label = report.window.label
        labels = {*PublishedReports(self._out).labels(), label}
        newest = max(labels, key=lambda one: (".." not in one, one))
        if newest != label:
            newest_report = self._load(self._reports / f"{newest}.json")
            if newest_report is not None:
                page = self._page(newest_report, self._lang)
        languages = {one: self._languages_of(one) for one in labels}
        languages[label] = sorted({*languages[label], *self._further_languages})
        return OURS + readme_page(page, labels, self._lang, languages)

    def _languages_of(self, label: str) -> list[Language]:
        """List the languages in which a published report has a page of its own."""
        return [lang for lang in _LANGUAGES if (self._reports / f"{label}.{lang}.md").exists()]


def bring_reports(fleet: Fleet, settings: Settings, edition: str) -> None:
    """Write those reports of an edition that this machine's folder lacks or has in an older state."""
    publisher = FilePublisher(settings.out, settings, Web(settings.web))
    for label, (key, finished) in sorted(fleet.labels(edition).items()):
        file = settings.out / "reports" / f"{label}.json"
        # The time of a file tells which state of the edition it holds.
        finished_at = moment_of(finished).timestamp()
        if file.exists() and file.stat().st_mtime == finished_at:
            continue
        report = fleet.edition(edition, key)
        if report is not None:
            publisher.publish(report)
            os.utime(file, (finished_at, finished_at))
