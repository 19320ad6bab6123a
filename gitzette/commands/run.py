"""The command `run`: reports on a window, a week or missed days, or replays an earlier run."""

import argparse
import asyncio
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agent.browser_urls import Web
from agent.domain.errors import (
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
from agent.reports.report_json import dump, to_json
from agent.settings.values import Recipe, RepoSpec, Settings
from gitzette.day_run import RunOutcome, report_again, run_day
from gitzette.home_folder import memory_of
from gitzette.output_folder import (
    PublishedReports,
    check_writable,
    locked,
    missed_days,
    replace_files,
)
from gitzette.render.page_composition import page_model, report_page, week_page
from gitzette.settings_from_arguments import (
    refuse_options,
    settings_for,
    settings_here,
    specs_of,
    window_of,
)
from gitzette.terminal_brief import open_in_browser, print_brief, site_page
from gitzette.terminal_output import QuietProgress, as_json, progress, say
from memory.runs import FINISHED, recipe_of, still_alive
from memory.store import Memory
from tools.git.opened_repository import open_repository

if TYPE_CHECKING:
    from tools.chat.model import AnswerServer

_OF_ONE_WINDOW = ("since", "until", "partial", "demo", "resume", "replay", "open")
"""Options that name a single window or run, so they contradict those that choose several days."""
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
    "open",
)
"""Options that would change the content of a report, so a replay cannot take them."""
_MAX_RUNS_SEARCHED = 200  # For one to resume


def run(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on a window; return 3 if something that was asked for is missing."""
    if args.week:
        return _week(args, environ)
    if args.catch_up:
        return _catch_up(args, environ)
    if args.replay:
        return _replay(args, environ)
    if args.demo:
        from gitzette.demo import demo_world

        if args.resume is not None:
            refuse_options(args, ("demo",), "--demo keeps nothing that could be gone on with")
        with demo_world(args, environ) as demo:
            settings = demo.settings
            window = window_of(args, settings.tz, demo.now)
            check_writable(settings.out)
            asyncio.run(demo.report_earlier_days(window, QuietProgress()))
            outcome = _run_window(args, environ, settings, demo.now)
    else:
        now = datetime.now(UTC)
        settings = settings_for(args, environ)
        if args.open:
            settings = settings.model_copy(update={"site": True})
        outcome = _run_window(args, environ, settings, now)
    if args.json:
        sys.stdout.write(as_json(to_json(outcome.report)))
    else:
        _print_brief(outcome, settings)
        sys.stdout.write(f"{outcome.page}\n")
    if args.open:
        open_in_browser(site_page(settings, outcome.report))
    return EXIT_INCOMPLETE if outcome.is_incomplete else EXIT_DONE


def _print_brief(outcome: RunOutcome, settings: Settings) -> None:
    """Print the brief on a terminal; what goes into a pipe is the path alone."""
    if not sys.stdout.isatty():
        return
    site = site_page(settings, outcome.report) if settings.site else None
    page = page_model(outcome.report, settings.lang, Web(settings.web))
    print_brief(page, site, sys.stdout)


def _run_window(
    args: argparse.Namespace, environ: Mapping[str, str], settings: Settings, now: datetime
) -> RunOutcome:
    """Report on the window of the arguments, or continue the run that --resume names."""
    window = window_of(args, settings.tz, now)
    specs = specs_of(settings)
    # A mistyped path is reported at once, before anything is written.
    for spec in specs:
        if spec.path is not None:
            asyncio.run(open_repository(spec.path))
    check_writable(settings.out)
    run_id = None
    if args.resume is not None:
        recipe = Recipe.of(settings, window, specs)
        is_any_window = not (args.date or args.since or args.until)
        with memory_of(settings, environ) as memory:
            resumable = _run_to_resume(memory, args.resume, recipe, any_window=is_any_window)
        run_id = resumable.run_id
        # Without a date, it is the window of the unfinished run, which need not be yesterday.
        window = resumable.recipe.window
        say(f"going on with run {run_id}")
    if args.demo and args.analyst is None:
        return _with_recorded_answers(settings, window, now)
    return _report_on(settings, environ, window, specs, now, run_id)


def _with_recorded_answers(settings: Settings, window: Window, now: datetime) -> RunOutcome:
    """Report on the demonstration with the answers that ship with it.

    If they are for another window or other sources, the rules write the whole report.
    """
    from gitzette.demo_answers import ANSWERS, RecordedAnswers, Recording

    recording = Recording.load()
    if not recording.covers(window, settings.source):
        say(f"{ANSWERS.name} has no answers for this; the rules write the report")
        plain = settings.model_copy(update={"analyst": "rules", "model": None})
        return _report_on(plain, {}, window, settings.repos, now)
    answers = RecordedAnswers(recording)
    outcome = _report_on(settings, {}, window, settings.repos, now, answers=answers)
    stale = answers.staleness(outcome.refused)
    if not stale:
        return outcome
    say(stale)
    return replace(outcome, problems=(*outcome.problems, str(stale)))


def _report_on(
    settings: Settings,
    environ: Mapping[str, str],
    window: Window,
    specs: tuple[RepoSpec, ...],
    now: datetime,
    run: str | None = None,
    answers: "AnswerServer | None" = None,
) -> RunOutcome:
    """Cover a window, update the site, deliver the report, and print how it went."""
    with progress() as display:
        outcome = asyncio.run(run_day(settings, environ, window, specs, now, display, run, answers))
    _build_site(settings)
    if settings.deliver:
        from gitzette.delivery.deliver import Deliverer

        deliverer = Deliverer(settings=settings, environ=environ)
        deliverer.deliver(outcome.report)
        outcome = replace(
            outcome, delivered=tuple(deliverer.sent), undelivered=tuple(deliverer.failed)
        )
    for line in outcome.lines():
        say(line)
    return outcome


def _build_site(settings: Settings) -> None:
    if settings.site:
        from gitzette.site.build import site_of

        site_of(settings, settings.out)


# ---------------------------------------------------------------- several days


def _catch_up(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on every missed day up to yesterday or --date, oldest first.

    Return 3 if a report is missing or incomplete.
    """
    refuse_options(args, _OF_ONE_WINDOW, "--catch-up chooses the days itself")
    settings = settings_for(args, environ)
    last = window_of(args, settings.tz, datetime.now(UTC))
    specs_of(settings)
    missed = missed_days(settings, last.start.astimezone(zone(settings.tz)).date())
    say(f"to report on: {', '.join(map(str, missed)) or 'nothing'} ({settings.tz})")
    outcomes = []
    for day in missed:
        outcome = _run_day(day, settings, environ)
        if outcome is not None:
            outcomes.append(outcome)
    if args.json:
        sys.stdout.write(as_json([to_json(outcome.report) for outcome in outcomes]))
    else:
        sys.stdout.write("".join(f"{outcome.page}\n" for outcome in outcomes))
    if len(outcomes) < len(missed):
        return EXIT_INCOMPLETE
    if any(outcome.is_incomplete for outcome in outcomes):
        return EXIT_INCOMPLETE
    return EXIT_DONE


def _run_day(day: date, settings: Settings, environ: Mapping[str, str]) -> RunOutcome | None:
    """Report on one of several days; print an error and return None, so that the others go on."""
    window = Window.days(day, day, settings.tz)
    try:
        return _report_on(settings, environ, window, specs_of(settings), datetime.now(UTC))
    except AppError as error:
        say(f"{day}: {error}")
        return None


def _week(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write `reports/2026-W06.md` in every language of the reports, and its JSON.

    Return 3 if a day of the week is missing.
    """
    refuse_options(args, ("date", *_OF_ONE_WINDOW, "catch_up"), "--week names the days itself")
    settings = settings_for(args, environ)
    reports = list(_days_of_week(args.week, settings, environ))
    if not reports:
        raise InputError(f"there is no report of any day of {args.week}, and none could be made")
    week = week_of(args.week, settings.tz, reports)
    folder = settings.out / "reports"
    web = Web(settings.web)
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
    """Yield the report of each day of a week that is over; missing ones are made."""
    published = PublishedReports(settings.out)
    for day in days_of(label):
        if str(day) in published.labels():
            yield published.report(str(day))
            continue
        is_over = Window.days(day, day, settings.tz).end <= datetime.now(UTC)
        outcome = _run_day(day, settings, environ) if is_over else None
        if outcome is not None:
            yield outcome.report


# ---------------------------------------------------------------- earlier runs


class _ResumableRun(NamedTuple):
    """An unfinished run, and what it reports on."""

    run_id: str
    recipe: Recipe


def _run_to_resume(
    memory: Memory, run_id: str, recipe: Recipe, *, any_window: bool
) -> _ResumableRun:
    """Return the run with an id, or the newest unfinished one if that is empty.

    It must have been started with the same recipe, except for the window if `any_window`.
    """
    if run_id:
        run = memory.runs.find(run_id)
    else:
        recent = memory.runs.latest(_MAX_RUNS_SEARCHED)
        unfinished = [run for run in recent if run.status not in FINISHED]
        if not unfinished:
            raise InputError("there is no unfinished run to go on with; `gitzette runs` lists all")
        run = unfinished[0]
    if run.status in FINISHED:
        raise InputError(
            f"run {run.id} is finished ({run.status}); --replay {run.id} shows its report again"
        )
    run_recipe = recipe_of(run)
    different = []
    for name in Recipe.model_fields:
        if name == "window" and any_window:
            continue
        if getattr(run_recipe, name) != getattr(recipe, name):
            different.append(name)
    if different:
        raise UsageError(
            f"run {run.id} was started with another {', another '.join(different)};"
            " use the same to go on"
        )
    process = memory.run_locks.process(run.id)
    if process is not None:
        raise still_alive(run.id, process)
    return _ResumableRun(run.id, run_recipe)


def _replay(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the report of a run again, from its record alone; nothing stored changes."""
    refuse_options(args, _SHAPING, "--replay makes the same report again")
    settings = settings_here(environ)
    with memory_of(settings, environ) as memory:
        run = memory.runs.find(args.replay)
        recipe = recipe_of(run)
        recorder = memory.recorder(run.id, play_only=True)
        if recorder.blank:
            raise StorageError(
                f"run {run.id} has no record any more;"
                f" records are kept for {settings.keep_days} days"
            )
        report = asyncio.run(report_again(memory, recorder, recipe))
    say(f"{report.window.key}: replayed from the record of run {run.id}")
    if args.json:
        text = dump(report)
    else:
        lang = args.lang or recipe.lang
        layout = args.layout or recipe.layout
        text = report_page(report, lang, Web(recipe.web), layout)
    # As in the files, surrogates become question marks.
    sys.stdout.write(text.encode("utf-8", errors="replace").decode("utf-8"))
    return EXIT_INCOMPLETE if report.failures else EXIT_DONE
