"""The command `doctor`: what a run needs, whether it is there, and what to do where it is not."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, AppError
from agent.domain.window import zone
from agent.prompting import Capabilities
from agent.settings.values import Settings
from gitzette.archive import PublishedReports, check_writable, missed_days
from gitzette.arguments import settings_here
from gitzette.delivery.deliver import Outbox
from gitzette.progress import as_json
from gitzette.wiring import home_of, memory_of, servers_of
from memory.store import check_database
from tools.chat.model import RecordedChatModel, Retries
from tools.chat.server import list_models
from tools.git.repository import git_version, open_repository
from tools.github.client import GitHubClient
from tools.github.quota import fetch_quota

_SKEW_SECONDS = 120
_ENOUGH_REQUESTS = 100


def doctor(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Look at everything; 3 when something needs care."""
    findings = asyncio.run(_examine(environ))
    wrong = [one["what"] for one in findings if not one["ok"]]
    verdict = (
        f"needs care: {', '.join(wrong)}"
        if wrong
        else f"all is well ({len(findings)} things looked at)"
    )
    lines = "".join(
        f"{'ok  ' if one['ok'] else 'CARE'}  {one['what']}: {one['says']}\n" for one in findings
    )
    told = {"ok": not wrong, "verdict": verdict, "findings": findings}
    sys.stdout.write(as_json(told) if args.json else f"{lines}{verdict}\n")
    return EXIT_INCOMPLETE if wrong else EXIT_DONE


async def _examine(environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """Make every check; each gives the lines that are well, and ends with an error where something is not."""
    try:
        settings = settings_here(environ)
    except AppError as error:
        return [{"what": "configuration", "ok": False, "says": str(error)}]
    checks = {
        "configuration": _configuration(settings),
        "reports": _reports(settings),
        "delivery": _deliveries(settings),
        "memory": _memory(settings, environ),
        "git": _git(settings),
        "token": _github(settings),
        "model": _model(settings, environ),
    }
    found: list[dict[str, Any]] = []
    for what, lines in checks.items():
        try:
            found += [{"what": what, "ok": True, "says": says} async for says in lines]
        except AppError as error:
            found.append({"what": what, "ok": False, "says": str(error)})
    return found


async def _configuration(settings: Settings) -> AsyncIterator[str]:
    check_writable(settings.out)
    advice = "; name them with `gitzette init --repo owner/name`, or run inside a git checkout"
    yield f"{len(settings.repos)} repositories, reports in {settings.out}{'' if settings.repos else advice}"


async def _reports(settings: Settings) -> AsyncIterator[str]:
    """Look for days without a report; yesterday's may still be to come."""
    yesterday = datetime.now(zone(settings.tz)).date() - timedelta(days=1)
    labels, missed = PublishedReports(settings.out).labels(), missed_days(settings, yesterday)
    says = f"the newest is {labels[0]}" if labels else "none yet"
    if overdue := [str(day) for day in missed if day != yesterday]:
        raise AppError(
            f"{says}; missing or failed: {', '.join(overdue)}: `gitzette run --catch-up` makes them"
        )
    yield f"{says}; yesterday's is due or incomplete" if missed and labels else says


async def _deliveries(settings: Settings) -> AsyncIterator[str]:
    waiting = Outbox(settings.out).read().waiting()
    if told := [f"{one.channel}: {one.label} not delivered: {one.why}" for one in waiting]:
        raise AppError(f"{'; '.join(told)}; run that day again to send it")
    if settings.deliver:
        yield "nothing waits to be sent"


async def _memory(settings: Settings, environ: Mapping[str, str]) -> AsyncIterator[str]:
    check_database(home_of(settings, environ), settings.database_address)
    with memory_of(settings, environ) as memory:
        runs = memory.runs.latest(1)
    last = f"last run {runs[0].started} {runs[0].status}" if runs else "no runs yet"
    if runs and runs[0].status == "failed":
        raise AppError(f"the {last}; run it again, or see what it said")
    yield f"{'PostgreSQL' if settings.database else home_of(settings, environ)}; {last}"


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
    async with GitHubClient(
        base_url=settings.github_url, token=settings.token.get_secret_value()
    ) as client:
        left = await fetch_quota(client)
    yield f"accepted by {settings.github_url}; {left.remaining} of {left.limit} requests left"
    if left.remaining <= _ENOUGH_REQUESTS:
        raise AppError(f"only {left.remaining} of {left.limit} requests are left in this hour")
    if (skew := left.skew(datetime.now(UTC))) >= _SKEW_SECONDS:
        raise AppError(f"the clock of this machine is off by {skew:.0f} s")


async def _model(settings: Settings, environ: Mapping[str, str]) -> AsyncIterator[str]:
    """Ask which models there are, and what the configured ones can do: remembered, or found out by small questions."""
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
    """Return what a model can do; what is only assumed is said to be so."""
    context = f"{capabilities.context} tokens of context"
    if not capabilities.told:
        context += " assumed, because the server does not report it (set model_context)"
    tools = "tool calls" if capabilities.tools else "no tool calls"
    if capabilities.reading_pace is None:
        return f"{context}, {tools}"
    pace = f"slow: it reads about {capabilities.reading_pace:g} tokens a second"
    return f"{context}, {tools}, {pace}, so it is asked short questions"
