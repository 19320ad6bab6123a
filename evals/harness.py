"""Runs evaluation sets: each is a noun with cases, scored on made-up worlds and, where given, on real mirrors."""

import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from agent.asking.query import Reply
from agent.audit.lookup import Finding
from agent.domain.base import AppError, Language, RepoId, UsageError
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import AnalystChoice, Layout, RepoSpec, Settings
from evals.cases import Crash, attempt
from evals.figures import Figure, crashed
from evals.trials import over_trials
from evals.worlds.model import World
from evals.worlds.worlds import build

SEED = 1
HELD_OUT = 9001
"""Worlds of this seed and those after it are only made with `--held-out`: nothing is tuned on them."""


class System(Protocol):
    """The thing that is measured, as a user would run it."""

    async def report(
        self, settings: Settings, window: Window, environ: Mapping[str, str] | None = None
    ) -> tuple[Report, "Spent"]:
        """Report on a window, with these variables, and say what it cost."""
        ...

    async def ask(
        self, settings: Settings, questions: Sequence[tuple[str, Sequence[RepoId]]], now: datetime, since: datetime
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
class Spent:
    """What one report cost."""

    requests: int
    free: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a set may work with."""

    folder: Path
    """For worlds and other files; kept while the evaluation lasts."""
    mirrors: tuple[RepoSpec, ...]
    """Real repositories, each with a path."""
    span: tuple[str, str] | None
    """First day and the day after the last one to read on the mirrors; None lets each set choose."""
    system: System
    say: Callable[[str], None]
    threads: Path | None = None
    """Threads of the mirrors, as `repo_from_mirror` takes them."""
    gold: Path | None = None
    """The links between these threads and commits that readers found; stories stand in files beside it."""
    model: Mapping[str, str] = field(default_factory=dict)
    """The name and address of a real model, as settings have them, for sets that can ask one."""
    seed: int = SEED
    """What worlds are made from."""
    analyst: AnalystChoice = "rules"
    """Who writes and answers; a set that needs a model for that brings a scripted one."""
    small: bool = False
    """Take few cases where there are many of the same kind: the gate has three minutes."""

    def world(self, name: str, seed: int | None = None) -> World:
        """Build a world, or find it built."""
        chosen = self.seed if seed is None else seed
        return build(name, chosen, self.folder / (name if chosen == self.seed else f"{name}-{chosen}"))


Figures = Mapping[str, Figure]


@dataclass(frozen=True)
class EvalSet:
    """A named set of cases with its metrics."""

    name: str
    about: str
    run: Callable[[Bench], Awaitable[Figures]]
    needs_mirrors: bool = False
    by_name: bool = False
    """It takes long, and is only run when it is named."""


def choose(names: Sequence[str], known: Sequence[EvalSet]) -> list[EvalSet]:
    """Find the sets by name; none named means all that do not have to be named."""
    by_name = {one.name: one for one in known}
    if unknown := [name for name in names if name not in by_name]:
        raise UsageError(f"no evaluation set {unknown[0]!r}; there are {', '.join(sorted(by_name))}")
    return [by_name[name] for name in names] if names else [one for one in known if not one.by_name]


async def run_sets(sets: Sequence[EvalSet], bench: Bench, trials: int = 1) -> dict[str, Figures]:
    """Run one set after the other; one that needs mirrors and has none is skipped loudly, one that crashes says so."""
    return {one.name: await run_set(one, bench, trials) for one in sets}


async def run_set(one: EvalSet, bench: Bench, trials: int = 1) -> Figures:
    """Run one set, several times if asked to."""
    if one.needs_mirrors and not bench.mirrors:
        bench.say(f"{one.name}: skipped, it needs real mirrors: --repo owner/name=PATH")
        return {}
    bench.say(f"{one.name}: {one.about}")
    done: list[Figures] = []
    for trial in range(trials):
        fresh = replace(bench, folder=bench.folder / f"trial-{trial}") if trials > 1 else bench
        fresh.folder.mkdir(parents=True, exist_ok=True)
        figures = await attempt(_awaited(one.run(fresh)))
        if isinstance(figures, Crash):
            # What the user or the world did wrong is told in a line; a bug keeps its traceback.
            if not isinstance(figures.error, AppError):
                traceback.print_exception(figures.error)
            return {"ran to its end": crashed(one.name, str(figures))}
        done.append(figures)
    return done[0] if trials == 1 else over_trials(done)


async def _awaited(figures: Awaitable[Figures]) -> Figures:
    return await figures
