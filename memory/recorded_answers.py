"""Recorded answers as artefacts: each is stored once, under the hash of its content."""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from agent.domain.account import Limit
from agent.domain.base import Frozen
from agent.domain.commits import Change, Commit
from agent.domain.errors import (
    AppError,
    ConfigError,
    InputError,
    NotFound,
    RateLimited,
    StorageError,
    UpstreamError,
    UsageError,
)
from agent.domain.evidence import ReleaseEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.threads import Issue, PullRequest, Release, Threads
from agent.links.searchable_issues import Digest, Known
from agent.model_errors import ContextExceeded, ModelError
from memory.protocols import Database, Record

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

ERROR = "error"
OUTAGE = "outage"  # An error that may get better: a run that is resumed asks again
_COMPRESSION_LEVEL = 1
"""Diffs shrink fivefold at the fastest level; the best saves a tenth more in six times the time."""
_SHORT_HASH = 12
_SCHEMA_HASH = 16


@dataclass(frozen=True)
class Artefact:
    """One fetched thing as it came."""

    kind: str
    body: bytes
    evidence: EvidenceId | None = None  # The name under which it can be cited, where it has one

    @cached_property
    def hash(self) -> str:
        """The hash of kind and content: equal content of different kinds is kept apart."""
        return hashlib.sha256(b"%s\0%s" % (self.kind.encode(), self.body)).hexdigest()


class Artefacts:
    """The store of artefacts."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, artefacts: Iterable[tuple[Artefact, str]], at: datetime) -> None:
        """Store those that are not there yet, each with its origin.

        They are stored in one order, so that two runs do not block each other.
        """
        missing = {artefact.hash: (artefact, origin) for artefact, origin in artefacts}
        for (stored,) in self._db.select("artefacts", ["hash"], {"hash": list(missing)}):
            del missing[stored]
        records: list[Record] = []
        for name in sorted(missing):
            artefact, origin = missing[name]
            records.append(
                {
                    "hash": name,
                    "kind": artefact.kind,
                    "evidence": artefact.evidence,
                    "size": len(artefact.body),
                    "origin": origin,
                    "fetched": at.isoformat(timespec="seconds"),
                    "body": zlib.compress(artefact.body, _COMPRESSION_LEVEL),
                }
            )
        self._db.insert_missing("artefacts", records)

    def get_all(self, hashes: Sequence[str]) -> list[Artefact]:
        """Return artefacts by the hashes of their contents, in the order asked for."""
        columns = ["hash", "kind", "evidence", "body"]
        stored: dict[str, Artefact] = {}
        for name, kind, evidence, body in self._db.select(
            "artefacts", columns, {"hash": list(hashes)}
        ):
            stored[name] = _unpacked(name, kind, evidence, bytes(body))
        for name in hashes:
            if name not in stored:
                raise StorageError(f"the memory has no artefact {name[:_SHORT_HASH]}")
        return [stored[name] for name in hashes]


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
        """The hash of the JSON schema: another version may write the value otherwise."""
        schema = json.dumps(self._adapter.json_schema(), sort_keys=True)
        return hashlib.sha256(schema.encode()).hexdigest()[:_SCHEMA_HASH]

    def encode(self, value: T) -> tuple[Artefact, ...]:
        """Return the value as an artefact."""
        try:
            body = self._adapter.dump_json(value)
        except PydanticSerializationError:
            # Half of a surrogate pair cannot be written in UTF-8, but as an escape it can.
            body = json.dumps(self._adapter.dump_python(value, mode="json")).encode("ascii")
        return (Artefact(self.kind, body, self._evidence(value)),)

    def decode(self, artefact: Artefact, find: object = None) -> T:
        """Return the value of an artefact."""
        del find
        with suppress(ValidationError):
            return self._adapter.validate_json(artefact.body)
        # Escapes of half a surrogate pair are read by Python's parser only.
        with suppress(ValueError, RecursionError):
            return self._adapter.validate_python(json.loads(artefact.body))
        raise _unreadable(artefact)


class _SplitContents(Frozen):
    """What is stored of a model beside the items that are artefacts of their own."""

    parts: dict[str, tuple[str, ...]]  # The hashes of the items, by the field that they stand in
    rest: dict[str, Any]


class SplitCodec(Generic[M]):
    """A model with lists whose items are artefacts of their own.

    Most items are the same every day, and are stored once.
    """

    def __init__(self, kind: str, model: type[M], **item_codecs: JsonCodec[Any]) -> None:
        self._contents = JsonCodec(kind, TypeAdapter(_SplitContents))
        self._model = model
        self._item_codecs = item_codecs

    def encode(self, value: M) -> tuple[Artefact, ...]:
        """Return the artefact of the value, and behind it those of its items."""
        items: list[Artefact] = []
        hashes: dict[str, tuple[str, ...]] = {}
        for field, codec in self._item_codecs.items():
            field_items = [codec.encode(item)[0] for item in getattr(value, field)]
            hashes[field] = tuple(item.hash for item in field_items)
            items += field_items
        rest = value.model_dump(mode="json", exclude=set(self._item_codecs))
        contents = _SplitContents(parts=hashes, rest=rest)
        return (*self._contents.encode(contents), *items)

    def decode(self, artefact: Artefact, find: Callable[[Sequence[str]], list[Artefact]]) -> M:
        """Return the value of an artefact; `find` returns its items by their hashes."""
        contents = self._contents.decode(artefact)
        values = dict(contents.rest)
        for field, codec in self._item_codecs.items():
            items = find(contents.parts.get(field, ()))
            values[field] = tuple(codec.decode(item) for item in items)
        try:
            return self._model.model_validate(values)
        except ValidationError as error:
            raise _unreadable(artefact) from error


Codec = JsonCodec[T] | SplitCodec[Any]
"""Writes values of a type as artefacts, and reads them back."""


class _ErrorData(Frozen):
    name: str
    message: str
    retryable: bool = False
    retry_after: float | None = None
    limit: Limit | None = None


_ERROR_CODEC = JsonCodec(ERROR, TypeAdapter(_ErrorData))
_PLAIN_ERRORS: dict[str, type[AppError]] = {
    error.__name__: error
    for error in (
        AppError,
        UsageError,
        ConfigError,
        InputError,
        StorageError,
        NotFound,
    )
}
"""Errors that hold nothing but their message."""
_SPLIT_CODECS: dict[Any, Codec[Any]] = {
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
    """Return the codec for values of a type; what can be cited is stored under its id."""
    split = _SPLIT_CODECS.get(annotation)
    if split is not None:
        return split
    return JsonCodec(kind, TypeAdapter(annotation), _evidence_id)


def encode_error(error: AppError) -> tuple[Artefact, ...]:
    """Return an error as an artefact, so that it can be raised again."""
    data = _ErrorData(name=_error_name(error), message=str(error))
    if isinstance(error, UpstreamError):
        data = data.model_copy(
            update={"retryable": error.retryable, "retry_after": error.retry_after}
        )
    if isinstance(error, ModelError):
        data = data.model_copy(update={"limit": error.limit})
    (artefact,) = _ERROR_CODEC.encode(data)
    return (replace(artefact, kind=OUTAGE if data.retryable else ERROR),)


def _error_name(error: AppError) -> str:
    """Return the name of the class as which an error is raised again."""
    if isinstance(error, ModelError) and not isinstance(error, ContextExceeded):
        return ModelError.__name__
    return type(error).__name__


def decode_error(artefact: Artefact) -> AppError:
    """Return the error of an artefact."""
    data = _ERROR_CODEC.decode(artefact)
    if data.name in _PLAIN_ERRORS:
        return _PLAIN_ERRORS[data.name](data.message)
    if data.name == ContextExceeded.__name__:
        return ContextExceeded(data.message)
    if data.name == ModelError.__name__:
        return ModelError(data.message, retryable=data.retryable, limit=data.limit)
    if data.name == RateLimited.__name__:
        return RateLimited(data.message, retry_after=data.retry_after or 0.0)
    return UpstreamError(data.message, retryable=data.retryable, retry_after=data.retry_after)


def _evidence_id(value: object) -> EvidenceId | None:
    if isinstance(value, Change):
        return value.commit.id
    if isinstance(value, Commit | Issue | PullRequest):
        return value.id
    return None


def _unreadable(artefact: Artefact) -> StorageError:
    name = f"{artefact.kind} ({artefact.hash[:_SHORT_HASH]})"
    return StorageError(f"a recorded {name} cannot be read: another version of Gitzette wrote it")


def _unpacked(name: str, kind: str, evidence: str | None, body: bytes) -> Artefact:
    """Return the artefact of a row, or raise if its content is not what was stored."""
    try:
        evidence_id = EvidenceId.parse(evidence) if evidence else None
        artefact = Artefact(kind, zlib.decompress(body), evidence_id)
    except zlib.error as error:
        raise StorageError(
            f"the memory is damaged: artefact {name[:_SHORT_HASH]} cannot be unpacked"
        ) from error
    if artefact.hash != name:
        raise StorageError(
            f"the memory is damaged: artefact {name[:_SHORT_HASH]} is not what its name says"
        )
    return artefact
