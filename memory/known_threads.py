"""Issues, pull requests, releases and links as they were when last read, found again by number and by words."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC

from pydantic import TypeAdapter
from sqlite_utils import Database

from agent.domain import Issue, PullRequest, Release, Threads
from agent.ids import RepoId
from agent.links import Link
from memory.catalogue import Needle, match_of
from memory.database import reading, writing
from memory.words import indexed

_THREAD: TypeAdapter[Issue | PullRequest] = TypeAdapter(Issue | PullRequest)
_BODY = 20_000
_MOST = 1_000
_SEARCH = (
    "select t.body from (select w.rowid as id, bm25(thread_words, 5.0, 1.0, 1.5) as fit"
    " from thread_words w join known_threads t on t.rowid = w.rowid"
    " where thread_words match ? and (? is null or t.repo in (select value from json_each(?)))"
    " order by w.rowid desc limit ?) f join known_threads t on t.rowid = f.id order by f.fit limit ?"
)


class KnownThreads:
    """What repositories' threads said when last read."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, repo: RepoId, threads: Threads, links: Iterable[Link] = ()) -> None:
        """Store what was read of a window's threads, and what connects them with changes."""
        with writing(self._db, durable=False):
            for issue in threads.issues:
                self._put(issue)
            for pull in threads.pulls:
                self._put(pull)
            self._db.conn.executemany(
                "insert or replace into known_releases (id, repo, body) values (?, ?, ?)",
                ((f"{repo}@{one.tag}", repo, _clean(one.model_dump_json())) for one in threads.releases),
            )
            self._put_links(links)

    def put_one(self, thread: Issue | PullRequest) -> None:
        """Store one thread as it is now."""
        with writing(self._db, durable=False):
            self._put(thread)

    def get(self, repo: RepoId, number: int) -> Issue | PullRequest | None:
        """Find a thread by its number."""
        with reading():
            row = self._db.execute("select body from known_threads where id = ?", [f"{repo}#{number}"]).fetchone()
        return _THREAD.validate_json(row[0]) if row else None

    def any(self, repo: RepoId) -> bool:
        """Tell whether anything is known of a repository's threads."""
        with reading():
            return self._db.execute("select 1 from known_threads where repo = ? limit 1", [repo]).fetchone() is not None

    def links_of(self, name: str) -> tuple[Link, ...]:
        """List what connects an issue with changes, or a change with issues; the surest first."""
        with reading():
            rows = self._db.execute(
                "select body from known_links where issue = ? or change = ? order by grade, change", [name, name]
            ).fetchall()
        return tuple(Link.model_validate_json(row[0]) for row in rows)

    def releases(self, repo: RepoId) -> tuple[Release, ...]:
        """List the releases of a repository, oldest first."""
        with reading():
            rows = self._db.execute("select body from known_releases where repo = ?", [repo]).fetchall()
        found = (Release.model_validate_json(row[0]) for row in rows)
        return tuple(sorted(found, key=lambda one: one.published_at))

    def issues(self, repos: Sequence[RepoId], limit: int = 20_000) -> list[Issue]:
        """List the issues that are known, newest first."""
        query = (
            "select body from known_threads where repo in (select value from json_each(?))"
            " order by updated desc limit ?"
        )
        with reading():
            rows = self._db.execute(query, [json.dumps(list(repos)), limit]).fetchall()
        threads = (_THREAD.validate_json(row[0]) for row in rows)
        return [one for one in threads if isinstance(one, Issue)]

    def search(
        self, needles: Sequence[Needle], repos: Sequence[RepoId] = (), limit: int = 20
    ) -> list[Issue | PullRequest]:
        """Find threads that speak of everything needed, those that fit best first."""
        match = match_of(needles)
        if not match:
            return []
        chosen = json.dumps(list(repos)) if repos else None
        with reading():
            rows = self._db.execute(_SEARCH, [match, chosen, chosen, _MOST, limit]).fetchall()
        return [_THREAD.validate_json(row[0]) for row in rows]

    def _put(self, thread: Issue | PullRequest) -> None:
        execute = self._db.conn.execute
        thread = thread.model_copy(update={"title": _clean(thread.title), "body": _clean(thread.body[:_BODY])})
        at = thread.updated_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        old = execute("select rowid, updated from known_threads where id = ?", (thread.id,)).fetchone()
        if old is not None:
            if old[1] > at:
                return
            execute("delete from thread_words where rowid = ?", (old[0],))
            execute("delete from known_threads where rowid = ?", (old[0],))
        number = execute(
            "insert into known_threads (id, repo, updated, body) values (?, ?, ?, ?)",
            (thread.id, thread.repo, at, thread.model_dump_json()),
        ).lastrowid
        title, body = indexed(thread.title), indexed(f"{thread.body[:6_000]} {' '.join(thread.labels)}")
        execute(
            "insert into thread_words (rowid, title, body, parts) values (?, ?, ?, ?)",
            (number, title.words, body.words, f"{title.parts} {body.parts}"),
        )

    def _put_links(self, links: Iterable[Link]) -> None:
        self._db.conn.executemany(
            "insert or replace into known_links (issue, change, grade, body) values (?, ?, ?, ?)",
            ((link.issue, link.change, link.grade.value, link.model_dump_json()) for link in links),
        )


def _clean(text: str) -> str:
    return text.encode("utf-8", errors="replace").decode("utf-8")
