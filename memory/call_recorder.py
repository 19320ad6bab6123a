"""The record of one run: every call by the hash of its input, with its answer, stored before the answer is used."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar

from sqlite_utils import Database

from agent.errors import AppError, StorageError
from agent.ids import RepoId
from memory.artefacts import Artefact, Artefacts
from memory.database import reading, writing
from memory.shapes import ERROR, OUTAGE, Shape, pack_error, unpack_error

T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """One question to a source, a tool, a model or the memory."""

    name: str
    """Who is asked for what: `code.landed`, `threads.issue`, `landings.known_tip`."""
    about: RepoId | str
    arguments: Any = None
    """Plain data; equal questions must have equal arguments."""
    origin: str = "memory"
    """The kind of source and its public address; it does not tell calls apart."""
    lasting: str = ""
    """For a question whose answer never changes: how the answer is written. Then another run's record will do."""

    @cached_property
    def key(self) -> str:
        """The hash of the question."""
        asked = json.dumps([self.name, self.about, self.arguments], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(asked.encode("ascii")).hexdigest()

    @cached_property
    def lasting_key(self) -> str | None:
        """The hash under which every run finds the answer; not that of another source, nor one written otherwise."""
        if not self.lasting:
            return None
        return hashlib.sha256(f"{self.key} {self.lasting} {self.origin}".encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.name} of {self.about}"

    def __hash__(self) -> int:
        return hash(self.key)


class CallRecorder:
    """Records the calls of one run and replays them.

    A call that this run has recorded is answered from the record; any other call is made and recorded. With
    `play_only` no call is made and nothing is written.
    """

    def __init__(
        self,
        db: Database,
        run: str,
        *,
        play_only: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.run = run
        self.play_only = play_only
        self.gap: StorageError | None = None
        """The first failure to answer from the record: a report made in spite of it is not the run's report."""
        self._db = db
        self._artefacts = Artefacts(db)
        self._clock = clock

    @property
    def blank(self) -> bool:
        """True when nothing is recorded: the run never got that far, or its record was deleted."""
        with reading():
            return self._db.execute("select 1 from calls where run = ? limit 1", [self.run]).fetchone() is None

    def answered(self) -> dict[str, int]:
        """Give the row number of each recorded answer of sources and memory; a call that is repeated gets a new one.

        The run's own notes, and the report that it found where it publishes, are written again by a resumed run.
        """
        with reading():
            rows = self._db.execute(
                "select c.key, c.rowid from calls c join artefacts a using (hash) where c.run = ? and a.kind != ?"
                " and c.name not like 'note.%' and c.name != 'publisher.earlier'",
                [self.run, OUTAGE],
            ).fetchall()
        return dict(rows)

    def ask(self, call: Call, shape: Shape[T], live: Callable[[], T]) -> T:
        """Answer from the record, or make the call and record its answer."""
        if self.unanswered([call]):
            return self._answer(call, shape, live())
        return self.play(call, shape)

    async def fetch(self, call: Call, shape: Shape[T], live: Callable[[], Awaitable[T]]) -> T:
        """Answer from the record, or make the call and record its answer or its error."""
        if not self.unanswered([call]):
            return self.play(call, shape)
        try:
            value = await live()
        except AppError as error:
            self.record([(call, pack_error(error))])
            raise
        return self._answer(call, shape, value)

    def play(self, call: Call, shape: Shape[T]) -> T:
        """Answer from the record; a recorded error is raised again."""
        try:
            artefact = self._found(call)
            if artefact.kind not in (ERROR, OUTAGE):
                return shape.unpack(artefact, self._artefacts.get_all)
        except StorageError as error:
            self.gap = self.gap or error
            raise
        raise unpack_error(artefact)

    def unanswered(self, calls: Iterable[Call]) -> set[Call]:
        """Find the calls that must be made: those without an answer, and those that ended in an outage.

        A replay makes none; what its record lacks is noticed when it is played.
        """
        wanted = {call.key: call for call in calls}
        if self.play_only:
            return set()
        with reading():
            rows = self._db.execute(
                "select c.key from calls c join artefacts a using (hash)"
                " where c.run = ? and a.kind != ? and c.key in (select value from json_each(?))",
                [self.run, OUTAGE, json.dumps(list(wanted))],
            ).fetchall()
        missing = {wanted[key] for key in wanted.keys() - {row[0] for row in rows}}
        return missing - self._adopted(missing)

    def has(self, call: Call, answer: Artefact) -> bool:
        """Tell whether exactly this answer is recorded."""
        with reading():
            row = self._db.execute("select hash from calls where run = ? and key = ?", [self.run, call.key]).fetchone()
        return row is not None and row[0] == answer.hash

    def record(self, answers: Sequence[tuple[Call, Sequence[Artefact]]]) -> None:
        """Store answers, each with what it is made of behind it; a later answer to a call replaces an earlier one."""
        if self.play_only or not answers:
            return
        at = self._clock()
        calls = [(call, found[0].hash) for call, found in answers]
        # An answer that is lost when the machine dies is asked for again: not worth a wait for the disk.
        with writing(self._db, durable=False):
            for call, found in answers:
                self._artefacts.add(found, call.origin, at)
                held = ((part.hash, self.run) for part in found)
                self._db.conn.executemany("insert or ignore into holds (hash, run) values (?, ?)", held)
            self._note(calls, at)

    def _adopted(self, calls: Iterable[Call]) -> set[Call]:
        """Copy answers that never change from other runs, and return the calls that have one."""
        lasting = {call.lasting_key: call for call in calls if call.lasting_key}
        if not lasting:
            return set()
        with reading():
            found = self._db.execute(
                "select c.lasting, c.hash from calls c join artefacts a using (hash)"
                " where a.kind not in (?, ?) and c.lasting in (select value from json_each(?))",
                [ERROR, OUTAGE, json.dumps(list(lasting))],
            ).fetchall()
        answers = {lasting[key]: name for key, name in found}
        if answers:
            with writing(self._db, durable=False):
                held = [(name, self.run) for name in answers.values()]
                self._db.conn.executemany("insert or ignore into holds (hash, run) values (?, ?)", held)
                self._note(answers.items(), self._clock())
        return set(answers)

    def _note(self, answers: Iterable[tuple[Call, str]], at: datetime) -> None:
        """Store which artefact answers which call; the caller holds the transaction."""
        moment = at.isoformat(timespec="seconds")
        self._db.conn.executemany(
            "insert or replace into calls (run, key, name, hash, at, lasting) values (?, ?, ?, ?, ?, ?)",
            ((self.run, call.key, call.name, name, moment, call.lasting_key) for call, name in answers),
        )

    def _answer(self, call: Call, shape: Shape[T], value: T) -> T:
        self.record([(call, shape.pack(value))])
        return value

    def _found(self, call: Call) -> Artefact:
        with reading():
            sql = "select hash from calls where run = ? and key = ?"
            row = self._db.execute(sql, [self.run, call.key]).fetchone()
        if row is None:
            raise StorageError(f"run {self.run} did not record {call}; it cannot be replayed")
        return self._artefacts.get(row[0])
