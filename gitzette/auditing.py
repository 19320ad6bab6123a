"""The command `audit`: checks anybody's report and prints what is wrong with it."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent.audit.entries import read_page
from agent.audit.lookup import Finding, in_order, summary
from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, InputError, StorageError
from agent.ports.memories import Desk, Desks, Progress
from agent.settings.spending import Cap
from agent.settings.values import RepoSpec, Settings
from agent.web import Web
from gitzette.arguments import settings_for
from gitzette.audit_text import audit_page, audit_text
from gitzette.own_reports import compared
from gitzette.progress import progress
from gitzette.wiring import House, open_house, writers_of
from graphs.audit import AuditDeps, AuditInput, build
from memory.recorder import QUESTIONS
from tools.git.repository import open_repository
from tools.github.code import GitHubCode
from tools.github.threads import GitHubThreads

LARGEST = 50 * 1024 * 1024
"""How many bytes a report may have."""


@dataclass(frozen=True)
class Audited:
    """What an audit found."""

    findings: list[Finding]
    summary: dict[str, Any]

    @property
    def wrong(self) -> list[Finding]:
        """List what must be corrected."""
        return [finding for finding in self.findings if finding.wrong]


def audit(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Check one report; 3 when something in it is wrong."""
    text = read_report(args.file)
    settings = settings_for(args, environ)
    with progress() as display:
        audited = asyncio.run(check_file(args.file, text, settings, environ, display))
    if args.html is not None:
        _write(args.html, audit_page(args.file.name, text, audited.findings, audited.summary))
    sys.stdout.write(_as_json(audited) if args.json else audit_text(args.file.name, audited.findings, audited.summary))
    return EXIT_INCOMPLETE if audited.wrong else EXIT_DONE


def read_report(path: Path) -> str:
    """Read a file that ought to be Markdown."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name one Markdown file")
        size = path.stat().st_size
        if size > LARGEST:
            raise InputError(f"{path} has {size // 1024 // 1024} MB; a report may have {LARGEST // 1024 // 1024}")
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    if b"\0" in content[:8192]:
        raise InputError(f"{path} is not a text; name a Markdown file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}); name a Markdown file") from error
    if not text.strip():
        raise InputError(f"{path} is empty")
    return text


async def check_file(
    file: Path, text: str, settings: Settings, environ: Mapping[str, str], display: Progress
) -> Audited:
    """Compare a report of our own with its JSON; check any other against the repositories."""
    findings = compared(file, text, Web(settings.web))
    if findings is None:
        return await check(text, file.name, settings, environ, display)
    return Audited(findings, summary(findings, days=[], commits=0, not_read={}))


async def check(text: str, name: str, settings: Settings, environ: Mapping[str, str], display: Progress) -> Audited:
    """Run the audit over the sources that the settings give."""
    for spec in settings.repos:
        if spec.path is not None:
            await open_repository(spec.path)
    now = datetime.now(UTC)
    async with open_house(settings, environ, display, now) as house:
        # What a judge said is recorded by what it was asked: the same report is not paid for twice.
        recorder = house.memory.recorder(f"{QUESTIONS}{now.date().isoformat()}")
        judge = writers_of(settings, environ, recorder, house.memory.model_servers, Cap())
        deps = AuditDeps(
            desks=AuditDesks(house, settings),
            progress=display,
            judge=replace(house.deps, models=judge.models, mark=judge.mark) if judge.models else None,
        )
        state = AuditInput(text=text, name=name, specs=_specs(text, settings))
        result = await build().ainvoke(state, {"max_concurrency": 4}, context=deps)
    return Audited(in_order(result["findings"]), result["summary"])


def _specs(text: str, settings: Settings) -> tuple[RepoSpec, ...]:
    """Choose what may be asked: what is given, and with a token or an API of one's own also what is linked."""
    if not settings.threads_wanted or settings.source == "git":
        return settings.repos
    given = {spec.name.casefold() for spec in settings.repos}
    found = (one for entry in read_page(text, "", []) for one in entry.references)
    linked = dict.fromkeys(one.repo for one in found if one.repo and one.form == "link")
    return (*settings.repos, *(RepoSpec(name=repo) for repo in linked if repo and repo.casefold() not in given))


class AuditDesks:
    """Opens a mirror where one is given, the API otherwise: a few commits are no reason to clone."""

    def __init__(self, house: House, settings: Settings) -> None:
        self._desks: Desks = house.deps.desks
        self._client = house.client
        self._settings = settings

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources of a repository."""
        if spec.path is not None or self._settings.source != "both":
            return await self._desks.open(spec)
        threads = GitHubThreads(self._client, spec.name, open_pages=self._settings.budget.open_issue_pages)
        return Desk(code=GitHubCode(self._client, spec.name, spec.branch), threads=threads, diffs=None)


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error


def _as_json(audited: Audited) -> str:
    data = {"findings": [asdict(finding) for finding in audited.findings], "summary": audited.summary}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
