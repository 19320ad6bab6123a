"""The harness of evaluation sets, whose cases are scored on made-up worlds and on real mirrors."""

import asyncio
import os
import shutil
import sys
import tempfile
import traceback
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, TypeVar

from pydantic import JsonValue, SecretStr

from agent.audit.findings import Finding
from agent.domain.base import Language, RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.errors import AppError, UsageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Related
from agent.domain.report import Report
from agent.domain.window import Window
from agent.links.relating_trace import RelatingTrace
from agent.questions_and_replies import Reply
from agent.settings.values import AnalystChoice, Layout, RepoSpec, Settings
from evals.figures import Figures, crashed
from evals.github_server.app import GitHubServer
from evals.github_server.http_responses import RequestAllowance
from evals.model_server.server import ModelServer
from evals.worlds.data_model import Repo, World
from evals.worlds.worlds import build

T = TypeVar("T")
SEED = 1
HELD_OUT = 9001  # The first seed of worlds that nothing is tuned on; `--held-out` takes it
TOKEN = "loopback-5d1c0ffee5d1c0ffee"  # noqa: S105 -- the loopback server's only token


class System(Protocol):
    """The system under test, as a user would run it."""

    async def report(
        self, settings: Settings, window: Window, environ: Mapping[str, str] | None = None
    ) -> tuple[Report, "ReportCost"]:
        """Report on a window with these environment variables; return the report and its cost."""
        ...

    async def ask(
        self,
        settings: Settings,
        questions: Sequence[tuple[str, Sequence[RepoId]]],
        now: datetime,
        since: datetime,
    ) -> list[Reply]:
        """Read everything since a moment, then answer questions, each about some repositories."""
        ...

    async def relate(self, settings: Settings, window: Window) -> "RelatedWindow":
        """Have a model relate the commits of a window, and write nothing else."""
        ...

    def page(self, report: Report, lang: Language, layout: Layout, web: str) -> str:
        """Return a report as Markdown, with links below `web`."""
        ...

    def citations(self, report: Report, lang: Language) -> Sequence[tuple[str, str]]:
        """Return the sentence of each citation that opens on a page, and what it opens."""
        ...

    async def audit(self, file: Path, settings: Settings) -> Sequence[Finding]:
        """Check a report in a file."""
        ...


class CardSentence(NamedTuple):
    """A sentence in sight on the card of a commit."""

    commit: EvidenceId
    claim: Claim
    text: str  # With the names and titles of what it cites


@dataclass(frozen=True, kw_only=True)
class RelatedWindow:
    """The relations of a window's commits, and how they were come by."""

    report: Report  # What code writes of them
    related: tuple[Related, ...]  # The relations that a model named and a judge admitted
    refused: tuple[Refused, ...]
    sentences: tuple[CardSentence, ...]
    traces: tuple[RelatingTrace, ...]  # What was looked at, by repository


@dataclass(frozen=True)
class ReportCost:
    """The cost of one report."""

    requests: int
    free: int  # Requests that did not count against the rate limit
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The tools of an evaluation set."""

    folder: Path  # For worlds and other files, until the evaluation ends
    system: System
    say: Callable[[str], None]
    mirrors: tuple[RepoSpec, ...] = ()  # Real repositories, each with a path
    span: tuple[str, str] | None = None
    """The first day to read on the mirrors and the day after the last; None: each set chooses."""
    reports: tuple[Path, ...] = ()  # Reports of ours about the mirrors, as JSON
    model: Mapping[str, str] = field(default_factory=dict)
    """The name and address of a real model, as in the settings, for sets that can use one."""
    seed: int = SEED  # Of the worlds
    analyst: AnalystChoice = "rules"
    """What writes and answers; a set that needs a model for that brings a scripted one."""
    full: bool = False  # Take all cases where there are many of the same kind
    gold: Path | None = None  # The relations of commits of the mirrors, as readers found them
    threads: Path | None = None  # Issues and pull requests of the mirrors
    home: Path | None = None
    """Where answers of a model are kept, so that a set run again asks only what is new."""
    details: dict[str, JsonValue] = field(default_factory=dict)
    """What sets found beside their figures, by set; `--json` prints it."""

    def world(self, name: str, seed: int | None = None) -> World:
        """Return a world, which is built when it is first asked for; cases only read it."""
        seed = self.seed if seed is None else seed
        return _world(name, seed, self.folder / f"{name}-{seed}")

    def count(self, few: int, many: int) -> int:
        """Return how many cases to take."""
        return many if self.full else few

    @contextmanager
    def settings(self, specs: Sequence[RepoSpec], **values: Any) -> Iterator[Settings]:
        """Yield settings with an empty home, unless the values have one."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = Path(name)
            folders = {"out": folder / "out", "home": folder / "home"}
            yield Settings(repos=tuple(specs), **folders | values)

    async def report(
        self, specs: Sequence[RepoSpec], first: date, last: date | None = None, **values: Any
    ) -> Report:
        """Report on some days in an empty home, as the command line would."""
        window = Window.days(first, last or first, "UTC")
        with self.settings(specs, **values) as settings:
            report, _ = await self.system.report(settings, window)
        return report


@cache
def _world(name: str, seed: int, folder: Path) -> World:
    """Build a world once, since building it again would replace what other cases are reading."""
    return build(name, seed, folder)


def specs_of(world: World, *, cloned: bool = True) -> tuple[RepoSpec, ...]:
    """Return the repositories of a world as settings name them; without paths they are fetched."""
    specs = []
    for repo in world.repos:
        path = repo.git_dir if cloned else None
        specs.append(RepoSpec(name=RepoId(repo.full_name), path=path))
    return tuple(specs)


def serving(repos: Sequence[Repo], now: datetime | None = None) -> GitHubServer:
    """Serve repositories in place of GitHub, with a rate limit that no set reaches."""
    return GitHubServer(
        repos, tokens=(TOKEN,), now=now, allowance=RequestAllowance(token=1_000_000)
    )


def through(server: GitHubServer) -> dict[str, Any]:
    """Return the settings by which a run uses a server."""
    return {"github_url": server.url, "git_url": server.git_url, "token": SecretStr(TOKEN)}


Run = Callable[[Bench], Awaitable[Figures]]


@dataclass(frozen=True)
class EvalSet:
    """A named set of cases with its metrics."""

    name: str
    about: str
    run: Run
    needs_mirrors: bool = False
    by_name: bool = False  # It takes long, and runs only when it is named


def evalset(
    name: str, about: str, *, needs_mirrors: bool = False, by_name: bool = False
) -> Callable[[Run], EvalSet]:
    """Turn the function that runs a set into the set."""
    return lambda run: EvalSet(name, about, run, needs_mirrors, by_name)


def choose(names: Sequence[str], sets: Sequence[EvalSet]) -> list[EvalSet]:
    """Return the sets with these names; without names, all that need not be named."""
    if not names:
        return [each for each in sets if not each.by_name]
    by_name = {each.name: each for each in sets}
    for name in names:
        if name not in by_name:
            existing = ", ".join(sorted(by_name))
            raise UsageError(f"no evaluation set {name!r}; there are {existing}")
    return [by_name[name] for name in names]


async def run_set(chosen: EvalSet, bench: Bench) -> Figures:
    """Run a set; a crash becomes a figure, and a set without the mirrors it needs is skipped."""
    if chosen.needs_mirrors and not bench.mirrors:
        bench.say(f"{chosen.name}: skipped, it needs real mirrors: --repo owner/name=PATH")
        return {}
    bench.say(f"{chosen.name}: {chosen.about}")
    figures = await attempt(_awaited(chosen.run(bench)))
    if not isinstance(figures, Crash):
        return figures
    # An error of the user or of the environment needs one line; a bug needs its traceback.
    if not isinstance(figures.error, AppError):
        traceback.print_exception(figures.error)
    return crashed(chosen.name, str(figures))


async def _awaited(figures: Awaitable[Figures]) -> Figures:
    return await figures


async def start_gitzette(
    folder: Path,
    server: GitHubServer,
    model: ModelServer,
    *arguments: str,
    stderr: int | IO[bytes] = PIPE,
    **variables: str,
) -> Process:
    """Start a command in a folder as a user would, with a clean environment and `variables`."""
    git_folder = Path(shutil.which("git") or "git").parent
    environment = {
        "PATH": os.pathsep.join([str(git_folder), os.defpath]),
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "TMPDIR": str(folder.parent),
        "HOME": str(folder.parent),
        "GITHUB_TOKEN": TOKEN,
        "GITZETTE_HOME": str(folder / "home"),
        "GITZETTE_OUT": str(folder / "out"),
        "GITZETTE_GITHUB_URL": server.url,
        "GITZETTE_GIT_URL": server.git_url,
        "GITZETTE_WEB_URL": "https://git.example",
        "GITZETTE_MODEL": model.model,
        "GITZETTE_MODEL_URL": model.url,
    }
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gitzette",
        *arguments,
        cwd=folder,
        env=environment | variables,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=stderr,
    )


@dataclass(frozen=True)
class Crash:
    """The error of a case; the others go on."""

    error: BaseException

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {self.error}".partition("\n")[0]


async def attempt(work: Coroutine[Any, Any, T]) -> T | Crash:
    """Run a coroutine as a task; return its result, or its exception as a `Crash`."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task})
    finally:
        # Cancelling the evaluation must cancel the case too.
        task.cancel()
    error = task.exception()
    return task.result() if error is None else Crash(error)
