"""Proxies that record what an object answers before it is used, and replay it, by the annotations of its methods."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property
from inspect import BoundArguments, Signature, getmembers, iscoroutinefunction, isfunction, signature
from types import NoneType
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic_core import to_jsonable_python

from agent.domain import Change, Commit
from agent.errors import AppError
from agent.ids import RepoId
from memory.call_recorder import Call, CallRecorder
from memory.recording_rules import RULES, Rule
from memory.shapes import Plain, Shape, pack_error, shape_of

T = TypeVar("T")
_READING = "1"
"""Raised when the same commit would be read otherwise: then the records that earlier runs have of it are not used."""
_HELD = 8_000_000
"""Characters of patches that a source holds in memory: a commit is triaged, shown and studied within minutes."""
_CONVERTED: Mapping[Any, Callable[[Any], Any]] = {Iterable: list, Collection: frozenset}
"""Arguments that may be readable only once, and those that have no order."""


class _Recording(NamedTuple):
    """How the calls of a proxy are made and named."""

    target: Callable[[], Any]
    recorder: CallRecorder
    group: str
    repo: RepoId | None = None
    origin: str = "memory"


def recorded(target: T, recorder: CallRecorder | None, group: str) -> T:
    """Put an object behind the recorder of a run; methods that return nothing write, and a replay skips them."""
    if recorder is None:
        return target
    return cast("T", _Proxy(_Recording(lambda: target, recorder, group), type(target)))


def recorded_source(
    target: Callable[[], Any], recorder: CallRecorder, group: str, repo: RepoId, origin: str, *interfaces: type
) -> Any:
    """Put a source of a repository behind the recorder; the proxy has exactly the methods of these interfaces.

    The source is opened when it is needed: a resumed run that has every answer needs no mirror.
    """
    return _Proxy(_Recording(target, recorder, group, repo, origin), *interfaces)


def plain(value: Any) -> Any:
    """Make a value plain data, the same for equal values; a commit is named by its hash."""
    if isinstance(value, Change | Commit):
        return value.commit.id if isinstance(value, Change) else value.id
    if isinstance(value, set | frozenset):
        return sorted(plain(one) for one in value)
    return [plain(one) for one in value] if isinstance(value, list | tuple) else to_jsonable_python(value)


class _Proxy:
    """Has the public methods of interfaces, so that `isinstance` finds the same protocols as in the object."""

    def __init__(self, recording: _Recording, *interfaces: type) -> None:
        self.repo = recording.repo
        for name, function in (found for one in interfaces for found in getmembers(one, isfunction)):
            if not name.startswith("_"):
                setattr(self, name, RecordedMethod(self, recording, function))


class RecordedMethod:
    """A method of a proxy: its calls are named by the arguments, and recorded by the return annotation."""

    def __init__(self, proxy: _Proxy, recording: _Recording, function: Callable[..., Any]) -> None:
        hints = get_type_hints(function)
        self.proxy = proxy
        self.target, self.recorder, self._group, self._repo, self._origin = recording
        self._name, self._rule = function.__name__, RULES.get(function, Rule())
        self._signature = Signature(list(signature(function).parameters.values())[1:])
        self._answer = hints.pop("return")
        self._origins = {name: get_origin(hint) for name, hint in hints.items()}
        self._held: dict[str, Any] = {}
        self._size = 0
        self._streams = get_origin(self._answer) is AsyncIterator
        assert self._rule.each or not self._streams, f"{self._name} streams: name what it is asked for in RULES"
        direct = self._write if self._answer is NoneType else self._ask
        generic = self._fetch if iscoroutinefunction(function) else direct
        self._run: Callable[[BoundArguments], Any] = self._stream if self._streams else generic

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Answer as the object does."""
        bound = self._bind(*args, **kwargs)
        return self._rule.run(self, *bound.args) if self._rule.run else self._run(bound)

    def calls(self, *args: Any, **kwargs: Any) -> dict[str, Call]:
        """Name the questions of a call: one for each item, or one under an empty name."""
        return self._calls(self._bind(*args, **kwargs))

    @cached_property
    def _shape(self) -> Shape[Any]:
        answer = get_args(self._answer)[0] | None if self._streams else self._answer
        return self._rule.shape or shape_of(self._name, answer)

    @cached_property
    def _form(self) -> str:
        return f"{_READING} {self._shape.form}" if self._rule.lasting and isinstance(self._shape, Plain) else ""

    def _bind(self, *args: Any, **kwargs: Any) -> BoundArguments:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, origin in self._origins.items():
            if origin in _CONVERTED:
                bound.arguments[name] = _CONVERTED[origin](bound.arguments[name])
        return bound

    def _calls(self, bound: BoundArguments) -> dict[str, Call]:
        given, each = {name: plain(value) for name, value in bound.arguments.items()}, self._rule.each
        asked = {item: given | {each: item} for item in given[each]} if each else {"": given}
        name, about = f"{self._group}.{self._name}", self._repo or given.get("repo") or ""
        return {item: Call(name, about, one, self._origin, self._form) for item, one in asked.items()}

    def _live(self, target: Any, bound: BoundArguments, items: Iterable[str] = ()) -> Any:
        if self._rule.each:
            bound.arguments[self._rule.each] = list(items)
        return getattr(target, self._name)(*bound.args, **bound.kwargs)

    def _write(self, bound: BoundArguments) -> None:
        if not self.recorder.play_only:
            self._live(self.target(), bound)

    def _ask(self, bound: BoundArguments) -> Any:
        return self.recorder.ask(self._calls(bound)[""], self._shape, lambda: self._live(self.target(), bound))

    async def _fetch(self, bound: BoundArguments) -> Any:
        """Answer from the record; the target is asked for what is missing, in one call."""
        calls = self._calls(bound)
        wanted, found = self._missing(calls), dict[str, Any]()
        if wanted:
            try:
                answer = await self._live(await self.target(), bound, wanted)
            except AppError as error:
                self.recorder.record([(call, pack_error(error)) for call in wanted.values()])
                raise
            found = answer if self._rule.each else {"": answer}
            self._record(bound, {item: (call, found[item]) for item, call in wanted.items()})
        answers = {
            item: found[item] if item in wanted else self.recorder.play(call, self._shape)
            for item, call in calls.items()
        }
        return answers if self._rule.each else answers[""]

    async def _stream(self, bound: BoundArguments) -> AsyncGenerator[Any, None]:
        """Give the items in the order asked for; each is recorded by itself, so that any choice of them works later."""
        calls = self._calls(bound)
        held = {item: self._held[item] for item in calls if item in self._held}
        wanted = self._missing({item: call for item, call in calls.items() if item not in held})
        async with aclosing(self._stream_live(bound, wanted)) as reading:
            for item, call in calls.items():
                answer = held.get(item)
                if answer is None:
                    answer = await anext(reading) if item in wanted else self.recorder.play(call, self._shape)
                    self._hold(item, answer)
                if answer is not None:
                    yield answer

    async def _stream_live(self, bound: BoundArguments, calls: Mapping[str, Call]) -> AsyncGenerator[Any, None]:
        """Record each item as the target streams it, then give it; None for one that the target leaves out."""
        waiting = deque(calls)

        def recorded_next(answer: Any) -> Any:
            mine = answer if answer is not None and self._rule.item_of(answer) == waiting[0] else None
            self._record(bound, {waiting[0]: (calls[waiting[0]], mine)})
            waiting.popleft()
            return mine

        try:
            if calls:
                async with aclosing(self._live(await self.target(), bound, calls)) as answers:
                    async for answer in answers:
                        # A server may answer with a commit that nobody asked for.
                        while self._rule.item_of(answer) in waiting:
                            yield recorded_next(answer)
        except AppError as error:
            self.recorder.record([(calls[item], pack_error(error)) for item in waiting])
            raise
        while waiting:
            yield recorded_next(None)

    def _missing(self, calls: Mapping[str, Call]) -> dict[str, Call]:
        unread = self.recorder.unanswered(calls.values()) if calls else set()
        return {item: call for item, call in calls.items() if call in unread}

    def _record(self, bound: BoundArguments, answers: Mapping[str, tuple[Call, Any]]) -> None:
        """Record answers; one that is not whole serves this run only, because a shallow or partial clone can grow."""
        whole = self._rule.lasting or (lambda *_: False)
        lasting = {item for item, (_, answer) in answers.items() if whole(answer, item, bound.arguments)}
        self.recorder.record(
            [
                (call if item in lasting else replace(call, lasting=""), self._shape.pack(answer))
                for item, (call, answer) in answers.items()
            ]
        )

    def _hold(self, item: str, answer: Any) -> None:
        """Keep a streamed answer in memory; the oldest ones make room for it."""
        size = self._rule.size
        if answer is not None and item not in self._held and size(answer) <= _HELD:
            self._held[item] = answer
            self._size += size(answer)
        while self._size > _HELD:
            self._size -= size(self._held.pop(next(iter(self._held))))
