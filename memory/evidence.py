"""Stored evidence: commits, threads and releases, found by name and time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.evidence import Card
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Link
from agent.domain.references import parse_reference
from agent.domain.threads import Issue, PullRequest, Release, Threads
from agent.domain.window import Window, midnight, zone
from agent.questions_and_replies import Hit, Known
from memory.column_values import moment_of, stamp
from memory.evidence_rows import (
    MODELS,
    EvidenceRow,
    commit_row,
    release_row,
    tag_row,
    thread_row,
)
from memory.protocols import Database, EvidenceHit, Record
from memory.search import ALWAYS, SearchIndex

_SECOND = timedelta(seconds=1)
_DEFAULT_SPAN = timedelta(days=7)  # What is read where nothing is stored and no time is asked for
_MAX_COMMITS = 5_000
_MAX_COMMITS_OF_PREFIX = 5  # That the beginning of a hash may stand for


class _Span(NamedTuple):
    """A time span: every commit that landed in it is stored."""

    start: datetime
    end: datetime


class EvidenceStore:
    """The stored evidence of repositories, and the time spans for which it is complete."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def keep(self, repo: RepoId, cards: Iterable[Card]) -> None:
        """Store commits with their facts.

        One that was read from whole files is not replaced by one from the patch alone.
        """
        del repo
        self._put([commit_row(card) for card in cards])

    def connect(self, repo: RepoId, threads: Threads, links: Iterable[Link]) -> None:
        """Store a window's threads and releases, and what connects them with commits."""
        del repo
        rows = [
            *map(thread_row, threads.issues),
            *map(thread_row, threads.pulls),
            *map(release_row, threads.releases),
        ]
        with self._db.transaction(durable=False):
            self._put(rows)
            references = [_reference(link.change, link.issue) for link in links]
            self._db.insert_missing("evidence_refs", references)

    def complete(self, repo: RepoId, window: Window, landed: Sequence[str]) -> None:
        """Note that a window is complete, if each commit that landed in it is stored."""
        if not self.stored_shas(repo, landed).issuperset(landed):
            return
        start, end = _bounds(window)
        span = {"repo": repo, "since": start, "until": end}
        self._db.insert_missing("complete_spans", [span])

    def put_thread(self, thread: Issue | PullRequest) -> None:
        """Store a thread, unless a later state of it is stored."""
        self._put([thread_row(thread)])

    def put_tags(self, tags: Iterable[Release]) -> None:
        """Store tags of git that are not stored yet; a stored release says more than its tag."""
        missing = {tag.id: tag for tag in tags}
        for (name,) in self._db.select("evidence", ["name"], {"name": list(missing)}):
            del missing[name]
        self._put([tag_row(tag) for tag in missing.values()])

    def stored_shas(self, repo: RepoId, shas: Sequence[str]) -> set[str]:
        """Return the hashes of these commits that are stored."""
        names = [EvidenceId.commit(repo, sha) for sha in shas]
        rows = self._db.select("evidence", ["name"], {"name": names})
        return {EvidenceId(name).sha for (name,) in rows}

    def has_threads(self, repo: RepoId) -> bool:
        """Return True if an issue or a pull request of a repository is stored."""
        return self._db.evidence.has_threads(repo)

    def get(self, name: EvidenceId) -> Known | None:
        """Return a stored commit, thread, release or tag."""
        return self.all([name]).get(name)

    def all(self, names: Iterable[EvidenceId]) -> dict[EvidenceId, Known]:
        """Return the stored ones of these pieces of evidence, in their order."""
        requested = list(dict.fromkeys(names))
        stored: dict[EvidenceId, Known] = {}
        columns = ["name", "kind", "body"]
        for name, kind, body in self._db.select("evidence", columns, {"name": requested}):
            stored[name] = MODELS[kind].model_validate_json(body)
        return {name: stored[name] for name in requested if name in stored}

    def resolve(self, text: str, repos: Sequence[RepoId]) -> list[EvidenceId]:
        """Return the stored evidence that a text names by hash, number or tag."""
        text = text.strip("[]` ")
        evidence_id = EvidenceId.parse(text)
        if evidence_id and not evidence_id.is_thread and self.get(evidence_id):
            return [evidence_id]
        reference = parse_reference(text)
        if reference is None:
            return []
        meant_repos = [repo for repo in repos if reference.repo in (None, repo)]
        if reference.kind == "thread":
            threads = [EvidenceId.thread(repo, reference.number) for repo in meant_repos]
            return list(self.all(threads))
        commits: list[EvidenceHit] = []
        for repo in meant_repos:
            prefix = EvidenceId.commit_prefix(repo, reference.sha)
            commits += self._db.evidence.with_prefix(ALWAYS, prefix)
        commits.sort(key=lambda hit: hit.opened, reverse=True)
        return [hit.id for hit in commits[:_MAX_COMMITS_OF_PREFIX]]

    def listed(
        self, repos: Sequence[RepoId], window: Window | None, limit: int = _MAX_COMMITS
    ) -> list[Card]:
        """Return the commits that landed, newest first."""
        start, end = _bounds(window)
        bodies = self._db.evidence.commits(repos, start, end, limit)
        return [Card.model_validate_json(body) for body in bodies]

    def count(self, repo: RepoId, window: Window) -> int:
        """Return the number of stored commits that landed in a window."""
        start, end = _bounds(window)
        return self._db.evidence.count_commits(repo, start, end)

    def covered(self, repo: RepoId, window: Window) -> list[Window]:
        """Return the parts of a window of which every landed commit was read, oldest first."""
        window_end = window.cutoff or window.end
        parts = []
        for span in self._spans(repo):
            start = max(span.start, window.start)
            end = min(span.end, window_end)
            if start < end:
                parts.append(Window(start=start, end=end, tz=window.tz))
        return parts

    def problems(self, repos: Sequence[RepoId], window: Window | None) -> list[str]:
        """Return the problems for which facts of stored commits are missing, each with its commit."""
        start, end = _bounds(window)
        problems = []
        for body in self._db.evidence.commits_with_problems(repos, start, end):
            card = Card.model_validate_json(body)
            problems.append(f"{card.id.shortened()}: {card.problem}")
        return problems

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
        """Return the time from what is stored until now, at most the last days."""
        end = now.replace(microsecond=0) + _SECOND
        start = midnight((now.astimezone(zone(tz)) - _DEFAULT_SPAN).date(), tz)
        spans = self._spans(repo)
        if spans:
            start = max(spans[-1].end, start)
        return Window(start=min(start, end - _SECOND), end=end, tz=tz)

    def stored_window(self, repos: Sequence[RepoId], now: datetime, tz: str) -> Window:
        """Return the time of which anything is stored, at least the last days."""
        end = now.replace(microsecond=0) + _SECOND
        start = end - _DEFAULT_SPAN
        for repo in repos:
            for span in self._spans(repo):
                start = min(start, span.start)
        return Window(start=start, end=end, tz=tz)

    def _put(self, rows: Sequence[EvidenceRow]) -> None:
        """Store evidence with what it refers to, except where a greater version is stored."""
        if not rows:
            return
        with self._db.transaction(durable=False):
            for repo in sorted({row.repo for row in rows}):
                self._db.lock(f"evidence of {repo}")
            newest = self._newest(rows)
            ids = [row.id for row in newest]
            self._db.delete("evidence_refs", {"source": ids})
            self._db.delete("evidence", {"name": ids})
            self._db.insert("evidence", [row.record for row in newest])
            self._db.insert_missing("evidence_refs", _references(newest))

    def _newest(self, rows: Sequence[EvidenceRow]) -> list[EvidenceRow]:
        """Return the rows that are as new as what is stored, the last one of each name."""
        ids = list({row.id for row in rows})
        versions: dict[str, str] = dict(
            self._db.select("evidence", ["name", "version"], {"name": ids})
        )
        newest: dict[EvidenceId, EvidenceRow] = {}
        for row in rows:
            stored_version = versions.get(row.id, row.version)
            if stored_version > row.version:
                continue
            versions[row.id] = row.version
            newest.pop(row.id, None)
            newest[row.id] = row
        return list(newest.values())

    def _spans(self, repo: RepoId) -> list[_Span]:
        """Return the complete time spans, oldest first, joined where they touch."""
        rows = self._db.select("complete_spans", ["since", "until"], {"repo": repo})
        joined: list[_Span] = []
        for since, until in sorted(rows):
            span = _Span(moment_of(since), moment_of(until))
            if joined and span.start <= joined[-1].end:
                last = joined.pop()
                span = _Span(last.start, max(span.end, last.end))
            joined.append(span)
        return joined


@dataclass(frozen=True)
class WindowSearch:
    """The search of a model that answers a question: evidence and reports within a window."""

    index: SearchIndex
    store: EvidenceStore
    report_of: Callable[..., Sequence[str]]  # Returns the statements of a day's report
    window: Window

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 20) -> list[str]:
        """Return the pieces of evidence that fit best, each on one line."""
        repos = [repo] if repo else []
        hits = self.index.search(words, (), repos, self.window, limit)
        return [self._line(hit) for hit in hits]

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Return the statements of a day's report, if the day is within the window."""
        if midnight(date.fromisoformat(day), self.window.tz) not in self.window:
            return ()
        return self.report_of(day, repo=repo)

    def _line(self, hit: Hit) -> str:
        return f"{hit.opened[:10]} {hit.kind} {hit.id.shortened()}: {self._title(hit.id)}"

    def _title(self, name: EvidenceId) -> str:
        evidence = self.store.get(name)
        if evidence is None:
            return ""
        return evidence.name if isinstance(evidence, Release) else evidence.title


def _references(rows: Iterable[EvidenceRow]) -> Iterator[Record]:
    """Yield a row for each reference from one piece of evidence to another."""
    for row in rows:
        if row.pull is not None:
            yield _reference(row.id, row.pull, brought=True)
        for mention in row.mentions:
            yield _reference(row.id, mention)


def _reference(source: EvidenceId, target: EvidenceId, *, brought: bool = False) -> Record:
    return {"source": source, "target": target, "brought": int(brought)}


def _bounds(window: Window | None) -> tuple[str, str]:
    """Return the first moment of a search and the one after its last, as columns have them."""
    if window is None:
        return ALWAYS.start, ALWAYS.end
    return stamp(window.start), stamp(window.cutoff or window.end)
