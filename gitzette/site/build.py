"""Builds the site: the pages of reports that changed, then whatever is made from all reports together."""

import argparse
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

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, StorageError, UsageError
from agent.domain.report import Report
from agent.reports.stored import load
from agent.settings.values import Settings
from gitzette.arguments import settings_here
from gitzette.render.compose import page_model
from gitzette.render.templating import LANGUAGES, day_path, mark_of
from gitzette.site.pages import Pages, asset
from gitzette.site.summary import Summary, day_index, index_files, is_week, script, summarise

_ASSETS = ("style.css", "theme.js", "page.js", "search.js", "icon.svg")
# What pages are made by: when any of these changes, all pages are written anew.
_MAKERS = ("gitzette.site", "gitzette.render", "gitzette.render.templates", "agent", "agent.words")
_MANIFEST, _OURS = "manifest.json", {"generator": "gitzette"}
_MOMENT = r"\d{4}-\d{2}-\d{2}(?:T\d{4,6})?"
_LABEL = re.compile(rf"{_MOMENT}(?:\.\.{_MOMENT})?|\d{{4}}-W\d{{2}}", re.ASCII)
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
    reports: dict[str, str] = field(default_factory=dict)
    """The keys of the reports whose pages stand there already: a key names all that they are made from."""
    made: frozenset[str] = frozenset()  # The files that we wrote before
    files: set[str] = field(default_factory=set)  # The files that belong to the site now
    written: int = 0

    @classmethod
    def open(cls, folder: Path) -> "SiteFolder":
        """Open a folder that is empty or ours."""
        try:
            manifest = _manifest(folder / _MANIFEST)
            if manifest is None and folder.is_dir() and any(folder.iterdir()):
                raise StorageError(f"{folder} holds other files and is left alone; choose another folder with --to")
        except OSError as error:
            raise StorageError(f"cannot write to {folder}: {error.strerror or error}") from error
        reports, made = manifest or ({}, [])
        opened = cls(folder, reports, frozenset(made))
        if manifest is None:
            # A build that is cut short must not lock itself out.
            opened.close({})
            opened.written = 0
        return opened

    def put(self, file: str, text: str) -> None:
        """Write a file so that a visitor sees the old one or the new one."""
        target = self.folder / file
        data = text.encode("utf-8", errors="replace")
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

    def close(self, reports: Mapping[str, str]) -> None:
        """Remove the pages that no longer belong to the site, and only files that we wrote; note what is there."""
        for file in self.made - self.files:
            target = (self.folder / file).resolve()
            if target.is_relative_to(self.folder.resolve()):
                target.unlink(missing_ok=True)
        self.put(
            _MANIFEST,
            json.dumps(_OURS | {"reports": reports, "files": sorted(self.files - {_MANIFEST})}, indent=0) + "\n",
        )


def _manifest(file: Path) -> tuple[dict[str, str], list[str]] | None:
    """Read which reports and files a site has; what is not ours counts as no manifest."""
    try:
        data = json.loads(file.read_bytes())
        ours = _OURS.items() <= data.items()
        return (dict(data["reports"]), list(map(str, data["files"]))) if ours else None
    except (FileNotFoundError, ValueError, RecursionError, AttributeError, KeyError, TypeError):
        return None


class _Order(NamedTuple):
    """One report whose pages are to be made, from its file and with the days beside it."""

    label: str
    path: Path
    before: str
    after: str
    key: str

    @property
    def own(self) -> tuple[str, ...]:
        """The files that it always has: summary, documents for the search, a page in each language."""
        pages = (f"{lang}/{day_path(self.label)}" for lang in LANGUAGES)
        return (f"data/{self.label}.json", f"search/docs/{self.label}.js", *pages)

    def read(self) -> Report:
        """Read the report; one that speaks of another window than its name says is not ours."""
        report = load(self.path.read_bytes(), self.path.name)
        if report.window.label != self.label and not is_week(self.label):
            raise StorageError(f"{self.path.name} speaks of {report.window.label}; move it away")
        return report


def build_site(out: Path, to: Path, settings: Settings) -> Built:
    """Write what is missing or old of the site of an output folder, and the manifest last."""
    folder, pages = SiteFolder.open(to), Pages(settings, mark_of("\0".join(map(asset, _ASSETS)), 8))
    orders = list(_orders(out, settings))
    known: dict[str, Summary | str] = {one.label: found for one in orders if (found := _known(folder, one))}
    todo = [one for one in orders if one.label not in known]
    for order, (made, written) in zip(todo, _made(todo, to, pages), strict=True):
        folder.written += written
        known[order.label] = made
    summaries, reports = [], {}
    for order in orders:
        if isinstance(summary := known[order.label], dict):
            folder.files |= {*order.own, *(f"{lang}/{path}" for lang in LANGUAGES for path in summary["commits"])}
            summaries.append(summary)
            reports[order.label] = order.key
    # The front page has the latest day of which not too much is missing, and names newer ones.
    newest = sorted(summaries, key=lambda one: (len(one["label"]) == 10, one["label"]), reverse=True)
    at = next((at for at, one in enumerate(newest) if one["failed_share"] <= settings.max_failed), 0)
    latest = next((order.read() for order in orders if newest and order.label == newest[at]["label"]), None)
    for name in _ASSETS:
        folder.put(f"assets/{name}", asset(name))
    folder.put(".nojekyll", "")
    for file, text in (*index_files(summaries), *pages.together(summaries, latest, newest[:at])):
        folder.put(file, text)
    folder.close(reports)
    notices = tuple(one for one in known.values() if isinstance(one, str))
    return Built(len(summaries), len(todo) - len(notices), folder.written, notices)


def _orders(out: Path, settings: Settings) -> Iterator[_Order]:
    """List the reports of an output folder, oldest first; a newer Gitzette writes all pages anew."""
    sources = [file for name in _MAKERS for file in files(name).iterdir() if file.is_file()]
    code = (file.read_text("utf-8") for file in sorted(sources, key=str))
    maker = mark_of("\0".join((*code, *map(asset, _ASSETS), settings.web, settings.site_url or "")), 16)
    try:
        paths = sorted(file for file in (out / "reports").glob("*.json") if _LABEL.fullmatch(file.stem))
        hashes = [sha256(file.read_bytes()).hexdigest() for file in paths]
    except OSError as error:
        raise StorageError(f"cannot read {out / 'reports'}: {error.strerror or error}") from error
    days = [file.stem for file in paths if len(file.stem) == 10]
    beside = dict(zip(days, zip(("", *days), (*days[1:], ""), strict=False), strict=False))
    for file, digest in zip(paths, hashes, strict=True):
        before, after = beside.get(file.stem, ("", ""))
        yield _Order(file.stem, file, before, after, mark_of(f"{digest} {maker} {before} {after}", 16))


def _known(folder: SiteFolder, order: _Order) -> Summary | None:
    """Find the summary of a report whose pages are those of this very report."""
    if folder.reports.get(order.label) != order.key or not all((folder.folder / one).exists() for one in order.own):
        return None
    try:
        found = json.loads((folder.folder / order.own[0]).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _made(orders: Sequence[_Order], to: Path, pages: Pages) -> Iterator[tuple[Summary | str, int]]:
    make = partial(_make_report, to, pages)
    if len(orders) < _MANY or threading.active_count() > 1:
        yield from map(make, orders)
        return
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        yield from pool.map(make, orders, chunksize=8)


def _make_report(to: Path, pages: Pages, order: _Order) -> tuple[Summary | str, int]:
    """Write the pages of a report, its summary and its documents for the search; or say why there are none."""
    folder = SiteFolder(to)
    try:
        report = order.read()
    except StorageError as error:
        return str(error), 0
    models = {lang: page_model(report, lang, pages.web) for lang in LANGUAGES}
    for model in models.values():
        for name, text in pages.day(model, order.label, order.before, order.after):
            folder.put(name, text)
    documents, lines = day_index(models) if not is_week(order.label) else ([], "")
    summary = summarise(order.label, report, models, lines)
    folder.put(order.own[0], json.dumps(summary, ensure_ascii=False))
    folder.put(order.own[1], script(f"docs/{order.label}", documents))
    return summary, folder.written


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
    built = build_site(out, to or out / "site", settings)
    for notice in built.notices:
        sys.stderr.write(f"gitzette: {' '.join(notice.split())}\n")
    told = f"{built.days} reports, {built.renewed} of them new or changed; {built.written} files written"
    sys.stderr.write(f"gitzette: site: {told}\n")
    return built
