"""One ranked list over commits, pull requests, issues, releases and tags: FTS5 and BM25, within a window of time."""

import json
import math
import re
from collections.abc import Iterable, Sequence

from sqlite_utils import Database

from agent.asking.query import Hit, Named
from agent.ids import RepoId
from agent.window import Window
from memory.columns import stamp
from memory.database import create_search_tables, reading
from memory.search_entries import INSERTED
from memory.words import Term, indexed, terms

_SCOPE = (
    "(? is null or e.repo in (select value from json_each(?)))"
    " and (e.opened >= ? and e.opened < ? or e.ended >= ? and e.ended < ?)"
)
_ENTRIES = f"from search_entries e where {_SCOPE}"
_FIT = "-bm25(search_words, 4.0, 3.0, 1.5, 1.5, 1.0)"
_JOINED = "from search_words w join search_entries e on e.id = w.rowid where"
_MATCHING = "from search_words w where search_words match ?"
_WITHIN = f"{_JOINED} search_words match ? and {_SCOPE}"
_HAVING = f"select w.rowid, title || ' ' || facts || ' ' || paths || ' ' || body || ' ' || parts {_MATCHING}"
_COPIED = (
    f"select e.id, evidence, repo, kind, opened, ended, author, title, facts, paths, body, parts {_JOINED} {_SCOPE}"
)
_AMONG = "in (select value from json_each(?))"
_BY_NAME = f"select e.id, e.evidence {_ENTRIES} and e.evidence {_AMONG}"
_BY_HASH = f"select e.id {_ENTRIES} and e.evidence >= ? and e.evidence < ?"
_LISTED = f"select e.id, e.evidence, e.kind, e.opened, e.author {_ENTRIES}"
_NEIGHBOURS = (
    "select target from search_refs where source = ? union select source from search_refs where target = ?"
    " union select b.cite from story_steps a join story_steps b using (window, repo, place) where a.cite = ?"
)
_NEXT_TAG = (
    "select evidence from search_entries where kind = 'release' and repo = ? and opened >= ? order by opened limit 1"
)
_BROUGHT = "select source from search_refs where brought = 1 and target in (select value from json_each(?))"
_RANKED_MOST, _LARGE, _FEW, _WORDED = 200, 3_000, 50, 20
_EXPANDED, _TAGGED = 30, 5
"""Hits whose neighbours join the list, and commits of which the next tag does."""
_SHARE = 0.4
"""What a neighbour gains of the score of a hit."""
_REFERENCE = 1_000.0
"""What somebody names by its hash, number or tag comes before everything that is found by words."""


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
            count = self._db.execute(f"select count(*) {_ENTRIES}", scope).fetchone()[0]
            db, alone = self._table(scope, count)
            asked = _telling(db, terms(text), count)
            scores = _ranked(db, asked, [] if alone else scope)
            exact = {one.text: (one.kind, self._named(db, one, repos, scope)) for one in named}
            exact |= {author: ("name", rows) for author, rows in self._people(text, scope)}
            for kind, rows in exact.values():
                rare = math.log(1 + max(0, count - len(rows) + 0.5) / (len(rows) + 0.5))
                for row in rows:
                    scores[row] = scores.get(row, 0.0) + (3 * rare if kind == "name" else _REFERENCE)
            found = self._expanded(scores, scope)
            order = sorted(found, key=lambda row: (found[row].opened, found[row].id), reverse=True)
            kept = first_twenty(sorted(order, key=lambda row: -round(scores[row], 6)), found)[:limit]
            words = _words_of(db, kept[:_WORDED], asked)
        hits = []
        for row in kept:
            by = tuple(text for text, (_, rows) in exact.items() if row in rows)
            update = {"score": round(scores[row], 4), "named": by, "words": tuple(words.get(row, ()))}
            hits.append(found[row].model_copy(update=update))
        return hits

    def entries(self, repos: Sequence[RepoId], window: Window | None) -> list[Hit]:
        """List everything that is known."""
        with reading():
            return list(self._found(None, _scope(repos, window)).values())

    def _table(self, scope: list[object], count: int) -> tuple[Database, bool]:
        """Give an index that holds the window alone: how rare a word is there must not depend on what else is known.

        A large part of the memory is searched where it is: among so many entries words are as rare as among all.
        """
        total = self._db.execute("select count(*), max(id) from search_entries").fetchone()
        if count in (0, total[0]) or count > _LARGE:
            return self._db, count == total[0]
        key = (json.dumps(scope), count, total)
        if self._narrow is None or self._narrow[0] != key:
            narrow = Database(memory=True)
            create_search_tables(narrow)
            rows = self._db.execute(_COPIED, scope).fetchall()
            narrow.conn.executemany(INSERTED[0], (row[:7] for row in rows))
            narrow.conn.executemany(INSERTED[1], ((row[0], *row[7:]) for row in rows))
            self._narrow = (key, narrow)
        return self._narrow[1], True

    def _named(self, db: Database, one: Named, repos: Sequence[RepoId], scope: list[object]) -> set[int]:
        """Find what is named: by its own name, or everything that has the name whole."""
        mine = [repo for repo in repos if one.repo is None or repo.lower() == one.repo.lower()]
        if one.kind == "name":
            words = indexed(one.text).words
            rows = db.execute(_HAVING, [f'"{words}"']).fetchall() if words else []
            having = {row[0] for row in rows if f" {words} " in f" {row[1]} "}
            return having & set(self._found(having, scope)) if len(having) else set()
        if one.kind == "commit":
            spans = [(f"{repo}@{one.text}", f"{repo}@{one.text}g") for repo in mine]
            return {row[0] for span in spans for row in self._db.execute(_BY_HASH, [*scope, *span])}
        ends = ("#{}",) if one.kind == "thread" else ("@{}", "@v{}")
        own = [f"{repo}{end.format(one.text)}" for repo in mine for end in ends]
        brought = [row[0] for row in self._db.execute(_BROUGHT, [json.dumps(own)])]
        return {row[0] for row in self._db.execute(_BY_NAME, [*scope, json.dumps([*own, *brought])])}

    def _people(self, text: str, scope: list[object]) -> list[tuple[str, set[int]]]:
        """Find what the people made whom a text names as git or GitHub do."""
        by = self._db.execute("select distinct author from search_entries").fetchall()
        within = sorted({name for row in by for name in row[0].split(", ") if len(name) > 1 and name in text})
        whole = [name for name in within if not name.isascii() or re.search(rf"\b{re.escape(name)}\b", text)]
        query = f"select e.id {_ENTRIES} and ', ' || e.author || ',' like ?"
        made = [(name, self._db.execute(query, [*scope, f"%, {name},%"]).fetchall()) for name in whole]
        return [(name, {row[0] for row in rows}) for name, rows in made if rows]

    def _found(self, rows: Iterable[int] | None, scope: list[object]) -> dict[int, Hit]:
        query, among = (_LISTED, []) if rows is None else (f"{_LISTED} and e.id {_AMONG}", [json.dumps(list(rows))])
        found = self._db.execute(query, [*scope, *among])
        return {row: Hit(id=name, kind=kind, opened=at, author=by) for row, name, kind, at, by in found}

    def _expanded(self, scores: dict[int, float], scope: list[object]) -> dict[int, Hit]:
        """Let what belongs to the best hits join at a part of their score; what fits itself gains by it."""
        found = self._found(scores, scope)
        best = sorted(found, key=lambda row: (-scores[row], found[row].id))[:_EXPANDED]
        gained: dict[str, float] = {}
        for place, row in enumerate(best):
            name = found[row].id
            near = [one[0] for one in self._db.execute(_NEIGHBOURS, [name] * 3)]
            if place < _TAGGED and found[row].kind == "commit":
                near += [one[0] for one in self._db.execute(_NEXT_TAG, [name.partition("@")[0], found[row].opened])]
            for other in {*near} - {name}:
                gained[other] = max(gained.get(other, 0.0), scores[row] * _SHARE)
        for row, name in self._db.execute(_BY_NAME, [*scope, json.dumps(list(gained))]).fetchall():
            scores[row] = scores.get(row, 0.0) + gained[name]
        return self._found(scores, scope)


def first_twenty(order: Sequence[int], found: dict[int, Hit]) -> list[int]:
    """Put the ten best commits and the ten best threads in front of everything else."""
    is_commit = {row: found[row].kind == "commit" for row in order}
    first = {row for kind in (True, False) for row in [row for row in order if is_commit[row] is kind][:10]}
    return sorted(order, key=lambda row: row not in first)


def _ranked(db: Database, asked: Sequence[Term], scope: list[object]) -> dict[int, float]:
    query = f"select w.rowid, {_FIT} as fit {_WITHIN if scope else _MATCHING} order by fit desc limit ?"
    match = " OR ".join(term.match for term in asked)
    return dict(db.execute(query, [match, *scope, _RANKED_MOST]).fetchall()) if asked else {}


def _telling(db: Database, asked: Sequence[Term], total: int) -> list[Term]:
    """Leave out words that more than half of everything has: BM25 gives them nothing, and they take the longest."""
    query, most = f"select count(*) {_MATCHING}", max(_FEW, total / 2)
    return [term for term in asked if 0 < db.execute(query, [term.match]).fetchone()[0] <= most]


def _words_of(db: Database, rows: Sequence[int], asked: Sequence[Term]) -> dict[int, list[str]]:
    """Say by which words each was found."""
    words: dict[int, list[str]] = {}
    for term in asked:
        query = f"select w.rowid {_MATCHING} and w.rowid {_AMONG}"
        for (row,) in db.execute(query, [term.match, json.dumps(list(rows))]):
            words.setdefault(row, []).append(term.text)
    return words


def _scope(repos: Sequence[RepoId], window: Window | None) -> list[object]:
    chosen = json.dumps(sorted(repos)) if repos else None
    start, end = ("0", "9") if window is None else (stamp(window.start), stamp(window.cutoff or window.end))
    return [chosen, chosen, start, end, start, end]
