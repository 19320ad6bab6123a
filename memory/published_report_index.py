"""An index of published reports, asked by later ones; read from their files after a loss."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agent.domain.errors import AppError, StorageError
from agent.domain.ledger import LedgerRow
from agent.domain.links import Relation
from agent.domain.references import repo_id
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.reports.report_json import load
from memory.column_values import clean, stamp
from memory.landing_owners import Landings
from memory.open_issues import OpenIssues
from memory.protocols import Database, Record
from memory.published_statements import Statements

_HASH = re.compile(r"[0-9a-f]{40}", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_WEEK = re.compile(r"\d{4}-W\d{2}", re.ASCII)
"""An edition of a week says nothing that the reports of its days do not say."""
_MAX_PREFIX = 4_096  # Bytes of a file in which its window is looked for
_MAX_FILE = 64_000_000
_WINDOW_KEY = '"window": '


class _Item(NamedTuple):
    """A story, a link or a commit as JSON, which later reports ask for by its kind."""

    kind: str
    at: str
    body: str


class Reports:
    """Stores what published reports leave behind: who owns which commit, and what was said."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._landings = Landings(db)
        self._issues = OpenIssues(db)
        self._statements = Statements(db)

    def remember(self, report: Report) -> None:
        """Store what a published report covers, in place of what its window covered before."""
        window = report.window
        with self._db.transaction():
            for repo in sorted(section.repo for section in report.sections):
                self._db.lock(f"reports of {repo}")
            for section in report.sections:
                self._put_items(report, section)
                self._put_steps(report, section)
                if section.tip is not None:
                    owned = {row.sha: row.late for row in report.rows(section.repo)}
                    tip = section.first_tip or section.tip
                    self._landings.put(section.repo, window, tip, owned, section.known_tip)
            self._statements.put(report)
            published = {"window_key": window.key, "label": window.label}
            self._db.upsert("published", [published], ("window_key",))

    def rebuild(self, folder: Path) -> list[str]:
        """Store the reports of a folder that are not stored, oldest first.

        Returns a notice for each file that cannot be used: anybody may have changed the files.
        """
        notices: list[str] = []
        for file in self._unknown_files(folder):
            try:
                report = _read_report(file)
            except AppError as error:
                notices.append(f"{file.name} was left out of the memory: {error}")
            else:
                self._restore(report)
        return notices

    def _restore(self, report: Report) -> None:
        """Store a report, unless another process stored it a moment ago."""
        with self._db.transaction():
            if report.window.key in self._stored_windows():
                return
            self.remember(report)
            for section in report.sections:
                self._issues.put_cut_short(section.repo, section.coverage_notices)

    def _stored_windows(self) -> set[str]:
        """Return the keys of the windows whose reports are stored."""
        return {key for (key,) in self._db.select("published", ["window_key"], {})}

    def _put_items(self, report: Report, section: RepoSection) -> None:
        """Replace what later reports ask for by kind and repository."""
        window = report.window
        self._db.delete("report_items", {"repo": section.repo, "window_key": window.key})
        records: list[Record] = []
        for position, item in enumerate(_items(report, section)):
            records.append(
                {
                    "repo": section.repo,
                    "window_key": window.key,
                    "label": window.label,
                    "window_start": stamp(window.start),
                    "window_end": stamp(window.end),
                    "place": position,
                    "kind": item.kind,
                    "at": item.at,
                    "body": clean(item.body),
                }
            )
        self._db.insert("report_items", records)

    def _put_steps(self, report: Report, section: RepoSection) -> None:
        """Replace what the stories of a repository are made of; their places are those of items."""
        story_key = {"repo": section.repo, "window_key": report.window.key}
        self._db.delete("story_steps", story_key)
        stories = [story for story in report.stories if story.repo == section.repo]
        for position, story in enumerate(stories):
            steps: list[Record] = []
            for cite in story.steps:
                steps.append({**story_key, "place": position, "cite": cite})
            self._db.insert_missing("story_steps", steps)

    def _unknown_files(self, folder: Path) -> list[Path]:
        """Return the files whose windows are not stored, oldest first."""
        stored = self._stored_windows()
        files: list[tuple[str, str, Path]] = []
        for file in folder.glob("*.json"):
            if _WEEK.fullmatch(file.stem):
                continue
            window = _window_of(file)
            if window is None:
                files.append(("", "", file))
            elif window.key not in stored:
                files.append((stamp(window.end), stamp(window.start), file))
        return [file for _, _, file in sorted(files)]


def _items(report: Report, section: RepoSection) -> Iterator[_Item]:
    """Yield stories, links and commits; the stories first, since their steps name their places."""
    for story in report.stories:
        if story.repo == section.repo:
            yield _Item("story", "", story.model_dump_json())
    for link in report.links:
        if link.change.startswith(f"{section.repo}@") and link.relation is not Relation.MENTIONS:
            yield _Item("link", "", link.model_dump_json())
    for row in report.rows(section.repo):
        yield _commit_item(row)


def _commit_item(row: LedgerRow) -> _Item:
    at = stamp(row.landed_at)
    commit = {
        "sha": row.sha,
        "at": at,
        "author": row.author,
        "title": row.title,
        "pull": row.pull,
    }
    return _Item("commit", at, json.dumps(commit, ensure_ascii=False))


def _window_of(file: Path) -> Window | None:
    """Return the window from the start of a report, or None if it is not where we write it."""
    try:
        with file.open("rb") as stream:
            prefix = stream.read(_MAX_PREFIX).decode("utf-8", errors="replace")
        start = prefix.index(_WINDOW_KEY) + len(_WINDOW_KEY)
        window, _ = json.JSONDecoder().raw_decode(prefix, start)
        return Window.model_validate(window)
    except (OSError, ValueError, RecursionError):
        return None


def _read_report(file: Path) -> Report:
    """Return the report in a file, or raise if it is not whole and of the form that we write."""
    try:
        if file.stat().st_size > _MAX_FILE:
            raise StorageError("it is larger than any report")
        report = load(file.read_bytes(), file.name)
    except OSError as error:
        raise StorageError(f"it cannot be read ({error.strerror})") from error
    if report.window.label != file.stem:
        raise StorageError(f"it holds the report of {report.window.label}")
    _check_names(report)
    return report


def _check_names(report: Report) -> None:
    """Raise if something that later goes to git or to the API has no valid name."""
    hashes: set[str | None] = {row.sha for row in report.ledger}
    repos = set(report.repos)
    for section in report.sections:
        repos.add(section.repo)
        hashes |= {section.tip, section.known_tip, section.first_tip}
        for line in section.issues:
            if not _NUMBER.fullmatch(str(line.number)):
                raise _not_a_name("thread", f"#{line.number}")
    for sha in hashes:
        if sha and not _HASH.fullmatch(sha):
            raise _not_a_name("commit", sha)
    for repo in repos:
        if not _is_repo(repo):
            raise _not_a_name("repository", repo)


def _is_repo(name: str) -> bool:
    try:
        return repo_id(name) == name
    except AppError:
        return False


def _not_a_name(kind: str, name: str) -> StorageError:
    return StorageError(f"{name!r:.60} is not the name of a {kind}")
