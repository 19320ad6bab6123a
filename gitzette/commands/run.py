"""The command `run`: a window, a week, the days that have no report yet, or an earlier run once more."""

import argparse
import asyncio
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from agent.domain.base import (
    EXIT_DONE,
    EXIT_INCOMPLETE,
    AppError,
    InputError,
    StorageError,
    UsageError,
)
from agent.domain.report import Report
from agent.domain.window import Window, zone
from agent.editions.week import days_of, week_of
from agent.reports.stored import dump, to_json
from agent.settings.values import Recipe, RepoSpec, Settings
from agent.web import Web
from gitzette.archive import PublishedReports, check_writable, locked, missed_days, replace_files
from gitzette.arguments import refuse, settings_for, settings_here, specs_of, window_of
from gitzette.progress import as_json, progress, say
from gitzette.render.compose import report_page, week_page
from gitzette.running import Covered, cover, report_again
from gitzette.wiring import memory_of
from memory.runs import FINISHED, recipe_of, still_alive
from memory.store import Memory
from tools.git.repository import open_repository

if TYPE_CHECKING:
    from tools.chat.model import AnswerServer

_OF_ONE_WINDOW = ("since", "until", "partial", "demo", "resume", "replay")
_SHAPING = (
    "repo",
    "date",
    "since",
    "until",
    "tz",
    "analyst",
    "source",
    "partial",
    "demo",
    "resume",
    "out",
)


def run(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on a window; 3 when something that was asked for is missing."""
    for asked, way in ((args.week, _week), (args.catch_up, _catch_up), (args.replay, _replay)):
        if asked:
            return way(args, environ)
    with ExitStack() as stack:
        now = datetime.now(UTC)
        if args.demo:
            from gitzette.demo import demo_world

            settings, now = stack.enter_context(demo_world(args, environ))
        else:
            settings = settings_for(args, environ)
        window, specs, resumed = window_of(args, settings.tz, now), specs_of(settings), None
        # A mistyped path is told at once, before anything is written.
        for path in (spec.path for spec in specs if spec.path is not None):
            asyncio.run(open_repository(path))
        check_writable(settings.out)
        if args.resume is not None:
            refuse(args, ("demo",), "--demo keeps nothing that could be gone on with")
            with memory_of(settings, environ) as memory:
                any_window = not (args.date or args.since or args.until)
                wanted = Recipe.of(settings, window, specs)
                resumed, recipe = _to_resume(memory, args.resume, wanted, any_window=any_window)
            # That of a run which was cut short may not be today's.
            window = recipe.window
            say(f"going on with run {resumed}")
        if args.demo and args.analyst is None:
            covered = _with_recorded_answers(settings, window, now)
        else:
            covered = _report_on(settings, environ, window, specs, now, resumed)
    sys.stdout.write(as_json(to_json(covered.report)) if args.json else f"{covered.page}\n")
    return EXIT_INCOMPLETE if covered.lacking else EXIT_DONE


def _with_recorded_answers(settings: Settings, window: Window, now: datetime) -> Covered:
    """Report on the demonstration with the answers that ship with it.

    Where they are of another window or of other sources, the rules write all of it.
    """
    from gitzette.demo_answers import ANSWERS, RecordedAnswers, Recording

    recording = Recording.load()
    if not recording.covers(window, settings.source):
        say(f"{ANSWERS.name} has no answers for this; the rules write the report")
        plain = settings.model_copy(update={"analyst": "rules", "model": None})
        return _report_on(plain, {}, window, settings.repos, now)
    answers = RecordedAnswers(recording)
    covered = _report_on(settings, {}, window, settings.repos, now, answers=answers)
    stale = answers.staleness(covered.refused)
    if not stale:
        return covered
    say(stale)
    return replace(covered, problems=(*covered.problems, str(stale)))


def _report_on(
    settings: Settings,
    environ: Mapping[str, str],
    window: Window,
    specs: tuple[RepoSpec, ...],
    now: datetime,
    run: str | None = None,
    answers: "AnswerServer | None" = None,
) -> Covered:
    """Cover a window, and tell a person how it went."""
    with progress() as display:
        covered = asyncio.run(cover(settings, environ, window, specs, now, display, run, answers))
    _build_site(settings)
    if settings.deliver:
        from gitzette.delivery.deliver import Deliverer

        deliverer = Deliverer(settings=settings, environ=environ)
        deliverer.deliver(covered.report)
        covered = replace(
            covered, delivered=tuple(deliverer.sent), undelivered=tuple(deliverer.failed)
        )
    for line in covered.lines():
        say(line)
    return covered


def _build_site(settings: Settings) -> None:
    if settings.site:
        from gitzette.site.build import site_of

        site_of(settings, settings.out)


# ---------------------------------------------------------------- several days


def _catch_up(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on every missed day up to yesterday, or up to --date, oldest first; 3 when one is missing or lacks."""
    refuse(args, _OF_ONE_WINDOW, "--catch-up chooses the days itself")
    settings, now = settings_for(args, environ), datetime.now(UTC)
    last = window_of(args, settings.tz, now)
    specs_of(settings)
    missed = missed_days(settings, last.start.astimezone(zone(settings.tz)).date())
    say(f"to report on: {', '.join(map(str, missed)) or 'nothing'} ({settings.tz})")
    done = [covered for day in missed if (covered := _day(day, settings, environ)) is not None]
    pages = "".join(f"{covered.page}\n" for covered in done)
    sys.stdout.write(as_json([to_json(covered.report) for covered in done]) if args.json else pages)
    return (
        EXIT_INCOMPLETE
        if len(done) < len(missed) or any(one.lacking for one in done)
        else EXIT_DONE
    )


def _day(day: date, settings: Settings, environ: Mapping[str, str]) -> Covered | None:
    """Report on one day of several; what goes wrong with it must not keep the next ones from being published."""
    window = Window.days(day, day, settings.tz)
    try:
        return _report_on(settings, environ, window, specs_of(settings), datetime.now(UTC))
    except AppError as error:
        say(f"{day}: {error}")
        return None


def _week(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write `reports/2026-W06.md` and `.json` in every language of the reports; 3 when a day of the week is missing."""
    refuse(args, ("date", *_OF_ONE_WINDOW, "catch_up"), "--week names the days itself")
    settings = settings_for(args, environ)
    reports = list(_days_of_week(args.week, settings, environ))
    if not reports:
        raise InputError(f"there is no report of any day of {args.week}, and none could be made")
    week, folder, web = (
        week_of(args.week, settings.tz, reports),
        settings.out / "reports",
        Web(settings.web),
    )
    files: dict[Path, Iterable[str]] = {}
    for lang in dict.fromkeys((settings.lang, *settings.languages)):
        ending = ".md" if lang == settings.lang else f".{lang}.md"
        files[folder / f"{week.label}{ending}"] = [week_page(week, lang, web, ending)]
    files[folder / f"{week.label}.json"] = [as_json(week.data())]
    with locked(folder):
        replace_files(files)
    _build_site(settings)
    for day in week.missing:
        say(f"{args.week}: {day} has no report")
    sys.stdout.write(as_json(week.data()) if args.json else f"{folder / week.label}.md\n")
    return EXIT_INCOMPLETE if week.missing or week.report.failures else EXIT_DONE


def _days_of_week(label: str, settings: Settings, environ: Mapping[str, str]) -> Iterator[Report]:
    """Read each day's report, or make it where the day is over and has none."""
    published = PublishedReports(settings.out)
    for day in days_of(label):
        is_over = Window.days(day, day, settings.tz).end <= datetime.now(UTC)
        if str(day) in published.labels():
            yield published.report(str(day))
        elif is_over and (covered := _day(day, settings, environ)) is not None:
            yield covered.report


# ---------------------------------------------------------------- earlier runs


def _to_resume(
    memory: Memory, asked: str, wanted: Recipe, *, any_window: bool
) -> tuple[str, Recipe]:
    """Find the run that was asked for by its id, or the newest unfinished one; it must have these settings."""
    unfinished = [run for run in memory.runs.latest(200) if run.status not in FINISHED]
    if not (asked or unfinished):
        raise InputError("there is no unfinished run to go on with; `gitzette runs` lists all")
    run = memory.runs.find(asked) if asked else unfinished[0]
    if run.status in FINISHED:
        raise InputError(
            f"run {run.id} is finished ({run.status}); --replay {run.id} shows its report again"
        )
    recipe = recipe_of(run)
    fields = [name for name in Recipe.model_fields if name != "window" or not any_window]
    if other := [name for name in fields if getattr(recipe, name) != getattr(wanted, name)]:
        raise UsageError(
            f"run {run.id} was started with another {', another '.join(other)}; use the same to go on"
        )
    if (process := memory.run_locks.process(run.id)) is not None:
        raise still_alive(run.id, process)
    return run.id, recipe


def _replay(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Make the report of a run again from its record, with no network and no model; nothing stored changes."""
    refuse(args, _SHAPING, "--replay makes the same report again")
    settings = settings_here(environ)
    with memory_of(settings, environ) as memory:
        run = memory.runs.find(args.replay)
        recipe, recorder = recipe_of(run), memory.recorder(run.id, play_only=True)
        if recorder.blank:
            raise StorageError(
                f"run {run.id} has no record any more; records are kept for {settings.keep_days} days"
            )
        report = asyncio.run(report_again(memory, recorder, recipe))
    say(f"{report.window.key}: replayed from the record of run {run.id}")
    lang, layout = args.lang or recipe.lang, args.layout or recipe.layout
    text = dump(report) if args.json else report_page(report, lang, Web(recipe.web), layout)
    # As in the files: what has no place in UTF-8 becomes a question mark.
    sys.stdout.write(text.encode("utf-8", errors="replace").decode("utf-8"))
    return EXIT_INCOMPLETE if report.failures else EXIT_DONE
