"""The command `run --replay`: a report made again from the record of its run, with no network and no model."""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from agent.errors import EXIT_DONE, EXIT_INCOMPLETE, AppError, StorageError, UsageError
from agent.recipe import Recipe
from agent.record import dump
from agent.report import Report
from agent.settings import Language, Layout
from agent.web import Web
from gitzette.analysts import writers_again
from gitzette.arguments import settings_here
from gitzette.publish import FilePublisher, Style
from gitzette.recorded_run import EarlierReport, NoDesks, Origins, RecordedDesks
from gitzette.render.markdown import report_page
from gitzette.wiring import home_of
from graphs import daily
from graphs.desk import Deps
from memory.proxies import recorded
from memory.recorder import CallRecorder
from memory.runs import recipe_of
from memory.store import Memory, open_memory
from tools.evidence_cache import EvidenceCache
from tools.own_code import OwnCode

_SHAPING = ("repo", "date", "since", "until", "tz", "analyst", "source", "partial", "demo", "resume")


def replay(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the report of an earlier run, or write it below --out; memory and published reports stay as they are."""
    if given := [f"--{name}" for name in _SHAPING if getattr(args, name, None) not in (None, False, [])]:
        raise UsageError(f"--replay makes the same report again; leave out {', '.join(given)}")
    settings = settings_here(environ)
    with open_memory(home_of(settings, environ), datetime.now(UTC).date()) as memory:
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
    deps = _deps(memory, recorder, recipe)
    try:
        done = await daily.build().ainvoke(state, {"max_concurrency": 4}, context=deps)
    except AppError:
        if recorder.gap is None:
            raise
    if recorder.gap is not None:
        raise recorder.gap
    report: Report = done["report"]
    return report


def _deps(memory: Memory, recorder: CallRecorder, recipe: Recipe) -> Deps:
    writers = writers_again(recipe, recorder)
    return Deps(
        desks=RecordedDesks(recorder, NoDesks(), lambda _: Origins("", "")),
        landings=recorded(memory.landings, recorder, "landings"),
        issues=recorded(memory.issues, recorder, "issues"),
        stories=recorded(memory.stories, recorder, "stories"),
        publisher=EarlierReport(recorder),
        models=writers.models,
        languages=writers.languages,
        mark=writers.mark,
        library=EvidenceCache(),
        recall=recorded(memory.statements, recorder, "recall"),
        archive=recorded(memory.reports, recorder, "archive"),
        deep=recipe.budget.deep,
        tiers=recipe.tiers,
        own=recorded(OwnCode(()), recorder, "own") if recipe.uses else None,
    )


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
