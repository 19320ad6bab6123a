"""Where everything with a side effect is built, from settings and the environment, and nowhere else."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from agent.domain.base import RepoId, UsageError
from agent.domain.commits import NoticeKind
from agent.ports.memories import Desk, Desks, Progress, Publisher
from agent.ports.sources import CodeSource, NoThreads, ThreadSource
from agent.settings.values import Recipe, RepoSpec, Settings
from agent.web import Web
from gitzette.analysts import Writers, writers_of
from gitzette.fleet.editions import model_limit, request_limit
from gitzette.publish import FilePublisher, Style
from gitzette.recorded_run import EarlierReport, RecordedDesks
from graphs.run_context import RunContext
from memory.proxies import recorded
from memory.recorder import CallRecorder
from memory.store import Memory, open_memory
from tools.evidence_cache import EvidenceCache
from tools.git.mirrors import MirrorKeeper
from tools.git.process import remote_environment
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.wire import Manners
from tools.own_code import OwnCode

if TYPE_CHECKING:
    from graphs.models import Answers


@dataclass(frozen=True, kw_only=True)
class House:
    """What a command works with."""

    deps: RunContext
    memory: Memory
    client: GitHubClient
    publisher: FilePublisher
    progress: Progress
    """Where a person sees how far the command is."""


def home_of(settings: Settings, environ: Mapping[str, str]) -> Path:
    """Find the folder that outlives a run: mirrors and memory."""
    if settings.home is not None:
        return settings.home.expanduser()
    data = environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "gitzette"


def memory_of(settings: Settings, environ: Mapping[str, str]) -> AbstractContextManager[Memory]:
    """Open the memory that the settings name."""
    return open_memory(home_of(settings, environ), datetime.now(UTC).date(), settings.database_address)


@asynccontextmanager
async def open_house(
    settings: Settings,
    environ: Mapping[str, str],
    progress: Progress,
    now: datetime,
    run: str | None = None,
    specs: tuple[RepoSpec, ...] = (),
    answers: "Answers | None" = None,
    *,
    background: bool = False,
) -> AsyncIterator[House]:
    """Build everything for a run, and close it afterwards; what a run with a name is told is recorded.

    `specs` say where repositories lie on this machine: the graph knows them only by name. `answers` stand in for the
    server of a model. What runs in the `background` leaves a part of shared limits to people who ask.
    """
    home = home_of(settings, environ)
    token = settings.token.get_secret_value() if settings.token else None
    waits = settings.budget.wait_seconds
    with open_memory(home, now.date(), settings.database_address) as memory:
        manners = Manners(
            max_wait=waits,
            run_seconds=2 * waits + 900,
            first_pause=settings.budget.retry_seconds,
            admit=request_limit(memory.fleet, settings, background=background),
        )
        async with GitHubClient(
            base_url=settings.github_url, token=token, cache=memory.http_cache, manners=manners
        ) as client:
            desks = SourceDesks(settings, client, keeper_of(settings, home, token, environ), environ, specs)
            recorder = memory.recorder(run) if run else None
            style = Style(Web(settings.web), settings.lang, settings.languages, settings.layout)
            note = EarlierReport(recorder).note if recorder else None
            publisher = FilePublisher(settings.out, style, note, max_failed=settings.max_failed)
            admit = model_limit(memory.fleet, settings, environ, background=background)
            writers = writers_of(settings, environ, recorder, memory.model_servers, admit=admit, answers=answers)
            local = {spec.name for spec in specs if spec.path is not None}
            opened = RecordedDesks(recorder, desks, settings, local) if recorder else desks
            deps = run_context(memory, recorder, settings, writers, opened, publisher)
            deps = replace(deps, questions=memory.evidence)
            yield House(deps=deps, memory=memory, client=client, publisher=publisher, progress=progress)


def run_context(
    memory: Memory,
    recorder: CallRecorder | None,
    shape: Settings | Recipe,
    writers: Writers,
    desks: Desks,
    publisher: Publisher,
) -> RunContext:
    """Put together what the nodes may touch, the memory behind the recorder; a replay needs no code of the user."""
    own = OwnCode(shape.uses if isinstance(shape, Settings) else ())
    return RunContext(
        desks=desks,
        landings=recorded(memory.landings, recorder, "landings"),
        issues=recorded(memory.issues, recorder, "issues"),
        stories=recorded(memory.stories, recorder, "stories"),
        recall=recorded(memory.statements, recorder, "recall"),
        archive=recorded(memory.reports, recorder, "archive"),
        own=recorded(own, recorder, "own") if shape.uses else None,
        publisher=publisher,
        models=writers.models,
        languages=writers.languages,
        mark=writers.mark,
        library=EvidenceCache(),
        deep=shape.budget.deep,
        tiers=shape.tiers,
    )


def keeper_of(settings: Settings, home: Path, token: str | None, environ: Mapping[str, str]) -> MirrorKeeper:
    """Build the keeper of our own mirrors."""
    return MirrorKeeper(home, settings.git_url, token, environ=environ)


class SourceDesks:
    """Chooses the sources of each repository by the settings."""

    def __init__(
        self,
        settings: Settings,
        client: GitHubClient,
        keeper: MirrorKeeper,
        environ: Mapping[str, str],
        specs: tuple[RepoSpec, ...] = (),
    ) -> None:
        self._settings, self._client, self._keeper, self._environ = settings, client, keeper, environ
        self._specs = {spec.name: spec for spec in specs}
        self._open: dict[RepoId, Desk] = {}

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources of a repository, once."""
        spec = self._specs.get(spec.name, spec)
        if spec.name not in self._open:
            by_api = self._settings.source == "api"
            self._open[spec.name] = Desk(
                code=await self._code(spec),
                threads=self._threads(spec),
                diffs=self._settings.budget.api_diffs if by_api else None,
            )
        return self._open[spec.name]

    async def _code(self, spec: RepoSpec) -> CodeSource:
        if self._settings.source == "api":
            if spec.path is not None:
                raise UsageError(f"{spec.name}={spec.path} is read from git; leave out the path or --source api")
            # Here and below: a run over clones alone need not wait for what reads the API.
            from tools.github.code import GitHubCode

            return GitHubCode(self._client, spec.name, spec.branch)
        if spec.path is not None:
            return GitSource(spec.name, spec.path, branch=spec.branch, network=remote_environment(self._environ))
        path = await self._keeper.refresh(spec.name, branch=spec.branch)
        return GitSource(spec.name, path, branch=spec.branch, network=self._keeper.network)

    def _threads(self, spec: RepoSpec) -> ThreadSource:
        settings = self._settings
        if settings.source == "git":
            return NoThreads(spec.name, NoticeKind.GIT_ONLY)
        if spec.path is not None and not settings.threads_wanted:
            return NoThreads(spec.name, NoticeKind.LOCAL_ONLY)
        from tools.github.threads import GitHubThreads

        return GitHubThreads(self._client, spec.name, open_pages=settings.budget.open_issue_pages)
