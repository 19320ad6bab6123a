"""The command `audit`: checks anybody's report and prints what is wrong with it."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import partial
from itertools import groupby, product, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, get_args

from agent.audit.corrections import correct
from agent.audit.entries import AuditEntry, read_page
from agent.audit.findings import RIGHT, Finding, in_order, summary, verdict_counts
from agent.browser_urls import Web
from agent.domain.base import Language, RepoId
from agent.domain.errors import (
    EXIT_DONE,
    EXIT_INCOMPLETE,
    InputError,
    StorageError,
    UpstreamError,
    UsageError,
)
from agent.ports import Progress, RepositorySources
from agent.reports.report_json import load
from agent.settings.values import Layout, RepoSpec, Settings
from gitzette.audit_formats import annotations, badge, sarif, supported
from gitzette.render.page_composition import report_page
from gitzette.render.templating import html_page, plain_environment
from gitzette.settings_from_arguments import settings_for
from gitzette.terminal_output import as_json, progress
from gitzette.wiring import Services, open_services, writers_of
from graphs.audit import build
from graphs.audit_state import AuditDeps, AuditInput
from memory.recorder import QUESTIONS
from tools.chat.budget import Cap
from tools.git.opened_repository import open_repository
from tools.github.code_source import GitHubCode
from tools.github.threads import GitHubThreads

_MAX_REPORT_BYTES = 50 * 1024 * 1024
_MAX_CONCURRENT_NODES = 4
_STANDARD_INPUT = "-"
MAX_SECONDS = 900
"""After this time an audit ends with what it has, unless the user wants to wait longer."""
CAUSES: dict[str, str] = json.loads(
    Path(__file__).parents[1].joinpath("data", "audit_causes.json").read_text("utf-8")
)
"""The causes of errors, the gravest first, each with the title of its group."""


@dataclass(frozen=True)
class Audited:
    """The result of an audit."""

    findings: list[Finding]
    summary: dict[str, Any]

    def status(self, fail_on: str = "wrong") -> int:
        """Return the exit status: 3 if something is wrong, or was not checked and should be."""
        if fail_on == "never":
            return EXIT_DONE
        if self.summary["incomplete"] or any(finding.wrong for finding in self.findings):
            return EXIT_INCOMPLETE
        is_open = self.summary["unverifiable"] or self.summary["not_checked"]
        return EXIT_INCOMPLETE if is_open and fail_on == "unsupported" else EXIT_DONE

    def text(self, name: str) -> str:
        """Return the findings for a terminal."""
        template = plain_environment().get_template("audit.txt")
        text = template.render(
            name=name, causes=CAUSES, supported=supported(self.summary), **asdict(self)
        )
        return text.rstrip() + "\n"

    def page(self, name: str, text: str) -> str:
        """Return the findings as a page, beside the lines of the report, shown as text."""
        by_line = groupby(self.findings, key=attrgetter("line"))
        beside = {line: list(findings) for line, findings in by_line}
        lines = text.split("\n")
        return html_page(
            "audit.html", name=name, lines=lines, beside=beside, causes=CAUSES, **asdict(self)
        )

    def without(self, dropped: Callable[[Finding], bool]) -> "Audited":
        """Return the audit without some of its findings."""
        findings = [finding for finding in self.findings if not dropped(finding)]
        return Audited(findings, self.summary | verdict_counts(findings))


class AuditedFile(NamedTuple):
    """A report and its audit."""

    name: str
    text: str
    audited: Audited


def audit(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Check reports; return 3 if something in one of them is wrong or could not be checked."""
    if args.max_seconds <= 0:
        raise UsageError(f"--max-seconds {args.max_seconds} is no time; give at least 1")
    selection = Selection.of(args)
    if args.html is not None and len(args.files) > 1:
        raise UsageError("--html shows one report; give one file, or leave it out")
    if args.fix and any(str(path) == _STANDARD_INPUT for path in args.files):
        raise UsageError("--fix writes into the file; give a file in place of -")
    settings = settings_for(args, environ)
    audited_files = []
    with progress() as display:
        for path in args.files:
            text = _read(path)
            audited = asyncio.run(
                check_file(path, text, settings, environ, display, args.max_seconds)
            )
            audited = audited.without(partial(selection.drops, path))
            if args.fix:
                audited = _fixed(path, text, audited)
            audited_files.append(AuditedFile(str(path), text, audited))
    _write_beside(args, audited_files)
    sys.stdout.write(_printed(audited_files, "json" if args.json else args.format))
    return max(file.audited.status(args.fail_on) for file in audited_files)


def _read(path: Path) -> str:
    if str(path) != _STANDARD_INPUT:
        return read_report(path)
    text = sys.stdin.read(_MAX_REPORT_BYTES)
    if not text.strip() or "\0" in text:
        raise InputError("standard input is empty or no text; pipe a Markdown report into it")
    return text


def _fixed(path: Path, text: str, audited: Audited) -> Audited:
    """Write what is certain into the file, and return the audit without what is mended."""
    correction = correct(text, audited.findings)
    if not correction.corrected:
        return audited
    _write(path, correction.text)
    remaining = audited.without(lambda finding: finding in correction.corrected)
    remaining.summary["corrected"] = len(correction.corrected)
    return remaining


def _write_beside(args: argparse.Namespace, files: Sequence[AuditedFile]) -> None:
    """Write the files that the options ask for."""
    if args.html is not None:
        (file,) = files
        _write(args.html, file.audited.page(Path(file.name).name, file.text))
    if args.badge is not None:
        findings: list[Finding] = []
        incomplete: list[str] = []
        for file in files:
            findings += file.audited.findings
            incomplete += file.audited.summary["incomplete"]
        _write(args.badge, badge(summary(findings, incomplete=incomplete)))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error


def _printed(files: Sequence[AuditedFile], form: str) -> str:
    """Return what is printed of the audits in some form."""
    findings_by_file = {file.name: file.audited.findings for file in files}
    if form == "sarif":
        return sarif(findings_by_file, CAUSES, {file.name: file.text for file in files})
    if form == "github":
        return annotations(findings_by_file, CAUSES)
    if form == "text":
        return "\n".join(file.audited.text(Path(file.name).name) for file in files)
    audits = [{"file": file.name, **asdict(file.audited)} for file in files]
    return as_json(audits[0] if len(audits) == 1 else {"files": audits})


@dataclass(frozen=True)
class Selection:
    """Which errors count: by their cause, and without those of an earlier audit."""

    only: frozenset[str]
    ignored: frozenset[str]
    known: frozenset[tuple[str, str, str, str]]

    @classmethod
    def of(cls, args: argparse.Namespace) -> "Selection":
        """Read the options that select errors."""
        return cls(
            only=_causes("--only", args.only),
            ignored=_causes("--ignore", args.ignore),
            known=_known_findings(args.baseline) if args.baseline else frozenset(),
        )

    def drops(self, path: Path, finding: Finding) -> bool:
        """Return True for an error in a file that the user does not want to hear of."""
        if not finding.wrong:
            return False
        is_selected = not self.only or finding.cause in self.only
        finding_key = (finding.kind, finding.claim, finding.verdict)
        # An audit that names no file is of an earlier version, and of one report.
        is_known = (_file_key(path), *finding_key) in self.known or ("", *finding_key) in self.known
        return not is_selected or finding.cause in self.ignored or is_known


def _causes(option: str, values: Sequence[str]) -> frozenset[str]:
    causes: set[str] = set()
    for value in values:
        causes.update(cause for cause in value.split(",") if cause)
    unknown = sorted(causes - CAUSES.keys())
    if unknown:
        raise UsageError(f"{option} {unknown[0]} is no rule; the rules are {', '.join(CAUSES)}")
    return frozenset(causes)


def _file_key(path: Path | str) -> str:
    """Return the name under which a file is known, from whatever folder it is named."""
    return Path(os.path.relpath(path)).as_posix()


def _known_findings(path: Path) -> frozenset[tuple[str, str, str, str]]:
    """Read the errors that an earlier audit printed as JSON."""
    try:
        data = json.loads(path.read_text("utf-8"))
        audits = data.get("files", [data])
        findings = set()
        for audited in audits:
            file = _file_key(audited["file"]) if "file" in audited else ""
            for finding in audited["findings"]:
                findings.add((file, finding["kind"], finding["claim"], finding["verdict"]))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is no audit; make one with `gitzette audit --format json`"
        ) from error
    return frozenset(findings)


def read_report(path: Path) -> str:
    """Return the text of a file that ought to be Markdown."""
    try:
        if path.stat().st_size > _MAX_REPORT_BYTES:
            megabytes = _MAX_REPORT_BYTES // 1024 // 1024
            raise InputError(f"{path} is too large; a report may have {megabytes} MB")
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
    file: Path,
    text: str,
    settings: Settings,
    environ: Mapping[str, str],
    display: Progress,
    max_seconds: float = MAX_SECONDS,
) -> Audited:
    """Compare a report of our own with its JSON; check any other against the repositories."""
    findings = _compared(file, text, Web(settings.web))
    if findings is not None:
        return Audited(findings, summary(findings))
    return await check(text, file.name, settings, environ, display, max_seconds)


async def check(
    text: str,
    name: str,
    settings: Settings,
    environ: Mapping[str, str],
    display: Progress,
    max_seconds: float = MAX_SECONDS,
) -> Audited:
    """Run the audit over the sources that the settings give, for `max_seconds` at most."""
    deadline = asyncio.get_running_loop().time() + max_seconds
    now = datetime.now(UTC)
    for spec in settings.repos:
        if spec.path is not None:
            await open_repository(spec.path)
    entries = read_page(text, name, [spec.name for spec in settings.repos])
    linked = _linked_repos(entries, settings)
    linked_specs = [RepoSpec(name=repo) for repo in linked]
    specs = (*settings.repos, *linked_specs)
    async with open_services(settings, environ, now) as services:
        # The answers of the judge are recorded, so that no report is paid for twice.
        recorder = services.memory.recorder(f"{QUESTIONS}{now.date().isoformat()}")
        judge = writers_of(settings, environ, recorder, services.memory.model_servers, Cap())
        judge_context = None
        if judge.models:
            judge_context = replace(services.context, models=judge.models, mark=judge.mark)
        audit_context = AuditDeps(
            repositories=AuditRepositories(services, settings),
            progress=display,
            deadline=deadline,
            judge=judge_context,
        )
        result = await build().ainvoke(
            AuditInput(entries=entries, specs=specs, linked=frozenset(linked)),
            {"max_concurrency": _MAX_CONCURRENT_NODES},
            context=audit_context,
        )
    return Audited(in_order(result["findings"]), result["summary"])


def _linked_repos(entries: Sequence[AuditEntry], settings: Settings) -> list[RepoId]:
    """Return the linked repositories that the settings lack, if an API may be asked."""
    if not settings.threads_wanted or settings.source == "git":
        return []
    given = {spec.name for spec in settings.repos}
    linked: dict[RepoId, None] = {}
    for entry in entries:
        for reference in entry.references:
            if reference.repo and reference.label and reference.repo not in given:
                linked[reference.repo] = None
    return list(linked)


@dataclass(frozen=True)
class AuditRepositories:
    """Opens repositories that the user names from git: only there a hash can be said to be dead.

    What a report merely links to is asked of the API: a few commits are no reason to mirror it.
    """

    services: Services
    settings: Settings

    async def open(self, spec: RepoSpec) -> RepositorySources:
        """Prepare the sources of a repository; from the API where git cannot be reached."""
        is_named = any(spec.name == named.name for named in self.settings.repos)
        if is_named or self.settings.source != "both":
            try:
                return await self.services.context.repositories.open(spec)
            except UpstreamError:
                if spec.path is not None or self.settings.source != "both":
                    raise
        client = self.services.client
        return RepositorySources(
            code=GitHubCode(client, spec.name, spec.branch),
            threads=GitHubThreads(client, spec.name),
            diffs=None,
        )


def _compared(file: Path, text: str, web: Web) -> list[Finding] | None:
    """Compare a report of our own with the JSON beside it; return None if there is none."""
    record = file.with_name(f"{file.name.partition('.')[0]}.json")
    if file.parent.name != "reports" or not record.is_file():
        return None
    try:
        report = load(record.read_bytes(), record.name)
    except (OSError, StorageError):
        return None
    lines = text.split("\n")
    # Every layout and language in which it may have been published.
    pages = []
    for lang, layout in product(get_args(Language), get_args(Layout)):
        pages.append(report_page(report, lang, web, layout).split("\n"))
    if lines in pages:
        evidence = "the same as its JSON gives, line by line"
        return [Finding(1, "own report", report.window.label, RIGHT, evidence)]
    nearest = max(pages, key=lambda page: len(set(page) & set(lines)))
    return list(_edits(lines, nearest))


def _edits(lines: list[str], published: list[str]) -> Iterator[Finding]:
    """Yield a finding for each line that differs from the published page."""
    matcher = SequenceMatcher(None, lines, published, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            continue
        pairs = zip_longest(lines[start:end], published[first:last], fillvalue="")
        for number, (edited, original) in enumerate(pairs, start + 1):
            claim = edited or "(a line is missing)"
            evidence = f"its JSON gives: {original}"
            yield Finding(number, "own report", claim, "wrong:edited", evidence)
