"""The commands `run` and `runs`: from arguments to a published report."""

import argparse
import asyncio
import json
import secrets
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, UsageError
from agent.domain.report import Report, cited_by
from agent.domain.window import Window
from agent.editions.recipe import Recipe
from agent.ports.desks import Progress
from agent.reports.stored import to_json
from agent.settings.values import AnalystChoice, RepoSpec, Settings
from gitzette.arguments import settings_for, specs_of, window_of
from gitzette.earlier_runs import to_resume
from gitzette.heartbeat import beating
from gitzette.progress import progress, shown
from gitzette.publish import check_writable
from gitzette.wiring import House, memory_of, open_house
from graphs import daily
from graphs.checkpoints import open_checkpoints
from tools.git.repository import open_repository
from tools.github.http.limits import Usage

if TYPE_CHECKING:
    from graphs.models import Answers

_AT_ONCE: Mapping[AnalystChoice, int] = {"rules": 4, "model": 16}
"""Repositories under way: rules keep the processor busy, whoever asks a model waits most of the time."""


def run(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on a window; 3 when something that was asked for is missing."""
    with ExitStack() as stack:
        now = datetime.now(UTC)
        if args.demo:
            from gitzette.demo import demo_world

            settings, now = stack.enter_context(demo_world(args, environ))
        else:
            settings = settings_for(args, environ)
        window = window_of(args, settings.tz, now)
        specs = specs_of(settings)
        # A mistyped path is told at once, before anything is written.
        for path in (spec.path for spec in specs if spec.path is not None):
            asyncio.run(open_repository(path))
        check_writable(settings.out)
        resumed = None
        if args.resume is not None:
            resumed, window = _unfinished(args, Recipe.of(settings, window, specs), settings, environ)
            sys.stderr.write(f"gitzette: going on with run {resumed}\n")
        if args.demo and args.analyst is None:
            covered = _with_recorded_answers(settings, window, now)
        else:
            covered = report_on(settings, environ, window, specs, now, resumed)
    report = covered.report
    if args.json:
        sys.stdout.write(json.dumps(to_json(report), ensure_ascii=False, indent=1) + "\n")
    else:
        sys.stdout.write(f"{covered.page}\n")
    return EXIT_INCOMPLETE if covered.lacking else EXIT_DONE


def _with_recorded_answers(settings: Settings, window: Window, now: datetime) -> "Covered":
    """Report on the demonstration with the answers that ship with it; where one is missing, the rules do all of it."""
    from gitzette.demo import ANSWERS, RecordedAnswers, StaleRecording

    try:
        return report_on(settings, {}, window, settings.repos, now, answers=RecordedAnswers())
    except StaleRecording:
        sys.stderr.write(f"gitzette: {ANSWERS.name} has no answers for this; the rules write the report\n")
        plain = settings.model_copy(update={"analyst": "rules", "model": None})
        return report_on(plain, {}, window, settings.repos, now)


def _unfinished(
    args: argparse.Namespace, wanted: Recipe, settings: Settings, environ: Mapping[str, str]
) -> tuple[str, Window]:
    """Find the run to go on with, and its window: that of a run which was cut short may not be today's."""
    if args.demo:
        raise UsageError("--demo keeps nothing that could be gone on with; leave out --resume")
    with memory_of(settings, environ) as memory:
        run, recipe = to_resume(memory, args.resume, wanted, any_window=not (args.date or args.since or args.until))
    return run.id, recipe.window


def report_on(
    settings: Settings,
    environ: Mapping[str, str],
    window: Window,
    specs: tuple[RepoSpec, ...],
    now: datetime,
    run: str | None = None,
    answers: "Answers | None" = None,
) -> "Covered":
    """Cover a window, tell a person how it went, and leave a heartbeat however it ends."""
    with beating(settings, window, now) as beat:
        with progress() as display:
            covered = asyncio.run(cover(settings, environ, window, specs, now, display, run, answers))
        beat(covered.report)
    if settings.site:
        from gitzette.site.build import site_of

        site_of(settings, settings.out)
    if settings.deliver:
        from gitzette.delivery.deliver import Deliverer

        deliverer = Deliverer(settings=settings, environ=environ)
        deliverer.deliver(covered.report)
        covered = replace(covered, delivered=tuple(deliverer.sent), undelivered=tuple(deliverer.failed))
    sys.stderr.write(_told(covered))
    return covered


@dataclass(frozen=True)
class Covered:
    """A run that ended: its report, where it stands, and what it spent."""

    report: Report
    page: Path
    usage: Usage
    notices: tuple[str, ...] = ()
    """What a person should know that is not of the report: published files that cannot be read."""
    delivered: tuple[str, ...] = ()
    """Where the report was sent to, and how many messages that took."""
    undelivered: tuple[str, ...] = ()
    """Where the report could not be sent to, and why."""

    @property
    def lacking(self) -> bool:
        """Tell whether something that was asked for is missing."""
        return bool(self.report.failures or self.undelivered)


async def cover(
    settings: Settings,
    environ: Mapping[str, str],
    window: Window,
    specs: tuple[RepoSpec, ...],
    now: datetime,
    display: Progress,
    run: str | None = None,
    answers: "Answers | None" = None,
) -> Covered:
    """Run the graph, and keep what the run was told and what it spent beside the report.

    With the id of a run that did not end, that one goes on: what it was told before it is not asked for again.
    """
    run_id = run or f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    recipe = Recipe.of(settings, window, specs)
    async with open_house(settings, environ, display, now, run_id, specs, answers) as house:
        memory = house.memory
        with memory.run_locks.hold(run_id):
            before = now.date() - timedelta(days=settings.keep_days)
            memory.retention.forget(before)
            memory.run_files.forget(before)
            memory.run_locks.prune(memory.runs.unfinished(before))
            notices = memory.reports.rebuild(settings.out / "reports")
            report = await _run_once(house, run_id, recipe, now)
            memory.run_locks.finish(run_id)
        return Covered(report, house.publisher.paths(report)[0], house.client.usage, tuple(notices))


async def _run_once(house: House, run: str, recipe: Recipe, now: datetime) -> Report:
    """Run once and record how the run ended."""
    memory, started, status = house.memory, time.monotonic(), "failed"
    memory.runs.begin(run, recipe.window.key, now, recipe)
    try:
        report = await _run_graph(house, run, recipe)
        memory.retention.cite(run, recipe.window.key, cited_by(report))
        status = "incomplete" if report.failures else "done"
    finally:
        details = {
            "repos": [repo.name for repo in recipe.repos],
            "seconds": round(time.monotonic() - started, 3),
            "requests": {name: asdict(host) for name, host in house.client.usage.hosts.items()},
        }
        memory.runs.end(run, status, datetime.now(UTC), details)
    return report


async def _run_graph(house: House, run: str, recipe: Recipe) -> Report:
    """Run the graph from the beginning, or from where the run stood when it died."""
    if house.memory.recorder(run).blank:
        # Where a run stood means nothing without what it was told.
        house.memory.run_locks.forget_checkpoints(run)
    async with open_checkpoints(house.memory.run_locks.checkpoints(run)) as checkpoints:
        graph = daily.build(checkpoints)
        config: RunnableConfig = {"max_concurrency": _AT_ONCE[recipe.analyst], "configurable": {"thread_id": run}}
        stood = await graph.aget_state(config)
        state: Mapping[str, Any] = stood.values
        if stood.created_at is None or stood.next:
            begun = daily.DayInput(window=recipe.window, specs=recipe.specs) if stood.created_at is None else None
            modes: Any = {"stream_mode": ["custom", "values"], "subgraphs": True, "durability": "sync"}
            state = await shown(graph.astream(begun, config, context=house.deps, **modes), house.progress)
            house.memory.run_files.write(run, {"window": recipe.window.key, "refused": _refused(state)})
    report: Report = state["report"]
    return report


def _refused(state: Mapping[str, Any]) -> list[dict[str, str | bool]]:
    """List the sentences that were refused, with the check and its reason, and whether their writer said them anew."""
    return [
        {
            "text": " / ".join(one.claim.text.values()),
            "about": " ".join(one.claim.about),
            "repaired": one.repaired,
            "check": no.check,
            "literal": no.literal,
            "reason": no.reason,
        }
        for one in state.get("refused") or []
        for no in one.reasons
    ]


def _told(covered: Covered) -> str:
    """Say what is missing, what was sent, and what the run spent, a line each."""
    report, usage = covered.report, covered.usage
    lines = [*covered.notices, *(f"{one.repo}: {one.stage} missing: {one.message}" for one in report.failures)]
    lines += [*covered.delivered, *covered.undelivered]
    parts = [*((section.repo, section.account) for section in report.sections), ("brief", report.account)]
    if fallbacks := [(name, one.reason) for name, account in parts for one in account.fallbacks]:
        name, reason = fallbacks[0]
        lines.append(f"the model failed at {len(fallbacks)} parts, done by rules; first {name}: {reason}")
    read = f"{len(report.ledger)} commits, {len(report.sections)} of {len(report.repos)} repositories read"
    lines.append(f"{report.window.key}: {read}; {usage.sent} API requests, {usage.free} of them free")
    return "".join(f"gitzette: {line}\n" for line in lines)
