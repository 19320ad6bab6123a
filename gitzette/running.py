"""The command `run`: a window, a week, or the days that have no report yet, from arguments to published reports."""

import argparse
import asyncio
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, AppError, InputError
from agent.domain.report import Report, cited_by
from agent.domain.window import Window, zone
from agent.editions.week import days_of, week_of
from agent.ports import Progress
from agent.reports.stored import load, to_json
from agent.settings.values import AnalystChoice, Recipe, RepoSpec, Settings
from agent.web import Web
from gitzette.arguments import refuse, settings_for, specs_of, window_of
from gitzette.earlier_runs import replay, to_resume
from gitzette.progress import as_json, progress, say
from gitzette.publish import check_writable, replace_file
from gitzette.published import missed_days
from gitzette.render.compose import week_page
from gitzette.wiring import memory_of, open_house, run_graph
from graphs import daily
from tools.git.repository import open_repository
from tools.github.limits import Usage

if TYPE_CHECKING:
    from graphs.models import Answers

_AT_ONCE: Mapping[AnalystChoice, int] = {"rules": 4, "model": 16}
"""Repositories under way: rules keep the processor busy, whoever asks a model waits most of the time."""
_OF_ONE_WINDOW = ("since", "until", "partial", "demo", "resume", "replay")


def run(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on a window; 3 when something that was asked for is missing."""
    for asked, way in ((args.week, _week), (args.catch_up, _catch_up), (args.replay, replay)):
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
                resumed, recipe = to_resume(memory, args.resume, Recipe.of(settings, window, specs), any_window)
            # That of a run which was cut short may not be today's.
            window = recipe.window
            say(f"going on with run {resumed}")
        if args.demo and args.analyst is None:
            covered = _with_recorded_answers(settings, window, now)
        else:
            covered = report_on(settings, environ, window, specs, now, resumed)
    sys.stdout.write(as_json(to_json(covered.report)) if args.json else f"{covered.page}\n")
    return EXIT_INCOMPLETE if covered.lacking else EXIT_DONE


def _with_recorded_answers(settings: Settings, window: Window, now: datetime) -> "Covered":
    """Report on the demonstration with the answers that ship with it; where one is missing, the rules do all of it."""
    from gitzette.demo import ANSWERS, RecordedAnswers, StaleRecording

    try:
        return report_on(settings, {}, window, settings.repos, now, answers=RecordedAnswers())
    except StaleRecording:
        say(f"{ANSWERS.name} has no answers for this; the rules write the report")
        plain = settings.model_copy(update={"analyst": "rules", "model": None})
        return report_on(plain, {}, window, settings.repos, now)


def _catch_up(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on every missed day up to yesterday, or up to --date, oldest first; 3 when one is missing or lacks."""
    refuse(args, _OF_ONE_WINDOW, "--catch-up chooses the days itself")
    settings, now = settings_for(args, environ), datetime.now(UTC)
    last = window_of(args, settings.tz, now)
    specs_of(settings)
    missed = missed_days(settings, last.start.astimezone(zone(settings.tz)).date())
    if missed.too_old:
        say(f"{len(missed.too_old)} days since {missed.too_old[0]} are older than catch_up_days; use --date for them")
    say(f"to report on: {', '.join(map(str, missed.days)) or 'nothing'} ({settings.tz})")
    days = []
    for day in missed.days:
        days.append(_day(day, settings, environ))
        if days[-1] is not None and not args.json:
            sys.stdout.write(f"{days[-1].page}\n")
            sys.stdout.flush()
    if args.json:
        sys.stdout.write(as_json([to_json(covered.report) for covered in days if covered is not None]))
    return EXIT_DONE if all(one is not None and not one.lacking for one in days) else EXIT_INCOMPLETE


def _day(day: date, settings: Settings, environ: Mapping[str, str]) -> "Covered | None":
    """Report on one day of several; what goes wrong with it must not keep the next ones from being published."""
    window = Window.days(day, day, settings.tz)
    try:
        return report_on(settings, environ, window, specs_of(settings), datetime.now(UTC))
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
    week, folder, web = week_of(args.week, settings.tz, reports), settings.out / "reports", Web(settings.web)
    for lang in dict.fromkeys((settings.lang, *settings.languages)):
        ending = ".md" if lang == settings.lang else f".{lang}.md"
        replace_file(folder / f"{week.label}{ending}", [week_page(week, lang, web)])
    replace_file(folder / f"{week.label}.json", [as_json(week.data())])
    if settings.site:
        from gitzette.site.build import site_of

        site_of(settings, settings.out)
    for day in week.missing:
        say(f"{args.week}: {day} has no report")
    sys.stdout.write(as_json(week.data()) if args.json else f"{folder / week.label}.md\n")
    return EXIT_INCOMPLETE if week.missing or week.report.failures else EXIT_DONE


def _days_of_week(label: str, settings: Settings, environ: Mapping[str, str]) -> Iterator[Report]:
    """Read each day's report, or make it where the day is over and has none."""
    for day in days_of(label):
        file = settings.out / "reports" / f"{day}.json"
        try:
            if file.is_file():
                yield load(file.read_bytes(), file.name)
                continue
        except (AppError, OSError) as error:
            say(f"{day}: {error}")
        is_over = Window.days(day, day, settings.tz).end <= datetime.now(UTC)
        if is_over and (covered := _day(day, settings, environ)) is not None:
            yield covered.report


def report_on(
    settings: Settings,
    environ: Mapping[str, str],
    window: Window,
    specs: tuple[RepoSpec, ...],
    now: datetime,
    run: str | None = None,
    answers: "Answers | None" = None,
) -> "Covered":
    """Cover a window, and tell a person how it went."""
    with progress() as display:
        covered = asyncio.run(cover(settings, environ, window, specs, now, display, run, answers))
    if settings.site:
        from gitzette.site.build import site_of

        site_of(settings, settings.out)
    if settings.deliver:
        from gitzette.delivery.deliver import Deliverer

        deliverer = Deliverer(settings=settings, environ=environ)
        deliverer.deliver(covered.report)
        covered = replace(covered, delivered=tuple(deliverer.sent), undelivered=tuple(deliverer.failed))
    for line in covered.told():
        say(line)
    return covered


@dataclass(frozen=True)
class Covered:
    """A run that ended: its report, where it stands, and what it spent."""

    report: Report
    page: Path
    usage: Usage
    notices: tuple[str, ...] = ()
    """What a person should know that is not of the report: published files that cannot be read."""
    delivered: tuple[str, ...] = ()  # Where the report was sent to, and how many messages that took
    undelivered: tuple[str, ...] = ()  # Where the report could not be sent to, and why

    @property
    def lacking(self) -> bool:
        """Tell whether something that was asked for is missing."""
        return bool(self.report.failures or self.undelivered)

    def told(self) -> list[str]:
        """Say what is missing, what was sent, and what the run spent."""
        report, usage = self.report, self.usage
        lines = [*self.notices, *(f"{one.repo}: {one.stage} missing: {one.message}" for one in report.failures)]
        lines += [*self.delivered, *self.undelivered]
        parts = [*((section.repo, section.account) for section in report.sections), ("brief", report.account)]
        if fallbacks := [(name, one.reason) for name, account in parts for one in account.fallbacks]:
            name, reason = fallbacks[0]
            lines.append(f"the model failed at {len(fallbacks)} parts, done by rules; first {name}: {reason}")
        read = f"{len(report.ledger)} commits, {len(report.sections)} of {len(report.repos)} repositories read"
        return [*lines, f"{report.window.key}: {read}; {usage.sent} API requests, {usage.free} of them free"]


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
    recipe, started, status = Recipe.of(settings, window, specs), time.monotonic(), "failed"
    async with open_house(settings, environ, now, run_id, specs, answers) as house:
        memory = house.memory
        with memory.run_locks.hold(run_id):
            before = now.date() - timedelta(days=settings.keep_days)
            memory.retention.forget(before)
            memory.run_files.forget(before)
            memory.run_locks.prune(memory.runs.unfinished(before))
            notices = memory.reports.rebuild(settings.out / "reports")
            memory.runs.begin(run_id, window.key, now, recipe)
            try:
                begun = daily.DayInput(window=window, specs=recipe.repos)
                state = await run_graph(daily.build, house, run_id, begun, display, _AT_ONCE[settings.analyst])
                memory.run_files.write(run_id, {"window": window.key, "refused": _refused(state)})
                report: Report = state["report"]
                memory.retention.cite(run_id, window.key, cited_by(report))
                status = "incomplete" if report.failures else "done"
            finally:
                requests = {house.client.address.host: asdict(house.client.usage)}
                spent = {"seconds": round(time.monotonic() - started, 3), "requests": requests}
                memory.runs.end(run_id, status, datetime.now(UTC), {"repos": [spec.name for spec in specs]} | spent)
            memory.run_locks.finish(run_id)
        return Covered(report, house.publisher.paths(report)[0], house.client.usage, tuple(notices))


def _refused(state: Mapping[str, Any]) -> list[dict[str, str | bool]]:
    """List the sentences that were refused, with the check and its reason, and whether their writer said them anew."""
    return [
        {"text": " / ".join(one.claim.text.values()), "about": " ".join(one.claim.about), "repaired": one.repaired}
        | {"check": no.check, "literal": no.literal, "reason": no.reason}
        for one in state.get("refused") or []
        for no in one.reasons
    ]
