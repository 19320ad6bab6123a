"""How answers become artefacts and artefacts answers again: exactly, whatever text they hold."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from agent.domain import Change, Commit, Frozen, Issue, PullRequest, Release, Threads
from agent.errors import (
    AppError,
    ConfigError,
    InputError,
    NotFound,
    RateLimited,
    StorageError,
    UpstreamError,
    UsageError,
)
from agent.evidence import EvidenceId, ReleaseEvidence
from agent.linking.digest import Digest
from agent.linking.known import Known
from agent.model import ModelError
from memory.artefacts import Artefact

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
Find = Callable[[Sequence[str]], list[Artefact]]

ERROR = "error"
OUTAGE = "outage"
"""An error that may get better: a run that is taken up again asks again."""


class Shape(Protocol[T]):
    """The way from a value to artefacts and back."""

    def pack(self, value: T) -> tuple[Artefact, ...]:
        """Give the artefact of the value, and behind it those that it is made of."""
        ...

    def unpack(self, artefact: Artefact, find: Find) -> T:
        """Make the value again."""
        ...


class Plain(Generic[T]):
    """A value that is one artefact."""

    def __init__(
        self, kind: str, adapter: TypeAdapter[T], evidence: Callable[[T], EvidenceId | None] = lambda _: None
    ) -> None:
        self.kind = kind
        self._adapter = adapter
        self._evidence = evidence

    @cached_property
    def form(self) -> str:
        """The hash of how such a value is written: another version of Gitzette may write it otherwise."""
        return hashlib.sha256(json.dumps(self._adapter.json_schema(), sort_keys=True).encode()).hexdigest()[:16]

    def pack(self, value: T) -> tuple[Artefact, ...]:
        """Write the value as JSON."""
        return (Artefact(self.kind, _dump(self._adapter, value), self._evidence(value)),)

    def unpack(self, artefact: Artefact, find: Find) -> T:
        """Read the JSON back."""
        del find
        return _load(self._adapter, artefact)


class _Contents(Frozen, Generic[M]):
    """The artefacts of a split value by field, and the value without them."""

    parts: dict[str, tuple[str, ...]]
    rest: M


class Split(Generic[M]):
    """A model with lists whose items are artefacts of their own: most are the same every day and are stored once."""

    def __init__(self, kind: str, model: type[M], **parts: Plain[Any]) -> None:
        self._model: type[_Contents[M]] = _Contents[model]  # type: ignore[valid-type]
        self._contents = Plain(kind, TypeAdapter(self._model))
        self._parts = parts

    def pack(self, value: M) -> tuple[Artefact, ...]:
        """Take the value apart."""
        parts = {name: [shape.pack(one)[0] for one in getattr(value, name)] for name, shape in self._parts.items()}
        hashes = {name: tuple(part.hash for part in found) for name, found in parts.items()}
        contents = self._model(parts=hashes, rest=value.model_copy(update=dict.fromkeys(parts, ())))
        return (*self._contents.pack(contents), *chain.from_iterable(parts.values()))

    def unpack(self, artefact: Artefact, find: Find) -> M:
        """Put the value together again."""
        contents = self._contents.unpack(artefact, find)
        rest: M = contents.rest
        parts = {
            name: tuple(shape.unpack(part, find) for part in find(contents.parts.get(name, ())))
            for name, shape in self._parts.items()
        }
        return rest.model_copy(update=parts)


class _Told(Frozen):
    """An error of ours, as it was told."""

    name: str
    message: str
    retryable: bool = False
    retry_after: float | None = None


_SPLIT: dict[Any, Shape[Any]] = {
    Threads: Split(
        "threads",
        Threads,
        issues=Plain("issue", TypeAdapter(Issue), lambda issue: issue.id),
        pulls=Plain("pull", TypeAdapter(PullRequest), lambda pull: pull.id),
        releases=Plain("release", TypeAdapter(Release), lambda release: ReleaseEvidence(release=release).id),
    ),
    Known: Split("known issues", Known, issues=Plain("digest", TypeAdapter(Digest))),
}
_TOLD = Plain(ERROR, TypeAdapter(_Told))
_ERRORS: dict[str, type[AppError]] = {
    kind.__name__: kind for kind in (AppError, UsageError, ConfigError, InputError, StorageError)
}


def shape_of(kind: str, annotation: Any) -> Shape[Any]:
    """Choose the shape of values of a type; what can be cited is stored under its id."""
    return _SPLIT.get(annotation) or Plain(kind, TypeAdapter(annotation), _evidence)


def pack_error(error: AppError) -> tuple[Artefact, ...]:
    """Write down what went wrong: a report that says so must say so again."""
    upstream = error if isinstance(error, UpstreamError) else None
    told = _Told(
        name=type(error).__name__,
        message=str(error),
        retryable=upstream is not None and upstream.retryable,
        retry_after=upstream.retry_after if upstream else None,
    )
    (artefact,) = _TOLD.pack(told)
    return (replace(artefact, kind=OUTAGE if told.retryable else ERROR),)


def unpack_error(artefact: Artefact) -> AppError:
    """Make the error again."""
    told = _load(TypeAdapter(_Told), artefact)
    if told.name == NotFound.__name__:
        return NotFound(told.message)
    if told.name == ModelError.__name__:
        return ModelError(told.message, retryable=told.retryable)
    if told.name == RateLimited.__name__:
        return RateLimited(told.message, retry_after=told.retry_after or 0.0)
    if told.name in _ERRORS:
        return _ERRORS[told.name](told.message)
    return UpstreamError(told.message, retryable=told.retryable, retry_after=told.retry_after)


def _evidence(value: object) -> EvidenceId | None:
    if isinstance(value, Change):
        return value.commit.id
    return value.id if isinstance(value, Commit | Issue | PullRequest) else None


def _dump(adapter: TypeAdapter[T], value: T) -> bytes:
    try:
        return adapter.dump_json(value)
    except PydanticSerializationError:
        # Half of a surrogate pair, from a server that escapes it: UTF-8 has no place for it, an escape has.
        return json.dumps(adapter.dump_python(value, mode="json")).encode("ascii")


def _load(adapter: TypeAdapter[T], artefact: Artefact) -> T:
    try:
        return adapter.validate_json(artefact.body)
    except ValidationError:
        pass
    try:
        return adapter.validate_python(json.loads(artefact.body))
    except (ValueError, RecursionError) as error:
        raise StorageError(
            f"a recorded {artefact.kind} ({artefact.hash[:12]}) cannot be read: another version of Gitzette wrote it"
        ) from error
