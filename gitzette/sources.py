"""Opens the sources of a repository by the settings, and records what they answer."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from agent.domain.base import Frozen, RepoId
from agent.domain.errors import StorageError, UsageError
from agent.domain.report import Report
from agent.ports import (
    CloneSource,
    CodeSource,
    NoThreads,
    Repositories,
    RepositorySources,
    ThreadSource,
)
from agent.reports.rerun.merge import merge
from agent.settings.values import ReportShape, RepoSpec, Settings
from gitzette.fleet.edition_plans import Admission, request_limit
from gitzette.home_folder import home_of, memory_of
from memory.recorded_answers import JsonCodec
from memory.recorder import Call, CallRecorder
from memory.recording_proxies import recorded_source
from tools.git.mirrors import MirrorKeeper
from tools.git.process import remote_environment
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.http_requests import RequestPolicy
from tools.worker_processes import WorkerProcesses

_READING_SECONDS = 900  # For the requests of a run to GitHub, beside the waits that it may make


@dataclass
class ConfiguredRepositories:
    """Chooses the sources of each repository by the settings."""

    settings: Settings
    client: GitHubClient
    keeper: MirrorKeeper
    environ: Mapping[str, str]
    specs: tuple[RepoSpec, ...] = ()  # Where repositories lie on this machine
    workers: WorkerProcesses | None = None
    _open: dict[RepoId, RepositorySources] = field(default_factory=dict)

    async def open(self, spec: RepoSpec) -> RepositorySources:
        """Prepare the sources of a repository, once."""
        if spec.name not in self._open:
            local_spec = self._local_spec(spec)
            by_api = self.settings.source == "api"
            self._open[spec.name] = RepositorySources(
                code=await self._code(local_spec),
                threads=self._threads(local_spec),
                diffs=self.settings.budget.api_diffs if by_api else None,
                is_current=local_spec.path is None,
            )
        return self._open[spec.name]

    def _local_spec(self, spec: RepoSpec) -> RepoSpec:
        """Return the spec with the path that the repository has on this machine."""
        for local_spec in self.specs:
            if local_spec.name == spec.name:
                return local_spec
        return spec

    async def _code(self, spec: RepoSpec) -> CodeSource:
        if self.settings.source == "api":
            return self._api_code(spec)
        path = spec.path
        network: Mapping[str, str] = self.keeper.network
        if path is None:
            path = await self.keeper.refresh(spec.name, branch=spec.branch)
        else:
            network = remote_environment(self.environ)
        return GitSource(spec.name, path, branch=spec.branch, network=network, workers=self.workers)

    def _api_code(self, spec: RepoSpec) -> CodeSource:
        if spec.path is not None:
            raise UsageError(
                f"{spec.name}={spec.path} is read from git; leave out the path or --source api"
            )
        # Imported here, as in _threads, because a run over clones alone does not need it.
        from tools.github.code_source import GitHubCode

        return GitHubCode(self.client, spec.name, spec.branch)

    def _threads(self, spec: RepoSpec) -> ThreadSource:
        settings = self.settings
        if settings.source == "git":
            return NoThreads(spec.name, "git-only")
        if spec.path is not None and not settings.threads_wanted:
            return NoThreads(spec.name, "local-only")
        from tools.github.threads import GitHubThreads

        return GitHubThreads(self.client, spec.name, open_pages=settings.budget.open_issue_pages)


class _Opened(Frozen):
    """What is recorded of the sources of a repository when they are opened."""

    diffs: int | None
    clone: bool  # Whether code is read from a clone; a replay must use the same interface


_OPENED = JsonCodec("opened", TypeAdapter(_Opened))
_REPORT: JsonCodec[Report | None] = JsonCodec("report", TypeAdapter(Report | None))


@dataclass(frozen=True)
class RecordedRepositories:
    """Opens the sources of each repository behind the recorder."""

    recorder: CallRecorder
    shape: ReportShape
    repositories: Repositories | None = None  # None in a replay, which asks nobody
    local: Collection[RepoId] = ()  # Repositories that are read from clones
    unopened: bool = False
    """Open no source before it is needed: an edition has hundreds of repositories and reads few."""

    async def open(self, spec: RepoSpec) -> RepositorySources:
        """Return the recorded sources of a repository.

        If the record says what they are, they are opened only when something new is asked of them.
        """

        async def open_code() -> CodeSource:
            sources = await self._unrecorded(spec)
            return sources.code

        async def open_threads() -> ThreadSource:
            sources = await self._unrecorded(spec)
            return sources.threads

        async def inspect() -> _Opened:
            if self.unopened:
                return _Opened(diffs=None, clone=self.shape.source != "api")
            sources = await self._unrecorded(spec)
            return _Opened(diffs=sources.diffs, clone=isinstance(sources.code, CloneSource))

        repo = spec.name
        recorder = self.recorder
        api = f"api {self.shape.github_url}"
        origin = api if self.shape.source == "api" else self._git_origin(repo)
        opened = await recorder.fetch(Call("sources.open", repo, origin=origin), _OPENED, inspect)
        interface = CloneSource if opened.clone else CodeSource
        return RepositorySources(
            code=recorded_source(open_code, recorder, "code", repo, origin, interface),
            threads=recorded_source(open_threads, recorder, "threads", repo, api, ThreadSource),
            diffs=opened.diffs,
            is_current=repo not in self.local,
        )

    def _git_origin(self, repo: RepoId) -> str:
        """Return where code is read from; paths of this machine are not recorded."""
        if repo in self.local:
            return "git, a local clone"
        return f"git {self.shape.git_url}"

    async def _unrecorded(self, spec: RepoSpec) -> RepositorySources:
        if self.repositories is None:
            raise StorageError(f"{spec.name} is not read in a replay")
        return await self.repositories.open(spec)


@dataclass(frozen=True)
class EarlierReport:
    """The published report that a run's own report was merged with, as the run recorded it."""

    recorder: CallRecorder

    def note(self, report: Report, earlier: Report | None) -> None:
        """Record the earlier report; a resumed run replaces it by the one it finds then."""
        self.recorder.record([(self._call(report), _REPORT.encode(earlier))])

    def publish(self, report: Report) -> Report:
        """Return the report merged as it was then, without writing it anywhere."""
        earlier = self.recorder.play(self._call(report), _REPORT)
        if earlier is None:
            return report
        return merge(earlier, report)

    def _call(self, report: Report) -> Call:
        return Call("publisher.earlier", report.window.key)


def request_policy(settings: Settings, admit: Admission | None) -> RequestPolicy:
    """Return how long and how often GitHub may be asked; `admit` shares a limit with others."""
    wait_seconds = settings.budget.wait_seconds
    return RequestPolicy(
        max_wait=wait_seconds,
        run_seconds=2 * wait_seconds + _READING_SECONDS,
        first_pause=settings.budget.retry_seconds,
        admit=admit,
    )


@asynccontextmanager
async def open_sources(
    settings: Settings, environ: Mapping[str, str]
) -> AsyncIterator[Repositories]:
    """Yield what opens repositories, for a command that only reads them."""
    token = settings.token.get_secret_value() if settings.token else None
    with memory_of(settings, environ) as memory:
        admit = request_limit(memory.fleet, settings) if settings.database else None
        client = GitHubClient(
            base_url=settings.github_url,
            token=token,
            cache=memory.http_cache,
            policy=request_policy(settings, admit),
        )
        keeper = MirrorKeeper(home_of(settings, environ), settings.git_url, token, environ=environ)
        async with client:
            yield ConfiguredRepositories(settings, client, keeper, environ)
