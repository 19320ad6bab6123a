"""The commands `run` and `runs`: from arguments to a published report."""

import argparse
import asyncio
import json
import secrets
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.citations import cited_by
from agent.errors import EXIT_DONE, EXIT_INCOMPLETE
from agent.recipe import Recipe
from agent.record import to_json
from agent.report import Report
from agent.settings import RepoSpec, Settings
from agent.window import Window
from gitzette.configured import settings_for, settings_here
from gitzette.here import checkout_here
from gitzette.progress import progress
from gitzette.when import window_of
from gitzette.wiring import home_of, open_house
from graphs import daily
from graphs.desk import Progress
from memory.store import open_memory
from tools.git.repository import open_repository
from tools.github.usage import Usage


def run(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on a window; 3 when something that was asked for is missing."""
    with ExitStack() as stack:
        now = datetime.now(UTC)
        if args.demo:
            from gitzette.demo import demo_world

            settings, now = stack.enter_context(demo_world(args))
        else:
            settings = settings_for(args, environ)
        window = window_of(args, settings.tz, now)
        specs = settings.repos or (checkout_here(Path.cwd()),)
        asyncio.run(_look_at_paths(specs))
        with progress() as display:
            covered = asyncio.run(cover(settings, environ, window, specs, now, display))
    report = covered.report
    sys.stderr.write(_told(covered))
    if args.json:
        sys.stdout.write(json.dumps(to_json(report), ensure_ascii=False, indent=1) + "\n")
    else:
        sys.stdout.write(f"{covered.page}\n")
    return EXIT_INCOMPLETE if report.failures else EXIT_DONE


async def _look_at_paths(specs: tuple[RepoSpec, ...]) -> None:
    """Tell a mistyped path at once, before anything is written."""
    for spec in specs:
        if spec.path is not None:
            await open_repository(spec.path)


@dataclass(frozen=True)
class Covered:
    """A run that ended: its report, where it stands, and what it spent."""

    report: Report
    page: Path
    usage: Usage


async def cover(
    settings: Settings,
    environ: Mapping[str, str],
    window: Window,
    specs: tuple[RepoSpec, ...],
    now: datetime,
    display: Progress,
    run: str | None = None,
) -> Covered:
    """Run the graph, and keep what the run was told and what it spent beside the report.

    With the id of a run that did not end, that one goes on: what it was told before it is not asked for again.
    """
    run_id = run or f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    started = time.monotonic()
    async with open_house(settings, environ, display, now, run_id) as house:
        memory = house.memory
        memory.retention.forget(now.date() - timedelta(days=settings.keep_days))
        memory.runs.begin(run_id, window.key, now, Recipe.of(settings, window, specs))
        status = "failed"
        try:
            state: dict[str, Any] = {"window": window, "specs": specs}
            await daily.build().ainvoke(state, {"max_concurrency": 4}, context=house.deps)
            report = house.deps.notes.read(daily.REPORT, "run", Report)
            memory.retention.cite(run_id, window.key, cited_by(report))
            status = "incomplete" if report.failures else "done"
        finally:
            details = {
                "repos": [spec.name for spec in specs],
                "seconds": round(time.monotonic() - started, 3),
                "requests": {name: asdict(host) for name, host in house.client.usage.hosts.items()},
            }
            memory.runs.end(run_id, status, datetime.now(UTC), details)
        return Covered(report, house.publisher.paths(report)[0], house.client.usage)


def _told(covered: Covered) -> str:
    report, usage = covered.report, covered.usage
    lines = [f"gitzette: {failure.repo}: {failure.stage} missing: {failure.message}" for failure in report.failures]
    read = f"{len(report.sections)} of {len(report.repos)} repositories read"
    spent = f"{usage.sent} API requests, {usage.free} of them free"
    lines.append(f"gitzette: {report.window.key}: {len(report.ledger)} commits, {read}; {spent}")
    return "\n".join(lines) + "\n"


def show_runs(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List earlier runs, newest first."""
    settings = settings_here(environ)
    with open_memory(home_of(settings, environ), datetime.now(UTC).date()) as memory:
        records = memory.runs.latest()
    if args.json:
        sys.stdout.write(json.dumps([asdict(record) for record in records], indent=1) + "\n")
        return EXIT_DONE
    for record in records:
        repos = ", ".join(record.details.get("repos", []))
        seconds = record.details.get("seconds", "?")
        sys.stdout.write(f"{record.id}  {record.started}  {record.status:<10}  {record.window}  {seconds} s  {repos}\n")
    if not records:
        sys.stdout.write("no runs yet\n")
    return EXIT_DONE
