"""How answers become artefacts and artefacts answers again: exactly, whatever text they hold."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from agent.domain import Frozen, Issue, PullRequest, Release, Threads
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


class ThreadsShape:
    """What the threads of a window say: each issue, pull request and release is an artefact of its own.

    Most of them are the same day after day, and are then stored once.
    """

    def pack(self, value: Threads) -> tuple[Artefact, ...]:
        """Take the answer apart."""
        issues = [_ISSUE.pack(issue)[0] for issue in value.issues]
        pulls = [_PULL.pack(pull)[0] for pull in value.pulls]
        releases = [_RELEASE.pack(release)[0] for release in value.releases]
        contents = _Contents(
            issues=tuple(part.hash for part in issues),
            pulls=tuple(part.hash for part in pulls),
            releases=tuple(part.hash for part in releases),
            rest=value.model_copy(update={"issues": (), "pulls": (), "releases": ()}),
        )
        return (*_CONTENTS.pack(contents), *issues, *pulls, *releases)

    def unpack(self, artefact: Artefact, find: Find) -> Threads:
        """Put the answer together again."""
        contents = _CONTENTS.unpack(artefact, find)
        parts = {
            "issues": tuple(_ISSUE.unpack(part, find) for part in find(contents.issues)),
            "pulls": tuple(_PULL.unpack(part, find) for part in find(contents.pulls)),
            "releases": tuple(_RELEASE.unpack(part, find) for part in find(contents.releases)),
        }
        return contents.rest.model_copy(update=parts)


class KnownShape:
    """What earlier days know of issues: each is an artefact of its own, because most are the same day after day."""

    def pack(self, value: Known) -> tuple[Artefact, ...]:
        """Take the answer apart."""
        issues = [_DIGEST.pack(issue)[0] for issue in value.issues]
        rest = value.model_copy(update={"issues": ()})
        return (*_KNOWN.pack(_Issues(issues=tuple(part.hash for part in issues), rest=rest)), *issues)

    def unpack(self, artefact: Artefact, find: Find) -> Known:
        """Put the answer together again."""
        found = _KNOWN.unpack(artefact, find)
        issues = tuple(_DIGEST.unpack(part, find) for part in find(found.issues))
        return found.rest.model_copy(update={"issues": issues})


class _Issues(Frozen):
    """Of which artefacts the known issues are made."""

    issues: tuple[str, ...]
    rest: Known


class _Contents(Frozen):
    """Of which artefacts the threads of a window are made."""

    issues: tuple[str, ...]
    pulls: tuple[str, ...]
    releases: tuple[str, ...]
    rest: Threads


class _Told(Frozen):
    """An error of ours, as it was told."""

    name: str
    message: str
    retryable: bool = False
    retry_after: float | None = None


_CONTENTS = Plain("threads", TypeAdapter(_Contents))
_KNOWN = Plain("known issues", TypeAdapter(_Issues))
_DIGEST = Plain("digest", TypeAdapter(Digest))
_ISSUE = Plain("issue", TypeAdapter(Issue), lambda issue: issue.id)
_PULL = Plain("pull", TypeAdapter(PullRequest), lambda pull: pull.id)
_RELEASE = Plain("release", TypeAdapter(Release), lambda release: ReleaseEvidence(release=release).id)
_TOLD = Plain(ERROR, TypeAdapter(_Told))
_ERRORS: dict[str, type[AppError]] = {
    kind.__name__: kind for kind in (AppError, UsageError, ConfigError, InputError, StorageError)
}


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
