"""Builds the site: the pages of reports that changed, then whatever is made from all reports together."""

import argparse
import json
import re
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, Language, StorageError, UsageError
from agent.domain.report import Report
from agent.reports.stored import load
from agent.settings.values import Settings
from agent.web import Web
from gitzette.arguments import settings_here
from gitzette.render.addresses import LANGUAGES, Place, day_path, repo_path
from gitzette.render.compose import page_model
from gitzette.site.folder import HEAD, MANIFEST, SiteFolder, mark
from gitzette.site.pages import Pages, SiteSettings
from gitzette.site.search import day_index, script, write_index
from gitzette.site.summary import Summary, is_week, summarise, told_stories

ASSETS = ("style.css", "theme.js", "page.js", "search.js", "icon.svg")
# What pages are made by: when any of these changes, all pages are written anew.
_MAKERS = ("gitzette.site", "gitzette.render", "gitzette.render.templates", "agent", "agent.words")
_LISTS = {"days/index.html": "days", "repos/index.html": "repos", "stories.html": "stories", "search.html": "search"}
_MOMENT = r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?"
_LABEL = re.compile(rf"{_MOMENT}(?:\.\.{_MOMENT})?|\d{{4}}-W\d{{2}}", re.ASCII)
_NAMESPACE = UUID("5b3a9f0c-5d0e-4a55-9a3c-0f4f7a1e2c11")
_MANY = 60
"""Reports that are worth several processes."""


class Built(NamedTuple):
    """What a build did."""

    days: int
    renewed: int  # reports whose pages were written anew
    written: int
    notices: tuple[str, ...]


class _Order(NamedTuple):
    """One report whose pages are to be made, from its file and with the days beside it."""

    label: str
    path: Path
    hash: str
    before: str
    after: str
    key: str

    @property
    def own(self) -> tuple[str, ...]:
        """The files that it always has: summary, documents and words for the search, a page in each language."""
        pages = (f"{lang}/{day_path(self.label)}" for lang in LANGUAGES)
        return (f"data/{self.label}.json", f"search/docs/{self.label}.js", f"data/words/{self.label}.txt", *pages)

    def read(self) -> Report:
        """Read the report; one that speaks of another window than its name says is not ours."""
        report = load(self.path.read_bytes(), self.path.name)
        if report.window.label != self.label and not is_week(self.label):
            raise StorageError(f"{self.path.name} speaks of {report.window.label}; move it away")
        return report


def build_site(out: Path, to: Path, settings: SiteSettings) -> Built:
    """Write what is missing or old of the site of an output folder, and the manifest last."""
    folder, manifest = SiteFolder.open(to)
    maker = mark(_maker(), settings.web.base, settings.site_url)
    for name in ASSETS:
        folder.page(f"assets/{name}", mark(asset(name)), partial(asset, name))
    folder.page(".nojekyll", "", str)
    orders = _orders(out, maker)
    known: dict[str, Summary | str] = {one.label: found for one in orders if (found := _known(folder, one))}
    todo = [one for one in orders if one.label not in known]
    for order, (made, written) in zip(todo, _made(todo, to, settings), strict=True):
        folder.written += written
        known[order.label] = made
    summaries = []
    for order in orders:
        if isinstance(summary := known[order.label], dict):
            commits = (f"{lang}/{path}" for lang in LANGUAGES for path in summary["commits"])
            folder.keys |= dict.fromkeys((*order.own, *commits), order.key)
            summaries.append(summary)
    notices = tuple(one for one in known.values() if isinstance(one, str))
    write_index(folder, [one for one in summaries if not is_week(one["label"])])
    gazette = str(manifest.get("id") or _gazette_id(summaries))
    _write_together(folder, settings, summaries, {one.label: one for one in orders}, maker, gazette)
    folder.sweep()
    head = HEAD | {"id": gazette, "languages": LANGUAGES, "lang": settings.lang, "days": list(map(_listed, summaries))}
    folder.put(MANIFEST, json.dumps(head | {"files": dict(sorted(folder.keys.items()))}, indent=0) + "\n")
    return Built(len(summaries), len(todo) - len(notices), folder.written, notices)


def _orders(out: Path, maker: str) -> list[_Order]:
    """List the reports of an output folder, oldest first."""
    try:
        paths = sorted(file for file in (out / "reports").glob("*.json") if _LABEL.fullmatch(file.stem))
        hashes = [sha256(file.read_bytes()).hexdigest() for file in paths]
    except OSError as error:
        raise StorageError(f"cannot read {out / 'reports'}: {error.strerror or error}") from error
    days = [file.stem for file in paths if len(file.stem) == 10]
    beside = dict(zip(days, zip(("", *days), (*days[1:], ""), strict=False), strict=False))
    sides = [beside.get(file.stem, ("", "")) for file in paths]
    every = zip(paths, hashes, sides, strict=True)
    return [_Order(file.stem, file, digest, *side, mark(digest, maker, *side)) for file, digest, side in every]


def _known(folder: SiteFolder, order: _Order) -> Summary | None:
    """Find the summary of a report whose pages are those of this very report."""
    if not folder.current(order.key, *order.own):
        return None
    try:
        found = json.loads((folder.folder / order.own[0]).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _made(orders: Sequence[_Order], to: Path, settings: SiteSettings) -> Iterator[tuple[Summary | str, int]]:
    make = partial(_make_report, to, settings)
    if len(orders) < _MANY or threading.active_count() > 1:
        yield from map(make, orders)
        return
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        yield from pool.map(make, orders, chunksize=8)


def _make_report(to: Path, settings: SiteSettings, order: _Order) -> tuple[Summary | str, int]:
    """Write the pages of a report, its summary and its documents for the search; or say why there are none."""
    folder = SiteFolder(to)
    try:
        report = order.read()
    except StorageError as error:
        return str(error), 0
    pages = {lang: page_model(report, lang, settings.web) for lang in LANGUAGES}
    for page in pages.values():
        for name, text in _pages_of(settings).day(page, order.label, order.before, order.after):
            folder.put(name, text)
    # What is told of a week is found on its days.
    documents, lines = day_index(pages) if not is_week(order.label) else ([], "")
    summary = summarise(order.label, order.hash, report, pages)
    folder.put(order.own[0], json.dumps(summary, ensure_ascii=False))
    folder.put(order.own[1], script(f"docs/{order.label}", documents))
    folder.put(order.own[2], lines)
    return summary, folder.written


def _write_together(
    folder: SiteFolder,
    settings: SiteSettings,
    summaries: Sequence[Summary],
    orders: Mapping[str, _Order],
    maker: str,
    gazette: str,
) -> None:
    """Write the pages that are made from all reports."""
    pages, key = _pages_of(settings), mark(maker, settings.lang, *(one["hash"] for one in summaries))
    # The front page has the latest day of which not too much is missing, and names newer ones.
    order = sorted(summaries, key=lambda one: (len(one["label"]) == 10, one["label"]), reverse=True)
    at = next((at for at, one in enumerate(order) if one["failed_share"] <= settings.max_failed), 0)
    latest = orders[order[at]["label"]].read() if order else None
    by_repo: dict[str, list[Summary]] = defaultdict(list)
    for one in summaries:
        for part in one["repos"] if not is_week(one["label"]) else ():
            by_repo[part["repo"]].append(one)
    stories = told_stories(summaries)
    values = {"summaries": summaries, "by_repo": by_repo, "stories": stories}

    def write(lang: Language, path: str, known: str, render: Callable[[Place], str]) -> None:
        place = Place(lang, path)
        folder.page(place.file, known, lambda: render(place))

    front = partial(pages.front, latest, [one["label"] for one in order[:at]], summaries)
    write(settings.lang, "../index.html", key, front)
    for lang in LANGUAGES:
        write(lang, "index.html", key, front)
        write(lang, "feed.xml", key, partial(pages.feed, summaries, gazette))
        for path, name in _LISTS.items():
            write(lang, path, key, partial(pages.listing, name, values))
        for repo, days in by_repo.items():
            known = mark(maker, *(one["hash"] for one in days))
            write(lang, repo_path(repo), known, partial(pages.repo, repo, days, stories))


def _listed(summary: Summary) -> dict[str, Any]:
    """Name a report in the manifest, for other programs."""
    label, repos = summary["label"], summary["repos"]
    pages = {lang: f"{lang}/{day_path(label)}" for lang in LANGUAGES}
    known = {"label": label, "hash": summary["hash"], "landed": sum(part["landed"] for part in repos)}
    return known | {"repos": [part["repo"] for part in repos], "pages": pages, "data": f"data/{label}.json"}


def _gazette_id(summaries: Sequence[Summary]) -> str:
    """Name a gazette by its first report: two gazettes of the same day are not the same."""
    about = [f"{one['key']} {' '.join(sorted(part['repo'] for part in one['repos']))}" for one in summaries[:1]]
    return str(uuid5(_NAMESPACE, about[0] if about else "empty"))


@cache
def _pages_of(settings: SiteSettings) -> Pages:
    return Pages(settings, mark(*map(asset, ASSETS)))


def _maker() -> str:
    """Give a mark of what makes pages, so that a newer Gitzette writes all of them anew."""
    sources = [file for name in _MAKERS for file in files(name).iterdir() if file.is_file()]
    return mark(*(file.read_text("utf-8") for file in sorted(sources, key=str)), *map(asset, ASSETS))


def asset(name: str) -> str:
    """Read a style or script of the site."""
    return files("gitzette.site").joinpath("assets", name).read_text("utf-8")


# ---------------------------------------------------------------- the command


def site(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Build the site; 3 when a report could not be read."""
    settings = settings_here(environ)
    out = args.out or settings.out
    if not (out / "reports").is_dir():
        raise UsageError(f"{out} has no reports yet; gitzette run writes them")
    to: Path = args.to or out / "site"
    built = site_of(settings, out, to)
    sys.stdout.write(f"{to / 'index.html'}\n")
    return EXIT_INCOMPLETE if built.notices else EXIT_DONE


def site_of(settings: Settings, out: Path, to: Path | None = None) -> Built:
    """Build the site of an output folder as the settings say, and tell a person what was done."""
    built = build_site(out, to or out / "site", site_settings(settings))
    for notice in built.notices:
        sys.stderr.write(f"gitzette: {' '.join(notice.split())}\n")
    told = f"{built.days} reports, {built.renewed} of them new or changed; {built.written} files written"
    sys.stderr.write(f"gitzette: site: {told}\n")
    return built


def site_settings(settings: Settings) -> SiteSettings:
    """Take from the settings what shapes the site."""
    web, site_url = Web(settings.web), settings.site_url or ""
    return SiteSettings(web=web, lang=settings.lang, max_failed=settings.max_failed, site_url=site_url)
