"""The command `doctor`: what a run needs, whether it is there, and what to do where it is not."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from agent.capabilities import Capabilities
from agent.errors import EXIT_DONE, EXIT_INCOMPLETE, AppError
from agent.settings import FILE_NAME, Settings
from gitzette.arguments import settings_here
from gitzette.premises import Finding, clones, deliveries, heartbeat, output_folder, reports, space
from gitzette.wiring import home_of, keeper_of
from memory.store import open_memory
from tools.chat.offers import list_models
from tools.git.repository import git_version
from tools.github.client import GitHubClient
from tools.github.quota import quota

_SKEW_SECONDS = 120
_ENOUGH = 100


def doctor(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Look at everything; 3 when something needs care."""
    findings = _examine(environ)
    ok = all(finding.ok for finding in findings)
    if args.json:
        told = {"ok": ok, "verdict": _verdict(findings), "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    else:
        for finding in findings:
            sys.stdout.write(f"{'ok  ' if finding.ok else 'CARE'}  {finding.what}: {finding.says}\n")
        sys.stdout.write(f"{_verdict(findings)}\n")
    return EXIT_DONE if ok else EXIT_INCOMPLETE


def _verdict(findings: Sequence[Finding]) -> str:
    """Say in one line whether a run can be expected to succeed."""
    wrong = list(dict.fromkeys(finding.what for finding in findings if not finding.ok))
    return f"needs care: {', '.join(wrong)}" if wrong else f"all is well ({len(findings)} things looked at)"


def _examine(environ: Mapping[str, str]) -> list[Finding]:
    file = Path(FILE_NAME)
    try:
        settings = settings_here(environ)
    except AppError as error:
        return [Finding("configuration", False, str(error))]
    about = f"{FILE_NAME}, {len(settings.repos)} repositories" if file.is_file() else f"no {FILE_NAME} here; defaults"
    if not settings.repos:
        about += "; name repositories with `gitzette init --repo owner/name`, or run inside a git checkout"
    now = datetime.now(UTC)
    local = [
        Finding("configuration", True, about),
        output_folder(settings),
        reports(settings, now),
        heartbeat(settings, now),
        *deliveries(settings),
        *space(settings, home_of(settings, environ)),
        _database(settings, environ),
        *_mirrors(settings, environ),
    ]
    return local + asyncio.run(_ask(settings, environ))


async def _ask(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    """Ask git, GitHub, and the model's endpoint where there is one."""
    return [*await clones(settings), await _git(), *await _github(settings), *await _model(settings, environ)]


async def _model(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    if settings.model_url is None:
        return []
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
    from gitzette.analysts import endpoints_of

    with open_memory(home_of(settings, environ), datetime.now(UTC).date()) as memory:
        endpoints = endpoints_of(settings, environ, memory.model_servers)
        known = {name: await endpoint.learn() for name, endpoint in endpoints.items()}
        return [
            _capable(name, one, memory.model_servers.get(settings.model_url or "", name)) for name, one in known.items()
        ]


def _capable(name: str, can: Capabilities, remembered: Capabilities | None) -> Finding:
    if remembered is None:
        return Finding("abilities", False, f"{name} does not answer small questions; see docs/models.md")
    way = {"schema": "JSON schema", "tool": "tool calls", "words": "plain JSON"}[can.way]
    several = "several tool calls at once" if can.parallel else "one tool call at a time"
    tools = several if can.tools else "no tool calls"
    context = f"{can.context} tokens of context" + ("" if can.told else " (assumed)")
    return Finding("abilities", True, f"{name}: answers by {way}; {tools}; {context}")


async def _git() -> Finding:
    try:
        return Finding("git", True, await git_version())
    except AppError as error:
        return Finding("git", False, str(error))


def _database(settings: Settings, environ: Mapping[str, str]) -> Finding:
    home = home_of(settings, environ)
    try:
        with open_memory(home, datetime.now(UTC).date()) as memory:
            runs = memory.runs.latest(1)
    except AppError as error:
        return Finding("memory", False, str(error))
    last = f"last run {runs[0].started} {runs[0].status}" if runs else "no runs yet"
    return Finding("memory", True, f"{home}; {last}")


def _mirrors(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    keeper = keeper_of(settings, home_of(settings, environ), None, environ)
    found = [
        Finding("mirror", True, f"{repo}: {keeper.size(repo) / 1_048_576:.1f} MB in {path}")
        for repo, path in keeper.mirrors()
    ]
    return found or [Finding("mirror", True, "none kept yet")]


async def _github(settings: Settings) -> list[Finding]:
    """Ask for the rate limit, which is free, and compare clocks."""
    token = settings.token.get_secret_value() if settings.token else None
    if token is None:
        return [
            Finding("token", True, "none: code is read from git; threads only for numbers named in subjects (60/h)")
        ]
    try:
        async with GitHubClient(base_url=settings.github_url, token=token) as client:
            left = await quota(client)
    except AppError as error:
        return [Finding("token", False, f"{settings.github_url}: {error}")]
    skew = left.skew(datetime.now(UTC))
    return [
        Finding("token", True, f"accepted by {settings.github_url}"),
        Finding("rate limit", left.remaining > _ENOUGH, f"{left.remaining} of {left.limit} requests left"),
        Finding(
            "clock", skew < _SKEW_SECONDS, "agrees with GitHub's" if skew < _SKEW_SECONDS else f"off by {skew:.0f} s"
        ),
    ]
