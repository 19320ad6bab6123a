"""Proxies that record what an object answers before it is used, and replay it, by the annotations of its methods."""

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
from dataclasses import dataclass
from functools import cached_property
from inspect import (
    BoundArguments,
    Signature,
    getmembers,
    iscoroutinefunction,
    isfunction,
    signature,
)
from types import NoneType
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter
from pydantic_core import to_jsonable_python

from agent.domain.base import AppError, RepoId
from agent.domain.commits import Change, Commit
from agent.ports import CodeSource, Study
from memory.artefacts import Codec, JsonCodec, codec_for, encode_error
from memory.recorder import Call, CallRecorder, once

T = TypeVar("T")
_READING = "1"
"""Raised when the same commit would be read otherwise: then the records that earlier runs have of it are not used."""
_CONVERTED: Mapping[Any, Callable[[Any], Any]] = {Iterable: list, Collection: frozenset}
"""Arguments that may be readable only once, and those that have no order."""


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """How a method is recorded whose annotations do not say enough."""

    each: str = ""
    """The parameter whose items are looked up together, recorded one by one, and only asked for where missing."""
    item_of: Callable[[Any], str] = str  # Names the item that a streamed answer belongs to
    lasting: Callable[[Any, str, Mapping[str, Any]], bool] = lambda *_: False
    """Tells of an answer, its item and the arguments whether it is whole and never changes, for all later runs."""
    codec: JsonCodec[Any] | None = None
    run: Callable[..., Any] | None = None  # Makes the call in a way of its own


def recorded(target: T, recorder: CallRecorder | None, group: str) -> T:
    """Put an object behind the recorder of a run; methods that return nothing write, and a replay skips them."""
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
    """Put a source of a repository behind the recorder; the proxy has exactly the methods of these interfaces.

    The source is opened when it is needed: a resumed run that has every answer needs no mirror.
    """
    return _Proxy(target, recorder, group, repo, origin, *interfaces)


class _Proxy:
    """Has the public methods of interfaces, so that `isinstance` finds the same protocols as in the object."""

    def __init__(
        self,
        target: Callable[[], Any],
        recorder: CallRecorder,
        group: str,
        repo: RepoId | None,
        origin: str,
        *of: type,
    ) -> None:
        self.repo = repo
        self._target, self._recorder, self._group, self._origin = target, recorder, group, origin
        for name, function in (found for one in of for found in getmembers(one, isfunction)):
            if not name.startswith("_"):
                setattr(self, name, _Method(self, function))


class _Method:
    """A method of a proxy: its calls are named by the arguments, and recorded by the return annotation."""

    def __init__(self, proxy: _Proxy, function: Callable[..., Any]) -> None:
        hints = get_type_hints(function)
        self.proxy = proxy
        self.target, self.recorder = proxy._target, proxy._recorder
        self._name, self._rule = function.__name__, _RULES.get(function, _Rule())
        self._signature = Signature(list(signature(function).parameters.values())[1:])
        self._answer = hints.pop("return")
        self._origins = {name: get_origin(hint) for name, hint in hints.items()}
        self._streams = get_origin(self._answer) is AsyncIterator
        assert self._rule.each or not self._streams, (
            f"{self._name} streams: name what it is asked for in _RULES"
        )
        direct = self._write if self._answer is NoneType else self._ask
        generic = self._fetch if iscoroutinefunction(function) else direct
        self._run: Callable[[BoundArguments], Any] = self._stream if self._streams else generic

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._bind(*args, **kwargs)
        return self._rule.run(self, *bound.args) if self._rule.run else self._run(bound)

    def calls(self, *args: Any, **kwargs: Any) -> dict[str, Call]:
        """Name the questions of a call: one for each item, or one under an empty name."""
        return self._calls(self._bind(*args, **kwargs))

    @cached_property
    def _codec(self) -> Codec[Any]:
        answer = get_args(self._answer)[0] | None if self._streams else self._answer
        return self._rule.codec or codec_for(self._name, answer)

    @cached_property
    def _form(self) -> str:
        return (
            f"{_READING} {self._codec.form}"
            if self._rule.each and isinstance(self._codec, JsonCodec)
            else ""
        )

    def _bind(self, *args: Any, **kwargs: Any) -> BoundArguments:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, origin in self._origins.items():
            if origin in _CONVERTED:
                bound.arguments[name] = _CONVERTED[origin](bound.arguments[name])
        return bound

    def _calls(self, bound: BoundArguments) -> dict[str, Call]:
        given, each = (
            {name: _plain(value) for name, value in bound.arguments.items()},
            self._rule.each,
        )
        asked = {item: given | {each: item} for item in given[each]} if each else {"": given}
        name, about = (
            f"{self.proxy._group}.{self._name}",
            self.proxy.repo or given.get("repo") or "",
        )
        return {
            item: Call(name, about, one, self.proxy._origin, self._form)
            for item, one in asked.items()
        }

    def _live(self, target: Any, bound: BoundArguments, items: Iterable[str] = ()) -> Any:
        if self._rule.each:
            bound.arguments[self._rule.each] = list(items)
        return getattr(target, self._name)(*bound.args, **bound.kwargs)

    def _write(self, bound: BoundArguments) -> None:
        if not self.recorder.play_only:
            self._live(self.target(), bound)

    def _ask(self, bound: BoundArguments) -> Any:
        return self.recorder.ask(
            self._calls(bound)[""], self._codec, lambda: self._live(self.target(), bound)
        )

    async def _fetch(self, bound: BoundArguments) -> Any:
        """Answer from the record; the target is asked for what is missing, in one call."""

        async def live(items: Sequence[str]) -> Any:
            answer = await self._live(await self.target(), bound, items)
            return answer if self._rule.each else {"": answer}

        answers = await self.recorder.fetch_all(
            self._calls(bound),
            self._codec,
            live,
            lambda item, one: self._rule.lasting(one, item, bound.arguments),
        )
        return answers if self._rule.each else answers[""]

    async def _stream(self, bound: BoundArguments) -> AsyncGenerator[Any, None]:
        """Give the items in the order asked for; each is recorded by itself, so that any choice of them works later."""
        calls = self._calls(bound)
        wanted = self.recorder.missing(calls)
        async with aclosing(self._stream_live(bound, wanted)) as reading:
            for item, call in calls.items():
                answer = (
                    await anext(reading)
                    if item in wanted
                    else self.recorder.play(call, self._codec)
                )
                if answer is not None:
                    yield answer

    async def _stream_live(
        self, bound: BoundArguments, calls: Mapping[str, Call]
    ) -> AsyncGenerator[Any, None]:
        """Record each item as the target streams it, then give it; None for one that the target leaves out."""
        waiting = deque(calls)

        def recorded_next(answer: Any) -> Any:
            item = waiting.popleft()
            mine = answer if answer is not None and self._rule.item_of(answer) == item else None
            call = (
                calls[item]
                if self._rule.lasting(mine, item, bound.arguments)
                else once(calls[item])
            )
            self.recorder.record([(call, self._codec.encode(mine))])
            return mine

        try:
            if calls:
                async with aclosing(self._live(await self.target(), bound, calls)) as answers:
                    async for answer in answers:
                        # A server may answer with a commit that nobody asked for.
                        while self._rule.item_of(answer) in waiting:
                            yield recorded_next(answer)
        except AppError as error:
            self.recorder.record([(calls[item], encode_error(error)) for item in waiting])
            raise
        while waiting:
            yield recorded_next(None)


async def _foresee(method: _Method, studies: Sequence[Study]) -> None:
    """Announce unrecorded studies to the source. Errors are ignored here; the later call raises them."""
    source: Any = method.proxy
    wanted = []
    for one in studies:
        read = tuple(method.recorder.missing(source.blobs.calls(one.change, one.read)))
        untold = method.recorder.missing(source.before.calls(one.change.commit.sha, one.telling))
        if read or untold:
            wanted.append(
                Study(change=one.change, read=read, telling=one.telling if untold else ())
            )
    if wanted:
        with suppress(AppError):
            await (await method.target()).foresee(wanted)


def _has_both(
    versions: tuple[bytes | None, bytes | None], path: str, arguments: Mapping[str, Any]
) -> bool:
    """Tell whether both versions are there that the change of a file has."""
    old, new = versions
    status = {file.path: file.status for file in arguments["change"].files}.get(path)
    return (
        status is not None
        and (old is not None or status == "added")
        and (new is not None or status == "removed")
    )


def _plain(value: Any) -> Any:
    """Make a value plain data, the same for equal values; a commit is named by its hash."""
    if isinstance(value, Change | Commit):
        return value.commit.id if isinstance(value, Change) else value.id
    if isinstance(value, set | frozenset):
        return sorted(_plain(one) for one in value)
    return (
        [_plain(one) for one in value]
        if isinstance(value, list | tuple)
        else to_jsonable_python(value)
    )


# Each byte becomes one character: JSON has no bytes, and this compresses as well as the file itself.
_Bytes = Annotated[
    bytes,
    PlainSerializer(lambda data: data.decode("latin-1")),
    BeforeValidator(lambda text: text.encode("latin-1") if isinstance(text, str) else text),
]
_VERSIONS = JsonCodec("versions", TypeAdapter(tuple[_Bytes | None, _Bytes | None]))
_RULES: Mapping[Callable[..., Any], _Rule] = {
    CodeSource.changes: _Rule(
        each="shas",
        item_of=lambda change: change.commit.sha,
        lasting=lambda change, *_: change is not None and not change.unreadable,
    ),
    CodeSource.blobs: _Rule(each="paths", codec=_VERSIONS, lasting=_has_both),
    CodeSource.foresee: _Rule(run=_foresee),
}
