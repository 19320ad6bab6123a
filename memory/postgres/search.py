"""The search for statements and evidence in PostgreSQL, ranked by their `tsvector`."""

import math
from collections.abc import Sequence
from typing import Any

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from memory.postgres.connection import PostgresConnection
from memory.protocols import (
    EvidenceHit,
    EvidenceOperations,
    EvidenceScope,
    Row,
    StatementHit,
    StatementOperations,
    StatementScope,
)
from memory.search_words import Phrase, Term

_STATEMENT = "id, repo, label, cites, texts, window_start"
_HIT = "select id, name, kind, opened, author from evidence"
_SCOPE = (
    "(opened >= %(start)s and opened < %(end)s or ended >= %(start)s and ended < %(end)s)"
    " and (%(repos)s::text[] is null or repo = any(%(repos)s))"
)
_TEXTS = ("title", "facts", "paths", "text", "names")
_COMMITS = "kind = 'commit' and opened >= %s and opened < %s"
_QUERIES = (
    "select number, phraseto_tsquery('english', word) || phraseto_tsquery('english', parts)"
    " || to_tsquery('simple', han) as query"
    " from unnest(%(words)s::text[], %(parts)s::text[], %(hans)s::text[])"
    " with ordinality as term (word, parts, han, number)"
)
"""A query for each term: a word or its parts side by side, or a pair of Chinese characters."""


class PostgresStatements(StatementOperations):
    """The table of statements."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    def of_day(self, label: str, scope: StatementScope, limit: int) -> list[StatementHit]:
        """Return the statements of a day's report, in its order."""
        condition, values = _statement_condition(scope)
        rows = self._db.rows(
            f"select {_STATEMENT} from statements"  # noqa: S608 -- constants
            f" where label = %(label)s and {condition} order by id limit %(limit)s",
            {**values, "label": label, "limit": limit},
        )
        return [StatementHit(*row) for row in rows]

    def search(
        self, terms: Sequence[Term], scope: StatementScope, limit: int, *, every: bool
    ) -> list[StatementHit]:
        """Return the newest statements that have some term, or `every` one, with their scores."""
        if not terms:
            return []
        condition, values = _statement_condition(scope)
        operator = " & " if every else " | "
        rows = self._db.rows(
            f"with terms as ({_QUERIES}), whole as ("  # noqa: S608 -- constants
            f" select string_agg('(' || query::text || ')', '{operator}')::tsquery as query"
            " from terms where numnode(query) > 0)"
            f" select {_STATEMENT}, ts_rank(search, query)"
            f" from statements, whole where search @@ query and {condition}"
            " order by id desc limit %(limit)s",
            {**values, **_term_values(terms), "limit": limit},
        )
        return [StatementHit(*row) for row in rows]


class PostgresEvidence(EvidenceOperations):
    """The table of evidence, and what refers to what."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    def commits(self, repos: Sequence[RepoId], start: str, end: str, limit: int) -> list[str]:
        """Return the commits that landed in a stretch of time, newest first."""
        rows = self._db.rows(
            f"select body from evidence where {_COMMITS} and repo = any(%s)"  # noqa: S608 -- constant
            " order by opened desc limit %s",
            [start, end, list(repos), limit],
        )
        return [row[0] for row in rows]

    def commits_with_problems(self, repos: Sequence[RepoId], start: str, end: str) -> list[str]:
        """Return the commits whose facts are missing, newest first."""
        rows = self._db.rows(
            f"select body from evidence where {_COMMITS} and repo = any(%s)"  # noqa: S608 -- constant
            " and body::json->>'problem' <> '' order by opened desc",
            [start, end, list(repos)],
        )
        return [row[0] for row in rows]

    def count_commits(self, repo: RepoId, start: str, end: str) -> int:
        """Return the number of commits that landed in a time span."""
        sql = f"select count(*) from evidence where {_COMMITS} and repo = %s"  # noqa: S608 -- constant
        return int(self._db.rows(sql, [start, end, repo])[0][0])

    def has_threads(self, repo: RepoId) -> bool:
        """Return True if an issue or a pull request of a repository is stored."""
        sql = "select 1 from evidence where kind in ('issue', 'pull') and repo = %s limit 1"
        return bool(self._db.rows(sql, [repo]))

    def neighbours(self, name: EvidenceId) -> set[EvidenceId]:
        """Return the evidence that a piece refers to, and the evidence that refers to it or its pull.

        The other steps of its stories belong to it as well.
        """
        rows = self._db.rows(
            "select target from evidence_refs where source = %(name)s"
            " union select source from evidence_refs where target = %(name)s"
            " union select other.source from evidence_refs bond join evidence_refs other"
            " on other.target = bond.target and (other.brought = 1 or bond.brought = 1)"
            " where bond.source = %(name)s"
            " union select other.cite from story_steps step"
            " join story_steps other using (window_key, repo, place) where step.cite = %(name)s",
            {"name": name},
        )
        return {EvidenceId.cited(row[0]) for row in rows} - {name}

    def next_release(self, repo: str, opened: str) -> EvidenceId | None:
        """Return the first release of a repository from a moment on."""
        rows = self._db.rows(
            "select name from evidence where kind = 'release' and repo = %s and opened >= %s"
            " order by opened limit 1",
            [repo, opened],
        )
        return EvidenceId.cited(rows[0][0]) if rows else None

    def authors(self) -> list[str]:
        """Return the authors of all evidence."""
        return [row[0] for row in self._db.rows("select distinct author from evidence")]

    def count(self, scope: EvidenceScope) -> int:
        """Return the number of pieces of evidence in scope."""
        sql = f"select count(*) from evidence where {_SCOPE}"  # noqa: S608 -- constant
        return int(self._db.rows(sql, _scope_values(scope))[0][0])

    def in_scope(
        self,
        scope: EvidenceScope,
        *,
        row_ids: Sequence[int] | None = None,
        names: Sequence[EvidenceId] | None = None,
        authors: Sequence[str] | None = None,
    ) -> list[EvidenceHit]:
        """Return the evidence in scope; of these rows, names or authors only where given."""
        condition = _SCOPE
        values = _scope_values(scope)
        for column, allowed in (("id", row_ids), ("name", names), ("author", authors)):
            if allowed is not None:
                condition += f" and {column} = any(%({column}s)s)"
                values[f"{column}s"] = list(allowed)
        return _hits(self._db.rows(f"{_HIT} where {condition}", values))

    def with_prefix(self, scope: EvidenceScope, prefix: str) -> list[EvidenceHit]:
        """Return the commits in scope whose names continue a prefix with hexadecimal digits."""
        values = {**_scope_values(scope), "first": prefix, "after": f"{prefix}g"}
        sql = f"{_HIT} where kind = 'commit' and name >= %(first)s and name < %(after)s"
        return _hits(self._db.rows(f"{sql} and {_SCOPE}", values))

    def with_phrase(self, scope: EvidenceScope, phrase: Phrase, limit: int) -> list[int]:
        """Return the rows in scope that have a phrase whole and in order."""
        values = {
            **_scope_values(scope),
            "words": phrase.words.replace("_", ""),
            "pairs": phrase.pairs,
            "limit": limit,
        }
        rows = self._db.rows(
            f"select id, pairs, {', '.join(_TEXTS)} from evidence"  # noqa: S608 -- constants
            " where search @@ (phraseto_tsquery('english', %(words)s)"
            f" && phraseto_tsquery('simple', %(pairs)s)) and {_SCOPE} limit %(limit)s",
            values,
        )
        row_ids = []
        for row_id, pairs, *texts in rows:
            # PostgreSQL compares stems, and leaves out the commonest words.
            if phrase.occurs_in(texts, pairs):
                row_ids.append(row_id)
        return row_ids

    def scores(self, scope: EvidenceScope, terms: Sequence[Term], limit: int) -> dict[int, float]:
        """Return the rows in scope that fit some term best, with their scores.

        `ts_rank` does not know how rare a word is, so each term is ranked by itself and weighed.
        """
        rarities = self._rarities(scope, terms)
        if not rarities:
            return {}
        chosen = [terms[index] for index in rarities]
        values = {
            **_scope_values(scope),
            **_term_values(chosen),
            "rarities": list(rarities.values()),
            "limit": limit,
        }
        rows = self._db.rows(
            f"with terms as ({_QUERIES})"  # noqa: S608 -- constants
            " select id, sum((%(rarities)s::float8[])[number] * ts_rank(search, query)) as score"
            f" from terms join evidence on search @@ query where {_SCOPE}"
            " group by id order by score desc, id desc limit %(limit)s",
            values,
        )
        return dict(rows)

    def matches(self, row_ids: Sequence[int], terms: Sequence[Term]) -> dict[int, list[Term]]:
        """Return by which terms each of these rows is found."""
        rows = self._db.rows(
            f"with terms as ({_QUERIES}) select id, number from terms"  # noqa: S608 -- constants
            " join evidence on search @@ query where id = any(%(ids)s) order by number",
            {**_term_values(terms), "ids": list(row_ids)},
        )
        terms_by_row: dict[int, list[Term]] = {}
        for row_id, number in rows:
            terms_by_row.setdefault(row_id, []).append(terms[number - 1])
        return terms_by_row

    def _rarities(self, scope: EvidenceScope, terms: Sequence[Term]) -> dict[int, float]:
        """Return the weight of each term that something in scope has, by the term's index."""
        if not terms:
            return {}
        count = self.count(scope)
        rows = self._db.rows(
            f"with terms as ({_QUERIES}) select number, count(*)"  # noqa: S608 -- constants
            f" from terms join evidence on search @@ query where {_SCOPE}"
            " group by number order by number",
            {**_scope_values(scope), **_term_values(terms)},
        )
        return {number - 1: math.log(1 + count / having) for number, having in rows}


def _statement_condition(scope: StatementScope) -> tuple[str, dict[str, Any]]:
    conditions = ["true"]
    values: dict[str, Any] = {}
    if scope.repo is not None:
        conditions.append("repo = %(repo)s")
        values["repo"] = scope.repo
    if scope.before is not None:
        conditions.append("window_end <= %(before)s")
        values["before"] = scope.before
    return " and ".join(conditions), values


def _term_values(terms: Sequence[Term]) -> dict[str, Any]:
    words = []
    parts = []
    hans = []
    for term in terms:
        words.append(term.word.replace("_", ""))
        parts.append(term.parts)
        # A single character may begin any pair.
        hans.append(f"{term.han}:*" if len(term.han) == 1 else term.han)
    return {"words": words, "parts": parts, "hans": hans}


def _scope_values(scope: EvidenceScope) -> dict[str, Any]:
    repos = sorted(scope.repos) if scope.repos else None
    return {"start": scope.start, "end": scope.end, "repos": repos}


def _hits(rows: Sequence[Row]) -> list[EvidenceHit]:
    return [EvidenceHit.of(row) for row in rows]
