"""The publisher of a report's files: a page in each language, a record and the front page, all of them or none."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_args

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.errors import StorageError
from agent.domain.report import Report
from agent.reports.report_json import dumped, load
from agent.reports.rerun.merge import merge
from agent.settings.values import ReportShape, Settings
from gitzette.output_folder import (
    FRONT_PAGE_MARK,
    PublishedReports,
    check_front_page,
    locked,
    replace_files,
)
from gitzette.render.page_composition import report_page
from gitzette.render.templating import readme_page
from memory.column_values import moment_of
from memory.fleet import Fleet

NoteMerge = Callable[[Report, Report | None], None]
"""Called with a new report and the published one that it is about to be merged with."""
_LANGUAGES: tuple[Language, ...] = get_args(Language)


class FilePublisher:
    """Writes `reports/DATE.md`, `reports/DATE.json` and the front page `README.md`."""

    def __init__(
        self, out: Path, shape: ReportShape, web: Web, note_merge: NoteMerge | None = None
    ) -> None:
        self._out = out
        self._reports = out / "reports"
        self._web = web
        self._lang = shape.lang
        self._layout = shape.layout
        further_languages = dict.fromkeys(shape.languages)
        further_languages.pop(shape.lang, None)
        self._further_languages = tuple(further_languages)
        self._note_merge = note_merge

    def publish(self, report: Report) -> Report:
        """Merge the report with the one its window already has, write it and return it."""
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
        page_file, record_file = self.paths(report)
        published = self._load(record_file)
        if published is not None and published.window.key != report.window.key:
            raise StorageError(
                f"{record_file.name} already holds {published.window.key},"
                f" and this run is {report.window.key}: use another --out for another time zone"
            )
        merged = report if published is None else merge(published, report)
        if self._note_merge is not None:
            self._note_merge(report, published)
        # Whatever may be refused is checked before anything is written.
        check_front_page(self._out)
        page = self._page(merged, self._lang)
        front_page = self._front_page(merged, page)
        files: dict[Path, Iterable[str]] = {page_file: [page]}
        for lang in self._further_languages:
            name = f"{merged.window.label}.{lang}.md"
            files[page_file.with_name(name)] = [self._page(merged, lang)]
        files[record_file] = dumped(merged)
        files[self._out / "README.md"] = [front_page]
        replace_files(files)
        return merged

    def _page(self, report: Report, lang: Language) -> str:
        return report_page(report, lang, self._web, self._layout)

    def _load(self, record_file: Path) -> Report | None:
        if not record_file.exists():
            return None
        return load(record_file.read_bytes(), record_file.name)

    def _front_page(self, report: Report, page: str) -> str:
        """Return a page with the newest day, or the newest range, and a list of all reports."""
        label = report.window.label
        labels = {*PublishedReports(self._out).labels(), label}
        newest = max(labels, key=lambda label: (".." not in label, label))
        if newest != label:
            newest_report = self._load(self._reports / f"{newest}.json")
            if newest_report is not None:
                page = self._page(newest_report, self._lang)
        languages = {published: self._languages_of(published) for published in labels}
        languages[label] = sorted({*languages[label], *self._further_languages})
        return FRONT_PAGE_MARK + readme_page(page, labels, self._lang, languages)

    def _languages_of(self, label: str) -> list[Language]:
        """Return the languages in which a published report has a page of its own."""
        return [lang for lang in _LANGUAGES if (self._reports / f"{label}.{lang}.md").exists()]


def bring_reports(fleet: Fleet, settings: Settings, edition: str) -> None:
    """Write the reports of an edition that this machine's folder lacks or has in an older state."""
    publisher = FilePublisher(settings.out, settings, Web(settings.web))
    for label, (key, finished) in sorted(fleet.labels(edition).items()):
        file = settings.out / "reports" / f"{label}.json"
        # The modification time of a file is when the edition it holds was finished.
        finished_at = moment_of(finished).timestamp()
        if file.exists() and file.stat().st_mtime == finished_at:
            continue
        report = fleet.edition(edition, key)
        if report is not None:
            publisher.publish(report)
            os.utime(file, (finished_at, finished_at))
