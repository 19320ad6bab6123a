"""Runs evaluation sets: each is a noun with cases, scored on made-up worlds and, where given, on real mirrors."""

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
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from pydantic import SecretStr

from agent.audit.findings import Finding
from agent.domain.base import AppError, Language, RepoId, UsageError
from agent.domain.report import Report
from agent.domain.window import Window
from agent.questions import Reply
from agent.settings.values import AnalystChoice, Layout, RepoSpec, Settings
from evals.figures import Figures, crashed
from evals.github_server.app import GitHubServer
from evals.github_server.responses import Allowance
from evals.model_server.server import ModelServer
from evals.worlds.model import Repo, World
from evals.worlds.worlds import build

T = TypeVar("T")
SEED = 1
HELD_OUT = 9001  # Worlds of this seed and those after it are only made with `--held-out`: nothing is tuned on them
TOKEN = "loopback-5d1c0ffee5d1c0ffee"  # noqa: S105 -- the loopback server's only token


class System(Protocol):
    """The thing that is measured, as a user would run it."""

    async def report(
        self, settings: Settings, window: Window, environ: Mapping[str, str] | None = None
    ) -> tuple[Report, "ReportCost"]:
        """Report on a window, with these variables, and say what it cost."""
        ...

    async def ask(
        self,
        settings: Settings,
        questions: Sequence[tuple[str, Sequence[RepoId]]],
        now: datetime,
        since: datetime,
    ) -> list[Reply]:
        """Read everything from a moment on, then answer questions, each about some of the repositories."""
        ...

    def page(self, report: Report, lang: Language, layout: Layout, web: str) -> str:
        """Write a report as Markdown, with links below `web`."""
        ...

    def citations(self, report: Report, lang: Language) -> Sequence[tuple[str, str]]:
        """List the citations of a page that open: the sentence of each, and what it opens on."""
        ...

    async def audit(self, file: Path, settings: Settings) -> Sequence[Finding]:
        """Check a report that lies in a file."""
        ...


@dataclass(frozen=True)
class ReportCost:
    """What one report cost."""

    requests: int
    free: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a set may work with."""

    folder: Path  # For worlds and other files; kept while the evaluation lasts
    system: System
    say: Callable[[str], None]
    mirrors: tuple[RepoSpec, ...] = ()  # Real repositories, each with a path
    span: tuple[str, str] | None = None
    """First day and the day after the last one to read on the mirrors; None lets each set choose."""
    reports: tuple[Path, ...] = ()  # Reports of ours about the mirrors, as JSON
    model: Mapping[str, str] = field(default_factory=dict)
    """The name and address of a real model, as settings have them, for sets that can ask one."""
    seed: int = SEED  # What worlds are made from
    analyst: AnalystChoice = (
        "rules"  # Who writes and answers; a set that needs a model for that brings a scripted one
    )
    full: bool = False  # Take all cases where there are many of the same kind

    def world(self, name: str, seed: int | None = None) -> World:
        """Build a world, or find it built."""
        chosen = self.seed if seed is None else seed
        return build(name, chosen, self.folder / f"{name}-{chosen}")

    def count(self, few: int, many: int) -> int:
        """Choose how many cases are taken."""
        return many if self.full else few

    @contextmanager
    def settings(self, specs: Sequence[RepoSpec], **more: Any) -> Iterator[Settings]:
        """Give settings with a home in which nothing is remembered."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            home = Path(name)
            yield Settings(repos=tuple(specs), out=home / "out", home=home / "home", **more)

    async def report(
        self, specs: Sequence[RepoSpec], first: date, last: date | None = None, **more: Any
    ) -> Report:
        """Report on some days in a fresh home, as the command line would."""
        with self.settings(specs, **more) as settings:
            return (await self.system.report(settings, Window.days(first, last or first, "UTC")))[0]


def specs_of(world: World, *, cloned: bool = True) -> tuple[RepoSpec, ...]:
    """Name the repositories of a world, each with its path unless they shall be fetched."""
    return tuple(
        RepoSpec(name=RepoId(repo.full_name), path=repo.git_dir if cloned else None)
        for repo in world.repos
    )


def serving(repos: Sequence[Repo], now: datetime | None = None) -> GitHubServer:
    """Serve repositories in the place of GitHub, without a limit that a set could reach."""
    return GitHubServer(repos, tokens=(TOKEN,), now=now, allowance=Allowance(token=1_000_000))


def through(server: GitHubServer) -> dict[str, Any]:
    """Give the settings by which a run finds a server."""
    return {"github_url": server.url, "git_url": server.git_url, "token": SecretStr(TOKEN)}


Run = Callable[[Bench], Awaitable[Figures]]


@dataclass(frozen=True)
class EvalSet:
    """A named set of cases with its metrics."""

    name: str
    about: str
    run: Run
    needs_mirrors: bool = False
    by_name: bool = False  # It takes long, and is only run when it is named


def evalset(
    name: str, about: str, *, needs_mirrors: bool = False, by_name: bool = False
) -> Callable[[Run], EvalSet]:
    """Make a set of the function that runs it."""
    return lambda run: EvalSet(name, about, run, needs_mirrors, by_name)


def choose(names: Sequence[str], known: Sequence[EvalSet]) -> list[EvalSet]:
    """Find the sets by name; none named means all that do not have to be named."""
    by_name = {one.name: one for one in known}
    if unknown := [name for name in names if name not in by_name]:
        raise UsageError(
            f"no evaluation set {unknown[0]!r}; there are {', '.join(sorted(by_name))}"
        )
    return [by_name[name] for name in names] if names else [one for one in known if not one.by_name]


async def run_set(one: EvalSet, bench: Bench) -> Figures:
    """Run one set; one that needs mirrors and has none is skipped loudly, one that crashes says so."""
    if one.needs_mirrors and not bench.mirrors:
        bench.say(f"{one.name}: skipped, it needs real mirrors: --repo owner/name=PATH")
        return {}
    bench.say(f"{one.name}: {one.about}")
    figures = await attempt(_awaited(one.run(bench)))
    if not isinstance(figures, Crash):
        return figures
    # What the user or the world did wrong is told in a line; a bug keeps its traceback.
    if not isinstance(figures.error, AppError):
        traceback.print_exception(figures.error)
    return crashed(one.name, str(figures))


async def _awaited(figures: Awaitable[Figures]) -> Figures:
    return await figures


async def start_gitzette(
    folder: Path,
    server: GitHubServer,
    model: ModelServer,
    *arguments: str,
    stderr: int | IO[bytes] = PIPE,
    **more: str,
) -> Process:
    """Start a command in a folder as a user would, with nothing of the environment but `more` variables."""
    environment = {
        "PATH": os.pathsep.join([str(Path(shutil.which("git") or "git").parent), os.defpath]),
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
    command = [sys.executable, "-m", "gitzette", *arguments]
    return await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=environment | more, stdin=DEVNULL, stdout=DEVNULL, stderr=stderr
    )


@dataclass(frozen=True)
class Crash:
    """What a case ended with instead of a result: it is never the end of the others."""

    error: BaseException

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {self.error}".partition("\n")[0]


async def attempt(work: Coroutine[Any, Any, T]) -> T | Crash:
    """Do the work in a task of its own; what it raises is returned."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task})
    finally:
        # Whoever stops the evaluation stops the case too.
        task.cancel()
    error = task.exception()
    return task.result() if error is None else Crash(error)
