"""The command `audit`: checks anybody's report and prints what is wrong with it."""

import argparse
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, get_args

from agent.audit.entries import read_page
from agent.audit.lookup import RIGHT, Finding, in_order, summary
from agent.domain.accounts import Cap
from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, InputError, Language, StorageError
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
_EXAMPLES = 3
_LANGUAGE = re.compile(r"\.[a-z]{2}$")
CAUSES: dict[str, str] = json.loads(Path(__file__).with_name("data").joinpath("audit_causes.json").read_text("utf-8"))
"""What may be wrong, the gravest first, and how a group of it is called."""


@dataclass(frozen=True)
class Group:
    """Findings that are wrong for the same cause, those that are written out first."""

    title: str
    findings: tuple[Finding, ...]
    shown: tuple[Finding, ...]
    folded: bool  # Whether a line with a count says as much: dead anchors come in hundreds and are all alike


@dataclass(frozen=True)
class Audited:
    """What an audit found."""

    findings: list[Finding]
    summary: dict[str, Any]

    @property
    def groups(self) -> list[Group]:
        """Group what is wrong by its cause, the gravest first."""
        found = []
        for cause in dict.fromkeys((*CAUSES, *(one.verdict.removeprefix("wrong:") for one in self.findings))):
            own = sorted((one for one in self.findings if one.verdict == f"wrong:{cause}"), key=lambda one: one.line)
            folded = cause in ("dead-anchor", "window", "failed-output") and len(own) > _EXAMPLES
            shown = tuple(own[:_EXAMPLES] if folded else own)
            found += [Group(CAUSES.get(cause, cause), tuple(own), shown, folded)] if own else []
        return found

    @property
    def counts(self) -> str:
        """Say in a line how many statements there are and how many of them nobody checked."""
        told = "{findings} statements: {wrong} wrong, {right} right, {unverifiable} unverifiable, "
        told += "{not_checked} not checked"
        days = ", ".join(self.summary["days"][:3])
        return told.format(**self.summary) + (f"; it is about {days}" if days else "")

    def text(self, name: str) -> str:
        """Write the findings for a terminal."""
        titles = {"Could not be verified": "unverifiable", "Not checked": "not-checked"}
        kinds = {
            title: Counter(one.kind for one in self.findings if one.verdict == verdict).most_common()
            for title, verdict in titles.items()
        }
        template, not_read = plain_environment().get_template("audit.txt"), self.summary["not_read"]
        text = template.render(name=name, counts=self.counts, groups=self.groups, not_read=not_read, open=kinds)
        return text.rstrip() + "\n"

    def page(self, name: str, text: str) -> str:
        """Write the same as a page, with the report's lines below; whatever the report has is shown as text."""
        beside: dict[int, list[Finding]] = {}
        for one in self.findings:
            beside.setdefault(one.line, []).append(one)
        lines = text.split("\n")
        return html_page("audit.html", name=name, counts=self.counts, groups=self.groups, lines=lines, beside=beside)


def audit(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Check one report; 3 when something in it is wrong."""
    text = read_report(args.file)
    settings = settings_for(args, environ)
    with progress() as display:
        audited = asyncio.run(check_file(args.file, text, settings, environ, display))
    if args.html is not None:
        try:
            args.html.write_text(audited.page(args.file.name, text), encoding="utf-8")
        except OSError as error:
            raise StorageError(f"{args.html} cannot be written: {error.strerror}") from error
    data = {"findings": [asdict(finding) for finding in audited.findings], "summary": audited.summary}
    sys.stdout.write(as_json(data) if args.json else audited.text(args.file.name))
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
        raise InputError(f"{path} is not UTF-8 (byte {error.start}); name a Markdown file") from error
    if not text.strip() or "\0" in text:
        raise InputError(f"{path} is empty or no text; name a Markdown file")
    return text


async def check_file(
    file: Path, text: str, settings: Settings, environ: Mapping[str, str], display: Progress
) -> Audited:
    """Compare a report of our own with its JSON; check any other against the repositories."""
    findings = _compared(file, text, Web(settings.web))
    if findings is None:
        return await check(text, file.name, settings, environ, display)
    return Audited(findings, summary(findings, days=[], commits=0, not_read={}))


async def check(text: str, name: str, settings: Settings, environ: Mapping[str, str], display: Progress) -> Audited:
    """Run the audit over the sources that the settings give."""
    for spec in settings.repos:
        if spec.path is not None:
            await open_repository(spec.path)
    now = datetime.now(UTC)
    async with open_house(settings, environ, now) as house:
        # What a judge said is recorded by what it was asked: the same report is not paid for twice.
        recorder = house.memory.recorder(f"{QUESTIONS}{now.date().isoformat()}")
        judge = writers_of(settings, environ, recorder, house.memory.model_servers, Cap())
        deps = AuditDeps(
            desks=AuditDesks(house, settings),
            progress=display,
            judge=replace(house.deps, models=judge.models, mark=judge.mark) if judge.models else None,
        )
        specs = _specs(text, settings)
        state = AuditInput(entries=read_page(text, name, [spec.name for spec in specs]), specs=specs)
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


@dataclass(frozen=True)
class AuditDesks:
    """Opens a mirror where one is given, the API otherwise: a few commits are no reason to clone."""

    house: House
    settings: Settings

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources of a repository."""
        if spec.path is not None or self.settings.source != "both":
            return await self.house.deps.desks.open(spec)
        client, pages = self.house.client, self.settings.budget.open_issue_pages
        threads = GitHubThreads(client, spec.name, open_pages=pages)
        return Desk(code=GitHubCode(client, spec.name, spec.branch), threads=threads, diffs=None)


def _compared(file: Path, text: str, web: Web) -> list[Finding] | None:
    """Compare a report of our own with what the JSON beside it gives; None where there is none."""
    record = file.with_name(f"{_LANGUAGE.sub('', file.stem)}.json")
    if file.parent.name != "reports" or not record.is_file():
        return None
    try:
        report = load(record.read_bytes(), record.name)
    except (OSError, StorageError):
        return None
    said = text.split("\n")
    # Every layout and language in which it may have been published.
    ways = [(layout, lang) for layout in get_args(Layout) for lang in get_args(Language)]
    pages = [report_page(report, lang, web, layout).split("\n") for layout, lang in ways]
    if said in pages:
        return [Finding(1, "own report", report.window.label, RIGHT, "the same as its JSON gives, line by line")]
    held = set(said)
    return list(_edits(said, max(pages, key=lambda page: sum(line in held for line in page))))


def _edits(said: list[str], true: list[str]) -> Iterator[Finding]:
    for kind, start, end, first, last in SequenceMatcher(None, said, true, autojunk=False).get_opcodes():
        for place in range(0 if kind == "equal" else max(end - start, last - first)):
            line = said[start + place] if start + place < end else ""
            told = f"its JSON gives: {true[first + place]}" if first + place < last else "its JSON gives no such line"
            at = min(start + place, end) + 1
            yield Finding(at, "own report", line or "(a line is missing)", "wrong:edited", told)
