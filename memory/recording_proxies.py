"""Proxies that record what an object answers before it is used, and replay it.

How calls are named and answers are stored follows from the annotations of the methods.
"""

from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from inspect import (
    BoundArguments,
    Signature,
    getmembers,
    isawaitable,
    iscoroutinefunction,
    isfunction,
    signature,
)
from types import NoneType
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter
from pydantic_core import to_jsonable_python

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, Landing
from agent.domain.errors import AppError
from agent.domain.surface import SurfaceChange
from agent.links.changed_names import Birth
from agent.links.touched_lines import LineWriter
from agent.ports import CloneSource, CodeSource, Past, Study
from memory.reading_version import reading_version
from memory.recorded_answers import Codec, JsonCodec, codec_for, encode_error
from memory.recorder import Call, CallRecorder, once

T = TypeVar("T")
_CONVERTERS: Mapping[Any, Callable[[Any], Any]] = {Iterable: list, Collection: frozenset}
"""For arguments that may be readable only once, and for those that have no order."""


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """A rule for recording a method whose annotations do not say enough."""

    each: str = ""
    """The parameter whose items are recorded one by one, and only asked for where missing."""
    item_of: Callable[[Any], str] = str  # Returns the item that a streamed answer belongs to
    lasting: Callable[[Any, str, Mapping[str, Any]], bool] | None = None
    """Returns whether an answer, by its item and the arguments, serves all later runs."""
    codec: JsonCodec[Any] | None = None
    run: Callable[..., Any] | None = None  # Makes the call in a way of its own
    needs_history: bool = False
    """True if answers serve later runs only where they come from a clone that is not shallow."""
    follows_refs: bool = False
    """True if an answer follows from what branch and tags of a clone point at, and from arguments:
    it serves the later runs that find them pointing there."""

    def lasts(self, answer: Any, item: str, arguments: Mapping[str, Any]) -> bool:
        """Return True if an answer serves all later runs."""
        return self.lasting is not None and self.lasting(answer, item, arguments)


def recorded(target: T, recorder: CallRecorder | None, group: str) -> T:
    """Return an object behind the recorder of a run.

    Methods that return nothing write something, and a replay skips them.
    """
    if recorder is None:
        return target
    return cast("T", _Proxy(lambda: target, recorder, group, None, "memory", type(target)))


def recorded_source(
    target: Callable[[], Any],
    recorder: CallRecorder,
    group: str,
    repo: RepoId,
    origin: str,
    *interfaces: type,
) -> Any:
    """Return a source of a repository behind the recorder, with the methods of these interfaces.

    The source is opened when it is needed: a resumed run that has every answer needs no mirror.
    """
    return _Proxy(target, recorder, group, repo, origin, *interfaces)


class _Proxy:
    """Has the public methods of interfaces, so that `isinstance` finds the same protocols."""

    def __init__(
        self,
        target: Callable[[], Any],
        recorder: CallRecorder,
        group: str,
        repo: RepoId | None,
        origin: str,
        *interfaces: type,
    ) -> None:
        self.repo = repo
        self.target = target
        self.recorder = recorder
        self.group = group
        self.origin = origin
        self.known_refs: str | None = None  # What branch and tags point at, once it was read
        for interface in interfaces:
            for description in _public_methods(interface):
                setattr(self, description.name, _Method(self, description))


class _MethodDescription:
    """The annotations of a method, as far as recording needs them; shared by all proxies."""

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = get_type_hints(function)
        self.name = function.__name__
        self.rule = _RULES.get(function, _Rule())
        self.return_type = hints.pop("return")
        self.streams = get_origin(self.return_type) is AsyncIterator
        self.is_coroutine = iscoroutinefunction(function)
        self._signature = Signature(list(signature(function).parameters.values())[1:])
        self._origins = {name: get_origin(hint) for name, hint in hints.items()}
        assert self.rule.each or not self.streams, (
            f"{self.name} streams: name what it is asked for in _RULES"
        )

    @cached_property
    def codec(self) -> Codec[Any]:
        """The codec of stored answers."""
        if self.rule.codec is not None:
            return self.rule.codec
        answer = self.return_type
        if self.streams:
            answer = get_args(self.return_type)[0] | None
        return codec_for(self.name, answer)

    @cached_property
    def lasting_form(self) -> str:
        """The form of answers that serve later runs; empty where none do."""
        if self.rule.lasting is not None and isinstance(self.codec, JsonCodec):
            return f"{reading_version()} {self.codec.form}"
        return ""

    def bind(self, *args: Any, **kwargs: Any) -> BoundArguments:
        """Return the arguments of a call by their names, with defaults filled in."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, origin in self._origins.items():
            if origin in _CONVERTERS:
                bound.arguments[name] = _CONVERTERS[origin](bound.arguments[name])
        return bound


@cache
def _public_methods(interface: type) -> Sequence[_MethodDescription]:
    # A run opens its sources a hundred times, and reading annotations is slow.
    descriptions = []
    for name, function in getmembers(interface, isfunction):
        if not name.startswith("_"):
            descriptions.append(_MethodDescription(function))
    return descriptions


class _Method:
    """A method of a proxy: calls are named by their arguments, and stored as annotated."""

    def __init__(self, proxy: _Proxy, description: _MethodDescription) -> None:
        self.proxy = proxy
        self.recorder = proxy.recorder
        self._description = description
        self._name = description.name
        self._rule = description.rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._description.bind(*args, **kwargs)
        if self._rule.run is not None:
            return self._rule.run(self, *bound.args)
        return self._run(bound)

    def calls(self, *args: Any, **kwargs: Any) -> dict[str, Call]:
        """Return the questions of a call: one for each item, or one under an empty name."""
        return self._calls(self._description.bind(*args, **kwargs))

    def _run(self, bound: BoundArguments) -> Any:
        """Answer a call in the way that fits what the method returns."""
        if self._description.streams:
            return self._stream(bound)
        if self._description.is_coroutine:
            return self._fetch(bound)
        if self._description.return_type is NoneType:
            return self._write(bound)
        return self._ask(bound)

    @property
    def _codec(self) -> Codec[Any]:
        return self._description.codec

    def _calls(self, bound: BoundArguments) -> dict[str, Call]:
        arguments = {name: _plain(value) for name, value in bound.arguments.items()}
        about = self.proxy.repo or arguments.get("repo") or ""
        each = self._rule.each
        if not each:
            return {"": self._call(about, arguments)}
        calls: dict[str, Call] = {}
        for item in arguments[each]:
            calls[item] = self._call(about, {**arguments, each: item})
        return calls

    def _call(self, about: str, arguments: Mapping[str, Any]) -> Call:
        name = f"{self.proxy.group}.{self._name}"
        # Where references moved since, the same question has another answer.
        form = "" if self._rule.follows_refs else self._description.lasting_form
        return Call(name, about, arguments, self.proxy.origin, form)

    def _call_target(self, target: Any, bound: BoundArguments, items: Iterable[str] = ()) -> Any:
        if self._rule.each:
            bound.arguments[self._rule.each] = list(items)
        return getattr(target, self._name)(*bound.args, **bound.kwargs)

    def _write(self, bound: BoundArguments) -> None:
        if not self.recorder.play_only:
            self._call_target(self.proxy.target(), bound)

    def _ask(self, bound: BoundArguments) -> Any:
        call = self._calls(bound)[""]
        return self.recorder.ask(
            call, self._codec, lambda: self._call_target(self.proxy.target(), bound)
        )

    async def _fetch(self, bound: BoundArguments) -> Any:
        """Answer from the record; the target is asked for what is missing, in one call."""
        may_last = True

        async def live(items: Sequence[str]) -> Any:
            nonlocal may_last
            target = self.proxy.target()
            if isawaitable(target):  # A source that is opened now
                target = await target
            if self._rule.follows_refs and isinstance(target, CloneSource):
                return {"": await self._fetch_at_refs(target, bound)}
            answer = await self._call_target(target, bound, items)
            if self._rule.needs_history:
                may_last = await _has_whole_history(target)
            return answer if self._rule.each else {"": answer}

        def lasts(item: str, answer: Any) -> bool:
            return may_last and self._rule.lasts(answer, item, bound.arguments)

        answers = await self.recorder.fetch_all(self._calls(bound), self._codec, live, lasts)
        return answers if self._rule.each else answers[""]

    async def _fetch_at_refs(self, source: CloneSource, bound: BoundArguments) -> Any:
        """Answer as an earlier run was answered while branch and tags were where they are now."""
        if self.proxy.known_refs is None:
            self.proxy.known_refs = await source.refs()
        may_last = False

        async def live(_: Sequence[str]) -> Any:
            nonlocal may_last
            answer = await self._call_target(source, bound)
            # While it was found, somebody may have fetched.
            may_last = (
                await source.has_whole_history() and await source.refs() == self.proxy.known_refs
            )
            return {"": answer}

        def lasts(item: str, answer: Any) -> bool:
            return may_last and self._rule.lasts(answer, item, bound.arguments)

        call = self._calls(bound)[""]
        arguments = {**call.arguments, "refs": self.proxy.known_refs}
        form = self._description.lasting_form
        at_refs = replace(call, name=f"{call.name} at refs", arguments=arguments, lasting=form)
        answers = await self.recorder.fetch_all({"": at_refs}, self._codec, live, lasts)
        return answers[""]

    async def _stream(self, bound: BoundArguments) -> AsyncGenerator[Any, None]:
        """Yield the items in the order asked for.

        Each is recorded by itself, so that any choice of them can be answered later.
        """
        calls = self._calls(bound)
        missing = self.recorder.missing(calls)
        async with aclosing(self._stream_live(bound, missing)) as live_answers:
            for item, call in calls.items():
                if item in missing:
                    answer = await anext(live_answers)
                else:
                    answer = self.recorder.play(call, self._codec)
                if answer is not None:
                    yield answer

    async def _stream_live(
        self, bound: BoundArguments, calls: Mapping[str, Call]
    ) -> AsyncGenerator[Any, None]:
        """Record each item as the target streams it, then yield it; None for one it leaves out."""
        waiting = deque(calls)

        def record_next(answer: Any) -> Any:
            item = waiting.popleft()
            if answer is not None and self._rule.item_of(answer) != item:
                answer = None
            call = calls[item]
            if not self._rule.lasts(answer, item, bound.arguments):
                call = once(call)
            self.recorder.record([(call, self._codec.encode(answer))])
            return answer

        try:
            if calls:
                stream = self._call_target(await self.proxy.target(), bound, calls)
                async with aclosing(stream) as answers:
                    async for answer in answers:
                        # A server may answer with a commit that nobody asked for.
                        while self._rule.item_of(answer) in waiting:
                            yield record_next(answer)
        except AppError as error:
            self.recorder.record([(calls[item], encode_error(error)) for item in waiting])
            raise
        while waiting:
            yield record_next(None)


async def _foresee(method: _Method, studies: Sequence[Study]) -> None:
    """Announce unrecorded studies to the source; errors are left to the later call."""
    source: Any = method.proxy
    unrecorded = []
    for study in studies:
        read = tuple(method.recorder.missing(source.blobs.calls(study.change, study.read)))
        before_calls = source.before.calls(study.change.commit.sha, study.lineage_paths)
        lacks_before = bool(method.recorder.missing(before_calls))
        if read or lacks_before:
            lineage_paths = study.lineage_paths if lacks_before else ()
            unrecorded.append(Study(change=study.change, read=read, lineage_paths=lineage_paths))
    if unrecorded:
        with suppress(AppError):
            await (await method.proxy.target()).foresee(unrecorded)


def _has_both_versions(
    versions: tuple[bytes | None, bytes | None], path: str, arguments: Mapping[str, Any]
) -> bool:
    """Return True if both versions are there that the change of a file has."""
    old, new = versions
    for file in arguments["change"].files:
        if file.path == path:
            has_old = old is not None or file.status == "added"
            has_new = new is not None or file.status == "removed"
            return has_old and has_new
    return False


async def _has_whole_history(source: Any) -> bool:
    return isinstance(source, CloneSource) and await source.has_whole_history()


def _is_something(answer: Any, item: str, arguments: Mapping[str, Any]) -> bool:
    """Return True unless an answer is empty: then something may have been missing."""
    del item, arguments
    return bool(answer)


def _is_settled(landing: Landing, item: str, arguments: Mapping[str, Any]) -> bool:
    """Return True if nothing was noticed about a window: what is dated in the future arrives."""
    del item, arguments
    return bool(landing.rows) and not landing.notices and not landing.failures


def _always(*_: Any) -> bool:
    return True


def _is_complete(past: Past | None, item: str, arguments: Mapping[str, Any]) -> bool:
    """Return True if a stretch of history was searched to its beginning."""
    del item, arguments
    return past is not None and past.since is not None


def _plain(value: Any) -> Any:
    """Return a value as plain data, the same for equal values; a commit is named by its hash."""
    if isinstance(value, Change):
        return value.commit.id
    if isinstance(value, Commit):
        return value.id
    if isinstance(value, set | frozenset):
        return sorted(_plain(item) for item in value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return to_jsonable_python(value)


# JSON has no bytes: each becomes one character, which compresses as well as the file itself.
_Bytes = Annotated[
    bytes,
    PlainSerializer(lambda data: data.decode("latin-1")),
    BeforeValidator(lambda text: text.encode("latin-1") if isinstance(text, str) else text),
]
_VERSIONS = JsonCodec("versions", TypeAdapter(tuple[_Bytes | None, _Bytes | None]))
_SURFACE: JsonCodec[SurfaceChange | None] = JsonCodec("surface", TypeAdapter(SurfaceChange | None))
_LINE_WRITERS = JsonCodec("line-writers", TypeAdapter(tuple[LineWriter, ...]))
_BIRTHS = JsonCodec("births", TypeAdapter(tuple[Birth, ...]))
_RULES: Mapping[Callable[..., Any], _Rule] = {
    CodeSource.landed: _Rule(lasting=_is_settled, follows_refs=True),
    CodeSource.changes: _Rule(
        each="shas",
        item_of=lambda change: change.commit.sha,
        lasting=lambda change, *_: change is not None and not change.unreadable,
    ),
    CodeSource.blobs: _Rule(each="paths", codec=_VERSIONS, lasting=_has_both_versions),
    CodeSource.foresee: _Rule(run=_foresee),
    CodeSource.before: _Rule(lasting=_always, needs_history=True),
    CloneSource.headed: _Rule(lasting=_is_complete, needs_history=True),
    CloneSource.similar: _Rule(lasting=_is_something, needs_history=True),
    CloneSource.written_by: _Rule(lasting=_is_something, needs_history=True),
    CloneSource.line_writers: _Rule(
        each="shas", codec=_LINE_WRITERS, lasting=_is_something, needs_history=True
    ),
    CloneSource.births: _Rule(
        each="shas", codec=_BIRTHS, lasting=_is_something, needs_history=True
    ),
    CloneSource.lines_with: _Rule(lasting=_is_something),
    CloneSource.document_lines: _Rule(lasting=_is_something),
    CloneSource.tagged: _Rule(lasting=_always, follows_refs=True),
    CloneSource.tags_made: _Rule(lasting=_always, follows_refs=True),
    CloneSource.first_tags: _Rule(lasting=_always, follows_refs=True),
    CloneSource.releases_with: _Rule(lasting=_always, follows_refs=True),
    CloneSource.release_range: _Rule(lasting=_always, follows_refs=True),
    CloneSource.surface_changes: _Rule(
        each="shas", codec=_SURFACE, lasting=lambda change, *_: change is not None
    ),
}
