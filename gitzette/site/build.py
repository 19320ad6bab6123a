"""Builds the site: the pages of reports that changed, then whatever is made from all reports together."""

import gc
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.domain.base import Language
from agent.domain.report import Report
from gitzette.site.addresses import LANGUAGES, Place, day_path, month_path, repo_path
from gitzette.site.folder import FORMAT, MANIFEST, SiteFolder, mark
from gitzette.site.report_files import ReportFile, report_files
from gitzette.site.report_pages import ASSETS, Made, Order, SiteSettings, asset, make_report, pages_of, summary_file
from gitzette.site.search_index import write_index
from gitzette.site.stories import ToldStory, told_stories
from gitzette.site.summary import Summary

# What pages are made by: when any of these changes, all pages are written anew.
_MAKERS = ("gitzette.site", "gitzette.render", "gitzette.render.templates", "agent", "agent.words")


_MANY = 60
"""Reports that are worth several processes."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """What a build did."""

    days: int
    renewed: int
    """Reports whose pages were written anew."""
    written: int
    notices: tuple[str, ...]


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
        for name in ASSETS:
            self._folder.page(f"assets/{name}", mark(asset(name)), partial(asset, name))
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
            self._folder.keep(order.key, *order.own, *commit_files(summary))
        return [known[one.label] for one in found if one.label in known]

    def _order(self, file: ReportFile, before: str, after: str) -> Order:
        return Order(file, before, after, mark(file.hash, self._maker, before, after))

    def _known(self, order: Order) -> Summary | None:
        """Find the summary of a report whose pages are those of this very report."""
        if not self._folder.current(order.key, *order.own):
            return None
        try:
            summary = Summary.model_validate_json((self._folder.folder / summary_file(order.file.label)).read_bytes())
        except (OSError, ValidationError):
            return None
        self._folder.keep(order.key, *order.own, *commit_files(summary))
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
    sources.append(files("memory").joinpath("text_index.py"))
    return mark(*(file.read_text("utf-8") for file in sorted(sources, key=str)), *map(asset, ASSETS))


def commit_files(summary: Summary) -> list[str]:
    """List the pages of the commits of a report."""
    return [f"{lang}/{path}" for lang in LANGUAGES for path in summary.commits]
