"""A source of code whose every answer is on the run's tape before it is used."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from agent.domain import Change, Commit, FileChange, Landing, Release
from agent.errors import AppError
from agent.ids import RepoId
from agent.sources import CodeSource, FindsTags, Foresees, LooksBack, Past, SearchesTrees, Study, TracesWords
from agent.window import Window
from memory.shapes import Plain, pack_error
from memory.tape import Call, Tape

Blobs = tuple[bytes | None, bytes | None]
_READING = 1
"""Raised whenever the same commit would be read otherwise: then what earlier runs recorded of it is not used."""

_HELD = 8_000_000
"""Characters of patches that are held: what is weighed, shown and studied is read three times within minutes."""

_LANDING = Plain("landing", TypeAdapter(Landing))
_CHANGE: Plain[Change | None] = Plain(
    "change", TypeAdapter(Change | None), lambda change: change.commit.id if change else None
)
_COMMITS = Plain("commits", TypeAdapter(tuple[Commit, ...]))
_COMMIT = Plain("commit", TypeAdapter(Commit), lambda commit: commit.id)
_PAST: Plain[Past | None] = Plain("headlines", TypeAdapter(Past | None))
_WRITERS = Plain("writers", TypeAdapter(dict[str, int]))
_TAG: Plain[Release | None] = Plain("tag", TypeAdapter(Release | None))
_ORIGINS = Plain("origins", TypeAdapter(dict[str, str]))
_WORDS = Plain("words", TypeAdapter(frozenset[str]))
_LINES = Plain("lines", TypeAdapter(tuple[tuple[str, str], ...]))
_NAMES = Plain("names", TypeAdapter(tuple[str, ...]))
_VERSIONS: Plain[tuple[str | None, str | None]] = Plain("versions", TypeAdapter(tuple[str | None, str | None]))


class TapedCode:
    """A `CodeSource` that answers from the tape, and asks the real one for what is not there.

    The real one is opened when it is needed: a run that is taken up again, and has everything, needs no mirror.
    """

    def __init__(self, tape: Tape, repo: RepoId, origin: str, source: Callable[[], Awaitable[CodeSource]]) -> None:
        self.repo = repo
        self._tape = tape
        self._origin = origin
        self._source = source
        self._held: dict[str, Change] = {}
        self._size = 0

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List what landed, as it was listed the first time."""

        async def live() -> Landing:
            return await (await self._source()).landed(window, known_tip=known_tip)

        return await self._tape.fetch(self._call("landed", [window.model_dump(mode="json"), known_tip]), _LANDING, live)

    async def changes(self, shas: Sequence[str]) -> AsyncGenerator[Change, None]:
        """Read these commits in the order given; each is recorded by itself, so that any choice of them works later."""
        held = {sha: change for sha in shas if (change := self._held.get(sha))}
        calls = {sha: self._call("changes", sha, _CHANGE) for sha in shas if sha not in held}
        unread = self._tape.unanswered(calls.values()) if calls else set()
        async with aclosing(self._read({sha: call for sha, call in calls.items() if call in unread})) as reading:
            for sha in dict.fromkeys(shas):
                change = held.get(sha)
                if change is None:
                    change = await anext(reading) if calls[sha] in unread else self._tape.play(calls[sha], _CHANGE)
                    self._hold(change)
                if change is not None:
                    yield change

    async def members(self, sha: str) -> tuple[Commit, ...]:
        """List what a merge brought in."""

        async def live() -> tuple[Commit, ...]:
            return await (await self._source()).members(sha)

        return await self._tape.fetch(self._call("members", sha), _COMMITS, live)

    async def blobs(self, change: Change, paths: Sequence[str]) -> Mapping[str, Blobs]:
        """Read both versions of these files; each is recorded by itself."""
        calls = self._files(change, paths)
        unread = self._tape.unanswered(calls.values())
        wanted = {path: call for path, call in calls.items() if call in unread}
        found = dict(await self._read_blobs(change, wanted)) if wanted else {}
        for path, call in calls.items():
            if path not in wanted:
                old, new = self._tape.play(call, _VERSIONS)
                found[path] = (_bytes(old), _bytes(new))
        return found

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Name the latest landed commits before this one that touched these paths."""

        async def live() -> tuple[str, ...]:
            return await (await self._source()).before(sha, paths)

        return await self._tape.fetch(self._earlier(sha, paths), _NAMES, live)

    async def foresee(self, studies: Sequence[Study]) -> None:
        """Tell the real source what the tape will not answer; in a replay that is nothing."""
        wanted = [unknown for study in studies if (unknown := self._unanswered(study))]
        if not wanted:
            return
        try:
            source = await self._source()
            if isinstance(source, Foresees):
                await source.foresee(wanted)
        except AppError:
            # It fails again where it is asked for, and only there is what went wrong recorded.
            return

    async def resolve(self, prefix: str) -> Commit:
        """Find one commit by its full or abbreviated hash."""

        async def live() -> Commit:
            return await (await self._source()).resolve(prefix)

        return await self._tape.fetch(self._call("resolve", prefix), _COMMIT, live)

    async def headed(self, pattern: str, *, upto: str, since: datetime) -> Past | None:
        """List what landed before under a title that fits; None where the source cannot look back."""

        async def live() -> Past | None:
            source = await self._source()
            return await source.headed(pattern, upto=upto, since=since) if isinstance(source, LooksBack) else None

        return await self._tape.fetch(self._call("headed", [pattern, upto, since.isoformat()]), _PAST, live)

    async def written_by(self, sha: str, *, since: datetime) -> dict[str, int]:
        """Tell who wrote the lines that a commit takes out; nothing where the source cannot look back."""

        async def live() -> dict[str, int]:
            source = await self._source()
            return dict(await source.written_by(sha, since=since)) if isinstance(source, LooksBack) else {}

        return await self._tape.fetch(self._call("written_by", [sha, since.isoformat()]), _WRITERS, live)

    async def tagged(self, names: Sequence[str]) -> Release | None:
        """Find the first of these tags that there is; nothing where the source cannot look tags up."""

        async def live() -> Release | None:
            source = await self._source()
            return await source.tagged(names) if isinstance(source, FindsTags) else None

        return await self._tape.fetch(self._call("tagged", list(names)), _TAG, live)

    async def lines_with(self, sha: str, words: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Find the lines of a commit's files that hold one of these words; none where the source cannot look."""

        async def live() -> tuple[tuple[str, str], ...]:
            source = await self._source()
            return tuple(await source.lines_with(sha, words)) if isinstance(source, SearchesTrees) else ()

        return await self._tape.fetch(self._call("lines_with", [sha, *words]), _LINES, live)

    async def first_with(self, words: Sequence[str], *, folder: str, upto: str, since: datetime) -> dict[str, str]:
        """Name the landed commits that brought new words; nothing where the source cannot tell."""

        async def live() -> dict[str, str]:
            source = await self._source()
            if not isinstance(source, TracesWords):
                return {}
            return dict(await source.first_with(words, folder=folder, upto=upto, since=since))

        call = self._call("first_with", [list(words), folder, upto, since.isoformat()])
        return await self._tape.fetch(call, _ORIGINS, live)

    async def standing(self, sha: str, words: Sequence[str], *, beside: str) -> frozenset[str]:
        """Tell which words stand in lines of product code with another one; all where the source cannot tell."""

        async def live() -> frozenset[str]:
            source = await self._source()
            if not isinstance(source, TracesWords):
                return frozenset(words)
            return await source.standing(sha, words, beside=beside)

        return await self._tape.fetch(self._call("standing", [sha, beside, *words]), _WORDS, live)

    async def referring(self, pattern: str, *, upto: str, since: datetime, until: datetime) -> tuple[Commit, ...]:
        """List what landed and names pull requests that fit; nothing where the source cannot tell."""

        async def live() -> tuple[Commit, ...]:
            source = await self._source()
            if not isinstance(source, TracesWords):
                return ()
            return await source.referring(pattern, upto=upto, since=since, until=until)

        call = self._call("referring", [pattern, upto, since.isoformat(), until.isoformat()])
        return await self._tape.fetch(call, _COMMITS, live)

    def _hold(self, change: Change | None) -> None:
        """Keep a change at hand that is on the tape, instead of those that were read first where it gets too much."""
        if change is None or (size := _length(change)) > _HELD:
            return
        self._held[change.commit.sha] = change
        self._size += size
        while self._size > _HELD:
            self._size -= _length(self._held.pop(next(iter(self._held))))

    def _call(self, method: str, arguments: Any, lasting: Plain[Any] | None = None) -> Call:
        """Name a question; one about a commit by its whole hash has the same answer for ever."""
        form = f"{_READING} {lasting.form}" if lasting else ""
        return Call(f"code.{method}", self.repo, arguments, self._origin, form)

    def _files(self, change: Change, paths: Sequence[str]) -> dict[str, Call]:
        return {path: self._call("blobs", [change.commit.sha, path], _VERSIONS) for path in paths}

    def _earlier(self, sha: str, paths: Sequence[str]) -> Call:
        return self._call("before", [sha, *paths])

    def _unanswered(self, study: Study) -> Study | None:
        """Leave of a study what is not on the tape; None where everything is."""
        files, earlier = self._files(study.change, study.read), self._earlier(study.change.commit.sha, study.telling)
        unread = self._tape.unanswered([*files.values(), earlier])
        left = tuple(path for path, call in files.items() if call in unread)
        telling = study.telling if earlier in unread else ()
        return Study(change=study.change, read=left, telling=telling) if left or telling else None

    async def _read(self, calls: Mapping[str, Call]) -> AsyncGenerator[Change | None, None]:
        """Give each of these commits as the source streams them, recorded; None for one that it leaves out."""
        if not calls:
            return
        waiting = deque(calls)
        try:
            async with _closing((await self._source()).changes(list(calls))) as changes:
                async for change in changes:
                    # A server may answer with a commit that nobody asked for.
                    while change.commit.sha in waiting:
                        yield self._keep(calls, waiting, change)
        except AppError as error:
            self._tape.record([(calls[sha], pack_error(error)) for sha in waiting])
            raise
        while waiting:
            yield self._keep(calls, waiting, None)

    def _keep(self, calls: Mapping[str, Call], waiting: deque[str], change: Change | None) -> Change | None:
        """Record the answer for the commit whose turn it is: this change, or nothing where it is another's."""
        mine = change if change is not None and change.commit.sha == waiting[0] else None
        call = calls[waiting[0]]
        whole = mine is not None and not mine.unreadable
        self._tape.record([(call if whole else _passing(call), _CHANGE.pack(mine))])
        waiting.popleft()
        return mine

    async def _read_blobs(self, change: Change, calls: Mapping[str, Call]) -> Mapping[str, Blobs]:
        try:
            found = await (await self._source()).blobs(change, list(calls))
        except AppError as error:
            self._tape.record([(call, pack_error(error)) for call in calls.values()])
            raise
        texts = {path: (_text(old), _text(new)) for path, (old, new) in found.items()}
        whole = {file.path for file in change.files if _is_whole(file, found.get(file.path, (None, None)))}
        self._tape.record(
            [(call if path in whole else _passing(call), _VERSIONS.pack(texts[path])) for path, call in calls.items()]
        )
        return found


def _length(change: Change) -> int:
    return sum(len(file.patch or "") for file in change.files)


def _passing(call: Call) -> Call:
    """Ask as of something that may be there next time: a shallow or partial clone can grow."""
    return replace(call, lasting="")


def _is_whole(file: FileChange, versions: Blobs) -> bool:
    """Tell whether both versions that a change has are there."""
    old, new = versions
    return (old is not None or file.status == "added") and (new is not None or file.status == "removed")


@asynccontextmanager
async def _closing(changes: AsyncIterator[Change]) -> AsyncIterator[AsyncIterator[Change]]:
    """End the reading at once when nobody wants more, where it can be ended."""
    try:
        yield changes
    finally:
        if isinstance(changes, AsyncGenerator):
            await changes.aclose()


def _text(data: bytes | None) -> str | None:
    """Write each byte as one character: JSON has no bytes, and this shrinks as well as the file itself."""
    return None if data is None else data.decode("latin-1")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("latin-1")
