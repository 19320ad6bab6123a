"""A run of the daily graph: over sources that are read and recorded, or over the record of an earlier run."""

import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.domain.base import AppError
from agent.domain.claims import Refused
from agent.domain.report import Report, cited_by
from agent.domain.spending import Fallback
from agent.domain.window import Window
from agent.ports import Progress
from agent.settings.values import AnalystChoice, Recipe, RepoSpec, Settings
from gitzette.sources import EarlierReport, RecordedDesks
from gitzette.wiring import House, open_house, run_context, run_graph, writers_again
from graphs import daily
from graphs.state import DayInput
from memory.recorder import CallRecorder
from memory.store import Memory
from tools.github.wire import ApiUsage

if TYPE_CHECKING:
    from tools.chat.model import AnswerServer

_MAX_CONCURRENT_REPOS: Mapping[AnalystChoice, int] = {"rules": 4, "model": 16}
"""Rules keep the processor busy; a run that asks a model waits most of the time."""
_REPLAYED_AT_ONCE = 4


@dataclass(frozen=True)
class Covered:
    """A run that ended: its report, where its page is, and what it spent."""

    report: Report
    page: Path
    usage: ApiUsage
    notices: tuple[str, ...] = ()
    """What a person should know beside the report, such as published files that cannot be read."""
    refused: tuple[Refused, ...] = ()  # Sentences of a model that the gate or the judge refused
    problems: tuple[str, ...] = ()  # Why the report lacks something, beside its failures
    delivered: tuple[str, ...] = ()  # Where the report was sent, and how many messages that took
    undelivered: tuple[str, ...] = ()  # Where the report could not be sent, and why

    @property
    def lacking(self) -> bool:
        """True if something that was asked for is missing."""
        return bool(self.report.failures or self.problems or self.undelivered)

    def lines(self) -> Iterator[str]:
        """Yield what is missing, what was sent, and what the run spent."""
        report = self.report
        yield from self.notices
        yield from self.problems
        for failure in report.failures:
            if failure.stage != "model":
                where = f"{failure.repo}: " if failure.repo else ""
                yield f"{where}{failure.stage} missing: {failure.message}"
        yield from self.delivered
        yield from self.undelivered
        yield from _model_lines(report)
        commits = f"{len(report.ledger)} commits"
        repos = f"{len(report.sections)} of {len(report.repos)} repositories read"
        requests = f"{self.usage.sent} API requests, {self.usage.free} of them free"
        yield f"{report.window.key}: {commits}, {repos}; {requests}"


def _model_lines(report: Report) -> Iterator[str]:
    """Yield how often the model failed, and what an earlier run wrote in its place."""
    fallbacks = _fallbacks(report)
    failed = [failure for failure in report.failures if failure.stage == "model"]
    if failed:
        repos = ", ".join(str(failure.repo) for failure in failed)
        yield f"the model failed at everything it was asked for {repos}: {failed[0].message}"
    elif fallbacks:
        name, first = fallbacks[0]
        count = len(fallbacks)
        yield f"the model failed at {count} parts, done by rules; first {name}: {first.reason}"
    kept = sum(len(section.account.kept) for section in report.sections)
    if kept:
        yield f"the analysis of {kept} commits is kept from an earlier run"


def _fallbacks(report: Report) -> list[tuple[str, Fallback]]:
    """List the parts that were done without the model, each with its repository or "brief"."""
    accounts = [(str(section.repo), section.account) for section in report.sections]
    accounts.append(("brief", report.account))
    return [(name, fallback) for name, account in accounts for fallback in account.fallbacks]


async def cover(
    settings: Settings,
    environ: Mapping[str, str],
    window: Window,
    specs: tuple[RepoSpec, ...],
    now: datetime,
    display: Progress,
    run: str | None = None,
    answers: "AnswerServer | None" = None,
) -> Covered:
    """Run the graph; record what the run is told, and note how it ended and what it spent.

    Given the id of a run that did not end, continue it: recorded answers are not asked for again.
    """
    run_id = run or f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    recipe = Recipe.of(settings, window, specs)
    started = time.monotonic()
    status = "failed"
    async with open_house(settings, environ, now, run_id, specs, answers) as house:
        memory = house.memory
        with memory.run_locks.hold(run_id):
            _forget_old_runs(memory, now, settings.keep_days)
            notices = memory.reports.rebuild(settings.out / "reports")
            memory.runs.begin(run_id, window.key, now, recipe)
            try:
                day = DayInput(window=window, specs=recipe.repos)
                concurrency = _MAX_CONCURRENT_REPOS[settings.analyst]
                state = await run_graph(daily.build, house, run_id, day, display, concurrency)
                refused = tuple(state.get("refused") or ())
                details = {"window": window.key, "refused": list(_refusal_rows(refused))}
                memory.run_files.write(run_id, details)
                report: Report = state["report"]
                memory.retention.cite(run_id, window.key, cited_by(report))
                status = "incomplete" if report.failures else "done"
            finally:
                spent = _spent(house, specs, time.monotonic() - started)
                memory.runs.end(run_id, status, datetime.now(UTC), spent)
            memory.run_locks.finish(run_id)
        page, _ = house.publisher.paths(report)
        return Covered(report, page, house.client.usage, tuple(notices), refused)


def _forget_old_runs(memory: Memory, now: datetime, keep_days: int) -> None:
    """Delete the records and files of runs that nobody will replay or continue."""
    before = now.date() - timedelta(days=keep_days)
    memory.retention.forget(before)
    memory.run_files.forget(before)
    memory.run_locks.prune(memory.runs.unfinished(before))


def _spent(house: House, specs: tuple[RepoSpec, ...], seconds: float) -> dict[str, Any]:
    return {
        "repos": [spec.name for spec in specs],
        "seconds": round(seconds, 3),
        "requests": {house.client.address.host: asdict(house.client.usage)},
    }


def _refusal_rows(refused: tuple[Refused, ...]) -> Iterator[dict[str, str | bool]]:
    """Yield each refused sentence once for every reason, and whether its writer reworded it."""
    for refusal in refused:
        for reason in refusal.reasons:
            yield {
                "text": " / ".join(refusal.claim.text.values()),
                "about": " ".join(refusal.claim.about),
                "repaired": refusal.repaired,
                "check": reason.check,
                "literal": reason.literal,
                "reason": reason.reason,
            }


async def report_again(memory: Memory, recorder: CallRecorder, recipe: Recipe) -> Report:
    """Run the graph on the record alone; a call that the record lacks ends the replay."""
    day = DayInput(window=recipe.window, specs=recipe.repos)
    desks = RecordedDesks(recorder, recipe)
    writers = writers_again(recipe, recorder)
    context = run_context(memory, recorder, recipe, writers, desks, EarlierReport(recorder))
    try:
        state = await daily.build().ainvoke(
            day, {"max_concurrency": _REPLAYED_AT_ONCE}, context=context
        )
    except AppError:
        if recorder.gap is None:
            raise
        raise recorder.gap from None
    if recorder.gap is not None:
        raise recorder.gap
    report: Report = state["report"]
    return report
