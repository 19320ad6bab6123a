"""The command `run --replay`: a report made again from the record of its run, with no network and no model."""

import argparse
import asyncio
import sys
from collections.abc import Mapping

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, AppError, Language, StorageError
from agent.domain.report import Report
from agent.editions.recipe import Recipe
from agent.reports.stored import dump
from agent.settings.values import Layout
from agent.text.web import Web
from gitzette.analysts import writers_again
from gitzette.arguments import refuse, settings_here
from gitzette.publish import FilePublisher, Style
from gitzette.recorded_run import EarlierReport, NoDesks, RecordedDesks
from gitzette.render.markdown import report_page
from gitzette.wiring import memory_of, run_context
from graphs import daily
from memory.recorder import CallRecorder
from memory.runs import recipe_of
from memory.store import Memory

_SHAPING = ("repo", "date", "since", "until", "tz", "analyst", "source", "partial", "demo", "resume")


def replay(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the report of an earlier run, or write it below --out; memory and published reports stay as they are."""
    refuse(args, _SHAPING, "--replay makes the same report again")
    settings = settings_here(environ)
    with memory_of(settings, environ) as memory:
        run = memory.runs.find(args.replay)
        recipe, recorder = recipe_of(run), memory.recorder(run.id, play_only=True)
        if recorder.blank:
            raise StorageError(f"run {run.id} has no record any more; records are kept for {settings.keep_days} days")
        report = asyncio.run(report_again(memory, recorder, recipe))
    lang: Language = args.lang or recipe.lang
    sys.stderr.write(f"gitzette: {report.window.key}: replayed from the record of run {run.id}\n")
    sys.stdout.write(_told(report, recipe, lang, args))
    return EXIT_INCOMPLETE if report.failures else EXIT_DONE


async def report_again(memory: Memory, recorder: CallRecorder, recipe: Recipe) -> Report:
    """Run the graph on the record alone; what the record lacks stops the replay, whoever asked for it."""
    state = daily.DayInput(window=recipe.window, specs=recipe.specs)
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


def _told(report: Report, recipe: Recipe, lang: Language, args: argparse.Namespace) -> str:
    """Give what goes to stdout: the data, where the page is now, or the page itself."""
    layout: Layout = args.layout or recipe.layout
    style = Style(web=Web(recipe.web), lang=lang, languages=recipe.languages, layout=layout)
    if args.out is not None:
        page = _write(report, FilePublisher(args.out, style))
        if not args.json:
            return f"{page}\n"
    text = dump(report) if args.json else report_page(report, lang, style.web, layout)
    # As in the files: what has no place in UTF-8 becomes a question mark.
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _write(report: Report, publisher: FilePublisher) -> str:
    """Write the report where there is none of its window; another one is not merged with and not replaced."""
    page, record = publisher.paths(report)
    if record.exists() and record.read_bytes() != dump(report).encode("utf-8", errors="replace"):
        raise StorageError(f"{record} holds another report of that window; choose another folder with --out")
    publisher.publish(report)
    return str(page)
