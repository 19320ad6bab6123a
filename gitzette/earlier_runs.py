"""What earlier runs left: a list for `runs`, one to resume, one to replay."""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, AppError, InputError, StorageError, UsageError
from agent.domain.report import Report
from agent.reports.stored import dump
from agent.settings.values import Recipe
from agent.web import Web
from gitzette.arguments import refuse, settings_here
from gitzette.progress import as_json, say
from gitzette.publish import FilePublisher, Style
from gitzette.render.compose import report_page
from gitzette.sources import EarlierReport, NoDesks, RecordedDesks
from gitzette.wiring import memory_of, run_context, writers_again
from memory.recorder import CallRecorder
from memory.runs import FINISHED, RunRecord, recipe_of, still_alive
from memory.store import Memory

_SHAPING = ("repo", "date", "since", "until", "tz", "analyst", "source", "partial", "demo", "resume")


def show_runs(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List earlier runs, newest first."""
    with memory_of(settings_here(environ), environ) as memory:
        dead = {run.id for run in memory.runs.latest(20) if memory.run_locks.process(run.id) is None}
        # The dead do not note their end; their locks tell which are under way.
        records = [
            replace(run, status="unfinished") if run.status == "running" and run.id in dead else run
            for run in memory.runs.latest(20)
        ]
    lines = (
        f"{run.id}  {run.started}  {run.status:<10}  {run.window}  {run.details.get('seconds', '?')} s  "
        f"{', '.join(run.details.get('repos', []))}\n"
        for run in records
    )
    sys.stdout.write(as_json([asdict(run) for run in records]) if args.json else "".join(lines) or "no runs yet\n")
    return EXIT_DONE


def to_resume(memory: Memory, asked: str, wanted: Recipe, any_window: bool) -> tuple[str, Recipe]:
    """Find the run that was asked for by its id, or the newest unfinished one with these settings."""
    run, recipe = _named(memory, asked, wanted) if asked else _newest(memory, wanted, any_window)
    if run.status in FINISHED:
        raise InputError(f"run {run.id} is finished ({run.status}); --replay {run.id} shows its report again")
    if (process := memory.run_locks.process(run.id)) is not None:
        raise still_alive(run.id, process)
    return run.id, recipe


def _named(memory: Memory, asked: str, wanted: Recipe) -> tuple[RunRecord, Recipe]:
    run = memory.runs.find(asked)
    recipe = recipe_of(run)
    if run.status not in FINISHED and (other := _differences(recipe, wanted)):
        raise UsageError(f"run {run.id} was started with another {', another '.join(other)}; use the same to go on")
    return run, recipe


def _newest(memory: Memory, wanted: Recipe, any_window: bool) -> tuple[RunRecord, Recipe]:
    same = []
    for run in memory.runs.latest(200):
        # What another version recorded is no run with these settings.
        with suppress(StorageError):
            recipe = recipe_of(run)
            if (any_window or recipe.window.key == wanted.window.key) and not _differences(recipe, wanted):
                same.append((run, recipe))
    if not same:
        raise InputError("there is no run with these settings to go on with; `gitzette runs` lists all")
    return next((found for found in same if found[0].status not in FINISHED), same[0])


def _differences(recipe: Recipe, wanted: Recipe) -> list[str]:
    """Name the settings, beside the window, that shape the report otherwise."""
    fields = [name for name in Recipe.model_fields if name != "window"]
    return [name for name in fields if getattr(recipe, name) != getattr(wanted, name)]


def replay(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Make the report of a run again from its record, with no network and no model; nothing stored changes."""
    refuse(args, _SHAPING, "--replay makes the same report again")
    settings = settings_here(environ)
    with memory_of(settings, environ) as memory:
        run = memory.runs.find(args.replay)
        recipe, recorder = recipe_of(run), memory.recorder(run.id, play_only=True)
        if recorder.blank:
            raise StorageError(f"run {run.id} has no record any more; records are kept for {settings.keep_days} days")
        report = asyncio.run(_report_again(memory, recorder, recipe))
    say(f"{report.window.key}: replayed from the record of run {run.id}")
    lang, layout, web = args.lang or recipe.lang, args.layout or recipe.layout, Web(recipe.web)
    text = dump(report) if args.json else report_page(report, lang, web, layout)
    if args.out is not None:
        publisher = FilePublisher(args.out, Style(web, lang, recipe.languages, layout))
        page, record = publisher.paths(report)
        if record.exists() and record.read_bytes() != dump(report).encode("utf-8", errors="replace"):
            raise StorageError(f"{record} holds another report of that window; choose another folder with --out")
        publisher.publish(report)
        text = text if args.json else f"{page}\n"
    # As in the files: what has no place in UTF-8 becomes a question mark.
    sys.stdout.write(text.encode("utf-8", errors="replace").decode("utf-8"))
    return EXIT_INCOMPLETE if report.failures else EXIT_DONE


async def _report_again(memory: Memory, recorder: CallRecorder, recipe: Recipe) -> Report:
    """Run the graph on the record alone; what the record lacks stops the replay, whoever asked for it."""
    from graphs import daily

    state = daily.DayInput(window=recipe.window, specs=recipe.repos)
    desks, writers = RecordedDesks(recorder, NoDesks()), writers_again(recipe, recorder)
    deps = run_context(memory, recorder, recipe, writers, desks, EarlierReport(recorder))
    try:
        done = await daily.build().ainvoke(state, {"max_concurrency": 4}, context=deps)
    except AppError:
        if recorder.gap is None:
            raise
    if recorder.gap is not None:
        raise recorder.gap
    report: Report = done["report"]
    return report
