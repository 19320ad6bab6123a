"""Where a report goes: files under an output folder, each written whole or not at all."""

import fcntl
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from agent.domain.base import Language, StorageError
from agent.domain.report import Report, failed_share
from agent.markdown import link
from agent.reports.stored import dumped, load, merge
from agent.settings.values import MAX_FAILED, Layout, Settings
from agent.telling import catalogue
from agent.web import Web
from gitzette.published import PublishedReports
from gitzette.render.compose import report_page
from gitzette.render.markdown import readme_page
from memory.database import moment_of
from memory.fleet import Fleet

# A link definition that nothing refers to: invisible in Markdown, and the sign that the front page is ours to replace.
_OURS = "[//]: # (front page of a gitzette archive)\n"
_FRESH = ".gitzette-new"
Note = Callable[[Report, Report | None], None]
_LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True)
class Style:
    """How reports look: their language, the further ones beside it, their layout, and where their links point."""

    web: Web
    lang: Language = "en"
    languages: tuple[Language, ...] = ()
    layout: Layout = "digest"

    @property
    def others(self) -> tuple[Language, ...]:
        """List the languages beside the first, each once."""
        return tuple(dict.fromkeys(lang for lang in self.languages if lang != self.lang))


class FilePublisher:
    """Writes `reports/DATE.md`, `reports/DATE.json` and the front page `README.md`."""

    def __init__(self, out: Path, style: Style, note: Note | None = None, *, max_failed: float = MAX_FAILED) -> None:
        """Write below `out`; `note` is told of the report that each new one is merged with, before anything is.

        A report of which a greater share than `max_failed` could not be read does not take over the front page.
        """
        self._out, self._reports, self._style = out, out / "reports", style
        self._note, self._max_failed = note, max_failed

    def publish(self, report: Report) -> Report:
        """Write the report, merged with what the same window already has, and return what was written."""
        try:
            self._reports.mkdir(parents=True, exist_ok=True)
            with locked(self._reports):
                _sweep(self._out)
                _sweep(self._reports)
                return self._write(report)
        except OSError as error:
            raise StorageError(f"cannot write to {self._out}: {error.strerror or error}") from error

    def paths(self, report: Report) -> tuple[Path, Path]:
        """Name the Markdown and the JSON file of a report."""
        label = report.window.label
        return self._reports / f"{label}.md", self._reports / f"{label}.json"

    def _write(self, report: Report) -> Report:
        page, record = self.paths(report)
        asked, earlier = report, self._earlier(record)
        if earlier is not None and earlier.window.key == report.window.key:
            report = merge(earlier, report)
        elif earlier is not None:
            raise StorageError(
                f"{record.name} already holds {earlier.window.key}, and this run is {report.window.key}: "
                "use another --out for another time zone"
            )
        if self._note is not None:
            self._note(asked, earlier)
        # Everything that could be refused is looked at before anything is written.
        _check_front_page(self._out / "README.md")
        text = self._page(report, self._style.lang)
        front_page = self._front_page(report, text)
        replace_file(page, [text])
        for lang in self._style.others:
            replace_file(page.with_name(f"{report.window.label}.{lang}.md"), [self._page(report, lang)])
        replace_file(record, dumped(report))
        replace_file(self._out / "README.md", [front_page])
        return report

    def _page(self, report: Report, lang: Language) -> str:
        return report_page(report, lang, self._style.web, self._style.layout)

    def _earlier(self, record: Path) -> Report | None:
        return load(record.read_bytes(), record.name) if record.exists() else None

    def _front_page(self, report: Report, page: str) -> str:
        labels = {*PublishedReports(self._out).labels(), report.window.label}
        latest, kept_back = self._latest(labels, report)
        style = self._style
        others = {label: [lang for lang in _LANGUAGES if self._has(label, lang)] for label in labels}
        others[report.window.label] = sorted({*others[report.window.label], *style.others})
        head = _OURS
        if kept_back:
            told = ", ".join(link(label, f"reports/{label}.md") for label in kept_back)
            head += f"\n> [!WARNING]\n> {catalogue(style.lang)['page']['kept_back'].format(told)}\n\n"
        shown = page if latest is report else self._page(latest, style.lang)
        return head + readme_page(shown, labels, style.lang, others)

    def _latest(self, labels: Collection[str], report: Report) -> tuple[Report, list[str]]:
        """Choose the report of the front page, and name newer ones of which too much is missing.

        Single days lead; a range is shown only when there is nothing else.
        """
        kept_back: dict[str, Report] = {}
        for label in sorted(labels, key=lambda label: (".." not in label, label), reverse=True):
            found = report if label == report.window.label else self._earlier(self._reports / f"{label}.json")
            if found is not None and failed_share(found) <= self._max_failed:
                return found, list(kept_back)
            kept_back[label] = found or report
        # Where nothing better was ever published, the newest is shown with the warning that it carries itself.
        return next(iter(kept_back.values())), []

    def _has(self, label: str, lang: Language) -> bool:
        return (self._reports / f"{label}.{lang}.md").exists()


def nearest_folder(folder: Path) -> Path:
    """Find the nearest folder above that is there."""
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100 -- resolve() would follow links that may be broken
    return next(place for place in (absolute, *absolute.parents) if place.is_dir())


def check_writable(out: Path) -> None:
    """Refuse a folder that cannot be written before anything is read for it."""
    place = nearest_folder(out)
    try:
        with tempfile.NamedTemporaryFile(dir=place, prefix=".gitzette-"):
            pass
        _check_front_page(out / "README.md")
    except OSError as error:
        raise StorageError(f"cannot write to {place}: {error.strerror}; choose another with out or --out") from error


def _check_front_page(file: Path) -> None:
    """Refuse to replace somebody else's README before anything is written."""
    if file.exists() and not file.read_text("utf-8", errors="replace").startswith(_OURS):
        raise StorageError(f"{file} was not written by gitzette and is left alone; choose another folder with --out")


def replace_file(file: Path, pieces: Iterable[str]) -> None:
    """Write a file so that a reader sees the old one or the new one, also after a crash."""
    data = b"".join(piece.encode("utf-8", errors="replace") for piece in pieces)
    if file.exists() and file.read_bytes() == data:
        return
    fresh = file.with_name(f".{file.name}.{os.getpid()}{_FRESH}")
    try:
        with fresh.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.chmod(0o644)
        fresh.replace(file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _sweep(folder: Path) -> None:
    """Remove what a run that was killed while it wrote has left behind."""
    for file in folder.glob(f".*{_FRESH}"):
        process = file.name.removesuffix(_FRESH).rpartition(".")[2]
        if not process.isdigit() or not _is_alive(int(process)):
            file.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    with suppress(PermissionError):
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let one run at a time read, merge and write; a second one waits for these moments."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def bring_reports(fleet: Fleet, settings: Settings, edition: str) -> None:
    """Write an edition's reports from the database to this machine's folder: those that are new there or changed."""
    style = Style(Web(settings.web), settings.lang, settings.languages, settings.layout)
    publisher = FilePublisher(settings.out, style, max_failed=settings.max_failed)
    for label, (key, finished) in sorted(fleet.labels(edition).items()):
        file, at = settings.out / "reports" / f"{label}.json", moment_of(finished).timestamp()
        # The time of a file tells which state of the edition it holds.
        if (not file.exists() or file.stat().st_mtime != at) and (there := fleet.edition(edition, key)):
            publisher.publish(there)
            os.utime(file, (at, at))
