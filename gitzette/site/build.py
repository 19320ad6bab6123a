"""Builds the site: the pages of reports that changed, then whatever is made from all reports together."""

import gc
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.errors import StorageError
from agent.report import Report
from agent.settings import MAX_FAILED, Language
from agent.web import Web
from gitzette.render.compose import page_model
from gitzette.site.addresses import LANGUAGES, Place, day_path, month_path, repo_path
from gitzette.site.folder import FORMAT, MANIFEST, SiteFolder, mark
from gitzette.site.pages import Pages
from gitzette.site.report_files import ReportFile, report_files
from gitzette.site.search_index import day_index, script, words_file, write_index
from gitzette.site.stories import ToldStory, told_stories
from gitzette.site.summary import Summary, summarise

_ASSETS = ("style.css", "theme.js", "page.js", "search.js", "icon.svg")
# What pages are made by: when any of these changes, all pages are written anew.
_MAKERS = ("gitzette.site", "gitzette.render", "gitzette.render.templates", "agent", "agent.words")


_MANY = 60
"""Reports that are worth several processes."""
Made = tuple[Summary | None, int, str]
"""A summary, how many files were written, and why there is no summary."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """What a build did."""

    days: int
    renewed: int
    """Reports whose pages were written anew."""
    written: int
    notices: tuple[str, ...]


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
        return (*pages, _summary_file(label), f"search/docs/{label}.js", words_file(label))


class Site:
    """A site while it is built."""

    def __init__(self, out: Path, to: Path, settings: SiteSettings) -> None:
        self._out, self._settings = out, settings
        self._folder, self._manifest = SiteFolder.open(to)
        self._maker = mark(maker(), settings.web.base, settings.site_url)
        self._pages = pages_of(settings)
        self._notices: list[str] = []
        self._renewed = 0

    def build(self) -> Built:
        """Write what is missing or old, and the manifest last."""
        found = report_files(self._out)
        for name in _ASSETS:
            self._folder.page(f"assets/{name}", mark(_asset(name)), partial(_asset, name))
        self._folder.page(".nojekyll", "", str)
        summaries = self._reports(found)
        write_index(self._folder, summaries, self._maker)
        gazette = str(self._manifest.get("id") or self._pages.gazette_id(summaries))
        self._together(summaries, found, gazette)
        self._folder.sweep()
        self._folder.put(MANIFEST, self._record(summaries, gazette))
        notices = tuple(self._notices)
        return Built(days=len(summaries), renewed=self._renewed, written=self._folder.written, notices=notices)

    # ---------------------------------------------------------------- one report

    def _reports(self, found: Sequence[ReportFile]) -> list[Summary]:
        """Make the pages of every report that has none or old ones."""
        days = [one.label for one in found if len(one.label) == 10]
        beside = {day: (before, after) for before, day, after in zip(("", *days), days, (*days[1:], ""), strict=False)}
        orders = [self._order(one, *beside.get(one.label, ("", ""))) for one in found]
        known = {one.file.label: summary for one in orders if (summary := self._known(one))}
        todo = [one for one in orders if one.file.label not in known]
        for order, (summary, written, notice) in zip(todo, self._made(todo), strict=True):
            self._folder.written += written
            if summary is None:
                self._notices.append(notice)
                continue
            self._renewed += 1
            known[order.file.label] = summary
            self._folder.keep(order.key, *order.own, *_commits(summary))
        return [known[one.label] for one in found if one.label in known]

    def _order(self, file: ReportFile, before: str, after: str) -> Order:
        return Order(file, before, after, mark(file.hash, self._maker, before, after))

    def _known(self, order: Order) -> Summary | None:
        """Find the summary of a report whose pages are those of this very report."""
        if not self._folder.current(order.key, *order.own):
            return None
        try:
            summary = Summary.model_validate_json((self._folder.folder / _summary_file(order.file.label)).read_bytes())
        except (OSError, ValidationError):
            return None
        self._folder.keep(order.key, *order.own, *_commits(summary))
        return summary

    def _made(self, orders: Sequence[Order]) -> Iterator[Made]:
        make = partial(make_report, self._folder.folder, self._settings)
        if len(orders) < _MANY or threading.active_count() > 1:
            yield from map(make, orders)
            return
        with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
            yield from pool.map(make, orders, chunksize=8)

    # ---------------------------------------------------------------- all reports

    def _together(self, summaries: Sequence[Summary], found: Sequence[ReportFile], gazette: str) -> None:
        """Write the pages that are made from all reports."""
        stories, pages = told_stories(summaries, self._settings.web), self._pages
        key = mark(self._maker, self._settings.lang, *(one.hash for one in summaries))
        latest, kept_back = self._latest(summaries, found)
        by_repo: dict[str, list[Summary]] = defaultdict(list)
        for one in summaries:
            for part in one.repos:
                by_repo[part.repo].append(one)
        for lang in LANGUAGES:
            front = partial(pages.front, latest, kept_back, summaries)
            self._page(lang, "index.html", key, front)
            if lang == self._settings.lang:
                self._page(lang, "../index.html", key, front)
            self._page(lang, "days/index.html", key, partial(pages.days, summaries))
            self._page(lang, "repos/index.html", key, partial(pages.repos, by_repo))
            self._page(lang, "stories.html", key, partial(pages.stories, stories))
            self._page(lang, "search.html", self._maker, pages.search)
            self._page(lang, "feed.xml", key, partial(pages.feed, summaries, gazette))
            for repo, days in by_repo.items():
                known = mark(self._maker, *(one.hash for one in days))
                self._page(lang, repo_path(repo), known, partial(pages.repo, repo, days, stories))
            self._months(lang, stories)

    def _months(self, lang: Language, stories: Sequence[ToldStory]) -> None:
        months: dict[str, list[ToldStory]] = defaultdict(list)
        for one in stories:
            months[one.month].append(one)
        for month, own in months.items():
            key = mark(self._maker, *months, *(f"{one.part.place} {one.hash}" for one in own))
            render = partial(self._pages.stories, own, month=month, months=list(months))
            self._page(lang, month_path(month), key, render)

    def _page(self, lang: Language, path: str, key: str, render: Callable[[Place], str]) -> None:
        place = Place(lang, path)
        self._folder.page(place.file, key, lambda: render(place))

    def _latest(self, summaries: Sequence[Summary], found: Sequence[ReportFile]) -> tuple[Report | None, list[str]]:
        """Choose the report of the front page, the latest day of which not too much is missing, and name newer ones."""
        order = sorted(summaries, key=lambda one: (one.is_day, one.label), reverse=True)
        sound = next((one for one in order if one.failed_share <= self._settings.max_failed), None)
        chosen = sound or (order[0] if order else None)
        if chosen is None:
            return None, []
        report = next(one for one in found if one.label == chosen.label).read()
        return report, [one.label for one in order[: order.index(chosen)]] if sound else []

    def _record(self, summaries: Sequence[Summary], gazette: str) -> str:
        """Write what the site consists of; equal reports give equal bytes."""
        days: list[Mapping[str, Any]] = [
            {
                "label": one.label,
                "hash": one.hash,
                "landed": one.landed,
                "repos": [part.repo for part in one.repos],
                "pages": {lang: f"{lang}/{day_path(one.label)}" for lang in LANGUAGES},
                "data": f"data/{one.label}.json",
            }
            for one in summaries
        ]
        lang = self._settings.lang
        head = {"format": FORMAT, "generator": "gitzette", "id": gazette, "languages": LANGUAGES, "lang": lang}
        return json.dumps(head | {"days": days, "files": dict(sorted(self._folder.keys.items()))}, indent=0) + "\n"


def build_site(out: Path, to: Path, settings: SiteSettings) -> Built:
    """Write the site of an output folder."""
    with _uncollected():
        return Site(out, to, settings).build()


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
    folder.put(_summary_file(label), _compact(summary.model_dump(mode="json")))
    return summary, folder.written, ""


@cache
def pages_of(settings: SiteSettings) -> Pages:
    """Give what writes the pages of a site."""
    return Pages(settings.web, settings.site_url, mark(*map(_asset, _ASSETS)))


def _summary_file(label: str) -> str:
    return f"data/{label}.json"


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no cycles meanwhile: reports and pages have none, and looking takes a tenth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def maker() -> str:
    """Give a mark of what makes pages, so that a newer Gitzette writes all of them anew."""
    sources = [file for name in _MAKERS for file in files(name).iterdir() if file.is_file()]
    sources.append(files("memory").joinpath("words.py"))
    return mark(*(file.read_text("utf-8") for file in sorted(sources, key=str)), *map(_asset, _ASSETS))


def _commits(summary: Summary) -> list[str]:
    return [f"{lang}/{path}" for lang in LANGUAGES for path in summary.commits]


def _asset(name: str) -> str:
    return files("gitzette.site").joinpath("assets", name).read_text("utf-8")


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
