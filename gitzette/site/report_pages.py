"""The pages of one report: its own, those of its commits, its summary, and its part of the search index."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from agent.domain.base import Language, StorageError
from agent.settings.values import MAX_FAILED
from agent.text.web import Web
from gitzette.render.compose import page_model
from gitzette.site.addresses import LANGUAGES, Place, day_path
from gitzette.site.folder import SiteFolder, mark
from gitzette.site.pages import Pages
from gitzette.site.report_files import ReportFile
from gitzette.site.search_index import day_index, script, words_file
from gitzette.site.summary import Summary, summarise

ASSETS = ("style.css", "theme.js", "page.js", "search.js", "icon.svg")
Made = tuple[Summary | None, int, str]
"""A summary, how many files were written, and why there is no summary."""


@dataclass(frozen=True, kw_only=True)
class SiteSettings:
    """How a site is built."""

    web: Web
    lang: Language = "en"
    """The language of the first page."""
    max_failed: float = MAX_FAILED
    """The share of commits that may be unreadable in a report on the front page."""
    site_url: str = ""
    """Where the site will lie, for what needs absolute links."""


@dataclass(frozen=True)
class Order:
    """One report whose pages are to be made."""

    file: ReportFile
    before: str
    after: str
    key: str
    """What its pages are made from."""

    @property
    def own(self) -> tuple[str, ...]:
        """The files that it always has."""
        label = self.file.label
        pages = (f"{lang}/{day_path(label)}" for lang in LANGUAGES)
        return (*pages, summary_file(label), f"search/docs/{label}.js", words_file(label))


def make_report(to: Path, settings: SiteSettings, order: Order) -> Made:
    """Write the pages of a report, its summary and its documents for the search."""
    folder, label = SiteFolder(to), order.file.label
    try:
        report = order.file.read()
    except StorageError as error:
        return None, 0, str(error)
    pages = {lang: page_model(report, lang, settings.web) for lang in LANGUAGES}
    for lang, page in pages.items():
        at = Place(lang, day_path(label))
        for name, text in pages_of(settings).day(page, at, order.before, order.after):
            folder.put(name, text)
    index = day_index(pages)
    folder.put(f"search/docs/{label}.js", script(f"docs/{label}", index.documents))
    folder.put(words_file(label), _compact(index.words))
    summary = summarise(report, order.file.hash, pages, len(index.documents))
    folder.put(summary_file(label), _compact(summary.model_dump(mode="json")))
    return summary, folder.written, ""


@cache
def pages_of(settings: SiteSettings) -> Pages:
    """Give what writes the pages of a site."""
    return Pages(settings.web, settings.site_url, mark(*map(asset, ASSETS)))


def summary_file(label: str) -> str:
    """Name the file with the summary of a report."""
    return f"data/{label}.json"


def asset(name: str) -> str:
    """Read a style or script of the site."""
    return files("gitzette.site").joinpath("assets", name).read_text("utf-8")


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
