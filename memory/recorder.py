"""The record of a run: every call by the hash of its input, stored before its answer is used."""

import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter

from agent.domain.base import RepoId
from agent.domain.errors import AppError, StorageError
from agent.domain.evidence_id import EvidenceId
from memory.protocols import Database, Record
from memory.recorded_answers import (
    ERROR,
    OUTAGE,
    Artefact,
    Artefacts,
    Codec,
    JsonCodec,
    decode_error,
    encode_error,
)

T = TypeVar("T")
QUESTIONS = "ask-"  # The record of a day's questions is named by this and the day
_SEED = JsonCodec("fence", TypeAdapter(str))
_FENCE = "fence"  # The name of the secret
_NOTE_PREFIX = "note."
_EARLIER_REPORT = "publisher.earlier"


@dataclass(frozen=True)
class Call:
    """One question to a source, a tool, a model or the memory."""

    name: str  # Who is asked for what: `code.landed`, `threads.issue`, `landings.known_tip`
    about: RepoId | str
    arguments: Any = None  # Plain data; equal questions must have equal arguments
    origin: str = "memory"
    """The kind of source and its public address; calls are not distinguished by it."""
    lasting: str = ""
    """For an answer that never changes: how it is written. Then another run's record will do."""
    retried: bool = False  # An error is asked about again, and only a replay raises it again

    @cached_property
    def key(self) -> str:
        """The hash of the question."""
        question = json.dumps(
            [self.name, self.about, self.arguments], sort_keys=True, separators=(",", ":")
        )
        return hashlib.sha256(question.encode("ascii")).hexdigest()

    @cached_property
    def lasting_key(self) -> str | None:
        """The hash under which every run finds the answer, of the same source and written alike."""
        if not self.lasting:
            return None
        return hashlib.sha256(f"{self.key} {self.lasting} {self.origin}".encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.key)


class _RecordedAnswer(NamedTuple):
    """The hashes of the artefacts that answer a call; the first one is the answer itself."""

    call: Call
    hashes: Sequence[str]


class CallRecorder:
    """Records the calls of one run and replays them.

    A call that this run has recorded is answered from the record; any other call is made and
    recorded. With `play_only` no call is made and nothing is written.
    """

    def __init__(self, db: Database, run: str, *, play_only: bool = False) -> None:
        self.run = run
        self.play_only = play_only
        self.gap: StorageError | None = None
        """The first failure to answer from the record: the report is then not that of the run."""
        self._db = db
        self._artefacts = Artefacts(db)

    @property
    def blank(self) -> bool:
        """True when nothing is recorded: the run never got that far, or its record was deleted."""
        return not self._db.records.has_calls(self.run)

    def outages(self) -> bool:
        """Return True if a recorded call ended in an outage: another try may get further."""
        return self._db.records.has_answer_of_kind(self.run, OUTAGE)

    def forget_errors(self) -> None:
        """Delete the recorded errors, so that a run that goes on asks again."""
        self._db.records.delete_answers_of_kinds(self.run, [ERROR, OUTAGE])

    def answered(self) -> dict[str, str]:
        """Return when each recorded answer was given; a call that is repeated gets a new moment.

        The run's own notes, and the report that it found where it publishes, are left out: a
        resumed run writes them again.
        """
        moments: dict[str, str] = {}
        for key, name, at in self._db.records.answer_times(self.run, without_kind=OUTAGE):
            if not name.startswith(_NOTE_PREFIX) and name != _EARLIER_REPORT:
                moments[key] = at
        return moments

    def ask(self, call: Call, codec: Codec[T], live: Callable[[], T]) -> T:
        """Answer from the record, or make the call and record its answer."""
        if not self.missing({"": call}):
            return self.play(call, codec)
        value = live()
        self.record([(call, codec.encode(value))])
        return value

    async def fetch(self, call: Call, codec: Codec[T], live: Callable[[], Awaitable[T]]) -> T:
        """Answer from the record, or make the call and record its answer or its error."""

        async def live_by_item(_: Sequence[str]) -> dict[str, T]:
            return {"": await live()}

        answers = await self.fetch_all({"": call}, codec, live_by_item)
        return answers[""]

    async def fetch_all(
        self,
        calls: Mapping[str, Call],
        codec: Codec[T],
        live: Callable[[Sequence[str]], Awaitable[Mapping[str, T]]],
        lasts: Callable[[str, T], bool] = lambda *_: True,
    ) -> dict[str, T]:
        """Answer several calls, each under the name of its item.

        Those without a recorded answer are made together.
        """
        missing = self.missing(calls)
        fetched: Mapping[str, T] = {}
        if missing:
            try:
                fetched = await live(list(missing))
            except AppError as error:
                self.record([(call, encode_error(error)) for call in missing.values()])
                raise
            answers = []
            for item, call in missing.items():
                made_call = call if lasts(item, fetched[item]) else once(call)
                answers.append((made_call, codec.encode(fetched[item])))
            self.record(answers)
        values: dict[str, T] = {}
        for item, call in calls.items():
            values[item] = fetched[item] if item in missing else self.play(call, codec)
        return values

    def play(self, call: Call, codec: Codec[T]) -> T:
        """Answer from the record; a recorded error is raised again."""
        try:
            artefact = self._recorded_artefact(call)
            if artefact.kind not in (ERROR, OUTAGE):
                return codec.decode(artefact, self._artefacts.get_all)
            recorded_error = decode_error(artefact)
        except StorageError as error:
            self.gap = self.gap or error
            raise
        raise recorded_error

    def missing(self, calls: Mapping[str, Call]) -> dict[str, Call]:
        """Return the calls that must be made: without an answer, or with one to ask for again.

        An outage is always asked about again, another error only where the call says so. A replay
        makes no calls; what its record lacks is noticed when it is played.
        """
        if self.play_only:
            return {}
        keys = [call.key for call in calls.values()]
        kinds = self._db.records.answer_kinds(self.run, keys)
        unanswered: dict[str, Call] = {}
        for item, call in calls.items():
            kind = kinds.get(call.key, OUTAGE)
            if kind == OUTAGE or (kind == ERROR and call.retried):
                unanswered[item] = call
        adopted = self._adopt(unanswered.values())
        return {item: call for item, call in unanswered.items() if call not in adopted}

    def reject(self, call: Call) -> None:
        """Forget this run's answer to a call, and keep other runs from taking such an answer over.

        The runs that recorded it can still be replayed.
        """
        with self._db.transaction():
            self._db.delete("calls", {"run": self.run, "key": call.key})
            self._db.records.end_lasting(call.lasting_key)

    def fence_seed(self) -> str:
        """Return the secret from which the fence around untrusted text is made.

        Each memory has its own. Equal prompts of different runs are then the same question to a
        model, and a replay has the secret of its run.
        """
        return self.ask(Call("memory.fence", "run"), _SEED, self._secret)

    def record(self, answers: Sequence[tuple[Call, Sequence[Artefact]]]) -> None:
        """Store answers, each with what it is made of behind it.

        A later answer to a call replaces an earlier one.
        """
        if self.play_only or not answers:
            return
        artefacts: list[tuple[Artefact, str]] = []
        stored: list[_RecordedAnswer] = []
        for call, parts in answers:
            artefacts += [(part, call.origin) for part in parts]
            stored.append(_RecordedAnswer(call, [part.hash for part in parts]))
        # An answer that is lost when the machine dies is asked for again: not worth a wait for
        # the disk.
        with self._db.transaction(durable=False):
            self._artefacts.add(artefacts, datetime.now(UTC))
            self._store_answers(stored)

    def _recorded_artefact(self, call: Call) -> Artefact:
        rows = self._db.select("calls", ["hash"], {"run": self.run, "key": call.key})
        if not rows:
            raise StorageError(
                f"run {self.run} did not record {call.name} of {call.about}; it cannot be replayed"
            )
        return self._artefacts.get_all([rows[0][0]])[0]

    def _secret(self) -> str:
        record = {"name": _FENCE, "value": secrets.token_hex(16)}
        self._db.insert_missing("secrets", [record])
        [(value,)] = self._db.select("secrets", ["value"], {"name": _FENCE})
        return str(value)

    def _adopt(self, calls: Iterable[Call]) -> set[Call]:
        """Copy answers that never change from other runs, and return the calls that have one."""
        calls_by_key = {call.lasting_key: call for call in calls if call.lasting_key}
        if not calls_by_key:
            return set()
        hashes = self._db.records.lasting_answers(
            [key for key in calls_by_key if key], without=[ERROR, OUTAGE]
        )
        answers = [_RecordedAnswer(calls_by_key[key], [name]) for key, name in hashes.items()]
        if answers:
            with self._db.transaction(durable=False):
                self._store_answers(answers)
        return {answer.call for answer in answers}

    def _store_answers(self, answers: Sequence[_RecordedAnswer]) -> None:
        """Store which artefact answers which call, and that the run needs it and its parts."""
        holds: dict[str, Record] = {}
        calls: list[Record] = []
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        for call, hashes in answers:
            for name in hashes:
                holds[name] = {"hash": name, "run": self.run}
            calls.append(
                {
                    "run": self.run,
                    "key": call.key,
                    "name": call.name,
                    "hash": hashes[0],
                    "lasting": call.lasting_key,
                    "at": at,
                }
            )
        self._db.insert_missing("holds", holds.values())
        self._db.upsert("calls", calls, ("run", "key"))


def once(call: Call) -> Call:
    """Return the same question, with an answer that serves this run only."""
    return replace(call, lasting="")


class Retention:
    """Keeps evidence while a run that used it can be replayed, or as long as a report cites it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def cite(self, run: str, window: str, evidence: Iterable[EvidenceId]) -> None:
        """Keep artefacts as this run read them: the published report of a window cites them."""
        with self._db.transaction():
            self._db.records.cite(run, window, sorted(evidence))

    def forget(self, before: date) -> int:
        """Delete the records of runs and questions from before a day, and what only they needed.

        Returns the number of calls.
        """
        with self._db.transaction():
            return self._db.records.forget(before.isoformat(), QUESTIONS)
