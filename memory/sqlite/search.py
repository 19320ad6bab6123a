"""The search for statements and evidence in SQLite, by FTS5."""

from collections.abc import Mapping, Sequence

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from memory.protocols import (
    EvidenceHit,
    EvidenceOperations,
    EvidenceScope,
    Row,
    StatementHit,
    StatementOperations,
    StatementScope,
    Value,
)
from memory.search_words import Phrase, Term
from memory.sqlite.connection import SqliteConnection, json_list

_STATEMENT = ("id", "repo", "label", "cites", "texts", "window_start")
_HIT = "select id, name, kind, opened, author from evidence"
_SCOPE = (
    "(opened >= :start and opened < :end or ended >= :start and ended < :end)"
    " and (:repos is null or repo in (select value from json_each(:repos)))"
)
_TEXTS = ("title", "facts", "paths", "text", "names")
_COMMITS = "kind = 'commit' and opened >= ? and opened < ?"
_OF_REPOS = "repo in (select value from json_each(?))"


class SqliteStatements(StatementOperations):
    """The table of statements and its index."""

    def __init__(self, db: SqliteConnection) -> None:
        self._db = db

    def of_day(self, label: str, scope: StatementScope, limit: int) -> list[StatementHit]:
        """Return the statements of a day's report, in its order."""
        where, values = _statement_condition(scope)
        rows = self._db.rows(
            f"select {', '.join(_STATEMENT)} from statements"  # noqa: S608 -- constants
            f" where label = :label and {where} order by id limit :limit",
            {**values, "label": label, "limit": limit},
        )
        return [StatementHit(*row) for row in rows]

    def search(
        self, terms: Sequence[Term], scope: StatementScope, limit: int, *, every: bool
    ) -> list[StatementHit]:
        """Return the newest statements that have some term, or `every` one, with their scores."""
        if not terms:
            return []
        where, values = _statement_condition(scope)
        rows = self._db.search(
            "statements",
            _match(terms, every=every),
            where,
            values,
            columns=_STATEMENT,
            order_by="statements_fts.rowid desc",
            limit=limit,
        )
        hits = []
        for row in rows:
            score = -row.pop("rank")
            hits.append(StatementHit(**row, score=score))
        return hits


class SqliteEvidence(EvidenceOperations):
    """The table of evidence, its index, and what refers to what."""

    def __init__(self, db: SqliteConnection) -> None:
        self._db = db

    def commits(self, repos: Sequence[RepoId], start: str, end: str, limit: int) -> list[str]:
        """Return the commits that landed in a stretch of time, newest first."""
        rows = self._db.rows(
            f"select body from evidence where {_COMMITS} and {_OF_REPOS}"  # noqa: S608 -- constants
            " order by opened desc limit ?",
            [start, end, json_list(repos), limit],
        )
        return [row[0] for row in rows]

    def commits_with_problems(self, repos: Sequence[RepoId], start: str, end: str) -> list[str]:
        """Return the commits whose facts are missing, newest first."""
        rows = self._db.rows(
            f"select body from evidence where {_COMMITS} and {_OF_REPOS}"  # noqa: S608 -- constants
            " and json_extract(body, '$.problem') <> '' order by opened desc",
            [start, end, json_list(repos)],
        )
        return [row[0] for row in rows]

    def count_commits(self, repo: RepoId, start: str, end: str) -> int:
        """Return the number of commits that landed in a time span."""
        sql = f"select count(*) from evidence where {_COMMITS} and repo = ?"  # noqa: S608 -- constant
        return int(self._db.rows(sql, [start, end, repo])[0][0])

    def has_threads(self, repo: RepoId) -> bool:
        """Return True if an issue or a pull request of a repository is stored."""
        sql = "select 1 from evidence where kind in ('issue', 'pull') and repo = ? limit 1"
        return bool(self._db.rows(sql, [repo]))

    def neighbours(self, name: EvidenceId) -> set[EvidenceId]:
        """Return the evidence that a piece refers to, and the evidence that refers to it or its pull.

        The other steps of its stories belong to it as well.
        """
        rows = self._db.rows(
            "select target from evidence_refs where source = :name"
            " union select source from evidence_refs where target = :name"
            " union select other.source from evidence_refs bond join evidence_refs other"
            " on other.target = bond.target and (other.brought = 1 or bond.brought = 1)"
            " where bond.source = :name"
            " union select other.cite from story_steps step"
            " join story_steps other using (window_key, repo, place) where step.cite = :name",
            {"name": name},
        )
        return {EvidenceId.cited(row[0]) for row in rows} - {name}

    def next_release(self, repo: str, opened: str) -> EvidenceId | None:
        """Return the first release of a repository from a moment on."""
        rows = self._db.rows(
            "select name from evidence where kind = 'release' and repo = ? and opened >= ?"
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
        values = dict(_scope_values(scope))
        for column, allowed in (("id", row_ids), ("name", names), ("author", authors)):
            if allowed is not None:
                condition += f" and {column} in (select value from json_each(:{column}s))"  # noqa: S608
                values[f"{column}s"] = json_list(allowed)
        return _hits(self._db.rows(f"{_HIT} where {condition}", values))

    def with_prefix(self, scope: EvidenceScope, prefix: str) -> list[EvidenceHit]:
        """Return the commits in scope whose names continue a prefix with hexadecimal digits."""
        values = {**_scope_values(scope), "first": prefix, "after": f"{prefix}g"}
        sql = f"{_HIT} where kind = 'commit' and name >= :first and name < :after and {_SCOPE}"
        return _hits(self._db.rows(sql, values))

    def with_phrase(self, scope: EvidenceScope, phrase: Phrase, limit: int) -> list[int]:
        """Return the rows in scope that have a phrase whole and in order."""
        conditions = []
        if phrase.words:
            conditions.append(f'"{phrase.words}"')
        if phrase.pairs:
            conditions.append(_in_column("pairs", phrase.pairs))
        if not conditions:
            return []
        rows = self._db.search(
            "evidence",
            " AND ".join(conditions),
            _SCOPE,
            _scope_values(scope),
            columns=("id", "pairs", *_TEXTS),
            limit=limit,
        )
        row_ids = []
        for row in rows:
            # FTS5 compares stems.
            if phrase.occurs_in([row[column] for column in _TEXTS], row["pairs"]):
                row_ids.append(row["id"])
        return row_ids

    def scores(self, scope: EvidenceScope, terms: Sequence[Term], limit: int) -> dict[int, float]:
        """Return the rows in scope that fit some term best, with their scores."""
        if not terms:
            return {}
        rows = self._db.search(
            "evidence",
            _match(terms, every=False),
            _SCOPE,
            _scope_values(scope),
            columns=("id",),
            limit=limit,
        )
        return {row["id"]: -row["rank"] for row in rows}

    def matches(self, row_ids: Sequence[int], terms: Sequence[Term]) -> dict[int, list[Term]]:
        """Return by which terms each of these rows is found."""
        terms_by_row: dict[int, list[Term]] = {}
        for term in terms:
            rows = self._db.rows(
                "select rowid from evidence_fts where evidence_fts match ?"
                " and +rowid in (select value from json_each(?))",
                [_match([term], every=True), json_list(row_ids)],
            )
            for (row_id,) in rows:
                terms_by_row.setdefault(row_id, []).append(term)
        return terms_by_row


def _match(terms: Sequence[Term], *, every: bool) -> str:
    """Return a query of FTS5; terms are quoted, so that none of them is a command."""
    operator = " AND " if every else " OR "
    return operator.join(_match_term(term) for term in terms)


def _match_term(term: Term) -> str:
    if term.han:
        pair = _in_column("pairs", term.han)
        return pair if len(term.han) > 1 else f"{pair} *"
    if term.parts:
        return f'("{term.word}" OR {_in_column("parts", term.parts)})'
    return f'"{term.word}"'


def _in_column(column: str, words: str) -> str:
    return f'{column} : "{words}"'


def _statement_condition(scope: StatementScope) -> tuple[str, dict[str, Value]]:
    conditions = ["1"]
    values: dict[str, Value] = {}
    if scope.repo is not None:
        conditions.append("repo = :repo")
        values["repo"] = scope.repo
    if scope.before is not None:
        conditions.append("window_end <= :before")
        values["before"] = scope.before
    return " and ".join(conditions), values


def _scope_values(scope: EvidenceScope) -> Mapping[str, Value]:
    repos = json_list(sorted(scope.repos)) if scope.repos else None
    return {"start": scope.start, "end": scope.end, "repos": repos}


def _hits(rows: Sequence[Row]) -> list[EvidenceHit]:
    return [EvidenceHit.of(row) for row in rows]
