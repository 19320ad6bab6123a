"""The sources and the earlier report of a run, with every answer recorded."""

from collections.abc import Collection

from pydantic import TypeAdapter

from agent.domain.base import Frozen, RepoId, StorageError
from agent.domain.report import Report
from agent.ports.memories import Desk, Desks
from agent.ports.sources import CloneSource, CodeSource, ThreadSource
from agent.reports.stored import merge
from agent.settings.values import RepoSpec, Settings
from memory.artefacts import JsonCodec
from memory.proxies import recorded_source
from memory.recorder import Call, CallRecorder


class _Opened(Frozen):
    """What a source turned out to be."""

    diffs: int | None
    clone: bool
    """Whether it is a clone; a replay must find the same."""


_OPENED = JsonCodec("opened", TypeAdapter(_Opened))
_REPORT: JsonCodec[Report | None] = JsonCodec("report", TypeAdapter(Report | None))


class RecordedDesks:
    """Opens the sources of each repository behind the recorder."""

    def __init__(
        self, recorder: CallRecorder, desks: Desks, settings: Settings | None = None, local: Collection[RepoId] = ()
    ) -> None:
        """Read from these, those of `local` from clones; without settings nothing is read."""
        self._recorder, self._desks, self._settings, self._local = recorder, desks, settings, local

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources; where it is recorded what they are, they are opened when somebody needs them."""

        async def code() -> CodeSource:
            return (await self._desks.open(spec)).code

        async def threads() -> ThreadSource:
            return (await self._desks.open(spec)).threads

        repo, (read, told) = spec.name, self._origins(spec.name)
        found = await self._recorder.fetch(Call("sources.open", repo, origin=read), _OPENED, lambda: self._opened(spec))
        interface = CloneSource if found.clone else CodeSource
        return Desk(
            code=recorded_source(code, self._recorder, "code", repo, read, interface),
            threads=recorded_source(threads, self._recorder, "threads", repo, told, ThreadSource),
            diffs=found.diffs,
        )

    async def _opened(self, spec: RepoSpec) -> _Opened:
        desk = await self._desks.open(spec)
        return _Opened(diffs=desk.diffs, clone=isinstance(desk.code, CloneSource))

    def _origins(self, repo: RepoId) -> tuple[str, str]:
        """Name where code and threads are read from, as it may be told: a path of this machine may not."""
        if self._settings is None:
            return "", ""
        api = f"api {self._settings.github_url}"
        clone = "git, a local clone" if repo in self._local else f"git {self._settings.git_url}"
        return api if self._settings.source == "api" else clone, api


class UnopenedDesks(RecordedDesks):
    """Opens no source before somebody needs it: an edition has hundreds of repositories, and reads in few."""

    async def _opened(self, spec: RepoSpec) -> _Opened:
        del spec
        by_api = self._settings is not None and self._settings.source == "api"
        return _Opened(diffs=None, clone=not by_api)


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
