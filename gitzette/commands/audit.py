"""The command `audit`: checks anybody's report and prints what is wrong with it."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from itertools import groupby, product, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args

from agent.audit.entries import read_page
from agent.audit.findings import RIGHT, Finding, in_order, summary
from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, InputError, Language, StorageError
from agent.domain.spending import Cap
from agent.ports import Desk, Progress
from agent.reports.stored import load
from agent.settings.values import Layout, RepoSpec, Settings
from agent.web import Web
from gitzette.arguments import settings_for
from gitzette.progress import as_json, progress
from gitzette.render.compose import report_page
from gitzette.render.templating import html_page, plain_environment
from gitzette.wiring import House, open_house, writers_of
from graphs.audit import AuditDeps, AuditInput, build
from memory.recorder import QUESTIONS
from tools.git.repository import open_repository
from tools.github.code import GitHubCode
from tools.github.threads import GitHubThreads

LARGEST = 50 * 1024 * 1024  # How many bytes a report may have
CAUSES: dict[str, str] = json.loads(
    Path(__file__).parents[1].joinpath("data", "audit_causes.json").read_text("utf-8")
)
"""What may be wrong, the gravest first, and how a group of it is called."""


@dataclass(frozen=True)
class Audited:
    """What an audit found."""

    findings: list[Finding]
    summary: dict[str, Any]

    def text(self, name: str) -> str:
        """Write the findings for a terminal."""
        text = (
            plain_environment()
            .get_template("audit.txt")
            .render(name=name, causes=CAUSES, **asdict(self))
        )
        return text.rstrip() + "\n"

    def page(self, name: str, text: str) -> str:
        """Write the same as a page, with the report's lines below; whatever the report has is shown as text."""
        beside = {line: list(some) for line, some in groupby(self.findings, key=attrgetter("line"))}
        return html_page(
            "audit.html",
            name=name,
            lines=text.split("\n"),
            beside=beside,
            causes=CAUSES,
            **asdict(self),
        )


def audit(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Check one report; 3 when something in it is wrong."""
    text, settings = read_report(args.file), settings_for(args, environ)
    with progress() as display:
        audited = asyncio.run(check_file(args.file, text, settings, environ, display))
    if args.html is not None:
        try:
            args.html.write_text(audited.page(args.file.name, text), encoding="utf-8")
        except OSError as error:
            raise StorageError(f"{args.html} cannot be written: {error.strerror}") from error
    sys.stdout.write(as_json(asdict(audited)) if args.json else audited.text(args.file.name))
    return EXIT_INCOMPLETE if any(finding.wrong for finding in audited.findings) else EXIT_DONE


def read_report(path: Path) -> str:
    """Read a file that ought to be Markdown."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path} is too large; a report may have {LARGEST // 1024 // 1024} MB")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte {error.start}); name a Markdown file"
        ) from error
    if not text.strip() or "\0" in text:
        raise InputError(f"{path} is empty or no text; name a Markdown file")
    return text


async def check_file(
    file: Path, text: str, settings: Settings, environ: Mapping[str, str], shown: Progress
) -> Audited:
    """Compare a report of our own with its JSON; check any other against the repositories."""
    findings = _compared(file, text, Web(settings.web))
    if findings is not None:
        return Audited(findings, summary(findings, days=[], commits=0, not_read={}))
    return await check(text, file.name, settings, environ, shown)


async def check(
    text: str, name: str, settings: Settings, environ: Mapping[str, str], display: Progress
) -> Audited:
    """Run the audit over the sources that the settings give."""
    specs, now = settings.repos, datetime.now(UTC)
    for path in filter(None, (spec.path for spec in specs)):
        await open_repository(path)
    entries = read_page(text, name, [spec.name for spec in specs])
    if settings.threads_wanted and settings.source != "git":
        # With a token or an API of one's own, what is linked is asked for as well.
        linked = {
            one.repo: None
            for entry in entries
            for one in entry.references
            if one.repo and one.label
        }
        specs += tuple(
            RepoSpec(name=repo) for repo in linked if repo not in {spec.name for spec in specs}
        )
    async with open_house(settings, environ, now) as house:
        # What a judge said is recorded by what it was asked: the same report is not paid for twice.
        recorder = house.memory.recorder(f"{QUESTIONS}{now.date().isoformat()}")
        judge = writers_of(settings, environ, recorder, house.memory.model_servers, Cap())
        context = (
            replace(house.deps, models=judge.models, mark=judge.mark) if judge.models else None
        )
        deps = AuditDeps(desks=AuditDesks(house, settings), progress=display, judge=context)
        result = await build().ainvoke(
            AuditInput(entries=entries, specs=specs), {"max_concurrency": 4}, context=deps
        )
    return Audited(in_order(result["findings"]), result["summary"])


@dataclass(frozen=True)
class AuditDesks:
    """Opens a mirror where one is given, the API otherwise: a few commits are no reason to clone."""

    house: House
    settings: Settings

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources of a repository."""
        if spec.path is not None or self.settings.source != "both":
            return await self.house.deps.desks.open(spec)
        client, repo = self.house.client, spec.name
        return Desk(
            code=GitHubCode(client, repo, spec.branch),
            threads=GitHubThreads(client, repo),
            diffs=None,
        )


def _compared(file: Path, text: str, web: Web) -> list[Finding] | None:
    """Compare a report of our own with what the JSON beside it gives; None where there is none."""
    record, said = file.with_name(f"{file.name.partition('.')[0]}.json"), text.split("\n")
    if file.parent.name != "reports" or not record.is_file():
        return None
    try:
        report = load(record.read_bytes(), record.name)
    except (OSError, StorageError):
        return None
    # Every layout and language in which it may have been published.
    ways = product(get_args(Language), get_args(Layout))
    pages = [report_page(report, lang, web, layout).split("\n") for lang, layout in ways]
    if said in pages:
        return [
            Finding(
                1,
                "own report",
                report.window.label,
                RIGHT,
                "the same as its JSON gives, line by line",
            )
        ]
    true, found = max(pages, key=lambda page: len({*page} & {*said})), list[Finding]()
    for kind, start, end, first, last in SequenceMatcher(
        None, said, true, autojunk=False
    ).get_opcodes():
        pairs = (
            zip_longest(said[start:end], true[first:last], fillvalue="") if kind != "equal" else ()
        )
        for line, (old, new) in enumerate(pairs, start + 1):
            claim, told = old or "(a line is missing)", f"its JSON gives: {new}"
            found.append(Finding(line, "own report", claim, "wrong:edited", told))
    return found
