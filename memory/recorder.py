"""The record of a run: every call by the hash of its input, with its answer, stored before the answer is used."""

import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, TypeVar

from pydantic import TypeAdapter

from agent.domain.base import AppError, RepoId, StorageError
from agent.domain.evidence_id import EvidenceId
from memory.artefacts import (
    ERROR,
    OUTAGE,
    Artefact,
    Artefacts,
    Codec,
    JsonCodec,
    decode_error,
    encode_error,
)
from memory.database import Database

T = TypeVar("T")
_SEED = JsonCodec("fence", TypeAdapter(str))
QUESTIONS = "ask-"  # How the name of the record of a day's questions begins; the day follows


@dataclass(frozen=True)
class Call:
    """One question to a source, a tool, a model or the memory."""

    name: str  # Who is asked for what: `code.landed`, `threads.issue`, `landings.known_tip`
    about: RepoId | str
    arguments: Any = None  # Plain data; equal questions must have equal arguments
    origin: str = (
        "memory"  # The kind of source and its public address; it does not tell calls apart
    )
    lasting: str = ""
    """For a question whose answer never changes: how the answer is written. Then another run's record will do."""
    retried: bool = False  # Whether an error is asked about again, and told again by replays only

    @cached_property
    def key(self) -> str:
        """The hash of the question."""
        asked = json.dumps(
            [self.name, self.about, self.arguments], sort_keys=True, separators=(",", ":")
        )
        return hashlib.sha256(asked.encode("ascii")).hexdigest()

    @cached_property
    def lasting_key(self) -> str | None:
        """The hash under which every run finds the answer; not that of another source, nor one written otherwise."""
        if not self.lasting:
            return None
        return hashlib.sha256(f"{self.key} {self.lasting} {self.origin}".encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.key)


class CallRecorder:
    """Records the calls of one run and replays them.

    A call that this run has recorded is answered from the record; any other call is made and recorded. With
    `play_only` no call is made and nothing is written.
    """

    def __init__(self, db: Database, run: str, *, play_only: bool = False) -> None:
        self.run = run
        self.play_only = play_only
        self.gap: StorageError | None = None
        """The first failure to answer from the record: a report made in spite of it is not the run's report."""
        self._db = db
        self._artefacts = Artefacts(db)

    @property
    def blank(self) -> bool:
        """True when nothing is recorded: the run never got that far, or its record was deleted."""
        return self._db.row("select 1 from calls where run = ? limit 1", [self.run]) is None

    def outages(self) -> bool:
        """Tell whether a recorded call ended in an outage, so that another try may get further."""
        sql = "select 1 from calls c join artefacts a using (hash) where c.run = ? and a.kind = ? limit 1"
        return self._db.row(sql, [self.run, OUTAGE]) is not None

    def forget_errors(self) -> None:
        """Ask again, when the run goes on, for what ended in an error."""
        sql = "delete from calls where run = ? and hash in (select hash from artefacts where kind = any(?))"
        self._db.execute(sql, [self.run, [ERROR, OUTAGE]])

    def answered(self) -> dict[str, str]:
        """Give the moment of each recorded answer of sources and memory; a call that is repeated gets a new one.

        The run's own notes, and the report that it found where it publishes, are written again by a resumed run.
        """
        sql = (
            "select c.key, c.at from calls c join artefacts a using (hash) where c.run = ? and a.kind <> ?"
            " and c.name not like ? and c.name <> ?"
        )
        return dict(self._db.rows(sql, [self.run, OUTAGE, "note.%", "publisher.earlier"]))

    def ask(self, call: Call, codec: Codec[T], live: Callable[[], T]) -> T:
        """Answer from the record, or make the call and record its answer."""
        if not self.missing({"": call}):
            return self.play(call, codec)
        value = live()
        self.record([(call, codec.encode(value))])
        return value

    async def fetch(self, call: Call, codec: Codec[T], live: Callable[[], Awaitable[T]]) -> T:
        """Answer from the record, or make the call and record its answer or its error."""

        async def one(_: Sequence[str]) -> dict[str, T]:
            return {"": await live()}

        return (await self.fetch_all({"": call}, codec, one))[""]

    async def fetch_all(
        self,
        calls: Mapping[str, Call],
        codec: Codec[T],
        live: Callable[[Sequence[str]], Awaitable[Mapping[str, T]]],
        lasts: Callable[[str, T], bool] = lambda *_: True,
    ) -> dict[str, T]:
        """Answer several calls, each under the name of its item; those without an answer are made together."""
        missing, found = self.missing(calls), dict[str, T]()
        if missing:
            try:
                found = {**await live(list(missing))}
            except AppError as error:
                self.record([(call, encode_error(error)) for call in missing.values()])
                raise
            calls_made = {
                item: call if lasts(item, found[item]) else once(call)
                for item, call in missing.items()
            }
            self.record([(call, codec.encode(found[item])) for item, call in calls_made.items()])
        return {
            item: found[item] if item in missing else self.play(call, codec)
            for item, call in calls.items()
        }

    def play(self, call: Call, codec: Codec[T]) -> T:
        """Answer from the record; a recorded error is raised again."""
        try:
            row = self._db.row(
                "select hash from calls where run = ? and key = ?", [self.run, call.key]
            )
            if row is None:
                message = f"run {self.run} did not record {call.name} of {call.about}; it cannot be replayed"
                raise StorageError(message)  # noqa: TRY301 -- noted as a gap below
            artefact = self._artefacts.get_all([row[0]])[0]
            if artefact.kind not in (ERROR, OUTAGE):
                return codec.decode(artefact, self._artefacts.get_all)
        except StorageError as error:
            self.gap = self.gap or error
            raise
        raise decode_error(artefact)

    def missing(self, calls: Mapping[str, Call]) -> dict[str, Call]:
        """Return the calls that must be made: those without an answer, or with one to ask for again.

        An outage is always asked about again, another error only where the call says so. A replay
        makes no calls; what its record lacks is noticed when it is played.
        """
        if self.play_only:
            return {}
        kinds = self._recorded_kinds(calls.values())
        unanswered: dict[str, Call] = {}
        for item, call in calls.items():
            kind = kinds.get(call.key, OUTAGE)
            if kind == OUTAGE or (kind == ERROR and call.retried):
                unanswered[item] = call
        adopted = self._adopted(unanswered.values())
        return {item: call for item, call in unanswered.items() if call not in adopted}

    def reject(self, call: Call) -> None:
        """Forget this run's answer to a call, and keep other runs from taking such an answer over.

        The runs that recorded it can still be replayed.
        """
        with self._db.transaction():
            self._db.execute("delete from calls where run = ? and key = ?", [self.run, call.key])
            self._db.execute(
                "update calls set lasting = null where lasting = ?", [call.lasting_key]
            )

    def _recorded_kinds(self, calls: Iterable[Call]) -> dict[str, str]:
        """Return the kind of the recorded answer of each call that has one, by the call's key."""
        rows = self._db.rows(
            "select c.key, a.kind from calls c join artefacts a using (hash)"
            " where c.run = ? and c.key = any(?)",
            [self.run, [call.key for call in calls]],
        )
        return dict(rows)

    def fence_seed(self) -> str:
        """Give the secret from which the fence around untrusted text is made: one for a memory, and nobody else's.

        Equal prompts of different runs are then the same question to a model; a replay has that of its run.
        """

        def secret() -> str:
            self._db.insert_missing("secrets", [{"name": "fence", "value": secrets.token_hex(16)}])
            return str(self._db.rows("select value from secrets where name = ?", ["fence"])[0][0])

        return self.ask(Call("memory.fence", "run"), _SEED, secret)

    def record(self, answers: Sequence[tuple[Call, Sequence[Artefact]]]) -> None:
        """Store answers, each with what it is made of behind it; a later answer to a call replaces an earlier one."""
        if self.play_only or not answers:
            return
        # An answer that is lost when the machine dies is asked for again: not worth a wait for the disk.
        with self._db.transaction(durable=False):
            self._artefacts.add(
                ((one, call.origin) for call, found in answers for one in found), datetime.now(UTC)
            )
            self._note([(call, [part.hash for part in found]) for call, found in answers])

    def _adopted(self, calls: Iterable[Call]) -> set[Call]:
        """Copy answers that never change from other runs, and return the calls that have one."""
        lasting = {call.lasting_key: call for call in calls if call.lasting_key}
        if not lasting:
            return set()
        found = self._db.rows(
            "select c.lasting, c.hash from calls c join artefacts a using (hash)"
            " where a.kind <> ? and a.kind <> ? and c.lasting = any(?)",
            [ERROR, OUTAGE, list(lasting)],
        )
        answers = {lasting[key]: [name] for key, name in found}
        if answers:
            with self._db.transaction(durable=False):
                self._note(list(answers.items()))
        return set(answers)

    def _note(self, answers: Sequence[tuple[Call, Sequence[str]]]) -> None:
        """Store which artefact answers which call, and that the run needs it and its parts."""
        held = dict.fromkeys(name for _, names in answers for name in names)
        self._db.insert_missing("holds", ({"hash": name, "run": self.run} for name in held))
        calls = (
            {
                "run": self.run,
                "key": call.key,
                "name": call.name,
                "hash": names[0],
                "lasting": call.lasting_key,
            }
            | {"at": datetime.now(UTC).isoformat(timespec="microseconds")}
            for call, names in answers
        )
        self._db.upsert("calls", calls, ("run", "key"))


def once(call: Call) -> Call:
    """Give the same question, with an answer that serves this run only."""
    return replace(call, lasting="")


class Retention:
    """Keeps evidence while a run that used it can be replayed, and for good where a report cites it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def cite(self, run: str, window: str, evidence: Iterable[EvidenceId]) -> None:
        """Keep these artefacts as this run read them: the report of a window that was published cites them."""
        with self._db.transaction():
            self._db.execute(
                "insert into cited (hash, window_key) select a.hash, ? from artefacts a join holds h using (hash)"
                " where h.run = ? and a.evidence = any(?) on conflict do nothing",
                [window, run, sorted(evidence)],
            )

    def forget(self, before: date) -> int:
        """Delete the records of runs and questions from before this day, and what only they needed; count the calls."""
        day = before.isoformat()
        old = "where run in (select id from runs where started < ?) or run >= ? and run < ?"
        with self._db.transaction():
            values = [day, QUESTIONS, f"{QUESTIONS}{day}"]
            gone = self._db.execute(f"delete from calls {old}", values)  # noqa: S608 -- constants
            self._db.execute(f"delete from holds {old}", values)  # noqa: S608 -- constants
            if gone:
                self._db.execute(
                    "delete from artefacts where not exists (select 1 from holds h where h.hash = artefacts.hash)"
                    " and not exists (select 1 from cited c where c.hash = artefacts.hash)"
                )
        return gone
