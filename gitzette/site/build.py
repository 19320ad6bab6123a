"""Builds the site: the pages of reports that changed, then whatever is made from all reports together."""

import argparse
import gc
import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, LANGUAGES, StorageError, UsageError
from agent.domain.report import Report
from agent.editions.week import load_week
from agent.reports.stored import load
from agent.settings.values import Settings
from gitzette.arguments import settings_here
from gitzette.render.compose import page_model, week_model
from gitzette.render.templating import mark_of
from gitzette.site.pages import Pages, asset
from gitzette.site.summaries import (
    DayIndex,
    Summary,
    day_index,
    index_files,
    is_week,
    script,
    summarise,
)

_ASSETS = ("style.css", "theme.js", "page.js", "search.js", "icon.svg")
# What pages are made by: when any of these changes, all pages are written anew.
_MAKERS = ("gitzette.site", "gitzette.render", "gitzette.render.templates", "agent", "agent.words")
_MANIFEST = "manifest.json"
_LABEL = re.compile(r"\d{4}-(W\d\d|\d\d-\d\d[T\d.-]*)", re.ASCII)
_MANY = 60  # Reports that are worth several processes


class Built(NamedTuple):
    """What a build did."""

    days: int
    renewed: int  # reports whose pages were written anew
    written: int
    notices: tuple[str, ...]


@dataclass
class SiteFolder:
    """The folder that a site is written to: files whole or not at all, and only those that changed."""

    folder: Path
    made: frozenset[str] = frozenset()  # The files that we wrote before
    files: set[str] = field(default_factory=set)  # The files that belong to the site now
    written: int = 0

    @classmethod
    def open(cls, folder: Path) -> "SiteFolder":
        """Open a folder that is empty or ours."""
        try:
            found = json.loads((folder / _MANIFEST).read_bytes())
            if found["generator"] == "gitzette":
                return cls(folder, frozenset(map(str, found["files"])))
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
        target, data = self.folder / file, text.encode("utf-8", errors="replace")
        self.files.add(file)
        try:
            if target.exists() and target.read_bytes() == data:
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            # No waiting for the disk: what a crash spoils is made again from the reports.
            fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
            fresh.write_bytes(data)
            fresh.replace(target)
        except OSError as error:
            raise StorageError(f"cannot write {target}: {error.strerror or error}") from error
        self.written += 1

    def close(self) -> None:
        """Remove the pages that no longer belong to the site, and only files that we wrote; note what is there."""
        for file in self.made - self.files:
            target = (self.folder / file).resolve()
            if target.is_relative_to(self.folder.resolve()):
                target.unlink(missing_ok=True)
        self.put(
            _MANIFEST,
            json.dumps({"generator": "gitzette", "files": sorted(self.files)}, indent=0) + "\n",
        )


class _Order(NamedTuple):
    """One report whose pages are to be made, from its file and with the days beside it."""

    label: str
    path: Path
    before: str
    after: str
    key: str

    def known(self, to: Path) -> Summary | None:
        """Find the summary of this very report: it is written behind its pages."""
        try:
            found: Summary = json.loads((to / f"data/{self.label}.json").read_bytes())
            return found if found["key"] == self.key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def read(self) -> Report:
        """Read the report; one that speaks of another window than its name says is not ours."""
        report = load(self.path.read_bytes(), self.path.name)
        if report.window.label != self.label and not is_week(self.label):
            raise StorageError(f"{self.path.name} speaks of {report.window.label}; move it away")
        return report


def build_site(out: Path, to: Path, settings: Settings) -> Built:
    """Write what is missing or old of the site of an output folder, and the manifest last."""
    folder, pages = SiteFolder.open(to), Pages(settings, mark_of("\0".join(map(asset, _ASSETS)), 8))
    orders = {one.label: one for one in _orders(out, settings)}
    known = {label: found for label, one in orders.items() if (found := one.known(to))}
    todo, notices = [one for label, one in orders.items() if label not in known], []
    for order, (made, written) in zip(
        todo, _made(todo, partial(_make_report, to, pages)), strict=True
    ):
        folder.written += written
        if isinstance(made, str):
            notices.append(made)
        else:
            known[order.label] = made
    summaries = [known[label] for label in orders if label in known]
    folder.files |= {file for one in summaries for file in one["files"]}
    # The front page has the latest day of which not too much is missing, and names newer ones.
    newest = sorted(
        summaries, key=lambda one: (len(one["label"]) == 10, one["label"]), reverse=True
    )
    at = next(
        (at for at, one in enumerate(newest) if one["failed_share"] <= settings.max_failed), 0
    )
    latest = orders[newest[at]["label"]].read() if newest else None
    shared = [(".nojekyll", ""), *((f"assets/{name}", asset(name)) for name in _ASSETS)]
    for file, text in (
        *shared,
        *index_files(summaries),
        *pages.together(summaries, latest, newest[:at]),
    ):
        folder.put(file, text)
    folder.close()
    return Built(len(summaries), len(todo) - len(notices), folder.written, tuple(notices))


def _orders(out: Path, settings: Settings) -> Iterator[_Order]:
    """List the reports of an output folder, oldest first; a newer Gitzette writes all pages anew."""
    sources = [file for name in _MAKERS for file in files(name).iterdir() if file.is_file()]
    code = (file.read_text("utf-8") for file in sorted(sources, key=str))
    maker = mark_of(
        "\0".join((*code, *map(asset, _ASSETS), settings.web, settings.site_url or "")), 16
    )
    try:
        paths = sorted(
            file for file in (out / "reports").glob("*.json") if _LABEL.fullmatch(file.stem)
        )
        hashes = [sha256(file.read_bytes()).hexdigest() for file in paths]
    except OSError as error:
        raise StorageError(f"cannot read {out / 'reports'}: {error.strerror or error}") from error
    days = [file.stem for file in paths if len(file.stem) == 10]
    beside = dict(zip(days, zip(("", *days), (*days[1:], ""), strict=False), strict=False))
    for file, digest in zip(paths, hashes, strict=True):
        before, after = beside.get(file.stem, ("", ""))
        yield _Order(
            file.stem, file, before, after, mark_of(f"{digest} {maker} {before} {after}", 16)
        )


def _made(
    orders: Sequence[_Order], make: "partial[tuple[Summary | str, int]]"
) -> Iterator[tuple[Summary | str, int]]:
    if len(orders) < _MANY or threading.active_count() > 1:
        yield from map(make, orders)
        return
    # What is loaded by now stays: collecting garbage need not look at it again in each process.
    with ProcessPoolExecutor(mp_context=get_context("fork"), initializer=gc.freeze) as pool:
        yield from pool.map(make, orders, chunksize=8)


def _make_report(to: Path, pages: Pages, order: _Order) -> tuple[Summary | str, int]:
    """Write the pages of a report, its summary and its documents for the search; or say why there are none."""
    folder = SiteFolder(to)
    try:
        report = order.read()
    except StorageError as error:
        return str(error), 0
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
    summary = summarise(order.label, report, models, index)
    summary["key"] = order.key
    summary["files"] = sorted((*folder.files, f"data/{order.label}.json"))
    folder.put(f"data/{order.label}.json", json.dumps(summary, ensure_ascii=False))
    return summary, folder.written


def site(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Build the site as a command; 3 when a report could not be read."""
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
    built = build_site(out, to or out / "site", settings)
    for notice in built.notices:
        sys.stderr.write(f"gitzette: {' '.join(notice.split())}\n")
    index = (to or out / "site") / "index.html"
    counts = f"{built.days} reports, {built.renewed} of them new or changed"
    sys.stderr.write(f"gitzette: site: {index} ({counts}; {built.written} files written)\n")
    return built
