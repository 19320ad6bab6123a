"""A run of the daily graph on a day or a longer window, over live sources or over the record of a run."""

import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from agent.domain.claims import Refused
from agent.domain.errors import AppError
from agent.domain.report import Report, cited_by
from agent.domain.window import Window
from agent.ports import Progress
from agent.settings.values import AnalystChoice, Recipe, RepoSpec, Settings
from gitzette.sources import EarlierReport, RecordedRepositories
from gitzette.wiring import Services, open_services, run_context, run_graph, writers_again
from graphs import daily
from graphs.state import DayInput
from memory.recorder import CallRecorder
from memory.store import Memory
from tools.github.http_requests import ApiUsage

if TYPE_CHECKING:
    from tools.chat.model import AnswerServer

_MAX_CONCURRENT_REPOS: Mapping[AnalystChoice, int] = {"rules": 8, "model": 16}
"""Rules keep the processor busy; a run that asks a model waits most of the time."""
_MAX_CONCURRENT_REPLAYS = 4


@dataclass(frozen=True)
class RunOutcome:
    """The outcome of a run: its report, where its page is, and what it spent."""

    report: Report
    page: Path
    usage: ApiUsage
    notices: tuple[str, ...] = ()
    """What a user should know beside the report, such as published files that cannot be read."""
    refused: tuple[Refused, ...] = ()  # Sentences of a model that the gate or the judge refused
    problems: tuple[str, ...] = ()  # Why the report lacks something, beside its failures
    delivered: tuple[str, ...] = ()  # Where the report was sent, and how many messages that took
    undelivered: tuple[str, ...] = ()  # Where the report could not be sent, and why
    model_url: str = ""  # Where the model was asked; printed, and never published

    @property
    def is_incomplete(self) -> bool:
        """True if something that was asked for is missing."""
        return bool(self.report.failures or self.problems or self.undelivered)

    def lines(self) -> Iterator[str]:
        """Yield what is missing, what was sent, and what the run spent."""
        report = self.report
        yield from self.notices
        yield from self.problems
        for failure in report.failures:
            if failure.stage == "model":
                continue
            repo = f"{failure.repo}: " if failure.repo else ""
            yield f"{repo}{failure.stage} missing: {failure.message}"
        yield from self.delivered
        yield from self.undelivered
        yield from _model_lines(report, self.model_url)
        commits = f"{len(report.ledger)} commits"
        repos = f"{len(report.sections)} of {len(report.repos)} repositories read"
        requests = f"{self.usage.sent} API requests, {self.usage.free} of them free"
        yield f"{report.window.key}: {commits}, {repos}; {requests}"


def _model_lines(report: Report, model_url: str) -> Iterator[str]:
    """Yield how often the model failed, and what an earlier run wrote in its place."""
    fallbacks = _fallbacks(report)
    failures = [failure for failure in report.failures if failure.stage == "model"]
    if failures:
        repos = ", ".join(str(failure.repo) for failure in failures)
        yield (
            f"the model failed at everything it was asked for {repos}: {failures[0].message};"
            f" `gitzette doctor` checks {model_url or 'it'}"
        )
    elif fallbacks:
        first = fallbacks[0]
        yield (
            f"the model failed at {len(fallbacks)} parts, done by rules;"
            f" first {first.part}: {first.reason}; `gitzette doctor` checks {model_url or 'it'}"
        )
    kept = sum(len(section.account.kept) for section in report.sections)
    if kept:
        yield f"the analysis of {kept} commits is kept from an earlier run"


class _PartFallback(NamedTuple):
    """Something that rules did because the model failed at it."""

    part: str  # The repository, or "brief"
    reason: str


def _fallbacks(report: Report) -> list[_PartFallback]:
    fallbacks = []
    for section in report.sections:
        for fallback in section.account.fallbacks:
            fallbacks.append(_PartFallback(str(section.repo), fallback.reason))
    for fallback in report.account.fallbacks:
        fallbacks.append(_PartFallback("brief", fallback.reason))
    return fallbacks


async def run_day(
    settings: Settings,
    environ: Mapping[str, str],
    window: Window,
    specs: tuple[RepoSpec, ...],
    now: datetime,
    display: Progress,
    run: str | None = None,
    answers: "AnswerServer | None" = None,
) -> RunOutcome:
    """Run the graph and publish; record every answer, how the run ended and what it spent.

    Given the id of an unfinished run, continue it: recorded answers are not asked for again.
    """
    run_id = run or f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    recipe = Recipe.of(settings, window, specs)
    started = time.monotonic()
    status = "failed"
    async with open_services(settings, environ, now, run_id, specs, answers) as services:
        memory = services.memory
        with memory.run_locks.hold(run_id):
            _forget_old_runs(memory, now, settings.keep_days)
            notices = memory.reports.rebuild(settings.out / "reports")
            memory.runs.begin(run_id, window.key, now, recipe)
            try:
                day = DayInput(window=window, specs=recipe.repos)
                concurrency = _MAX_CONCURRENT_REPOS[settings.analyst]
                state = await run_graph(daily.build, services, run_id, day, display, concurrency)
                refused = tuple(state.get("refused") or ())
                details = {"window": window.key, "refused": list(_refusal_rows(refused))}
                memory.run_files.write(run_id, details)
                report: Report = state["report"]
                memory.retention.cite(run_id, window.key, cited_by(report))
                status = "incomplete" if report.failures else "done"
            finally:
                spent = _spent(services, specs, time.monotonic() - started)
                memory.runs.end(run_id, status, datetime.now(UTC), spent)
            memory.run_locks.finish(run_id)
        page, _ = services.publisher.paths(report)
        return RunOutcome(
            report=report,
            page=page,
            usage=services.client.usage,
            notices=tuple(notices),
            refused=refused,
            model_url=settings.model_url or "",
        )


def _forget_old_runs(memory: Memory, now: datetime, keep_days: int) -> None:
    """Delete the records and files of runs that are too old to be replayed or continued."""
    before = now.date() - timedelta(days=keep_days)
    memory.retention.forget(before)
    memory.run_files.forget(before)
    memory.run_locks.prune(memory.runs.unfinished(before))


def _spent(services: Services, specs: tuple[RepoSpec, ...], seconds: float) -> dict[str, Any]:
    return {
        "repos": [spec.name for spec in specs],
        "seconds": round(seconds, 3),
        "requests": {services.client.address.host: asdict(services.client.usage)},
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
    repositories = RecordedRepositories(recorder, recipe)
    writers = writers_again(recipe, recorder)
    context = run_context(memory, recorder, recipe, writers, repositories, EarlierReport(recorder))
    try:
        state = await daily.build().ainvoke(
            day, {"max_concurrency": _MAX_CONCURRENT_REPLAYS}, context=context
        )
    except AppError:
        if recorder.gap is None:
            raise
        raise recorder.gap from None
    if recorder.gap is not None:
        raise recorder.gap
    report: Report = state["report"]
    return report
