"""How the sources of a repository are chosen by the settings, and how everything they answer is recorded."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from agent.domain.base import Frozen, RepoId, StorageError, UsageError
from agent.domain.report import Report
from agent.ports import CloneSource, CodeSource, Desk, Desks, NoThreads, ThreadSource
from agent.reports.merging import merge
from agent.settings.values import ReportShape, RepoSpec, Settings
from memory.artefacts import JsonCodec
from memory.recorder import Call, CallRecorder
from memory.recording_proxies import recorded_source
from tools.git.mirrors import MirrorKeeper
from tools.git.process import remote_environment
from tools.git.source import GitSource
from tools.github.client import GitHubClient


@dataclass
class SourceDesks:
    """Chooses the sources of each repository by the settings."""

    settings: Settings
    client: GitHubClient
    keeper: MirrorKeeper
    environ: Mapping[str, str]
    specs: tuple[RepoSpec, ...] = ()  # Where repositories lie on this machine
    _open: dict[RepoId, Desk] = field(default_factory=dict)

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources of a repository, once."""
        spec = next((one for one in self.specs if one.name == spec.name), spec)
        if spec.name not in self._open:
            by_api = self.settings.source == "api"
            self._open[spec.name] = Desk(
                code=await self._code(spec),
                threads=self._threads(spec),
                diffs=self.settings.budget.api_diffs if by_api else None,
                is_current=spec.path is None,
            )
        return self._open[spec.name]

    async def _code(self, spec: RepoSpec) -> CodeSource:
        if self.settings.source == "api":
            if spec.path is not None:
                raise UsageError(
                    f"{spec.name}={spec.path} is read from git; leave out the path or --source api"
                )
            # Here and below: a run over clones alone need not wait for what reads the API.
            from tools.github.code import GitHubCode

            return GitHubCode(self.client, spec.name, spec.branch)
        if spec.path is not None:
            return GitSource(
                spec.name, spec.path, branch=spec.branch, network=remote_environment(self.environ)
            )
        path = await self.keeper.refresh(spec.name, branch=spec.branch)
        return GitSource(spec.name, path, branch=spec.branch, network=self.keeper.network)

    def _threads(self, spec: RepoSpec) -> ThreadSource:
        settings = self.settings
        if settings.source == "git":
            return NoThreads(spec.name, "git-only")
        if spec.path is not None and not settings.threads_wanted:
            return NoThreads(spec.name, "local-only")
        from tools.github.threads import GitHubThreads

        return GitHubThreads(self.client, spec.name, open_pages=settings.budget.open_issue_pages)


class _Opened(Frozen):
    """What a source turned out to be."""

    diffs: int | None
    clone: bool  # Whether it is a clone; a replay must find the same


_OPENED = JsonCodec("opened", TypeAdapter(_Opened))
_REPORT: JsonCodec[Report | None] = JsonCodec("report", TypeAdapter(Report | None))


@dataclass(frozen=True)
class RecordedDesks:
    """Opens the sources of each repository behind the recorder."""

    recorder: CallRecorder
    shape: ReportShape
    desks: Desks | None = None  # None in a replay, which asks nobody
    local: Collection[RepoId] = ()  # Those that are read from clones
    unopened: bool = False
    """Whether to open no source before somebody needs it: an edition has hundreds of repositories, and reads in few."""

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources; where it is recorded what they are, they are opened when somebody needs them."""

        async def code() -> CodeSource:
            return (await self._desk(spec)).code

        async def threads() -> ThreadSource:
            return (await self._desk(spec)).threads

        # A path of this machine may not be told.
        repo, told, by_api = spec.name, f"api {self.shape.github_url}", self.shape.source == "api"
        clone = "git, a local clone" if repo in self.local else f"git {self.shape.git_url}"
        read = told if by_api else clone

        async def opened() -> _Opened:
            if self.unopened:
                return _Opened(diffs=None, clone=not by_api)
            desk = await self._desk(spec)
            return _Opened(diffs=desk.diffs, clone=isinstance(desk.code, CloneSource))

        found = await self.recorder.fetch(Call("sources.open", repo, origin=read), _OPENED, opened)
        interface = CloneSource if found.clone else CodeSource
        return Desk(
            code=recorded_source(code, self.recorder, "code", repo, read, interface),
            threads=recorded_source(threads, self.recorder, "threads", repo, told, ThreadSource),
            diffs=found.diffs,
            is_current=repo not in self.local,
        )

    async def _desk(self, spec: RepoSpec) -> Desk:
        if self.desks is None:
            raise StorageError(f"{spec.name} is not read in a replay")
        return await self.desks.open(spec)


@dataclass(frozen=True)
class EarlierReport:
    """What a window's report was before a run published its own: the run's report was merged with that."""

    recorder: CallRecorder

    def note(self, report: Report, earlier: Report | None) -> None:
        """Record it; the files are what counts, so a resumed run records what it finds then."""
        self.recorder.record([(self._call(report), _REPORT.encode(earlier))])

    def publish(self, report: Report) -> Report:
        """Make the report of the window again, without writing it anywhere."""
        earlier = self.recorder.play(self._call(report), _REPORT)
        return report if earlier is None else merge(earlier, report)

    def _call(self, report: Report) -> Call:
        return Call("publisher.earlier", report.window.key)
