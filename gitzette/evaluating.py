"""The command `eval`: runs sets and prints their figures."""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent.asking.reply import Reply
from agent.errors import EXIT_DONE, EXIT_INCOMPLETE, UsageError
from agent.ids import RepoId
from agent.report import Report
from agent.settings import RepoSpec, Settings
from agent.window import Window
from evals.figures import Figure
from evals.harness import Bench, EvalSet, Figures, Spent, choose, run_sets
from evals.sets.daily import DAILY
from evals.sets.day_cost import DAY_COST
from evals.sets.facts import FACTS
from evals.sets.facts_cost import FACTS_COST
from evals.sets.griffe import GRIFFE
from evals.sets.kills import KILLS
from evals.sets.links import LINKS
from evals.sets.mutants import MUTANTS
from evals.sets.questions import QUESTIONS
from evals.sets.reading import READING
from evals.sets.requests import REQUESTS
from evals.sets.sources import SOURCES
from evals.sets.stories import STORIES
from evals.sets.storm import STORM
from evals.sets.tamper import TAMPER
from evals.sets.windows import WINDOWS
from gitzette.asking import answered, asking_deps
from gitzette.progress import QuietProgress
from gitzette.running import cover
from graphs import ask as asking

SETS: tuple[EvalSet, ...] = (
    WINDOWS,
    SOURCES,
    REQUESTS,
    STORM,
    FACTS,
    READING,
    FACTS_COST,
    GRIFFE,
    TAMPER,
    MUTANTS,
    DAILY,
    DAY_COST,
    KILLS,
    LINKS,
    STORIES,
    QUESTIONS,
)


class Gitzette:
    """Gitzette itself, run as the command line runs it."""

    async def report(self, settings: Settings, window: Window) -> tuple[Report, Spent]:
        """Report on a window and say what it cost."""
        started = time.monotonic()
        covered = await cover(settings, {}, window, settings.repos, datetime.now(UTC), QuietProgress())
        usage = covered.usage
        return covered.report, Spent(usage.sent, usage.free, time.monotonic() - started)


    async def ask(
        self, settings: Settings, questions: Sequence[tuple[str, Sequence[RepoId]]], now: datetime, since: datetime
    ) -> list[Reply]:
        """Read everything from a moment on, then answer questions, each about some of the repositories."""
        async with asking_deps(settings, {}, settings.repos, now, QuietProgress()) as deps:
            whole = Window(start=since, end=now + timedelta(seconds=1), tz=settings.tz)
            for spec in settings.repos:
                await deps.stock.complete(spec, whole)
            replies = []
            for question, repos in questions:
                specs = tuple(spec for spec in settings.repos if spec.name in repos)
                replies.append(await answered(question, replace(deps, specs=specs, bench=asking.Bench())))
            return replies


def evaluate(args: argparse.Namespace) -> int:
    """Run the sets; 3 when a figure misses its target."""
    mirrors = tuple(RepoSpec.parse(text) for text in args.repo)
    if missing := [spec.name for spec in mirrors if spec.path is None]:
        raise UsageError(f"{missing[0]} has no path; sets read real repositories only from disk: owner/name=PATH")
    if bool(args.since) != bool(args.until):
        raise UsageError("--since and --until go together")
    with tempfile.TemporaryDirectory(prefix="gitzette-eval-") as name:
        bench = Bench(
            folder=Path(name),
            mirrors=mirrors,
            span=(args.since, args.until) if args.since else None,
            system=Gitzette(),
            say=_say,
            threads=Path(args.threads) if args.threads else None,
        )
        results = asyncio.run(run_sets(choose(args.sets, SETS), bench))
    sys.stdout.write(_as_json(results) if args.json else _as_table(results))
    failed = any(figure.ok is False for figures in results.values() for figure in figures.values())
    return EXIT_INCOMPLETE if failed else EXIT_DONE


def _say(text: str) -> None:
    sys.stderr.write(f"gitzette: {text}\n")


def _as_json(results: dict[str, Figures]) -> str:
    sets = {name: {metric: f.as_json() for metric, f in figures.items()} for name, figures in results.items()}
    return json.dumps({"sets": sets}, indent=1, ensure_ascii=False) + "\n"


def _as_table(results: dict[str, Figures]) -> str:
    lines: list[str] = []
    for name, figures in results.items():
        lines.append(name)
        for metric, figure in figures.items():
            lines.append(f"  {_verdict(figure):<5} {_value(figure):>9}  n={figure.n:<6} {metric} ({_target(figure)})")
            lines += [f"          {reason}" for reason in figure.worst[:5]]
    return "\n".join(lines) + "\n"


def _verdict(figure: Figure) -> str:
    return {True: "ok", False: "FAIL", None: "none"}[figure.ok]


def _value(figure: Figure) -> str:
    return "-" if figure.value is None else f"{figure.value:.4g}"


def _target(figure: Figure) -> str:
    interval = "" if figure.low is None else f", {figure.low:.4g} to {figure.high:.4g}"
    return f"{figure.sense} {figure.target:g}{interval}"
