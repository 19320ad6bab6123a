"""The sources and the earlier report of a run, with every answer recorded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from agent.desks import Desk, Desks
from agent.domain import Frozen
from agent.errors import StorageError
from agent.record import merge
from agent.report import Report
from agent.settings import RepoSpec, Settings
from agent.sources import (
    CodeSource,
    ComparesVersions,
    FindsTags,
    Foresees,
    KnowsTags,
    ListsTags,
    LooksBack,
    NamesCommits,
    ReadsTrees,
    SearchesTrees,
    ThreadSource,
)
from memory.artefacts import JsonCodec
from memory.proxies import recorded_source
from memory.recorder import Call, CallRecorder


class _Opened(Frozen):
    """What a source turned out to be."""

    diffs: int | None
    abilities: tuple[str, ...]


_ABILITIES: Mapping[str, type] = {
    one.__name__: one
    for one in (
        *(ComparesVersions, FindsTags, Foresees, KnowsTags, ListsTags),
        *(LooksBack, NamesCommits, ReadsTrees, SearchesTrees),
    )
}
"""The interfaces that a source of code may have or not; a replay must find the same."""
_OPENED = JsonCodec("opened", TypeAdapter(_Opened))
_REPORT: JsonCodec[Report | None] = JsonCodec("report", TypeAdapter(Report | None))


@dataclass(frozen=True)
class Origins:
    """Where a repository is read from, as it may be told: a path of this machine may not."""

    code: str
    threads: str

    @classmethod
    def of(cls, settings: Settings, spec: RepoSpec) -> "Origins":
        """Name the kind of source and its public address."""
        api = f"api {settings.github_url}"
        if settings.source == "api":
            return cls(api, api)
        return cls("git, a local clone" if spec.path is not None else f"git {settings.git_url}", api)


class RecordedDesks:
    """Opens the sources of each repository behind the recorder."""

    def __init__(self, recorder: CallRecorder, desks: Desks, origins: Callable[[RepoSpec], Origins]) -> None:
        self._recorder = recorder
        self._desks = desks
        self._origins = origins

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources; where it is recorded what they are, they are opened when somebody needs them."""

        async def opened() -> _Opened:
            desk = await self._desks.open(spec)
            abilities = tuple(name for name, one in _ABILITIES.items() if isinstance(desk.code, one))
            return _Opened(diffs=desk.diffs, abilities=abilities)

        async def code() -> CodeSource:
            return (await self._desks.open(spec)).code

        async def threads() -> ThreadSource:
            return (await self._desks.open(spec)).threads

        repo, origins = spec.name, self._origins(spec)
        found = await self._recorder.fetch(Call("sources.open", repo, origin=origins.code), _OPENED, opened)
        interfaces = [_ABILITIES[name] for name in found.abilities if name in _ABILITIES]
        return Desk(
            code=recorded_source(code, self._recorder, "code", repo, origins.code, CodeSource, *interfaces),
            threads=recorded_source(threads, self._recorder, "threads", repo, origins.threads, ThreadSource),
            diffs=found.diffs,
        )


class NoDesks:
    """Stands in where nobody may be asked."""

    async def open(self, spec: RepoSpec) -> Desk:
        """Refuse."""
        raise StorageError(f"{spec.name} is not read in a replay")


class EarlierReport:
    """What a window's report was before a run published its own: the run's report was merged with that."""

    def __init__(self, recorder: CallRecorder) -> None:
        self._recorder = recorder

    def note(self, report: Report, earlier: Report | None) -> None:
        """Record it; the files are what counts, so a resumed run records what it finds then."""
        self._recorder.record([(self._call(report), _REPORT.encode(earlier))])

    def publish(self, report: Report) -> Report:
        """Make the report of the window again, without writing it anywhere."""
        earlier = self._recorder.play(self._call(report), _REPORT)
        return report if earlier is None else merge(earlier, report)

    def _call(self, report: Report) -> Call:
        return Call("publisher.earlier", report.window.key)
