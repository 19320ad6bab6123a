"""What published reports leave behind: who owns which commit, which issues are open; rebuilt after a loss."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

from agent.domain.base import AppError, RepoId, StorageError
from agent.domain.commits import Notice, Threads
from agent.domain.ledger import Owner
from agent.domain.links import Link, Relation
from agent.domain.references import repo_id
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.links.issue_digest import Digest, Known, digest
from agent.reports.stored import load
from memory.database import Database, clean, stamp
from memory.statements import Statements

_HASH = re.compile(r"[0-9a-f]{40}", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_WEEK = re.compile(r"\d{4}-W\d{2}", re.ASCII)
"""An edition of a week says nothing that the reports of its days do not say."""
_HEAD = 4_096
_LARGEST = 64_000_000
_WINDOW = '"window": '
_MOST = 2_000  # How many open issues and told links of a repository are given; the newest
_BACK = timedelta(days=180)


class Landings:
    """The ownership of landed commits, so that consecutive runs cover each of them exactly once."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known_tip(self, repo: RepoId, window: Window) -> str | None:
        """Find the tip from which "late" is counted.

        It is the tip that the nearest earlier window was read at; a window that is read again keeps the tip it had
        the first time, so that what it found late stays its own.
        """
        own = self._db.row(
            "select base from tips where repo = ? and window_key = ?", [repo, window.key]
        )
        if own is not None:
            return own[0] or None
        earlier = self._db.row(
            "select tip from tips where repo = ? and window_end <= ?"
            " order by window_end desc, window_start desc limit 1",
            [repo, stamp(window.start)],
        )
        return earlier[0] if earlier else None

    def elsewhere(self, repo: RepoId, window: Window, shas: Iterable[str]) -> dict[str, Owner]:
        """Tell which of these commits other reports own; reports whose window overlaps this one do not count."""
        rows = self._db.rows(
            "select sha, window_key, late from landed where repo = ? and (window_end <= ? or window_start >= ?)"
            " and sha = any(?)",
            [repo, stamp(window.start), stamp(window.end), list(shas)],
        )
        return {sha: Owner(key, late=bool(late)) for sha, key, late in rows}

    def put(
        self,
        repo: RepoId,
        window: Window,
        tip: str,
        owned: Mapping[str, bool],
        base: str | None = None,
    ) -> None:
        """Store what a published report covers, and which commits are late; the same window again replaces that.

        `base` is the tip from which late was counted, where that is known. The tip stays that of the first time: a
        later one would hide what landed since then from the next window.
        """
        where = {"repo": repo, "window_key": window.key}
        where |= {"window_start": stamp(window.start), "window_end": stamp(window.end)}
        base = (self.known_tip(repo, window) or "") if base is None else base
        with self._db.transaction():
            self._db.insert_missing("tips", [{**where, "base": base, "tip": tip}])
            self._db.execute(
                "delete from landed where repo = ? and window_key = ?", [repo, window.key]
            )
            self._db.insert(
                "landed", ({**where, "sha": sha, "late": int(late)} for sha, late in owned.items())
            )


class OpenIssues:
    """The open issues of each repository as they were when last seen, so that only the first run lists them all."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known_open(self, repo: RepoId, window: Window | None = None) -> frozenset[int]:
        """List the numbers of the issues that were open when last seen.

        With a window, none where reports have left out the days before it: what was closed then is not known, and the
        list has to be made anew.
        """
        if window is not None and not self._up_to_date(repo, window):
            return frozenset()
        return frozenset(
            row[0] for row in self._db.rows("select number from open_issues where repo = ?", [repo])
        )

    def known(self, repo: RepoId, window: Window) -> Known:
        """Tell what earlier days know of the issues: what the open ones are about, and what reports told of them."""
        issues: tuple[Digest, ...] = ()
        if self._up_to_date(repo, window):
            sql = "select digest from open_issues where repo = ? order by number desc limit ?"
            issues = tuple(
                Digest.model_validate_json(row[0]) for row in self._db.rows(sql, [repo, _MOST])
            )
        return Known(issues=issues, links=self._links(repo, window))

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Tell where the one listing of the open issues ended before its end."""
        row = self._db.row("select notice from open_listings where repo = ?", [repo])
        return Notice.model_validate_json(row[0]) if row else None

    def remember(self, repo: RepoId, threads: Threads, *, relisted: bool = False) -> None:
        """Add the issues that are open now, drop those that are closed, and after a new listing all others."""
        gone = [issue.number for issue in threads.issues if issue.state == "closed"]
        opened = [
            {"repo": repo, "number": issue.number, "digest": digest(issue).model_dump_json()}
            for issue in threads.issues
            if issue.state == "open"
        ]
        with self._db.transaction():
            self.put_notices(repo, threads.notices)
            if relisted and threads.coverage != "not read":
                self._db.execute("delete from open_issues where repo = ?", [repo])
            self._db.execute(
                "delete from open_issues where repo = ? and number = any(?)", [repo, gone]
            )
            self._db.upsert("open_issues", opened, ("repo", "number"))

    def put_notices(self, repo: RepoId, notices: tuple[Notice, ...]) -> None:
        """Store that a listing of the open issues was cut short, if these notices say so."""
        cut = [notice.model_dump_json() for notice in notices if notice.kind == "open-capped"]
        self._db.upsert("open_listings", ({"repo": repo, "notice": one} for one in cut), ("repo",))

    def _links(self, repo: RepoId, window: Window) -> tuple[Link, ...]:
        """List what reports of the half year before a window told of fixes, oldest first."""
        rows = self._db.rows(
            "select body from report_items where kind = 'link' and repo = ? and window_end <= ? and window_end > ?"
            " order by window_end desc, place desc limit ?",
            [repo, stamp(window.start), stamp(window.start - _BACK), _MOST],
        )
        return tuple(Link.model_validate_json(row[0]) for row in reversed(rows))

    def _up_to_date(self, repo: RepoId, window: Window) -> bool:
        """Tell whether some report reaches up to this window, or is this window's own."""
        sql = "select 1 from tips where repo = ? and window_start <= ? and window_end >= ? limit 1"
        return self._db.row(sql, [repo, stamp(window.start), stamp(window.start)]) is not None


class Reports:
    """Stores what published reports leave behind: who owns which commit, and what was said."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._landings, self._issues, self._statements = (
            Landings(db),
            OpenIssues(db),
            Statements(db),
        )

    def remember(self, report: Report) -> None:
        """Store what a report that was just published covers; the same window again replaces what it covered before."""
        window = report.window
        with self._db.transaction():
            for repo in sorted(section.repo for section in report.sections):
                self._db.lock(f"reports of {repo}")
            for section in report.sections:
                self._put_items(report, section)
                if section.tip is not None:
                    owned = {row.sha: row.late for row in report.rows(section.repo)}
                    tip = section.first_tip or section.tip
                    self._landings.put(section.repo, window, tip, owned, section.known_tip)
            self._statements.put(report)
            self._db.upsert(
                "published", [{"window_key": window.key, "label": window.label}], ("window_key",)
            )

    def rebuild(self, folder: Path) -> list[str]:
        """Store the reports of a folder that the memory does not know, oldest first; tell which files cannot be used.

        The files may have been changed by anybody: they are read with the care that is due to strangers.
        """
        notices: list[str] = []
        for file in self._unknown_files(folder):
            try:
                report = _report(file)
            except AppError as error:
                notices.append(f"{file.name} was left out of the memory: {error}")
            else:
                self._restore(report)
        return notices

    def _restore(self, report: Report) -> None:
        """Store a report as if it had just been published, unless another process stored it a moment ago."""
        with self._db.transaction():
            if report.window.key not in self._known():
                self.remember(report)
                for section in report.sections:
                    self._issues.put_notices(section.repo, section.coverage_notices)

    def _known(self) -> set[str]:
        """List the windows, by their keys, whose reports are in the memory."""
        return {row[0] for row in self._db.rows("select window_key from published")}

    def _put_items(self, report: Report, section: RepoSection) -> None:
        """Store what later reports ask for by kind and repository, over what the window had."""
        window, repo = report.window, section.repo
        for table in ("report_items", "story_steps"):
            sql = f"delete from {table} where repo = ? and window_key = ?"  # noqa: S608 -- two names of ours
            self._db.execute(sql, [repo, window.key])
        times = {"window_start": stamp(window.start), "window_end": stamp(window.end)}
        where = {"repo": repo, "window_key": window.key, "label": window.label, **times}
        for place, (kind, at, body) in enumerate(_items(report, section)):
            self._db.insert(
                "report_items",
                [{**where, "place": place, "kind": kind, "at": at, "body": clean(body)}],
            )
        for place, story in enumerate(one for one in report.stories if one.repo == repo):
            of_story = {"repo": repo, "window_key": window.key, "place": place}
            self._db.insert_missing(
                "story_steps", ({**of_story, "cite": cite} for cite in story.steps)
            )

    def _unknown_files(self, folder: Path) -> list[Path]:
        """Find the files whose windows are not known, oldest first; only their beginnings are read for that."""
        files, known = (
            sorted(file for file in folder.glob("*.json") if not _WEEK.fullmatch(file.stem)),
            self._known(),
        )
        windows = {file: _window_of(file) for file in files}
        ends = {
            file: (one.key, stamp(one.end), stamp(one.start)) if one else ("",)
            for file, one in windows.items()
        }
        return sorted(
            (file for file in ends if ends[file][0] not in known), key=lambda file: ends[file][1:]
        )


def _items(report: Report, section: RepoSection) -> Iterator[tuple[str, str, str]]:
    """List stories, links and commits, each with its kind, its time and itself in JSON."""
    # The stories come first: a step of a story finds it by its place.
    for story in report.stories:
        if story.repo == section.repo:
            yield "story", "", story.model_dump_json()
    for link in report.links:
        if (
            link.change.is_commit
            and link.change.repo == section.repo
            and link.relation is not Relation.MENTIONS
        ):
            yield "link", "", link.model_dump_json()
    for row in report.rows(section.repo):
        at = stamp(row.landed_at)
        told = {
            "sha": row.sha,
            "at": at,
            "author": row.author,
            "title": row.title,
            "pull": row.pull,
        }
        yield "commit", at, json.dumps(told, ensure_ascii=False)


def _window_of(file: Path) -> Window | None:
    """Read the window from the head of a report; None where it is not where we write it."""
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD).decode("utf-8", errors="replace")
        found, _ = json.JSONDecoder().raw_decode(head, head.index(_WINDOW) + len(_WINDOW))
        return Window.model_validate(found)
    except (OSError, ValueError, RecursionError):
        return None


def _report(file: Path) -> Report:
    """Read one report, whole and of the form that we write, or not at all."""
    try:
        if file.stat().st_size > _LARGEST:
            raise StorageError("it is larger than any report")
        report = load(file.read_bytes(), file.name)
    except OSError as error:
        raise StorageError(f"it cannot be read ({error.strerror})") from error
    if report.window.label != file.stem:
        raise StorageError(f"it holds the report of {report.window.label}")
    for kind, name, sound in _names(report):
        if not sound:
            raise StorageError(f"{name!r:.60} is not the name of a {kind}")
    return report


def _names(report: Report) -> Iterator[tuple[str, str, bool]]:
    """List the names that later go to git or to the API, and tell of each whether it is one."""
    hashes: set[str | None] = {row.sha for row in report.ledger}
    for section in report.sections:
        hashes |= {section.tip, section.known_tip, section.first_tip}
        for number in (str(line.number) for line in section.issues):
            yield "thread", f"#{number}", _NUMBER.fullmatch(number) is not None
    yield from (("commit", one, _HASH.fullmatch(one) is not None) for one in hashes if one)
    for name in {*report.repos, *(section.repo for section in report.sections)}:
        try:
            yield "repository", name, repo_id(name) == name
        except AppError:
            yield "repository", name, False
