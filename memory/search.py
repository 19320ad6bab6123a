"""One ranked list over commits, pull requests, issues, releases and tags: FTS5 and BM25, within a window of time."""

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from sqlite_utils import Database

from agent.asking.query import Hit, Named
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.window import Window
from memory.database import create_search_tables, reading
from memory.words import Term, indexed, terms

_SCOPE = (
    "(? is null or e.repo in (select value from json_each(?)))"
    " and (e.opened >= ? and e.opened < ? or e.ended >= ? and e.ended < ?)"
)
_FROM = f"from search_words w join search_entries e on e.id = w.rowid where search_words match ? and {_SCOPE}"
_RANKED = f"select e.evidence, -bm25(search_words, 4.0, 3.0, 1.5, 1.5, 1.0) as fit {_FROM} order by fit desc limit ?"
_WORDS = "w.title || ' ' || w.facts || ' ' || w.paths || ' ' || w.body || ' ' || w.parts"
_HAVING, _COUNT, _IDS = f"select e.evidence, {_WORDS} {_FROM}", f"select count(*) {_FROM}", f"select e.evidence {_FROM}"
_KNOWN = f"select e.evidence, e.kind, e.opened, e.author, e.id from search_entries e where {_SCOPE}"  # noqa: S608
_COPIED = (
    f"select e.id, e.evidence, e.repo, e.kind, e.opened, e.ended, e.author from search_entries e where {_SCOPE}",  # noqa: S608
    "select rowid, title, facts, paths, body, parts from search_words where rowid = ?",
)
_INSERTED = (
    "insert into search_entries (id, evidence, repo, kind, opened, ended, author) values (?, ?, ?, ?, ?, ?, ?)",
    "insert into search_words (rowid, title, facts, paths, body, parts) values (?, ?, ?, ?, ?, ?)",
)
_NEIGHBOURS = (
    "select target from search_refs where source = ? union select source from search_refs where target = ?"
    " union select b.cite from story_steps a join story_steps b using (window, repo, place) where a.cite = ?"
)
_NEXT_TAG = (
    "select evidence from search_entries where kind = 'release' and repo = ? and opened >= ? order by opened limit 1"
)
_BROUGHT = "select source from search_refs where brought = 1 and target in (select value from json_each(?))"
_RANKED_MOST, _LARGE = 400, 3_000
_EXPANDED, _TAGGED = 30, 5
"""Hits whose neighbours join the list, and commits of which the next tag does."""
_SHARE = 0.4
"""What a neighbour gains of the score of a hit."""
_REFERENCE = 1_000.0
"""What somebody names by its hash, number or tag comes before everything that is found by words."""
_STAMP = "%Y-%m-%dT%H:%M:%SZ"
_NUMBER = re.compile(r"(?<![\w/&#])(?:([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100}))?#([1-9]\d{0,8})\b", re.ASCII)
_ADDRESS = re.compile(
    r"github\.com/([\w-]{1,39}/[\w.-]{1,100})/(?:(?:pull|issues)/([1-9]\d{0,8})|commit/([0-9a-f]{40}))"
)
_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is indexed of one commit, thread or release; threads have a time at which they ended."""

    id: EvidenceId
    repo: RepoId
    kind: str
    opened: datetime
    ended: datetime | None = None
    author: str = ""
    title: str = ""
    facts: str = ""
    paths: str = ""
    body: str = ""
    names: str = ""
    brought_by: EvidenceId = ""
    """The pull request of a commit."""


class _Known(NamedTuple):
    kind: str
    opened: str
    author: str
    row: int


def references(repo: RepoId, text: str) -> tuple[EvidenceId, ...]:
    """List the threads and commits that a text names by number, address or full hash."""
    found = [f"{name or repo}#{number}" for name, number in _NUMBER.findall(text)]
    found += [f"{name}#{number}" if number else f"{name}@{sha}" for name, number, sha in _ADDRESS.findall(text)]
    found += [f"{repo}@{sha}" for sha in _HASH.findall(text)]
    return tuple(dict.fromkeys(found))[:60]


def put_entry(db: Database, entry: Entry) -> None:
    """Index one piece of evidence over what was known of it; the caller holds the transaction."""
    execute = db.conn.execute
    if (row := execute("select id from search_entries where evidence = ?", (entry.id,)).fetchone()) is not None:
        execute("delete from search_words where rowid = ?", row)
        execute("delete from search_entries where id = ?", row)
        execute("delete from search_refs where source = ?", (entry.id,))
    times = (_text(entry.opened), _text(entry.ended))
    number = execute(
        _INSERTED[0], (None, entry.id, entry.repo, entry.kind, *times, _clean(entry.author))
    ).lastrowid
    texts = (f"{entry.title} {entry.author}", entry.facts, entry.paths, entry.body, entry.names)
    told = [indexed(_clean(text)) for text in texts]
    parts = " ".join((*(one.parts for one in told), told[-1].words))
    execute(_INSERTED[1], (number, *(one.words for one in told[:4]), parts))
    named = references(entry.repo, f"{entry.title}\n{entry.body}")
    put_refs(db, [(entry.id, entry.brought_by)] if entry.brought_by else [], brought=True)
    put_refs(db, ((entry.id, other) for other in named if other != entry.id))


def put_refs(db: Database, pairs: Iterable[tuple[EvidenceId, EvidenceId]], *, brought: bool = False) -> None:
    """Note which pieces of evidence belong together; the caller holds the transaction."""
    insert = "insert or ignore into search_refs (source, target, brought) values (?, ?, ?)"
    db.conn.executemany(insert, ((*pair, int(brought)) for pair in pairs))


class SearchIndex:
    """Searches what is known of some repositories; nothing outside of the window is found, nor counts."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._narrow: tuple[object, Database] | None = None

    def search(
        self, text: str, named: Sequence[Named], repos: Sequence[RepoId], window: Window | None, limit: int = 60
    ) -> list[Hit]:
        """Rank everything that has a word of a text or is named outright, and what belongs to the best of it."""
        with reading():
            scope = _scope(repos, window)
            known = {row[0]: _Known(*row[1:]) for row in self._db.execute(_KNOWN, scope)}
            db = self._table(scope, len(known))
            asked = _telling(db, terms(text), scope, len(known))
            scores: dict[EvidenceId, float] = {}
            if asked:
                match = " OR ".join(term.match for term in asked)
                scores = dict(db.execute(_RANKED, [match, *scope, _RANKED_MOST]).fetchall())
            exact = {one.text: (one.kind, self._having(db, one, scope, known)) for one in named} | _people(text, known)
            for kind, found in exact.values():
                rare = math.log(1 + (len(known) - len(found) + 0.5) / (len(found) + 0.5))
                for name in found:
                    scores[name] = scores.get(name, 0.0) + (3 * rare if kind == "name" else _REFERENCE)
            self._expand(scores, known)
            order = sorted(scores, key=lambda name: (-round(scores[name], 6), _newest(known[name]), name))
            kept = first_twenty(order, known)[:limit]
            words = _words_of(db, set(kept), asked, scope)
        return [
            Hit(
                id=name,
                kind=known[name].kind,
                opened=known[name].opened,
                score=round(scores[name], 4),
                named=tuple(text for text, (_, found) in exact.items() if name in found),
                words=tuple(words.get(name, ())),
            )
            for name in kept
        ]

    def entries(self, repos: Sequence[RepoId], window: Window | None) -> list[tuple[EvidenceId, str, str, str]]:
        """List everything that is known: its name, kind, time and author."""
        with reading():
            return [tuple(row[:4]) for row in self._db.execute(_KNOWN, _scope(repos, window))]

    def _table(self, scope: list[object], count: int) -> Database:
        """Give an index that holds the window alone: how rare a word is there must not depend on what else is known.

        A large part of the memory is searched where it is: among so many entries words are as rare as among all.
        """
        total = self._db.execute("select count(*), max(id) from search_entries").fetchone()
        if count in (0, total[0]) or count > _LARGE:
            return self._db
        key = (json.dumps(scope), count, total)
        if self._narrow is None or self._narrow[0] != key:
            narrow = Database(memory=True)
            create_search_tables(narrow)
            rows = self._db.execute(_COPIED[0], scope).fetchall()
            narrow.conn.executemany(_INSERTED[0], rows)
            words = (self._db.execute(_COPIED[1], [row[0]]).fetchone() for row in rows)
            narrow.conn.executemany(_INSERTED[1], words)
            self._narrow = (key, narrow)
        return self._narrow[1]

    def _having(
        self, db: Database, one: Named, scope: list[object], known: dict[EvidenceId, _Known]
    ) -> set[EvidenceId]:
        """Find what is named: by its own name, or everything that has the name whole."""
        if one.kind == "name":
            words = indexed(one.text).words
            rows = db.execute(_HAVING, [f'"{words}"', *scope]) if words else ()
            return {row[0] for row in rows if f" {words} " in f" {row[1]} "}
        mine = [name for name in known if one.repo is None or name.lower().startswith(one.repo.lower())]
        if one.kind == "commit":
            return {name for name in mine if name.partition("@")[2].startswith(one.text) and known[name].kind == "commit"}
        ends = (f"#{one.text}",) if one.kind == "thread" else (f"@{one.text}", f"@v{one.text}")
        own = [f"{repo}#{one.text}" for repo in {name.partition("#")[0].partition("@")[0] for name in mine}]
        brought = self._db.execute(_BROUGHT, [json.dumps(own)]).fetchall() if one.kind == "thread" else []
        return {name for name in mine if name.endswith(ends)} | {row[0] for row in brought if row[0] in known}

    def _expand(self, scores: dict[EvidenceId, float], known: dict[EvidenceId, _Known]) -> None:
        """Let what belongs to the best hits join the list at a part of their score; what fits itself gains by it."""
        best = sorted(scores, key=lambda name: (-scores[name], name))[:_EXPANDED]
        gained: dict[EvidenceId, float] = {}
        for place, name in enumerate(best):
            near = [row[0] for row in self._db.execute(_NEIGHBOURS, [name] * 3)]
            if place < _TAGGED and known[name].kind == "commit":
                near += [row[0] for row in self._db.execute(_NEXT_TAG, [name.partition("@")[0], known[name].opened])]
            for other in near:
                if other in known and other != name:
                    gained[other] = max(gained.get(other, 0.0), scores[name] * _SHARE)
        for name, score in gained.items():
            scores[name] = scores.get(name, 0.0) + score


def first_twenty(order: Sequence[EvidenceId], known: dict[EvidenceId, _Known]) -> list[EvidenceId]:
    """Put the ten best commits and the ten best threads in front of everything else."""
    commits = [name for name in order if known[name].kind == "commit"][:10]
    threads = [name for name in order if known[name].kind != "commit"][:10]
    first = {*commits, *threads}
    return [*(name for name in order if name in first), *(name for name in order if name not in first)]


def _newest(one: _Known) -> tuple[int, ...]:
    return tuple(-ord(sign) for sign in one.opened)


def _telling(db: Database, asked: Sequence[Term], scope: list[object], total: int) -> list[Term]:
    """Leave out words that more than half of everything has: BM25 gives them nothing, and they take the longest."""
    counts = [db.execute(_COUNT, [term.match, *scope]).fetchone()[0] for term in asked]
    return [term for term, count in zip(asked, counts, strict=True) if 0 < count <= max(1, total / 2)]


def _people(text: str, known: dict[EvidenceId, _Known]) -> dict[str, tuple[str, set[EvidenceId]]]:
    """Find what the people made whom a text names as git or GitHub do."""
    by: dict[str, set[EvidenceId]] = {}
    for name, one in known.items():
        for author in one.author.split(", ") if one.author else ():
            by.setdefault(author, set()).add(name)
    return {author: ("name", found) for author, found in by.items() if len(author) > 1 and _stands(author, text)}


def _stands(name: str, text: str) -> bool:
    edge = r"\b" if name.isascii() else ""
    return name in text and re.search(f"{edge}{re.escape(name)}{edge}", text) is not None


def _words_of(
    db: Database, names: set[EvidenceId], asked: Sequence[Term], scope: list[object]
) -> dict[EvidenceId, list[str]]:
    """Say by which words each was found."""
    words: dict[EvidenceId, list[str]] = {}
    for term in asked:
        for row in db.execute(_IDS, [term.match, *scope]):
            if row[0] in names:
                words.setdefault(row[0], []).append(term.text)
    return words


def _scope(repos: Sequence[RepoId], window: Window | None) -> list[object]:
    chosen = json.dumps(sorted(repos)) if repos else None
    start, end = ("0", "9") if window is None else (_text(window.start), _text(window.cutoff or window.end))
    return [chosen, chosen, start, end, start, end]


def _text(moment: datetime | None) -> str:
    return moment.astimezone(UTC).strftime(_STAMP) if moment else ""


def _clean(text: str) -> str:
    """Keep what every file can hold: names of files may carry bytes that are no text."""
    return text.encode("utf-8", errors="replace").decode("utf-8")
