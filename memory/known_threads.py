"""Issues, pull requests, releases and links as they were when last read, found again by number and by words."""

from collections.abc import Iterable

from pydantic import TypeAdapter
from sqlite_utils import Database

from agent.domain import Issue, PullRequest, Release, Threads
from agent.ids import RepoId
from agent.links import Link
from memory.columns import clean, stamp
from memory.database import reading, writing
from memory.search_entries import Entry, put_entry, put_refs

_THREAD: TypeAdapter[Issue | PullRequest] = TypeAdapter(Issue | PullRequest)
_BODY, _INDEXED = 20_000, 6_000


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
            for release in threads.releases:
                self._put_release(release)
            self._put_links(links)

    def put_one(self, thread: Issue | PullRequest) -> None:
        """Store one thread as it is now."""
        with writing(self._db, durable=False):
            self._put(thread)

    def put_tags(self, tags: Iterable[Release]) -> None:
        """Store tags of git, unless a release says more of them."""
        with writing(self._db, durable=False):
            for tag in tags:
                known = "select 1 from known_releases where id = ?"
                if self._db.conn.execute(known, (f"{tag.repo}@{tag.tag}",)).fetchone() is None:
                    self._put_release(tag)

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

    def release(self, name: str) -> Release | None:
        """Find a release or tag by its name, such as owner/name@v1.0."""
        with reading():
            row = self._db.execute("select body from known_releases where id = ?", [name]).fetchone()
        return Release.model_validate_json(row[0]) if row else None

    def releases(self, repo: RepoId) -> tuple[Release, ...]:
        """List the releases of a repository, oldest first."""
        with reading():
            rows = self._db.execute("select body from known_releases where repo = ?", [repo]).fetchall()
        found = (Release.model_validate_json(row[0]) for row in rows)
        return tuple(sorted(found, key=lambda one: one.published_at))

    def _put(self, thread: Issue | PullRequest) -> None:
        execute = self._db.conn.execute
        thread = thread.model_copy(update={"title": clean(thread.title), "body": clean(thread.body[:_BODY])})
        at = stamp(thread.updated_at)
        old = execute("select rowid, updated from known_threads where id = ?", (thread.id,)).fetchone()
        if old is not None:
            if old[1] > at:
                return
            execute("delete from known_threads where rowid = ?", (old[0],))
        execute(
            "insert into known_threads (id, repo, updated, body) values (?, ?, ?, ?)",
            (thread.id, thread.repo, at, thread.model_dump_json()),
        )
        put_entry(self._db, _entry(thread))

    def _put_release(self, release: Release) -> None:
        name, data = f"{release.repo}@{release.tag}", clean(release.model_dump_json())
        insert = "insert or replace into known_releases (id, repo, body) values (?, ?, ?)"
        self._db.conn.execute(insert, (name, release.repo, data))
        title = release.tag if release.name == release.tag else f"{release.tag} {release.name}"
        put_entry(
            self._db,
            Entry(
                id=name,
                repo=release.repo,
                kind="release",
                opened=release.published_at,
                title=title,
                body=release.body[:_BODY],
            ),
        )

    def _put_links(self, links: Iterable[Link]) -> None:
        links = list(links)
        put_refs(self._db, ((link.change, link.issue) for link in links))
        self._db.conn.executemany(
            "insert or replace into known_links (issue, change, grade, body) values (?, ?, ?, ?)",
            ((link.issue, link.change, link.grade.value, link.model_dump_json()) for link in links),
        )


def _entry(thread: Issue | PullRequest) -> Entry:
    """Give what a thread is found by: it belongs to the time at which it was opened, and to that at which it ended."""
    return Entry(
        id=thread.id,
        repo=thread.repo,
        kind="pull" if isinstance(thread, PullRequest) else "issue",
        opened=thread.created_at,
        ended=thread.ended_at,
        author=thread.author or "",
        title=thread.title,
        body=f"{thread.body[:_INDEXED]} {' '.join(thread.labels)}",
    )
