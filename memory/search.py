"""One ranked list over commits, pull requests, issues, releases and tags, within a window of time."""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import mentioned_ids
from agent.domain.window import Window
from agent.questions import Hit, Named
from memory.database import Database, Value, clean, stamp
from memory.text_index import Scope, TextIndex, terms

_NEIGHBOURS = (
    "select target from evidence_refs where source = ? union select source from evidence_refs where target = ?"
    " union select b.cite from story_steps a join story_steps b using (window_key, repo, place) where a.cite = ?"
)
_NEXT_TAG = "select name from evidence where kind = 'release' and repo = ? and opened >= ? order by opened limit 1"
_BROUGHT = "select source from evidence_refs where brought = 1 and target = any(?)"
_ENTRIES = "from evidence e where"
_WEIGHTS = {"title": 4.0, "facts": 3.0, "paths": 1.5, "body": 1.5, "names": 1.0}
_RANKED_MOST, _WORDED = 200, 20
_EXPANDED, _TAGGED = (
    30,
    5,
)  # Hits whose neighbours join the list, and commits of which the next tag does
_SHARE = 0.4  # What a neighbour gains of the score of a hit
_REFERENCE = 1_000.0  # What somebody names by its hash, number or tag comes before everything that is found by words


class Entry(NamedTuple):
    """One commit, thread or release: itself as JSON in `data`, and what it is found by.

    Of two entries of the same id, the one with the greater version is kept.
    """

    id: EvidenceId
    repo: RepoId
    kind: str
    opened: datetime
    ended: datetime | None
    author: str
    version: str
    data: str
    title: str
    body: str
    facts: str = ""
    paths: str = ""
    names: str = ""
    pull: EvidenceId | None = None


def _scope(repos: Sequence[RepoId], window: Window | None) -> Scope:
    """Bound a search by repositories and time; no repositories are all."""
    start, end = (
        ("0", "9") if window is None else (stamp(window.start), stamp(window.cutoff or window.end))
    )
    within = "(e.opened >= ? and e.opened < ? or e.ended >= ? and e.ended < ?)"
    values: list[Value] = [start, end, start, end, *([sorted(repos)] if repos else [])]
    return Scope(f"{within}{' and e.repo = any(?)' if repos else ''}", values)


class SearchIndex:
    """Searches what is known of some repositories; nothing outside of the window is found, nor counts."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._words = TextIndex(db, "evidence", _WEIGHTS)

    def put(self, entry: Entry) -> None:
        """Store and index one piece of evidence over what was known of it; the caller holds the transaction."""
        known = self._db.row("select id, version from evidence where name = ?", [entry.id])
        if known and known[1] > entry.version:
            return
        if known:
            self._words.delete(known[:1])
            self._db.execute("delete from evidence where id = ?", known[:1])
            self._db.execute("delete from evidence_refs where source = ?", [entry.id])
        texts = {
            "title": f"{entry.title} {entry.author}",
            "facts": entry.facts,
            "paths": entry.paths,
        }
        texts |= {"body": entry.body, "names": entry.names}
        times = (stamp(entry.opened), stamp(entry.ended))
        [(number,)] = self._db.rows(
            "insert into evidence (name, repo, kind, opened, ended, author, version, body)"
            " values (?, ?, ?, ?, ?, ?, ?, ?) returning id",
            [
                entry.id,
                entry.repo,
                entry.kind,
                *times,
                clean(entry.author),
                entry.version,
                clean(entry.data),
            ],
        )
        self._words.put(number, texts)
        self.put_refs([(entry.id, entry.pull)] if entry.pull else [], brought=True)
        named = mentioned_ids(entry.repo, f"{entry.title}\n{entry.body}")
        self.put_refs((entry.id, other) for other in named if other != entry.id)

    def put_refs(
        self, pairs: Iterable[tuple[EvidenceId, EvidenceId]], *, brought: bool = False
    ) -> None:
        """Note which pieces of evidence belong together; the caller holds the transaction."""
        rows = ({"source": one, "target": other, "brought": int(brought)} for one, other in pairs)
        self._db.insert_missing("evidence_refs", rows)

    def search(
        self,
        text: str,
        named: Sequence[Named],
        repos: Sequence[RepoId],
        window: Window | None,
        limit: int = 60,
    ) -> list[Hit]:
        """Rank everything that has a word of a text or is named outright, and what belongs to the best of it."""
        scope, asked = _scope(repos, window), terms(text)
        count = int(
            self._db.rows(f"select count(*) {_ENTRIES} {scope.condition}", scope.values)[0][0]
        )
        scores = self._words.ranked(asked, scope, _RANKED_MOST, telling=True)
        exact = {one.text: (one.kind, self._named(one, repos, scope)) for one in named}
        exact |= {author: ("name", rows) for author, rows in self._people(text, scope)}
        for kind, rows in exact.values():
            rare = math.log(1 + max(0, count - len(rows) + 0.5) / (len(rows) + 0.5))
            for row in rows:
                scores[row] = scores.get(row, 0.0) + (3 * rare if kind == "name" else _REFERENCE)
        found = self._expanded(scores, scope)
        order = sorted(found, key=lambda row: (found[row].opened, found[row].id), reverse=True)
        kept = _first_twenty(sorted(order, key=lambda row: -round(scores[row], 6)), found)[:limit]
        by_words = self._words.words_of(kept[:_WORDED], asked)
        hits = []
        for row in kept:
            by = tuple(text for text, (_, rows) in exact.items() if row in rows)
            update = {
                "score": round(scores[row], 4),
                "named": by,
                "words": tuple(by_words.get(row, ())),
            }
            hits.append(found[row].model_copy(update=update))
        return hits

    def entries(self, repos: Sequence[RepoId], window: Window | None) -> list[Hit]:
        """List everything that is known."""
        return list(self._found(None, _scope(repos, window)).values())

    def _named(self, one: Named, repos: Sequence[RepoId], scope: Scope) -> set[int]:
        """Find what is named: by its own name, or everything that has the name whole."""
        mine = [repo for repo in repos if one.repo is None or repo.lower() == one.repo.lower()]
        if one.kind == "name":
            return set(self._words.with_phrase(one.text, scope))
        if one.kind == "commit":
            sql = f"select e.id {_ENTRIES} {scope.condition} and e.name >= ? and e.name < ?"
            spans = [(f"{repo}@{one.text}", f"{repo}@{one.text}g") for repo in mine]
            return {row[0] for span in spans for row in self._db.rows(sql, [*scope.values, *span])}
        ends = ("#{}",) if one.kind == "thread" else ("@{}", "@v{}")
        own = [f"{repo}{end.format(one.text)}" for repo in mine for end in ends]
        brought = [row[0] for row in self._db.rows(_BROUGHT, [own])]
        return {row[0] for row in self._by_name([*own, *brought], scope)}

    def _people(self, text: str, scope: Scope) -> list[tuple[str, set[int]]]:
        """Find what the people made whom a text names as git or GitHub do."""
        by = [row[0] for row in self._db.rows("select distinct author from evidence")]
        within = sorted(
            {name for author in by for name in author.split(", ") if len(name) > 1 and name in text}
        )
        whole = [
            name
            for name in within
            if not name.isascii() or re.search(rf"\b{re.escape(name)}\b", text)
        ]
        sql = f"select e.id {_ENTRIES} {scope.condition} and e.author = any(?)"
        theirs = {
            name: [one for one in by if name.lower() in one.lower().split(", ")] for name in whole
        }
        made = {
            name: {row[0] for row in self._db.rows(sql, [*scope.values, by])}
            for name, by in theirs.items()
        }
        return [(name, rows) for name, rows in made.items() if rows]

    def _found(self, rows: Iterable[int] | None, scope: Scope) -> dict[int, Hit]:
        sql, values = (
            f"select e.id, e.name, e.kind, e.opened, e.author {_ENTRIES} {scope.condition}",
            scope.values,
        )
        if rows is not None:
            sql, values = f"{sql} and e.id = any(?)", [*values, list(rows)]
        found = self._db.rows(sql, values)
        return {
            row: Hit(id=name, kind=kind, opened=at, author=by) for row, name, kind, at, by in found
        }

    def _by_name(self, names: Sequence[str], scope: Scope) -> list[tuple[int, str]]:
        sql = f"select e.id, e.name {_ENTRIES} {scope.condition} and e.name = any(?)"
        return [(row[0], row[1]) for row in self._db.rows(sql, [*scope.values, list(names)])]

    def _expanded(self, scores: dict[int, float], scope: Scope) -> dict[int, Hit]:
        """Let what belongs to the best hits join at a part of their score; what fits itself gains by it."""
        found = self._found(scores, scope)
        best = sorted(found, key=lambda row: (-scores[row], found[row].id))[:_EXPANDED]
        gained: dict[str, float] = {}
        for place, row in enumerate(best):
            name = found[row].id
            near = [one[0] for one in self._db.rows(_NEIGHBOURS, [name] * 3)]
            if place < _TAGGED and found[row].kind == "commit":
                near += [one[0] for one in self._db.rows(_NEXT_TAG, [name.repo, found[row].opened])]
            for other in {*near} - {name}:
                gained[other] = max(gained.get(other, 0.0), scores[row] * _SHARE)
        for row, other in self._by_name(list(gained), scope):
            scores[row] = scores.get(row, 0.0) + gained[other]
        return self._found(scores, scope)


def _first_twenty(order: Sequence[int], found: dict[int, Hit]) -> list[int]:
    """Put the ten best commits and the ten best threads in front of everything else."""
    is_commit = {row: found[row].kind == "commit" for row in order}
    first = {
        row
        for kind in (True, False)
        for row in [row for row in order if is_commit[row] is kind][:10]
    }
    return sorted(order, key=lambda row: row not in first)
