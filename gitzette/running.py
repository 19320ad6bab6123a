"""A run of the daily graph: over sources that are read and recorded, or over the record of an earlier run."""

import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.domain.base import AppError
from agent.domain.report import Report, cited_by
from agent.domain.window import Window
from agent.ports import Progress
from agent.settings.values import AnalystChoice, Recipe, RepoSpec, Settings
from gitzette.sources import EarlierReport, RecordedDesks
from gitzette.wiring import open_house, run_context, run_graph, writers_again
from graphs import daily
from memory.recorder import CallRecorder
from memory.store import Memory
from tools.github.limits import Usage

if TYPE_CHECKING:
    from graphs.models import Answers

_AT_ONCE: Mapping[AnalystChoice, int] = {"rules": 4, "model": 16}
"""Repositories under way: rules keep the processor busy, whoever asks a model waits most of the time."""


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
        lines = [
            *self.notices,
            *(f"{one.repo}: {one.stage} missing: {one.message}" for one in report.failures),
        ]
        lines += [*self.delivered, *self.undelivered]
        parts = [
            *((section.repo, section.account) for section in report.sections),
            ("brief", report.account),
        ]
        if fallbacks := [
            (name, one.reason) for name, account in parts for one in account.fallbacks
        ]:
            name, reason = fallbacks[0]
            lines.append(
                f"the model failed at {len(fallbacks)} parts, done by rules; first {name}: {reason}"
            )
        read = f"{len(report.ledger)} commits, {len(report.sections)} of {len(report.repos)} repositories read"
        return [
            *lines,
            f"{report.window.key}: {read}; {usage.sent} API requests, {usage.free} of them free",
        ]


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
                state = await run_graph(
                    daily.build, house, run_id, begun, display, _AT_ONCE[settings.analyst]
                )
                memory.run_files.write(run_id, {"window": window.key, "refused": _refused(state)})
                report: Report = state["report"]
                memory.retention.cite(run_id, window.key, cited_by(report))
                status = "incomplete" if report.failures else "done"
            finally:
                requests = {house.client.address.host: asdict(house.client.usage)}
                spent = {"seconds": round(time.monotonic() - started, 3), "requests": requests}
                memory.runs.end(
                    run_id,
                    status,
                    datetime.now(UTC),
                    {"repos": [spec.name for spec in specs]} | spent,
                )
            memory.run_locks.finish(run_id)
        return Covered(report, house.publisher.paths(report)[0], house.client.usage, tuple(notices))


def _refused(state: Mapping[str, Any]) -> list[dict[str, str | bool]]:
    """List the sentences that were refused, with the check and its reason, and whether their writer said them anew."""
    return [
        {
            "text": " / ".join(one.claim.text.values()),
            "about": " ".join(one.claim.about),
            "repaired": one.repaired,
        }
        | {"check": no.check, "literal": no.literal, "reason": no.reason}
        for one in state.get("refused") or []
        for no in one.reasons
    ]


async def report_again(memory: Memory, recorder: CallRecorder, recipe: Recipe) -> Report:
    """Run the graph on the record alone; what the record lacks stops the replay, whoever asked for it."""
    begun = daily.DayInput(window=recipe.window, specs=recipe.repos)
    desks, writers = RecordedDesks(recorder, recipe), writers_again(recipe, recorder)
    deps = run_context(memory, recorder, recipe, writers, desks, EarlierReport(recorder))
    try:
        state = await daily.build().ainvoke(begun, {"max_concurrency": 4}, context=deps)
    except AppError:
        if recorder.gap is None:
            raise
        raise recorder.gap from None
    if recorder.gap is not None:
        raise recorder.gap
    report: Report = state["report"]
    return report
