"""Answers as artefacts: each is stored once, under the hash of its content, and read back exactly."""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from agent.domain import base
from agent.domain.base import AppError, Frozen, RateLimited, StorageError, UpstreamError
from agent.domain.commits import Change, Commit, Issue, PullRequest, Release, Threads
from agent.domain.evidence import ReleaseEvidence
from agent.domain.evidence_id import EvidenceId
from agent.links.issue_digest import Digest, Known
from agent.prompting import ContextExceeded, ModelError
from memory.database import Database

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

ERROR = "error"
OUTAGE = "outage"  # An error that may get better: a run that is resumed asks again
_LEVEL = 1  # Diffs shrink fivefold at the fastest level; the best one is a tenth smaller and takes six times as long


@dataclass(frozen=True)
class Artefact:
    """One fetched thing as it came."""

    kind: str
    body: bytes
    evidence: EvidenceId | None = None  # The name under which it can be cited, where it has one

    @cached_property
    def hash(self) -> str:
        """The name of its content; equal content of different kinds is kept apart."""
        return hashlib.sha256(b"%s\0%s" % (self.kind.encode(), self.body)).hexdigest()


class Artefacts:
    """The store of artefacts."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, artefacts: Iterable[tuple[Artefact, str]], at: datetime) -> None:
        """Store those that are not there yet, each with its origin; in one order, so that two runs do not block."""
        wanted = {artefact.hash: (artefact, origin) for artefact, origin in artefacts}
        for (there,) in self._db.rows(
            "select hash from artefacts where hash = any(?)", [list(wanted)]
        ):
            del wanted[there]
        for name, (one, origin) in sorted(wanted.items()):
            row = {"hash": name, "kind": one.kind, "evidence": one.evidence, "size": len(one.body)}
            row |= {"origin": origin, "fetched": at.isoformat(timespec="seconds")}
            self._db.insert_missing("artefacts", [{**row, "body": zlib.compress(one.body, _LEVEL)}])

    def get_all(self, names: Sequence[str]) -> list[Artefact]:
        """Find artefacts by the hashes of their contents, in the order asked for."""
        rows = self._db.rows(
            "select hash, kind, evidence, body from artefacts where hash = any(?)", [list(names)]
        )
        found = {
            name: _unpacked(name, kind, evidence, bytes(body))
            for name, kind, evidence, body in rows
        }
        if missing := [name for name in names if name not in found]:
            raise StorageError(f"the memory has no artefact {missing[0][:12]}")
        return [found[name] for name in names]


class JsonCodec(Generic[T]):
    """A value that is one artefact, in JSON."""

    def __init__(
        self,
        kind: str,
        adapter: TypeAdapter[T],
        evidence: Callable[[T], EvidenceId | None] = lambda _: None,
    ) -> None:
        self.kind = kind
        self._adapter = adapter
        self._evidence = evidence

    @cached_property
    def form(self) -> str:
        """The hash of the JSON schema: another version of Gitzette may write the value otherwise."""
        return hashlib.sha256(
            json.dumps(self._adapter.json_schema(), sort_keys=True).encode()
        ).hexdigest()[:16]

    def encode(self, value: T) -> tuple[Artefact, ...]:
        """Write the value; half of a surrogate pair has no place in UTF-8, but has one as an escape."""
        try:
            body = self._adapter.dump_json(value)
        except PydanticSerializationError:
            body = json.dumps(self._adapter.dump_python(value, mode="json")).encode("ascii")
        return (Artefact(self.kind, body, self._evidence(value)),)

    def decode(self, artefact: Artefact, find: object = None) -> T:
        """Read the value back."""
        del find
        # Escapes of half a surrogate pair are read by Python alone.
        with suppress(ValidationError):
            return self._adapter.validate_json(artefact.body)
        with suppress(ValueError, RecursionError):
            return self._adapter.validate_python(json.loads(artefact.body))
        name = f"{artefact.kind} ({artefact.hash[:12]})"
        raise StorageError(
            f"a recorded {name} cannot be read: another version of Gitzette wrote it"
        )


class SplitCodec(Generic[M]):
    """A model with lists whose items are artefacts of their own: most are the same every day and are stored once."""

    def __init__(self, kind: str, model: type[M], **parts: JsonCodec[Any]) -> None:
        self._contents = JsonCodec(kind, TypeAdapter(dict[str, dict[str, Any]]))
        self._model = model
        self._parts = parts

    def encode(self, value: M) -> tuple[Artefact, ...]:
        """Give the artefact of the value, and behind it those that it is made of."""
        parts = {
            name: [codec.encode(one)[0] for one in getattr(value, name)]
            for name, codec in self._parts.items()
        }
        hashes = {name: [part.hash for part in found] for name, found in parts.items()}
        contents = {"parts": hashes, "rest": value.model_dump(mode="json", exclude=set(parts))}
        return (*self._contents.encode(contents), *chain.from_iterable(parts.values()))

    def decode(self, artefact: Artefact, find: Callable[[Sequence[str]], list[Artefact]]) -> M:
        """Put the value together again; `find` gives artefacts by their hashes."""
        contents = self._contents.decode(artefact)
        found = {name: find(contents["parts"].get(name, ())) for name in self._parts}
        parts = {
            name: tuple(self._parts[name].decode(one) for one in ones)
            for name, ones in found.items()
        }
        return self._model.model_validate(contents["rest"] | parts)


Codec = JsonCodec[T] | SplitCodec[Any]  # Writes values of a type as artefacts and reads them back


class _ErrorData(Frozen):
    name: str
    message: str
    retryable: bool = False
    retry_after: float | None = None


_ERROR_CODEC = JsonCodec(ERROR, TypeAdapter(_ErrorData))
_PLAIN = (AppError, base.UsageError, base.ConfigError, base.InputError, StorageError, base.NotFound)
_ERRORS = {kind.__name__: kind for kind in _PLAIN}
_SPLIT: dict[Any, Codec[Any]] = {
    Threads: SplitCodec(
        "threads",
        Threads,
        issues=JsonCodec("issue", TypeAdapter(Issue), lambda issue: issue.id),
        pulls=JsonCodec("pull", TypeAdapter(PullRequest), lambda pull: pull.id),
        releases=JsonCodec(
            "release", TypeAdapter(Release), lambda release: ReleaseEvidence(release=release).id
        ),
    ),
    Known: SplitCodec("known issues", Known, issues=JsonCodec("digest", TypeAdapter(Digest))),
}


def codec_for(kind: str, annotation: Any) -> Codec[Any]:
    """Choose the codec for values of a type; what can be cited is stored under its id."""
    return _SPLIT.get(annotation) or JsonCodec(kind, TypeAdapter(annotation), _evidence_id)


def encode_error(error: AppError) -> tuple[Artefact, ...]:
    """Write down what went wrong: a report that says so must say so again."""
    told = _ErrorData(name=_error_name(error), message=str(error))
    if isinstance(error, UpstreamError):
        told = told.model_copy(
            update={"retryable": error.retryable, "retry_after": error.retry_after}
        )
    (artefact,) = _ERROR_CODEC.encode(told)
    return (replace(artefact, kind=OUTAGE if told.retryable else ERROR),)


def _error_name(error: AppError) -> str:
    """Return the name of the class as which an error is raised again."""
    if isinstance(error, ModelError) and not isinstance(error, ContextExceeded):
        return ModelError.__name__
    return type(error).__name__


def decode_error(artefact: Artefact) -> AppError:
    """Make the error again."""
    told = _ERROR_CODEC.decode(artefact)
    if told.name in _ERRORS:
        return _ERRORS[told.name](told.message)
    if told.name == ContextExceeded.__name__:
        return ContextExceeded(told.message)
    if told.name == ModelError.__name__:
        return ModelError(told.message, retryable=told.retryable)
    if told.name == RateLimited.__name__:
        return RateLimited(told.message, retry_after=told.retry_after or 0.0)
    return UpstreamError(told.message, retryable=told.retryable, retry_after=told.retry_after)


def _evidence_id(value: object) -> EvidenceId | None:
    if isinstance(value, Change):
        return value.commit.id
    return value.id if isinstance(value, Commit | Issue | PullRequest) else None


def _unpacked(name: str, kind: str, evidence: str | None, body: bytes) -> Artefact:
    """Unpack a row, and notice when it is not what it was."""
    try:
        evidence_id = EvidenceId.parse(evidence) if evidence else None
        artefact = Artefact(kind, zlib.decompress(body), evidence_id)
    except zlib.error as error:
        raise StorageError(
            f"the memory is damaged: artefact {name[:12]} cannot be unpacked"
        ) from error
    if artefact.hash != name:
        raise StorageError(f"the memory is damaged: artefact {name[:12]} is not what its name says")
    return artefact
