"""The command `eval`: runs evaluation sets, each in a process of its own, and prints their figures."""

import argparse
import asyncio
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from agent.audit.findings import Finding
from agent.domain.base import EXIT_DONE, EXIT_FAILED, EXIT_INCOMPLETE, Language, RepoId, UsageError
from agent.domain.report import Report
from agent.domain.window import Window
from agent.questions import Reply
from agent.settings.read import override
from agent.settings.values import Layout, RepoSpec, Settings
from agent.web import Web
from evals.figures import Figures, crashed
from evals.harness import HELD_OUT, SEED, Bench, EvalSet, ReportCost, choose, run_set
from evals.limits import PREVIOUS, breaches, changes, load_figures, load_limits, shares
from evals.results import as_breaches, as_json, as_page, as_table
from evals.sets import all_sets
from gitzette.commands.ask import asking_context
from gitzette.commands.audit import check_file, read_report
from gitzette.progress import QuietProgress, say
from gitzette.render.compose import page_model, report_page
from gitzette.replies import ReplyPage
from gitzette.running import cover
from graphs.conversations import answered

SETS: tuple[EvalSet, ...] = tuple(all_sets())
_AT_ONCE = 3


class Gitzette:
    """Gitzette itself, run as the command line runs it."""

    async def report(
        self, settings: Settings, window: Window, environ: Mapping[str, str] | None = None
    ) -> tuple[Report, ReportCost]:
        """Report on a window, with these variables, and say what it cost."""
        started = time.monotonic()
        covered = await cover(
            settings, environ or {}, window, settings.repos, datetime.now(UTC), QuietProgress()
        )
        usage = covered.usage
        return covered.report, ReportCost(usage.sent, usage.free, time.monotonic() - started)

    async def ask(
        self,
        settings: Settings,
        questions: Sequence[tuple[str, Sequence[RepoId]]],
        now: datetime,
        since: datetime,
    ) -> list[Reply]:
        """Read everything from a moment on, then answer questions, each about some of the repositories."""
        async with asking_context(settings, {}, settings.repos, now, QuietProgress()) as context:
            whole = Window(start=since, end=now + timedelta(seconds=1), tz=settings.tz)
            for spec in settings.repos:
                await context.reader.complete(spec, whole)
            replies, page = [], ReplyPage(Web(settings.web), settings.tz)
            for question, repos in questions:
                specs = tuple(spec for spec in settings.repos if spec.name in repos)
                replies.append(page.written(await answered(question, context.for_question(specs))))
            return replies

    def page(self, report: Report, lang: Language, layout: Layout, web: str) -> str:
        """Write a report as Markdown, with links below `web`."""
        return report_page(report, lang, Web(web), layout)

    def citations(self, report: Report, lang: Language) -> Sequence[tuple[str, str]]:
        """List the citations of a page that open: the sentence of each, and what it opens on."""
        page = page_model(report, lang, Web("https://github.com"))
        sentences = [*page.brief, *page.more]
        for item in page.items.values():
            sentences += item.fresh
        for part in page.repos:
            sentences += (*part.summary, *part.more)
        return [
            (one.text, cite.evidence)
            for one in sentences
            for cite in one.citations
            if cite.evidence
        ]

    async def audit(self, file: Path, settings: Settings) -> list[Finding]:
        """Check a report that lies in a file."""
        return (await check_file(file, read_report(file), settings, {}, QuietProgress())).findings


def evaluate(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Run the sets; 3 when a figure misses its target, 1 when the gate is broken."""
    del environ
    if bool(args.since) != bool(args.until):
        raise UsageError("--since and --until go together")
    _mirrors(args)
    started, limits = datetime.now(UTC), load_limits()
    names = [
        one.name for one in choose(limits.sets if args.gate and not args.sets else args.sets, SETS)
    ]
    with ThreadPoolExecutor(_AT_ONCE) as several:
        results = dict(zip(names, several.map(partial(_run_apart, args), names), strict=True))
    previous = load_figures(PREVIOUS) if PREVIOUS.exists() else {}
    found = breaches(results, limits, previous) if args.gate else []
    changed = list(changes(results, load_figures(args.baseline))) if args.baseline else []
    if args.accept:
        PREVIOUS.write_text(
            json.dumps(shares(results), indent=1, ensure_ascii=False) + "\n", "utf-8"
        )
    if args.html:
        seconds = round((datetime.now(UTC) - started).total_seconds())
        about = {"run": f"{started:%Y-%m-%d %H:%M}", "seconds": seconds, "full": args.full}
        args.html.write_text(
            as_page(results, about, changed), encoding="utf-8", errors="backslashreplace"
        )
    sys.stdout.write(
        as_json(results) if args.json else as_table(results, previous, colour=sys.stdout.isatty())
    )
    told = "".join(f"changed: {line}\n" for line in changed) + (
        as_breaches(found) if args.gate else ""
    )
    (sys.stderr if args.json else sys.stdout).write(told)
    if args.gate:
        return EXIT_FAILED if found else EXIT_DONE
    failed = any(figure.ok is False for figures in results.values() for figure in figures.values())
    return EXIT_INCOMPLETE if failed else EXIT_DONE


def _mirrors(args: argparse.Namespace) -> tuple[RepoSpec, ...]:
    repos = override(Settings(), {"repos": args.repo}).repos
    if missing := [spec.name for spec in repos if spec.path is None]:
        raise UsageError(
            f"{missing[0]} has no path; sets read real repositories only from disk: owner/name=PATH"
        )
    return repos


def _run_apart(args: argparse.Namespace, name: str) -> Figures:
    """Run a set in a process of its own: one that dies ends no other."""
    # One process imports everything and forks into all others: twenty sets do not spend a minute on imports.
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    with ProcessPoolExecutor(1, mp_context=forks) as process:
        try:
            return process.submit(_run_one, args, name).result()
        except BrokenProcessPool as error:
            return crashed(name, str(error))


def _run_one(args: argparse.Namespace, name: str) -> Figures:
    (chosen,) = choose([name], SETS)
    with tempfile.TemporaryDirectory(prefix="gitzette-eval-") as folder:
        bench = Bench(
            folder=Path(folder),
            system=Gitzette(),
            say=say,
            mirrors=_mirrors(args),
            span=(args.since, args.until) if args.since else None,
            reports=tuple(map(Path, args.report or ())),
            model={"model": args.model, "model_url": args.model_url} if args.model_url else {},
            seed=HELD_OUT if args.held_out else SEED,
            analyst=args.analyst,
            full=args.full,
        )
        return asyncio.run(run_set(chosen, bench))
