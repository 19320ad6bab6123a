"""The command `doctor`: what a run needs, whether it is there, and what to do where it is not."""

import argparse
import asyncio
import json
import shutil
import sys
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, AppError
from agent.domain.window import zone
from agent.models import Capabilities
from agent.settings.values import FILE_NAME, Settings
from gitzette.arguments import settings_here
from gitzette.delivery.deliver import Outbox
from gitzette.earlier_runs import read_heartbeat
from gitzette.publish import check_writable, nearest_folder
from gitzette.published import missed_days
from gitzette.wiring import home_of, keeper_of, memory_of
from tools.git.repository import git_version, open_repository
from tools.github.client import GitHubClient
from tools.github.limits import quota

_SKEW_SECONDS = 120
_ENOUGH_REQUESTS = 100
_ENOUGH_BYTES = 1 << 30
_OVERDUE = timedelta(days=1)
_NAMED = 4
_ANSWER_WAYS = {"schema": "JSON schema", "tool": "tool calls", "words": "plain JSON"}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    says: str


def doctor(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Look at everything; 3 when something needs care."""
    findings = _examine(environ)
    wrong = list(dict.fromkeys(finding.what for finding in findings if not finding.ok))
    verdict = f"needs care: {', '.join(wrong)}" if wrong else f"all is well ({len(findings)} things looked at)"
    if args.json:
        told = {"ok": not wrong, "verdict": verdict, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    else:
        lines = [f"{'ok  ' if one.ok else 'CARE'}  {one.what}: {one.says}\n" for one in findings]
        sys.stdout.write(f"{''.join(lines)}{verdict}\n")
    return EXIT_INCOMPLETE if wrong else EXIT_DONE


def _examine(environ: Mapping[str, str]) -> list[Finding]:
    try:
        settings = settings_here(environ)
    except AppError as error:
        return [Finding("configuration", False, str(error))]
    there = Path(FILE_NAME).is_file()
    about = f"{FILE_NAME}, {len(settings.repos)} repositories" if there else f"no {FILE_NAME} here; defaults"
    if not settings.repos:
        about += "; name repositories with `gitzette init --repo owner/name`, or run inside a git checkout"
    now, home = datetime.now(UTC), home_of(settings, environ)
    return [
        Finding("configuration", True, about),
        _output(settings),
        _reports(settings, now),
        _heartbeat(settings, now),
        *_deliveries(settings),
        *_space(settings, home),
        _database(settings, environ),
        *_mirrors(settings, home, environ),
        *asyncio.run(_outside(settings, environ)),
    ]


async def _outside(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    """Ask git, GitHub, and the model's endpoint where there is one."""
    clones = [(f"{spec.name}: ", open_repository(spec.path), spec.path) for spec in settings.repos if spec.path]
    found = [await _tried("clone", name, opened, str(path)) for name, opened, path in clones]
    found.append(await _tried("git", "", git_version()))
    return [*found, *await _github(settings), *await _model(settings, environ)]


async def _tried(what: str, name: str, asked: Awaitable[object], says: str = "") -> Finding:
    """Tell what came of a question, or why it failed."""
    try:
        told = await asked
    except AppError as error:
        return Finding(what, False, f"{name}{error}")
    return Finding(what, True, f"{name}{says or told}")


def _output(settings: Settings) -> Finding:
    try:
        check_writable(settings.out)
    except AppError as error:
        return Finding("output", False, str(error))
    return Finding("output", True, str(settings.out) if settings.out.exists() else f"{settings.out} will be made")


def _reports(settings: Settings, now: datetime) -> Finding:
    """Look for days without a report; yesterday's may still be to come."""
    yesterday = now.astimezone(zone(settings.tz)).date() - timedelta(days=1)
    missed = missed_days(settings, yesterday)
    if missed.newest is None:
        return Finding("reports", True, "none yet")
    overdue = [day for day in missed.days if day != yesterday]
    says = f"the newest is of {missed.newest}"
    if missed.too_old:
        says += f"; {len(missed.too_old)} days are missing before {missed.too_old[-1] + timedelta(days=1)}"
    if overdue:
        told = ", ".join(map(str, overdue)) if len(overdue) <= _NAMED else f"{len(overdue)} days since {overdue[0]}"
        return Finding("reports", False, f"{says}; missing or failed: {told}: `gitzette run --catch-up` makes them")
    return Finding("reports", True, f"{says}; yesterday's is due or incomplete" if missed.days else says)


def _heartbeat(settings: Settings, now: datetime) -> Finding:
    """Tell how the last run ended, and whether the next one is overdue."""
    beat = read_heartbeat(settings.out)
    if beat is None:
        return Finding("heartbeat", True, "none yet: no run has written to this folder")
    says = f"{beat.at:%Y-%m-%d %H:%M} UTC {beat.status}: {beat.window}: {beat.says}"
    if now > beat.next_expected + _OVERDUE:
        return Finding("heartbeat", False, f"{says}; no run since: is the timer on?")
    return Finding("heartbeat", beat.status == "done", says)


def _deliveries(settings: Settings) -> list[Finding]:
    """Tell which reports wait to be sent; the next run sends them first."""
    try:
        waiting = Outbox(settings.out).waiting()
    except AppError as error:
        return [Finding("delivery", False, str(error))]
    told = [f"{one.channel}: {one.label} not delivered: {one.why}; the next run tries again" for one in waiting]
    if not told and settings.deliver:
        return [Finding("delivery", True, "nothing waits to be sent")]
    return [Finding("delivery", False, one) for one in told]


def _space(settings: Settings, home: Path) -> Iterator[Finding]:
    """Look at the disks that hold the reports and what is remembered; mirrors are the largest part."""
    places: dict[int, list[tuple[str, Path]]] = {}
    for name, folder in (("reports", settings.out), ("mirrors and memory", home)):
        place = nearest_folder(folder)
        places.setdefault(place.stat().st_dev, []).append((name, place))
    for held in places.values():
        free = shutil.disk_usage(held[0][1]).free
        advice = "" if free >= _ENOUGH_BYTES else "; less than 1 GB: make room, or move home to another disk"
        names = ", ".join(name for name, _ in held)
        yield Finding("disk", not advice, f"{free / (1 << 30):.1f} GB free for {names}{advice}")


def _database(settings: Settings, environ: Mapping[str, str]) -> Finding:
    try:
        with memory_of(settings, environ) as memory:
            runs = memory.runs.latest(1)
    except AppError as error:
        return Finding("memory", False, str(error))
    last = f"last run {runs[0].started} {runs[0].status}" if runs else "no runs yet"
    where = "PostgreSQL" if settings.database else home_of(settings, environ)
    return Finding("memory", True, f"{where}; {last}")


def _mirrors(settings: Settings, home: Path, environ: Mapping[str, str]) -> Sequence[Finding]:
    keeper = keeper_of(settings, home, None, environ)
    kept = [f"{repo}: {keeper.size(repo) / 1_048_576:.1f} MB in {path}" for repo, path in keeper.mirrors()]
    return [Finding("mirror", True, one) for one in kept or ["none kept yet"]]


async def _github(settings: Settings) -> list[Finding]:
    """Ask for the rate limit, which is free, and compare clocks."""
    if settings.token is None:
        says = "none: code is read from git; threads only for numbers named in subjects (60/h)"
        return [Finding("token", True, says)]
    try:
        token = settings.token.get_secret_value()
        async with GitHubClient(base_url=settings.github_url, token=token) as client:
            left = await quota(client)
    except AppError as error:
        return [Finding("token", False, f"{settings.github_url}: {error}")]
    skew = left.skew(datetime.now(UTC))
    agrees = skew < _SKEW_SECONDS
    return [
        Finding("token", True, f"accepted by {settings.github_url}"),
        Finding("rate limit", left.remaining > _ENOUGH_REQUESTS, f"{left.remaining} of {left.limit} requests left"),
        Finding("clock", agrees, "agrees with GitHub's" if agrees else f"off by {skew:.0f} s"),
    ]


async def _model(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    if settings.model_url is None:
        return []
    from tools.chat.client import list_models

    try:
        offered = await list_models(settings.model_url, environ.get("OPENAI_API_KEY") or None)
    except AppError as error:
        return [Finding("model", False, f"unreachable: {error}")]
    if settings.model is not None and settings.model not in offered:
        return [Finding("model", False, f"{settings.model_url} answers, but does not offer {settings.model}")]
    found = [Finding("model", True, f"{settings.model_url} answers; models offered: {len(offered)}")]
    return found + (await _capabilities(settings, environ) if settings.model is not None else [])


async def _capabilities(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    """Tell what the models can do: remembered, or found out now by a few small questions."""
    from gitzette.wiring import endpoints_of

    with memory_of(settings, environ) as memory:
        endpoints = endpoints_of(settings, environ, memory.model_servers)
        known = {name: await endpoint.learn() for name, endpoint in endpoints.items()}
        url = settings.model_url or ""
        return [
            _capable(name, one, answers=memory.model_servers.get(url, name) is not None) for name, one in known.items()
        ]


def _capable(name: str, can: Capabilities, *, answers: bool) -> Finding:
    if not answers:
        return Finding("abilities", False, f"{name} does not answer small questions; see docs/models.md")
    several = "several tool calls at once" if can.parallel else "one tool call at a time"
    context = f"{can.context} tokens of context" + ("" if can.told else " (assumed)")
    tools = several if can.tools else "no tool calls"
    return Finding("abilities", True, f"{name}: answers by {_ANSWER_WAYS[can.way]}; {tools}; {context}")
