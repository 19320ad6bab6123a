"""The command `doctor`: checks everything that a run needs, with advice for what is missing."""

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypedDict

from agent.domain.errors import EXIT_DONE, EXIT_INCOMPLETE, AppError
from agent.domain.window import zone
from agent.model_capabilities import Capabilities
from agent.settings.values import Settings
from gitzette.delivery.channels import channel_of
from gitzette.delivery.outbox import Outbox
from gitzette.home_folder import home_of, memory_of
from gitzette.output_folder import PublishedReports, check_writable, missed_days
from gitzette.settings_from_arguments import settings_here
from gitzette.terminal_output import as_json
from gitzette.wiring import servers_of
from memory.store import check_database
from tools.chat.model import RecordedChatModel, Retries
from tools.chat.openai_compatible_server import list_models
from tools.git.opened_repository import checkout_above, git_version, open_repository
from tools.github.client import GitHubClient
from tools.github.remaining_quota import fetch_quota

_MAX_SKEW_SECONDS = 120  # Between the clocks of this machine and of GitHub
_MIN_REQUESTS = 100  # That should be left in this hour


class CheckResult(TypedDict):
    """The outcome of a check, as a line of text or as JSON."""

    what: str
    ok: bool
    says: str


def doctor(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Check everything that a run needs; return 3 if something needs care."""
    results = asyncio.run(_examine(environ))
    problems = [result["what"] for result in results if not result["ok"]]
    verdict = f"all is well ({len(results)} things looked at)"
    if problems:
        verdict = f"needs care: {', '.join(problems)}"
    if args.json:
        data = {"ok": not problems, "verdict": verdict, "findings": results}
        sys.stdout.write(as_json(data))
    else:
        for result in results:
            mark = "ok  " if result["ok"] else "CARE"
            sys.stdout.write(f"{mark}  {result['what']}: {result['says']}\n")
        sys.stdout.write(f"{verdict}\n")
    return EXIT_INCOMPLETE if problems else EXIT_DONE


async def _examine(environ: Mapping[str, str]) -> list[CheckResult]:
    """Run every check: it yields lines about what is well, and raises an error for what is not."""
    try:
        settings = settings_here(environ)
    except AppError as error:
        return [CheckResult(what="configuration", ok=False, says=str(error))]
    checks = {
        "configuration": _configuration(settings),
        "reports": _reports(settings),
        "delivery": _deliveries(settings, environ),
        "memory": _memory(settings, environ),
        "git": _git(settings),
        "token": _github(settings),
        "model": _model(settings, environ),
    }
    results: list[CheckResult] = []
    for what, lines in checks.items():
        try:
            async for line in lines:
                results.append(CheckResult(what=what, ok=True, says=line))
        except AppError as error:
            results.append(CheckResult(what=what, ok=False, says=str(error)))
    return results


async def _configuration(settings: Settings) -> AsyncIterator[str]:
    check_writable(settings.out)
    summary = f"{len(settings.repos)} repositories, reports in {settings.out}"
    if not settings.repos and checkout_above(Path.cwd()) is None:
        raise AppError(
            f"{summary}; name them with `gitzette init --repo owner/name`, or run inside a git"
            " checkout"
        )
    yield summary


async def _reports(settings: Settings) -> AsyncIterator[str]:
    """Look for days without a report; yesterday's may still be to come."""
    yesterday = datetime.now(zone(settings.tz)).date() - timedelta(days=1)
    labels = PublishedReports(settings.out).labels()
    newest = f"the newest is {labels[0]}" if labels else "none yet"
    missed = missed_days(settings, yesterday)
    overdue = [str(day) for day in missed if day != yesterday]
    if overdue:
        raise AppError(
            f"{newest}; missing or failed: {', '.join(overdue)}:"
            " `gitzette run --catch-up` makes them"
        )
    if missed and labels:
        yield f"{newest}; yesterday's is due or incomplete"
    else:
        yield newest


async def _deliveries(settings: Settings, environ: Mapping[str, str]) -> AsyncIterator[str]:
    """Look for reports that wait to be sent, and for channels whose address cannot be used."""
    waiting = []
    for entry in Outbox(settings.out).read().waiting():
        waiting.append(f"{entry.channel}: {entry.label} not delivered: {entry.why}")
    if waiting:
        raise AppError(f"{'; '.join(waiting)}; run that day again to send it")
    faults = []
    for spec in settings.deliver:
        try:
            channel_of(spec, environ, time.time)
        except AppError as error:
            faults.append(f"{spec.called}: {error}")
    if faults:
        raise AppError(
            f"{'; '.join(faults)}; docs/operations.md#delivery says where each address is found"
        )
    if settings.deliver:
        names = ", ".join(spec.called for spec in settings.deliver)
        yield "nothing waits to be sent"
        yield f"addresses are there for {names}; the next report shows whether they are right"


async def _memory(settings: Settings, environ: Mapping[str, str]) -> AsyncIterator[str]:
    home = home_of(settings, environ)
    check_database(home, settings.database_address)
    with memory_of(settings, environ) as memory:
        runs = memory.runs.latest(1)
        # A run that was killed could not record its end; without its lock it is not running.
        is_killed = (
            bool(runs)
            and runs[0].status == "running"
            and memory.run_locks.process(runs[0].id) is None
        )
    if is_killed:
        raise AppError(
            f"the run of {runs[0].window}, begun {runs[0].started}, was killed before its end;"
            " `gitzette run --resume` goes on with it"
        )
    last_run = f"last run {runs[0].started} {runs[0].status}" if runs else "no runs yet"
    if runs and runs[0].status == "failed":
        raise AppError(
            f"the run of {runs[0].window}, begun {runs[0].started}, failed or was interrupted;"
            " `gitzette run --resume` goes on with it"
        )
    yield f"{'PostgreSQL' if settings.database else home}; {last_run}"


async def _git(settings: Settings) -> AsyncIterator[str]:
    yield await git_version()
    for spec in settings.repos:
        if spec.path:
            await open_repository(spec.path)
            yield f"{spec.name}: {spec.path}"


async def _github(settings: Settings) -> AsyncIterator[str]:
    """Ask for the rate limit, which is free, and compare clocks."""
    if settings.token is None:
        yield "none: code is read from git; threads only for numbers named in subjects (60/h)"
        return
    token = settings.token.get_secret_value()
    async with GitHubClient(base_url=settings.github_url, token=token) as client:
        quota = await fetch_quota(client)
    yield f"accepted by {settings.github_url}; {quota.remaining} of {quota.limit} requests left"
    if quota.remaining <= _MIN_REQUESTS:
        raise AppError(f"only {quota.remaining} of {quota.limit} requests are left in this hour")
    skew = quota.skew(datetime.now(UTC))
    if skew >= _MAX_SKEW_SECONDS:
        raise AppError(f"the clock of this machine is off by {skew:.0f} s")


async def _model(settings: Settings, environ: Mapping[str, str]) -> AsyncIterator[str]:
    """Ask which models there are, and what the configured ones can do if that is not remembered."""
    if settings.analyst == "model" and settings.model is None:
        raise AppError("the analyst is a model: set GITZETTE_MODEL and GITZETTE_MODEL_URL")
    if settings.model_url is None:
        return
    offered = await list_models(settings.model_url, environ.get("OPENAI_API_KEY") or None)
    if settings.model is None:
        yield f"{settings.model_url} answers; models offered: {len(offered)}"
        return
    if settings.model not in offered:
        raise AppError(f"{settings.model_url} answers, but does not offer {settings.model}")
    retries = Retries(first_pause=settings.budget.retry_seconds)
    with memory_of(settings, environ) as memory:
        for name, server in servers_of(settings, environ, memory.model_servers).items():
            model = RecordedChatModel(model_name=name, server=server, retries=retries)
            capabilities = await model.capabilities()
            context = settings.model_context
            if memory.model_servers.get(settings.model_url, name, context) is None:
                raise AppError(f"{name} does not answer small questions; see docs/models.md")
            yield f"{name}: {_described(capabilities)}"


def _described(capabilities: Capabilities) -> str:
    """Return what a model can do, in words that mark what is only assumed."""
    context = f"{capabilities.context} tokens of context"
    if not capabilities.told:
        context += " assumed, because the server does not report it (set model_context)"
    tools = "tool calls" if capabilities.tools else "no tool calls"
    if capabilities.reading_pace is None:
        return f"{context}, {tools}"
    pace = f"slow: it reads about {capabilities.reading_pace:g} tokens a second"
    return f"{context}, {tools}, {pace}, so it is asked short questions"
