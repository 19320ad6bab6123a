"""Protocols for the operations of a database, which SQLite and PostgreSQL implement in their own SQL.

Rows that are known by their keys are read and written by the verbs of `Database`. Whatever needs
ranges, joins or text search is an operation with a name, in one of the groups below.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from memory.search_words import Phrase, Term

Row = tuple[Any, ...]
Value = str | int | float | bytes | None
Record = Mapping[str, Value]
Where = Mapping[str, Value | Sequence[str] | Sequence[int]]
"""Columns with the value that each must have, or with a sequence of values that it may have."""


class EvidenceScope(NamedTuple):
    """The evidence that a search may find: of these repositories, from `start` up to `end`."""

    repos: Sequence[RepoId]  # None of them means all
    start: str
    end: str


class EvidenceHit(NamedTuple):
    """A row of the table of evidence, without what it holds."""

    row_id: int
    id: EvidenceId
    kind: str
    opened: str
    author: str

    @classmethod
    def of(cls, row: Sequence[Any]) -> "EvidenceHit":
        """Return a row as a database gives it."""
        row_id, name, kind, opened, author = row
        return cls(row_id, EvidenceId.cited(name), kind, opened, author)


class StatementHit(NamedTuple):
    """A statement of a published report, and how well it fits the words of a search."""

    id: int
    repo: str
    label: str
    cites: str
    texts: str  # Its text in each language, as a JSON object
    window_start: str
    score: float = 0.0


class StatementScope(NamedTuple):
    """The statements that a search may find; None does not bound it."""

    repo: RepoId | None = None
    before: str | None = None  # When the windows of their reports ended at the latest


class RunOperations(Protocol):
    """The history of runs."""

    def begin(self, run: str, started: str, window: str, recipe: str | None) -> None:
        """Store that a run has started or goes on; runs are numbered in this order."""

    def end(self, run: str, finished: str, status: str, details: str) -> None:
        """Store how a run ended."""

    def latest(self, limit: int) -> list[Row]:
        """Return the newest runs first."""

    def with_prefix(self, prefix: str, limit: int) -> list[Row]:
        """Return the runs whose ids begin with a prefix, the greatest id first."""

    def started_since(self, day: str) -> list[tuple[str, str]]:
        """Return the id and the status of the runs that began on this day or later."""


class RecordOperations(Protocol):
    """The recorded calls of runs and their answers."""

    def has_calls(self, run: str) -> bool:
        """Return True if anything is recorded of a run."""

    def has_answer_of_kind(self, run: str, kind: str) -> bool:
        """Return True if some call of a run has an answer of this kind."""

    def delete_answers_of_kinds(self, run: str, kinds: Sequence[str]) -> None:
        """Delete the calls of a run whose answers are of these kinds."""

    def answer_times(self, run: str, without_kind: str) -> list[tuple[str, str, str]]:
        """Return key, name and moment of the calls of a run, without answers of a kind."""

    def answer_kinds(self, run: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the kind of the answer of each of these calls that is recorded."""

    def lasting_answers(self, keys: Sequence[str], without: Sequence[str]) -> dict[str, str]:
        """Return the hash of the answer that some run has under each of these lasting keys."""

    def end_lasting(self, key: str | None) -> None:
        """Keep other runs from taking over the answers under a lasting key."""

    def cite(self, run: str, window: str, evidence: Sequence[EvidenceId]) -> None:
        """Store that the report of a window cites these artefacts, as a run read them."""

    def forget(self, day: str, prefix: str) -> int:
        """Delete the calls of runs, and of records named by prefix and day, from before a day.

        What only they needed goes with them. Returns the number of calls.
        """


class CacheOperations(Protocol):
    """Answers of services that are kept while they are used."""

    def touch(self, key: str, day: str) -> None:
        """Store that an answer was used on a day."""

    def forget(self, before: str) -> None:
        """Delete the answers that were last used before a day."""


class ReportOperations(Protocol):
    """Stores and finds what later reports need of published ones."""

    def nearest_tip(self, repo: RepoId, end: str) -> str | None:
        """Return the tip at which the last window that ended by a moment was read."""

    def has_tip_around(self, repo: RepoId, moment: str) -> bool:
        """Return True if the window of some report holds or touches a moment."""

    def owners(
        self, repo: RepoId, start: str, end: str, shas: Sequence[str]
    ) -> list[tuple[str, str, int]]:
        """Return sha, window and lateness of commits that reports outside of a window own."""

    def links(self, repo: RepoId, since: str, until: str, limit: int) -> list[str]:
        """Return the links of reports that ended in a stretch of time, the newest first."""

    def past_commits(self, repo: RepoId, start: str, limit: int) -> list[str]:
        """Return the commits from before a moment that reports until then list, newest first."""

    def recent_stories(self, repo: RepoId, since: str, until: str) -> list[str]:
        """Return the stories of reports that ended in a stretch of time, oldest first."""

    def stories(self, repo: RepoId | None, since: str | None) -> list[tuple[str, str]]:
        """Return the day and the text of all stories, newest first."""

    def stories_with(self, until: str, cites: Sequence[EvidenceId]) -> list[str]:
        """Return the stories that have one of these as a step, oldest first."""

    def days_with(self, until: str, cites: Sequence[EvidenceId]) -> dict[EvidenceId, str]:
        """Return the last day whose report lists each of these commits."""


class StatementOperations(Protocol):
    """The statements of published reports."""

    def of_day(self, label: str, scope: StatementScope, limit: int) -> list[StatementHit]:
        """Return the statements of a day's report, in its order."""

    def search(
        self, terms: Sequence[Term], scope: StatementScope, limit: int, *, every: bool
    ) -> list[StatementHit]:
        """Return the newest statements that have some term, or `every` one, with their scores."""


class EvidenceOperations(Protocol):
    """Commits, threads and releases that were read."""

    def commits(self, repos: Sequence[RepoId], start: str, end: str, limit: int) -> list[str]:
        """Return the commits that landed in a stretch of time, newest first."""

    def commits_with_problems(self, repos: Sequence[RepoId], start: str, end: str) -> list[str]:
        """Return the commits whose facts are missing, newest first."""

    def count_commits(self, repo: RepoId, start: str, end: str) -> int:
        """Return the number of commits that landed in a time span."""

    def has_threads(self, repo: RepoId) -> bool:
        """Return True if an issue or a pull request of a repository is stored."""

    def neighbours(self, name: EvidenceId) -> set[EvidenceId]:
        """Return the evidence that a piece refers to, and the evidence that refers to it or its pull.

        The other steps of its stories belong to it as well.
        """

    def next_release(self, repo: str, opened: str) -> EvidenceId | None:
        """Return the first release of a repository from a moment on."""

    def authors(self) -> list[str]:
        """Return the authors of all evidence."""

    def count(self, scope: EvidenceScope) -> int:
        """Return the number of pieces of evidence in scope."""

    def in_scope(
        self,
        scope: EvidenceScope,
        *,
        row_ids: Sequence[int] | None = None,
        names: Sequence[EvidenceId] | None = None,
        authors: Sequence[str] | None = None,
    ) -> list[EvidenceHit]:
        """Return the evidence in scope; of these rows, names or authors only where given."""

    def with_prefix(self, scope: EvidenceScope, prefix: str) -> list[EvidenceHit]:
        """Return the commits in scope whose names continue a prefix with hexadecimal digits."""

    def with_phrase(self, scope: EvidenceScope, phrase: Phrase, limit: int) -> list[int]:
        """Return the rows in scope that have a phrase whole and in order."""

    def scores(self, scope: EvidenceScope, terms: Sequence[Term], limit: int) -> dict[int, float]:
        """Return the rows in scope that fit some term best, with their scores."""

    def matches(self, row_ids: Sequence[int], terms: Sequence[Term]) -> dict[int, list[Term]]:
        """Return by which terms each of these rows is found."""


class Database(ABC):
    """A connection to a memory. Errors of the database become `StorageError`, in one line."""

    runs: RunOperations
    records: RecordOperations
    cache: CacheOperations
    reports: ReportOperations
    statements: StatementOperations
    evidence: EvidenceOperations

    @abstractmethod
    def select(self, table: str, columns: Sequence[str], where: Where) -> list[Row]:
        """Return these columns of the rows that fit."""

    @abstractmethod
    def insert(self, table: str, records: Iterable[Record]) -> None:
        """Insert rows, all with the same columns."""

    @abstractmethod
    def insert_missing(self, table: str, records: Iterable[Record]) -> None:
        """Insert those rows whose keys are not there yet."""

    @abstractmethod
    def upsert(self, table: str, records: Iterable[Record], key: Sequence[str]) -> None:
        """Insert rows, in place of those with the same key."""

    @abstractmethod
    def delete(self, table: str, where: Where) -> int:
        """Delete the rows that fit, and return how many they were."""

    @abstractmethod
    def lock(self, name: str) -> None:
        """Hold the named lock until the transaction ends; other callers wait."""

    @abstractmethod
    def tables(self) -> set[str]:
        """Return the names of the tables."""

    @abstractmethod
    def check(self) -> None:
        """Raise StorageError if what is stored is damaged."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[None]:
        """Write everything inside or nothing; a transaction within another belongs to it.

        What is not `durable` survives the death of the process, but perhaps not that of the
        machine; it costs no wait for the disk.
        """
        if self._in_transaction():
            yield
            return
        self._begin(durable=durable)
        try:
            yield
            self._commit()
        except BaseException:
            self._roll_back()
            raise

    @abstractmethod
    def _in_transaction(self) -> bool: ...

    @abstractmethod
    def _begin(self, *, durable: bool) -> None: ...

    @abstractmethod
    def _commit(self) -> None: ...

    @abstractmethod
    def _roll_back(self) -> None: ...
