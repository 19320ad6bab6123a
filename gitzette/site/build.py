"""Builds the site: the pages of days whose reports changed, then whatever is made from all days together."""

import gc
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.errors import StorageError
from agent.report import Report
from agent.settings import MAX_FAILED, Language
from agent.web import Web
from gitzette.site.calendar import archive_page
from gitzette.site.day import Neighbours, day_page
from gitzette.site.desk import FORMAT, MANIFEST, Desk, mark
from gitzette.site.feed import feed, gazette_id
from gitzette.site.figures import figures_page
from gitzette.site.front import Latest, front_page
from gitzette.site.indexing import words_file, write_index
from gitzette.site.names import Place, day_path, repo_path
from gitzette.site.repos import repo_page, repos_of, repos_page
from gitzette.site.search import day_index
from gitzette.site.seeking import search_page
from gitzette.site.shelf import Volume, volumes
from gitzette.site.shell import LANGUAGES, Scene
from gitzette.site.summary import Summary, summarise
from gitzette.site.tales import Tale, month_page, month_path, tales_of, tales_page
from gitzette.site.timelines import story_key

_ASSETS = ("style.css", "theme.js", "page.js", "search.js", "icon.svg")
# What pages are made by: when code of these packages changes, all pages are written anew.
_MAKERS = ("gitzette.site", "agent", "agent.linking")


@dataclass(frozen=True, kw_only=True)
class Built:
    """What a build did."""

    days: int
    renewed: int
    """Days whose pages were written anew."""
    written: int
    notices: tuple[str, ...]


class Site:
    """A site while it is built."""

    def __init__(self, out: Path, to: Path, *, web: Web, lang: Language, max_failed: float) -> None:
        self._out = out
        self._desk, self._manifest = Desk.open(to)
        self._web = web
        self._lang = lang
        self._max_failed = max_failed
        self._maker = maker()
        self._assets = mark(*(_asset(name) for name in _ASSETS))
        self._notices: list[str] = []
        self._renewed = 0

    def build(self) -> Built:
        """Write what is missing or old, and the manifest last."""
        found = volumes(self._out)
        for name in _ASSETS:
            self._desk.page(f"assets/{name}", mark(_asset(name)), partial(_asset, name))
        self._desk.page(".nojekyll", "", str)
        beside = _neighbours(found)
        summaries = [one for volume in found if (one := self._day(volume, beside.get(volume.label, Neighbours())))]
        write_index(self._desk, summaries, self._maker)
        gazette = str(self._manifest.get("id") or gazette_id(summaries))
        self._together(summaries, found, gazette)
        self._desk.sweep()
        self._desk.put(MANIFEST, self._record(summaries, gazette))
        return Built(
            days=len(summaries), renewed=self._renewed, written=self._desk.written, notices=tuple(self._notices)
        )

    def _scene(self, lang: Language, path: str) -> Scene:
        return Scene(Place(lang, path), self._web, self._assets)

    def _day(self, volume: Volume, beside: Neighbours) -> Summary | None:
        """Make a day's pages, its summary and its documents, unless they are of this very report."""
        desk, label = self._desk, volume.label
        key = mark(volume.hash, self._maker, self._web.base, repr(beside))
        names = {lang: f"{lang}/{day_path(label)}" for lang in LANGUAGES}
        summary, texts, words = f"data/{label}.json", f"search/docs/{label}.json", words_file(label)
        made = (*names.values(), summary, texts, words)
        if desk.current(key, *made) and (known := self._known(summary)):
            return known
        try:
            report = volume.read()
        except StorageError as error:
            self._notices.append(str(error))
            for name in made:
                del desk.keys[name]
            return None
        self._renewed += 1
        for lang, name in names.items():
            desk.put(name, day_page(report, self._scene(lang, day_path(label)), beside))
        index = day_index(report, self._web)
        desk.put(texts, _compact(index.documents))
        desk.put(words, _compact(index.words))
        short = summarise(report, volume.hash, self._web, len(index.documents))
        desk.put(summary, _compact(short.model_dump(mode="json")))
        return short

    def _known(self, file: str) -> Summary | None:
        """Read a summary of an earlier build; one that does not fit is made again."""
        try:
            return Summary.model_validate_json((self._desk.folder / file).read_bytes())
        except (OSError, ValidationError):
            return None

    def _together(self, summaries: Sequence[Summary], found: Sequence[Volume], gazette: str) -> None:
        """Write the pages that are made from all days."""
        days = [one for one in summaries if len(one.label) == 10]
        tales = tales_of(summaries)
        key = mark(self._maker, self._web.base, self._lang, *(one.hash for one in summaries))
        latest = self._latest(summaries, found)
        for lang in LANGUAGES:
            pages: dict[str, Callable[[Scene], str]] = {
                "index.html": partial(front_page, latest, summaries),
                "days/index.html": partial(archive_page, summaries),
                "repos/index.html": partial(repos_page, summaries),
                "stories.html": partial(tales_page, tales),
                "figures.html": partial(figures_page, days),
                "search.html": search_page,
            }
            if lang == self._lang:
                pages["../index.html"] = pages["index.html"]
            for path, render in pages.items():
                self._page(lang, path, key, render)
            self._months(lang, tales)
            for repo in repos_of(summaries):
                own = mark(self._maker, self._web.base, repo, *(one.hash for one in days if _has(one, repo)))
                self._page(lang, repo_path(repo), own, partial(repo_page, repo, summaries, tales))
            self._page(lang, "feed.xml", mark(key, gazette), lambda scene: feed(summaries, scene, gazette))

    def _months(self, lang: Language, tales: Sequence[Tale]) -> None:
        by_month: dict[str, list[Tale]] = defaultdict(list)
        for tale in tales:
            by_month[tale.month].append(tale)
        every = " ".join(sorted(by_month))
        for month, own in by_month.items():
            told = (f"{story_key(tale.story)} {tale.hash}" for tale in own)
            key = mark(self._maker, self._web.base, every, *told)
            self._page(lang, month_path(month), key, partial(month_page, month, tales))

    def _page(self, lang: Language, path: str, key: str, render: Callable[[Scene], str]) -> None:
        scene = self._scene(lang, path)
        self._desk.page(scene.place.file, key, lambda: render(scene))

    def _latest(self, summaries: Sequence[Summary], found: Sequence[Volume]) -> Latest | None:
        """Choose the report of the front page: the latest day, unless too much of it is missing."""
        order = sorted(summaries, key=lambda one: (len(one.label) == 10, one.label), reverse=True)
        sound = next((one for one in order if one.failed_share <= self._max_failed), None)
        chosen = sound or (order[0] if order else None)
        if chosen is None:
            return None
        report: Report = next(volume for volume in found if volume.label == chosen.label).read()
        return Latest(report, tuple(one.label for one in order[: order.index(chosen)]) if sound else ())

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
        head = {"format": FORMAT, "generator": "gitzette", "id": gazette, "languages": LANGUAGES, "lang": self._lang}
        return json.dumps(head | {"days": days, "files": dict(sorted(self._desk.keys.items()))}, indent=0) + "\n"


def build_site(out: Path, to: Path, *, web: Web, lang: Language = "en", max_failed: float = MAX_FAILED) -> Built:
    """Write the site of an output folder; `lang` is that of the first page."""
    with _uncollected():
        return Site(out, to, web=web, lang=lang, max_failed=max_failed).build()


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
    """Give a mark of the code that makes pages, so that a newer Gitzette writes all of them anew."""
    sources = [file for name in _MAKERS for file in files(name).iterdir() if file.name.endswith(".py")]
    sources.append(files("memory").joinpath("words.py"))
    texts = (file.read_text("utf-8") for file in sorted(sources, key=str))
    return mark(*texts, *(_asset(name) for name in _ASSETS))


def _neighbours(found: Sequence[Volume]) -> dict[str, Neighbours]:
    """Find the days before and after each day; ranges have no neighbours."""
    days = [volume.label for volume in found if len(volume.label) == 10]
    return {
        day: Neighbours(before, after)
        for before, day, after in zip((None, *days), days, (*days[1:], None), strict=False)
    }


def _has(summary: Summary, repo: str) -> bool:
    return any(part.repo == repo for part in summary.repos)


def _asset(name: str) -> str:
    return files("gitzette.site").joinpath("assets", name).read_text("utf-8")


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
