"""Runs evaluation sets: each is a noun with cases, scored on made-up worlds and, where given, on real mirrors."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from agent.asking.reply import Reply
from agent.errors import UsageError
from agent.ids import RepoId
from agent.report import Report
from agent.settings import RepoSpec, Settings
from agent.window import Window
from evals.figures import Figure
from evals.worlds.model import World
from evals.worlds.worlds import build

SEED = 1


class System(Protocol):
    """The thing that is measured, as a user would run it."""

    async def report(self, settings: Settings, window: Window) -> tuple[Report, "Spent"]:
        """Report on a window and say what it cost."""
        ...

    async def ask(
        self, settings: Settings, questions: Sequence[tuple[str, Sequence[RepoId]]], now: datetime, since: datetime
    ) -> list[Reply]:
        """Read everything from a moment on, then answer questions, each about some of the repositories."""
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
    seed: int = SEED
    """What worlds are made from."""
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


def choose(names: Sequence[str], known: Sequence[EvalSet]) -> list[EvalSet]:
    """Find the sets by name; none named means all."""
    by_name = {one.name: one for one in known}
    if unknown := [name for name in names if name not in by_name]:
        raise UsageError(f"no evaluation set {unknown[0]!r}; there are {', '.join(sorted(by_name))}")
    return [by_name[name] for name in names] if names else list(known)


async def run_sets(sets: Sequence[EvalSet], bench: Bench) -> dict[str, Figures]:
    """Run one set after the other; a set that needs mirrors and has none is skipped loudly."""
    results: dict[str, Figures] = {}
    for one in sets:
        if one.needs_mirrors and not bench.mirrors:
            bench.say(f"{one.name}: skipped, it needs real mirrors: --repo owner/name=PATH")
            results[one.name] = {}
            continue
        bench.say(f"{one.name}: {one.about}")
        results[one.name] = await one.run(bench)
    return results
