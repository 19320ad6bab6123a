"""Builds the site: pages of the reports that changed, then what all reports make together."""

import argparse
import gc
import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from agent.domain.base import LANGUAGES
from agent.domain.errors import EXIT_DONE, EXIT_INCOMPLETE, StorageError, UsageError
from agent.domain.report import Report
from agent.editions.week import load_week
from agent.reports.report_json import load
from agent.settings.values import Settings
from gitzette.render.page_addresses import mark_of
from gitzette.render.page_composition import page_model, week_model
from gitzette.settings_from_arguments import settings_here
from gitzette.site import report_file_hashes
from gitzette.site.pages import LatestDay, MonthPart, Pages, asset
from gitzette.site.report_file_hashes import Digests, digests_of
from gitzette.site.search_index import DayIndex, day_index, month_index, script
from gitzette.site.summaries import Summary, is_week, months_of, summarise

_ASSETS = ("style.css", "theme.js", "page.js", "search.js", "icon.svg")
# What pages are made by: when any of these changes, all pages are written anew.
_MAKERS = ("gitzette.site", "gitzette.render", "agent")  # Packages that decide how a page looks
_SOURCE_ENDINGS = (".py", ".html", ".xml", ".toml", ".css", ".js", ".txt")
_MANIFEST = "manifest.json"
_SHARED_KEYS = "data/shared.json"
_LABEL = re.compile(r"\d{4}-(W\d\d|\d\d-\d\d[T\d.-]*)", re.ASCII)
_DAY_LABEL_LENGTH = len("2026-02-04")
_MIN_PARALLEL = 60  # Reports that are worth several processes


class Built(NamedTuple):
    """The result of a build."""

    days: int
    renewed: int  # reports whose pages were written anew
    written: int
    notices: tuple[str, ...]


@dataclass
class SiteFolder:
    """The folder of a site; files are written whole or not at all, and only those that changed."""

    folder: Path
    made: frozenset[str] = frozenset()  # The files that we wrote before
    files: set[str] = field(default_factory=set)  # The files that belong to the site now
    written: int = 0

    @classmethod
    def open(cls, folder: Path) -> "SiteFolder":
        """Open a folder that is empty or ours."""
        try:
            manifest = json.loads((folder / _MANIFEST).read_bytes())
            if manifest["generator"] == "gitzette":
                return cls(folder, frozenset(map(str, manifest["files"])))
        except (FileNotFoundError, ValueError, RecursionError, KeyError, TypeError):
            pass  # It is not ours, or not yet
        except OSError as error:
            raise StorageError(f"cannot write to {folder}: {error.strerror or error}") from error
        if folder.is_dir() and any(folder.iterdir()):
            raise StorageError(
                f"{folder} holds other files and is left alone; choose another folder with --to"
            )
        cls(folder).close()  # A build that is cut short must not lock itself out
        return cls(folder)

    def put(self, file: str, text: str) -> None:
        """Write a file so that a visitor sees the old one or the new one."""
        target = self.folder / file
        data = text.encode("utf-8", errors="replace")
        self.files.add(file)
        try:
            if target.exists() and target.read_bytes() == data:
                return
            # No waiting for the disk: what a crash spoils is made again from the reports.
            fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
            try:
                fresh.write_bytes(data)
            except FileNotFoundError:
                target.parent.mkdir(parents=True, exist_ok=True)
                fresh.write_bytes(data)
            fresh.replace(target)
        except OSError as error:
            raise StorageError(f"cannot write {target}: {error.strerror or error}") from error
        self.written += 1

    def close(self) -> None:
        """Remove files of ours that no longer belong to the site, and write the manifest."""
        for file in self.made - self.files:
            target = (self.folder / file).resolve()
            if target.is_relative_to(self.folder.resolve()):
                target.unlink(missing_ok=True)
        manifest = {"generator": "gitzette", "files": sorted(self.files)}
        self.put(_MANIFEST, json.dumps(manifest, indent=0) + "\n")


class _Order(NamedTuple):
    """A report whose pages are to be made, with the days beside it."""

    label: str
    path: Path
    before: str
    after: str
    key: str  # Changes with the report, with its neighbours and with the code that makes pages

    def existing_summary(self, to: Path) -> Summary | None:
        """Return the summary of this very report, which is written after its pages; else None."""
        try:
            summary: Summary = json.loads((to / f"data/{self.label}.json").read_bytes())
            return summary if summary["key"] == self.key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def read(self) -> Report:
        """Read the report; raise StorageError if its window is not the one that its name says."""
        report = load(self.path.read_bytes(), self.path.name)
        if report.window.label != self.label and not is_week(self.label):
            raise StorageError(f"{self.path.name} speaks of {report.window.label}; move it away")
        return report


def build_site(out: Path, to: Path, settings: Settings) -> Built:
    """Write what is missing or old of the site of an output folder, and the manifest last."""
    folder = SiteFolder.open(to)
    pages = Pages(settings, mark_of("\0".join(map(asset, _ASSETS)), 8))
    paths, report_digests = _reports(out, to)
    maker = _maker_mark(settings)
    listed_orders = _orders(paths, report_digests, maker)
    orders = {order.label: order for order in listed_orders}
    summary_by_label: dict[str, Summary] = {}
    outdated: list[_Order] = []
    for label, order in orders.items():
        summary = order.existing_summary(to)
        if summary is None:
            outdated.append(order)
        else:
            summary_by_label[label] = summary
    notices: list[str] = []
    made_reports = _made_reports(outdated, partial(_make_report, to, pages))
    for order, made in zip(outdated, made_reports, strict=True):
        folder.written += made.written
        if made.summary is None:
            notices.append(made.notice)
        else:
            summary_by_label[order.label] = made.summary
    summaries = [summary_by_label[label] for label in orders if label in summary_by_label]
    for summary in summaries:
        folder.files.update(summary["files"])
    _write_shared_files(folder, pages, summaries, orders, settings, maker)
    folder.put(report_file_hashes.FILE, report_file_hashes.dumped(report_digests))
    folder.close()
    renewed = len(outdated) - len(notices)
    return Built(len(summaries), renewed, folder.written, tuple(notices))


def _write_shared_files(
    folder: SiteFolder,
    pages: Pages,
    summaries: Sequence[Summary],
    orders: Mapping[str, _Order],
    settings: Settings,
    maker: str,
) -> None:
    """Write assets, indexes and the pages that are made from all reports together."""
    # The front page has the latest day of which not too much is missing, and names newer ones.
    newest = sorted(summaries, key=_recency, reverse=True)
    front = 0
    for position, summary in enumerate(newest):
        if summary["failed_share"] <= settings.max_failed:
            front = position
            break
    latest: LatestDay | None = None
    if newest:
        order = orders[newest[front]["label"]]
        latest = LatestDay(order.label, order.key, order.read)
    folder.put(".nojekyll", "")
    for name in _ASSETS:
        folder.put(f"assets/{name}", asset(name))
    parts = []
    for month, month_summaries in months_of(summaries).items():
        parts.append(_month_part(folder, pages, month, month_summaries))
    searched = [part.month for part in parts if part.is_searched]
    folder.put("search/index.js", script("index", searched))
    known_keys = _shared_keys(folder)
    keys: dict[str, str] = {}
    for file in pages.together(summaries, latest, newest[:front], parts):
        keys[file.path] = mark_of(f"{maker} {file.inputs}", 16)
        if keys[file.path] == known_keys.get(file.path):
            folder.files.add(file.path)
        else:
            folder.put(file.path, file.make())
    folder.put(_SHARED_KEYS, json.dumps(keys, indent=0) + "\n")


def _shared_keys(folder: SiteFolder) -> dict[str, str]:
    """Return what the files were made from that are made from all reports."""
    try:
        keys = json.loads((folder.folder / _SHARED_KEYS).read_bytes())
        return {str(file): str(key) for file, key in keys.items() if file in folder.made}
    except (OSError, ValueError, RecursionError, AttributeError):
        return {}  # Not there yet, or not ours: all of them are made


def _month_part(
    folder: SiteFolder, pages: Pages, month: str, summaries: Sequence[Summary]
) -> MonthPart:
    """Return what lists have of a month; write its own files, if any of its reports changed."""
    file = f"data/{month}.json"
    key = mark_of(" ".join(summary["key"] for summary in summaries), 16)
    with suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads((folder.folder / file).read_bytes())
        if stored["key"] == key:
            folder.files.update((file, *stored["files"]))
            return MonthPart(**stored["part"])
    made = SiteFolder(folder.folder)
    searched = [summary for summary in summaries if summary["documents"]]
    if searched:
        indexes = [(summary["label"], _read_index(folder, summary)) for summary in searched]
        for name, text in month_index(month, indexes):
            made.put(name, text)
    for name, text in pages.breaking_of_month(month, summaries):
        made.put(name, text)
    part = pages.month_part(month, summaries, is_searched=bool(searched))
    stored = {"key": key, "files": sorted(made.files), "part": part._asdict()}
    made.put(file, json.dumps(stored, ensure_ascii=False))
    folder.files |= made.files
    folder.written += made.written
    return part


def _read_index(folder: SiteFolder, summary: Summary) -> DayIndex:
    """Read the lines by which the documents of a report are found."""
    file = folder.folder / _index_file(summary["label"])
    try:
        lines, words = json.loads(file.read_bytes())
    except (OSError, ValueError, TypeError) as error:
        raise StorageError(
            f"{file} cannot be read; remove {folder.folder} and build it again"
        ) from error
    return DayIndex([], lines, words)


def _index_file(label: str) -> str:
    return f"data/{label}-search.json"


def _recency(summary: Summary) -> tuple[bool, str]:
    """Return the key that sorts days by date, after weeks and windows of other lengths."""
    label: str = summary["label"]
    return len(label) == _DAY_LABEL_LENGTH, label


def _reports(out: Path, to: Path) -> tuple[list[Path], Digests]:
    """Return the reports of an output folder, oldest first, and the digests of all."""
    try:
        files = sorted((out / "reports").glob("*.json"))
        paths = [file for file in files if _LABEL.fullmatch(file.stem)]
        return paths, digests_of(paths, to)
    except OSError as error:
        raise StorageError(f"cannot read {out / 'reports'}: {error.strerror or error}") from error


def _orders(paths: Sequence[Path], report_digests: Digests, maker: str) -> Iterator[_Order]:
    """Yield what is to be made of each report; a newer Gitzette makes all anew."""
    days = [file.stem for file in paths if len(file.stem) == _DAY_LABEL_LENGTH]
    previous_day: dict[str, str] = {}
    next_day: dict[str, str] = {}
    for earlier, later in pairwise(days):
        previous_day[later] = earlier
        next_day[earlier] = later
    for file in paths:
        label = file.stem
        digest = report_digests[file.name][-1]
        before = previous_day.get(label, "")
        after = next_day.get(label, "")
        key = mark_of(f"{digest} {maker} {before} {after}", 16)
        yield _Order(label, file, before, after, key)


def _maker_mark(settings: Settings) -> str:
    """Return a mark of everything that pages are made by, beside the report itself."""
    texts = [file.read_text("utf-8") for file in sorted(maker_sources(), key=str)]
    texts += map(asset, _ASSETS)
    texts += (settings.web, settings.site_url or "", settings.lang)
    return mark_of("\0".join(texts), 16)


def maker_sources() -> list[Traversable]:
    """Return the modules, templates and words that pages are made by, in folders of any depth."""
    sources: list[Traversable] = []
    folders = [files(package) for package in _MAKERS]
    while folders:
        for entry in folders.pop().iterdir():
            if entry.is_dir():
                folders.append(entry)
            elif entry.name.endswith(_SOURCE_ENDINGS):
                sources.append(entry)
    return sources


class _MadeReport(NamedTuple):
    """The result of making the pages of a report."""

    summary: Summary | None  # None where the report cannot be read
    written: int = 0
    notice: str = ""  # Why there are no pages


def _made_reports(orders: Sequence[_Order], make: "partial[_MadeReport]") -> Iterator[_MadeReport]:
    if len(orders) < _MIN_PARALLEL or threading.active_count() > 1:
        yield from map(make, orders)
        return
    # What is loaded by now stays: collecting garbage need not look at it again in each process.
    with ProcessPoolExecutor(mp_context=get_context("fork"), initializer=gc.freeze) as pool:
        yield from pool.map(make, orders, chunksize=8)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Make pages without looking for garbage: nearly all that a report makes is freed without it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_uncollected()
def _make_report(to: Path, pages: Pages, order: _Order) -> _MadeReport:
    """Write the pages of a report, its summary and its documents for the search."""
    folder = SiteFolder(to)
    try:
        report = order.read()
    except StorageError as error:
        return _MadeReport(None, notice=str(error))
    index = DayIndex([], "", "")
    if is_week(order.label):
        week = load_week(order.path.read_bytes(), order.path.name)
        weeks = {lang: week_model(week, lang, pages.web) for lang in LANGUAGES}
        models = {lang: model.page for lang, model in weeks.items()}
        made = pages.week(weeks, order.label)
    else:
        models = {lang: page_model(report, lang, pages.web) for lang in LANGUAGES}
        made = pages.days(models, order.label, order.before, order.after)
        index = day_index(models)
    for name, text in made:
        folder.put(name, text)
    folder.put(f"search/docs/{order.label}.js", script(f"docs/{order.label}", index.documents))
    folder.put(_index_file(order.label), json.dumps([index.lines, index.words], ensure_ascii=False))
    summary = summarise(order.label, report, models, index)
    summary["key"] = order.key
    summary["files"] = sorted((*folder.files, f"data/{order.label}.json"))
    folder.put(f"data/{order.label}.json", json.dumps(summary, ensure_ascii=False))
    return _MadeReport(summary, folder.written)


def site(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Build the site as a command; the exit status is 3 if a report could not be read."""
    settings = settings_here(environ)
    out = args.out or settings.out
    if not (out / "reports").is_dir():
        raise UsageError(f"{out} has no reports yet; gitzette run writes them")
    to: Path = args.to or out / "site"
    built = site_of(settings, out, to)
    sys.stdout.write(f"{to / 'index.html'}\n")
    return EXIT_INCOMPLETE if built.notices else EXIT_DONE


def site_of(settings: Settings, out: Path, to: Path | None = None) -> Built:
    """Build the site of an output folder, and write to stderr what was done."""
    built = build_site(out, to or out / "site", settings)
    for notice in built.notices:
        sys.stderr.write(f"gitzette: {' '.join(notice.split())}\n")
    index = (to or out / "site") / "index.html"
    counts = f"{built.days} reports, {built.renewed} of them new or changed"
    sys.stderr.write(f"gitzette: site: {index} ({counts}; {built.written} files written)\n")
    return built
