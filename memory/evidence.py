"""What was read of commits, issues, pull requests and releases: stored and indexed for questions, found by name."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from agent.domain.base import RepoId
from agent.domain.commits import Issue, PullRequest, Release, Threads, text_after
from agent.domain.evidence import Card
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact
from agent.domain.links import Link
from agent.domain.references import parse_reference
from agent.domain.window import Window, midnight, zone
from agent.questions import Hit, Known
from memory.database import Database, Value, clean, moment_of, stamp
from memory.search import Entry, SearchIndex

_MODELS: dict[str, type[Known]] = {
    "commit": Card,
    "issue": Issue,
    "pull": PullRequest,
    "release": Release,
}
_BODY, _INDEXED = 20_000, 6_000
_FACT_WORDS, _PATH_WORDS, _LONG_VALUE = 8_000, 8_000, 80
_SECOND = timedelta(seconds=1)
_WEEK = timedelta(days=7)  # How much is read where nothing is known and no time is asked for


class EvidenceStore:
    """What is known of repositories, and over which stretches of time every landed commit is known."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._index = SearchIndex(db)

    def keep(self, repo: RepoId, cards: Iterable[Card]) -> None:
        """Store commits with their facts; a card made from whole files is not replaced by one from the patch alone."""
        del repo
        self._put(map(_commit_entry, cards))

    def connect(self, repo: RepoId, threads: Threads, links: Iterable[Link]) -> None:
        """Store a window's threads and releases, and what connects them with commits."""
        del repo
        with self._db.transaction(durable=False):
            self._put((*map(_thread_entry, threads.issues), *map(_thread_entry, threads.pulls)))
            self._put(_release_entry(release, "release") for release in threads.releases)
            self._index.put_refs((link.change, link.issue) for link in links)

    def complete(self, repo: RepoId, window: Window, landed: Sequence[str]) -> None:
        """Note that a window is wholly known, if each of the commits that landed in it is."""
        if self.known(repo, landed) >= set(landed):
            row = {
                "repo": repo,
                "since": stamp(window.start),
                "until": stamp(window.cutoff or window.end),
            }
            self._db.insert_missing("complete_spans", [row])

    def put_thread(self, thread: Issue | PullRequest) -> None:
        """Store a thread, unless it is known as it was later."""
        self._put([_thread_entry(thread)])

    def put_tags(self, tags: Iterable[Release]) -> None:
        """Store tags of git, unless a release says more of them."""
        self._put(_release_entry(tag, "") for tag in tags)

    def known(self, repo: RepoId, shas: Sequence[str]) -> set[str]:
        """Tell which of these commits are stored."""
        names = [EvidenceId.commit(repo, sha) for sha in shas]
        rows = self._db.rows("select name from evidence where name = any(?)", [names])
        return {EvidenceId(row[0]).sha for row in rows}

    def has_threads(self, repo: RepoId) -> bool:
        """Tell whether anything is known of a repository's threads."""
        sql = "select 1 from evidence where kind in ('issue', 'pull') and repo = ? limit 1"
        return self._db.row(sql, [repo]) is not None

    def get(self, name: EvidenceId) -> Known | None:
        """Give what is known of a commit, thread, release or tag."""
        return self.all([name]).get(name)

    def all(self, names: Iterable[EvidenceId]) -> dict[EvidenceId, Known]:
        """Give what is known of several pieces of evidence."""
        wanted = list(dict.fromkeys(names))
        rows = self._db.rows("select name, kind, body from evidence where name = any(?)", [wanted])
        found = {name: _MODELS[kind].model_validate_json(body) for name, kind, body in rows}
        return {name: found[name] for name in wanted if name in found}

    def named(self, text: str, repos: Sequence[RepoId]) -> list[EvidenceId]:
        """Find the known commits, threads and releases that somebody names by hash, number or tag."""
        text = text.strip("[]` ")
        evidence_id = EvidenceId.parse(text)
        if evidence_id and not evidence_id.is_thread and self.get(evidence_id):
            return [evidence_id]
        reference = parse_reference(text)
        mine = [repo for repo in repos if reference and reference.repo in (None, repo)]
        if reference and reference.kind == "thread":
            return list(self.all(EvidenceId.thread(repo, reference.number) for repo in mine))
        sql = "select name, opened from evidence where kind = 'commit' and name >= ? and name < ? limit 5"
        spans = [
            (f"{repo}@{reference.sha}", f"{repo}@{reference.sha}g") for repo in mine if reference
        ]
        found = [row for span in spans for row in self._db.rows(sql, span)]
        newest = sorted(found, key=lambda row: row[1], reverse=True)[:5]
        return [EvidenceId(name) for name, _ in newest]

    def listed(
        self, repos: Sequence[RepoId], window: Window | None, limit: int = 5_000
    ) -> list[Card]:
        """List the commits that landed, newest first."""
        rows = self._db.rows(
            "select body from evidence where kind = 'commit' and opened >= ? and opened < ? and repo = any(?)"
            " order by opened desc limit ?",
            [*_between(window), list(repos), limit],
        )
        return [Card.model_validate_json(row[0]) for row in rows]

    def count(self, repo: RepoId, window: Window) -> int:
        """Count the commits that are known to have landed in a window."""
        sql = "select count(*) from evidence where kind = 'commit' and repo = ? and opened >= ? and opened < ?"
        return int(self._db.rows(sql, [repo, *_between(window)])[0][0])

    def covered(self, repo: RepoId, window: Window) -> list[Window]:
        """Return the parts of a window of which every landed commit was read, oldest first."""
        window_end = window.cutoff or window.end
        parts = []
        for span_start, span_end in self._spans(repo):
            start = max(span_start, window.start)
            end = min(span_end, window_end)
            if start < end:
                parts.append(Window(start=start, end=end, tz=window.tz))
        return parts

    def problems(self, repos: Sequence[RepoId], window: Window | None) -> list[str]:
        """Return why the facts of stored commits are missing, each behind the name of its commit."""
        rows = self._db.rows(
            "select body from evidence where kind = 'commit' and opened >= ? and opened < ?"
            " and repo = any(?) and body like ? order by opened desc",
            [*_between(window), list(repos), '%"problem": %'],
        )
        cards = [Card.model_validate_json(row[0]) for row in rows]
        return [f"{card.id.shortened()}: {card.problem}" for card in cards if card.problem]

    def gaps(self, repo: RepoId, window: Window) -> list[Window]:
        """Return the parts of a window of which not every landed commit was read, oldest first."""
        gaps = []
        start = window.start
        for part in self.covered(repo, window):
            if start < part.start:
                gaps.append(Window(start=start, end=part.start, tz=window.tz))
            start = part.end
        end = window.cutoff or window.end
        if start < end:
            gaps.append(Window(start=start, end=end, tz=window.tz))
        return gaps

    def unread(self, repo: RepoId, now: datetime, tz: str) -> Window:
        """Give the time from what is known to now, at most the last days."""
        spans, end = self._spans(repo), now.replace(microsecond=0) + _SECOND
        week = midnight((now.astimezone(zone(tz)) - _WEEK).date(), tz)
        start = max(spans[-1][1], week) if spans else week
        return Window(start=min(start, end - _SECOND), end=end, tz=tz)

    def whole(self, repos: Sequence[RepoId], now: datetime, tz: str) -> Window:
        """Give the time of which anything is known, at least the last days."""
        end = now.replace(microsecond=0) + _SECOND
        starts = [start for repo in repos for start, _ in self._spans(repo)]
        return Window(start=min([*starts, end - _WEEK]), end=end, tz=tz)

    def _put(self, entries: Iterable[Entry]) -> None:
        kept = list(entries)
        with self._db.transaction(durable=False):
            for repo in sorted({entry.repo for entry in kept}):
                self._db.lock(f"evidence of {repo}")
            for entry in kept:
                self._index.put(entry)

    def _spans(self, repo: RepoId) -> list[tuple[datetime, datetime]]:
        """Give the stretches of landing time that are wholly known, oldest first, joined where they touch."""
        joined: list[tuple[datetime, datetime]] = []
        for row in self._db.rows(
            "select since, until from complete_spans where repo = ? order by since", [repo]
        ):
            start, end = map(moment_of, row)
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return joined


@dataclass(frozen=True)
class WindowSearch:
    """What a model searches for a question: the index, and reports of days within the window."""

    index: SearchIndex
    known: EvidenceStore
    report_of: Callable[..., Sequence[str]]  # Gives what the report of a day said
    window: Window

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 20) -> list[str]:
        """Give the pieces of evidence that fit best, each on one line."""
        hits = self.index.search(words, (), [repo] if repo else [], self.window, limit)
        return [self._line(hit) for hit in hits]

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said, if the window has the day."""
        within = midnight(date.fromisoformat(day), self.window.tz) in self.window
        return self.report_of(day, repo=repo) if within else ()

    def _line(self, hit: Hit) -> str:
        one = self.known.get(hit.id)
        title = one.name if isinstance(one, Release) else one.title if one else ""
        short = hit.id.shortened()
        return f"{hit.opened[:10]} {hit.kind} {short}: {title}"


def _commit_entry(card: Card) -> Entry:
    data = json.dumps(card.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
    version = "1" if card.route == "blobs" else "0"
    body = text_after(card.message, card.title)
    return Entry(
        *(
            card.id,
            card.repo,
            "commit",
            card.at,
            None,
            card.author,
            version,
            data,
            card.title,
            body,
        ),
        facts=_fact_words(card.facts)[:_FACT_WORDS],
        paths=" ".join((*card.touched, *card.paths))[:_PATH_WORDS],
        names=" ".join(card.written),
        pull=EvidenceId.thread(card.repo, card.pull) if card.pull else None,
    )


def _thread_entry(thread: Issue | PullRequest) -> Entry:
    """Index a thread: it belongs to the time at which it was opened, and to that at which it ended."""
    thread = thread.model_copy(
        update={"title": clean(thread.title), "body": clean(thread.body[:_BODY])}
    )
    kind = "pull" if isinstance(thread, PullRequest) else "issue"
    times, version, data = (
        (thread.created_at, thread.ended_at),
        stamp(thread.updated_at),
        thread.model_dump_json(),
    )
    body = f"{thread.body[:_INDEXED]} {' '.join(thread.labels)}"
    return Entry(
        thread.id, thread.repo, kind, *times, thread.author or "", version, data, thread.title, body
    )


def _release_entry(release: Release, version: str) -> Entry:
    title = release.tag if release.name == release.tag else f"{release.tag} {release.name}"
    name, data, body = (
        release.id,
        release.model_dump_json(),
        release.body[:_BODY],
    )
    return Entry(
        name, release.repo, "release", release.published_at, None, "", version, data, title, body
    )


def _between(window: Window | None) -> list[Value]:
    """Give the first and the last moment of a search, as they are written in the table."""
    return (
        ["", "9"] if window is None else [stamp(window.start), stamp(window.cutoff or window.end)]
    )


def _fact_words(facts: Iterable[Fact]) -> str:
    """Give the kinds, names and short values of facts as words."""
    pieces: list[str] = []
    for fact in facts:
        values = [
            value
            for value in (fact.old, fact.new, fact.detail)
            if value and len(value) <= _LONG_VALUE
        ]
        pieces += [fact.kind, fact.name, *values]
    return " ".join(pieces)
