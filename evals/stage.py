"""A stage on which any analyst can act: the daily graph over a world, with a new memory for each report."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from agent.domain.base import EvidenceId, Language, RepoId, commit_id
from agent.domain.commits import Change, Comment, Commit, Issue, Landing, PullRequest, Threads
from agent.domain.evidence import CommitEvidence, ThreadEvidence
from agent.domain.report import Report
from agent.domain.window import Window
from agent.ports import Desk
from agent.settings.values import Budget, RepoSpec, Tiers
from agent.sources import CodeSource, Past, ThreadSource
from evals.worlds.model import World
from graphs import daily
from graphs.models import Models
from graphs.run_context import RunContext
from memory.reports import Landings, OpenIssues, Reports
from memory.statements import Statements, Stories
from memory.store import database_in_memory
from tools.evidence_cache import EvidenceCache
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.threads import GitHubThreads

T = TypeVar("T")


class Stage:
    """One world, read once: however many analysts report on it, git and the server are asked only the first time."""

    def __init__(self, world: World, client: GitHubClient) -> None:
        self.specs = tuple(RepoSpec(name=RepoId(repo.full_name), path=repo.git_dir) for repo in world.repos)
        self._desks = _Desks(world, client)
        self._library = _Shelf()

    async def report(
        self, models: Models | None, window: Window, languages: tuple[Language, ...] = ("en", "zh")
    ) -> Report:
        """Let models, or code alone, report on a window, as if it were the first ever."""
        publisher, db = _Kept(), database_in_memory()
        deps = RunContext(
            desks=self._desks,
            landings=Landings(db),
            issues=OpenIssues(db),
            stories=Stories(db),
            archive=Reports(db),
            publisher=publisher,
            models=models,
            languages=languages,
            mark="stage",
            library=self._library,
            recall=Statements(db),
            deep=Budget().deep,
            tiers=Tiers(),
        )
        # A branch that fails leaves a failure in the report; anything else is a crash of the case.
        await daily.build().ainvoke({"window": window, "specs": self.specs}, context=deps)
        return publisher.reports[-1]


class _Desks:
    """Opens each repository of a world once."""

    def __init__(self, world: World, client: GitHubClient) -> None:
        self._open = {
            RepoId(repo.full_name): Desk(
                code=_ReadOnce(RepoId(repo.full_name), repo.git_dir),
                threads=_ThreadsOnce(GitHubThreads(client, RepoId(repo.full_name))),
                diffs=None,
            )
            for repo in world.repos
        }

    async def open(self, spec: RepoSpec) -> Desk:
        """Find the sources of a repository."""
        return self._open[spec.name]


class _Once:
    """Remembers what calls gave, by what they were asked."""

    def __init__(self) -> None:
        self._told: dict[Any, Any] = {}

    async def get(self, key: Any, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask unless it was asked before."""
        if key not in self._told:
            self._told[key] = await ask()
        found: T = self._told[key]
        return found


class _ReadOnce(GitSource):
    """A repository that does not change while it is looked at."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._once = _Once()

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List what landed."""
        return await self._once.get(
            ("landed", window, known_tip), lambda: super(_ReadOnce, self).landed(window, known_tip=known_tip)
        )

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Name the latest landed commits before this one that touched these paths."""
        return await self._once.get(("before", sha, tuple(paths)), lambda: super(_ReadOnce, self).before(sha, paths))

    async def headed(self, pattern: str, *, upto: str, since: datetime) -> Past:
        """List the landed commits whose title fits a pattern."""
        return await self._once.get(
            ("headed", pattern, upto, since), lambda: super(_ReadOnce, self).headed(pattern, upto=upto, since=since)
        )

    async def written_by(self, sha: str, *, since: datetime, moved: bool = False) -> Mapping[str, int]:
        """Tell who wrote the lines that a commit takes out."""
        return await self._once.get(
            ("written", sha, since, moved),
            lambda: super(_ReadOnce, self).written_by(sha, since=since, moved=moved),
        )


class _Shelf(EvidenceCache):
    """A library that also keeps the patches, so that every report after the first reads what the first one read."""

    def __init__(self) -> None:
        super().__init__()
        self._read: dict[EvidenceId, Change] = {}

    async def skim(
        self, code: CodeSource, shas: Sequence[str], look: Callable[[Change], None] = lambda _: None
    ) -> AsyncIterator[CommitEvidence]:
        """Read what a patch alone tells, and show every change, whether it is read now or was read before."""
        for sha in shas:
            if known := self._read.get(commit_id(code.repo, sha)):
                look(known)

        def keep(change: Change) -> None:
            self._read[change.commit.id] = change
            look(change)

        async for one in super().skim(code, shas, keep):
            yield one


class _ThreadsOnce:
    """Threads that do not change while they are looked at."""

    def __init__(self, source: ThreadSource) -> None:
        self.repo = source.repo
        self._source = source
        self._once = _Once()

    async def threads(self, window: Window, commits: Sequence[Commit], *, known_open: Collection[int] = ()) -> Threads:
        """Read what the window's threads say."""
        return await self._once.get(window, lambda: self._source.threads(window, commits, known_open=known_open))

    async def issue(self, number: int) -> Issue | PullRequest:
        """Read one issue or pull request by its number."""
        return await self._once.get(("issue", number), lambda: self._source.issue(number))

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments below one issue or pull request."""
        return await self._once.get(("comments", number), lambda: self._source.comments(number))

    async def discussions(self, numbers: Sequence[int]) -> tuple[ThreadEvidence, ...]:
        """Read several issues and pull requests at once."""
        return await self._once.get(("discussions", *numbers), lambda: self._source.discussions(numbers))


@dataclass
class _Kept:
    """Keeps reports instead of writing them."""

    reports: list[Report] = field(default_factory=list)

    def publish(self, report: Report) -> Report:
        """Keep a report."""
        self.reports.append(report)
        return report
