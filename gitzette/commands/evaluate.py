"""The command `eval`: runs evaluation sets, each in its own process, and prints their figures."""

import argparse
import asyncio
import json
import multiprocessing
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from agent.audit.findings import Finding
from agent.browser_urls import Web
from agent.domain.base import Language, RepoId
from agent.domain.errors import EXIT_DONE, EXIT_FAILED, EXIT_INCOMPLETE, UsageError
from agent.domain.links import Related
from agent.domain.report import Report
from agent.domain.window import Window
from agent.links.relating_trace import RelatingTrace
from agent.questions_and_replies import Reply
from agent.reports.page_model import Citation, PageSentence
from agent.settings.read import override
from agent.settings.values import Layout, RepoSpec, Settings
from evals.figures import Figures, crashed
from evals.harness import (
    HELD_OUT,
    SEED,
    Bench,
    CardSentence,
    EvalSet,
    RelatedWindow,
    ReportCost,
    choose,
    run_set,
)
from evals.limits import PREVIOUS, breaches, changes, load_figures, load_limits, shares
from evals.result_formats import as_breaches, as_json, as_page, as_table
from evals.sets import all_sets
from gitzette.commands.ask import asking_context
from gitzette.commands.audit import check_file, read_report
from gitzette.day_run import run_day
from gitzette.render.page_composition import page_model, report_page
from gitzette.reply_pages import ReplyPage
from gitzette.terminal_output import QuietProgress, say
from gitzette.wiring import open_services
from graphs import daily
from graphs.ask_conversations import answered
from graphs.state import DayInput

SETS: tuple[EvalSet, ...] = tuple(all_sets())
_MAX_CONCURRENT_SETS = 3
_MAX_CONCURRENT_QUESTIONS = 16
# Imported by name, since it imports this module
_PRELOADED = "gitzette.commands.eval_forkserver_imports"


class Gitzette:
    """Gitzette itself, run as the command line runs it."""

    async def report(
        self, settings: Settings, window: Window, environ: Mapping[str, str] | None = None
    ) -> tuple[Report, ReportCost]:
        """Return the report on a window, and what it cost."""
        started = time.monotonic()
        now = datetime.now(UTC)
        outcome = await run_day(
            settings, environ or {}, window, settings.repos, now, QuietProgress()
        )
        seconds = time.monotonic() - started
        usage = outcome.usage
        return outcome.report, ReportCost(usage.sent, usage.free, seconds)

    async def ask(
        self,
        settings: Settings,
        questions: Sequence[tuple[str, Sequence[RepoId]]],
        now: datetime,
        since: datetime,
    ) -> list[Reply]:
        """Read everything since a time, then answer questions, each about some repositories."""
        async with asking_context(settings, {}, settings.repos, now, QuietProgress()) as context:
            window = Window(start=since, end=now + timedelta(seconds=1), tz=settings.tz)
            for spec in settings.repos:
                await context.reader.complete(spec, window)
            page = ReplyPage(Web(settings.web), settings.tz)
            replies = []
            for question, repos in questions:
                specs = tuple(spec for spec in settings.repos if spec.name in repos)
                reply = await answered(question, context.for_question(specs))
                replies.append(page.written(reply))
            return replies

    async def relate(self, settings: Settings, window: Window) -> RelatedWindow:
        """Have a model relate the commits of a window, and write nothing else."""
        now = datetime.now(UTC)
        run_id = f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
        traces: list[RelatingTrace] = []
        state: Mapping[str, Any] = {}
        async with open_services(settings, {}, now, run_id, settings.repos) as services:
            graph: Any = daily.build_relating()
            stream = graph.astream(
                DayInput(window=window, specs=settings.repos),
                {"max_concurrency": _MAX_CONCURRENT_QUESTIONS},
                context=services.context,
                stream_mode=["custom", "values"],
                subgraphs=True,
            )
            async with aclosing(stream) as parts:
                async for subgraph, mode, value in parts:
                    if isinstance(value, RelatingTrace):
                        traces.append(value)
                    elif mode == "values" and not subgraph:
                        state = value
        related: list[Related] = []
        for chapter in state["chapters"].values():
            related += chapter.related
        return RelatedWindow(
            report=state["report"],
            related=tuple(related),
            refused=tuple(state["refused"]),
            sentences=tuple(_card_sentences(state["report"])),
            traces=tuple(traces),
        )

    def page(self, report: Report, lang: Language, layout: Layout, web: str) -> str:
        """Return a report as Markdown, with links below `web`."""
        return report_page(report, lang, Web(web), layout)

    def citations(self, report: Report, lang: Language) -> Sequence[tuple[str, str]]:
        """Return the citations of a page that can be opened, as pairs of sentence and evidence."""
        page = page_model(report, lang, Web("https://github.com"))
        sentences = [*page.brief, *page.more]
        for item in page.items.values():
            sentences += item.fresh
        for part in page.repos:
            sentences += (*part.summary, *part.more)
        citations = []
        for sentence in sentences:
            for cite in sentence.citations:
                if cite.evidence:
                    citations.append((sentence.text, cite.evidence))
        return citations

    async def audit(self, file: Path, settings: Settings) -> list[Finding]:
        """Check the report in a file."""
        audited = await check_file(file, read_report(file), settings, {}, QuietProgress())
        return audited.findings


def _card_sentences(report: Report) -> Iterator[CardSentence]:
    """Yield the sentences that are in sight on the cards of a report's commits."""
    for section in page_model(report, "en", Web("https://github.com")).sections:
        for item in section.items:
            for sentence in item.sentences:
                yield CardSentence(item.row.id, sentence.claim, _words(sentence))


def _words(sentence: PageSentence) -> str:
    """Return a sentence with the names of what it cites in their places."""
    words = ""
    for part in sentence.parts:
        words += part.name if isinstance(part, Citation) else part
    return words


class _SetOutcome(NamedTuple):
    """The figures of a set, and what it found beside them."""

    figures: Figures
    details: Mapping[str, JsonValue]


def evaluate(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Run the sets; return 3 if a figure misses its target, 1 if the gate is broken."""
    del environ
    if bool(args.since) != bool(args.until):
        raise UsageError("--since and --until go together")
    _mirrors(args)
    started = datetime.now(UTC)
    limits = load_limits()
    requested = limits.sets if args.gate and not args.sets else args.sets
    names = [evalset.name for evalset in choose(requested, SETS)]
    with ThreadPoolExecutor(_MAX_CONCURRENT_SETS) as threads:
        outcomes = dict(zip(names, threads.map(partial(_run_apart, args), names), strict=True))
    results = {name: outcome.figures for name, outcome in outcomes.items()}
    details: dict[str, JsonValue] = {}
    for outcome in outcomes.values():
        details |= outcome.details
    previous = load_figures(PREVIOUS) if PREVIOUS.exists() else {}
    broken = breaches(results, limits, previous) if args.gate else []
    changed = list(changes(results, load_figures(args.baseline))) if args.baseline else []
    if args.accept:
        accepted = json.dumps(shares(results), indent=1, ensure_ascii=False)
        PREVIOUS.write_text(accepted + "\n", "utf-8")
    if args.html:
        seconds = round((datetime.now(UTC) - started).total_seconds())
        about = {"run": f"{started:%Y-%m-%d %H:%M}", "seconds": seconds, "full": args.full}
        page = as_page(results, about, changed)
        args.html.write_text(page, encoding="utf-8", errors="backslashreplace")
    if args.json:
        sys.stdout.write(as_json(results, details))
    else:
        sys.stdout.write(as_table(results, previous, colour=sys.stdout.isatty()))
    remarks = sys.stderr if args.json else sys.stdout
    for line in changed:
        remarks.write(f"changed: {line}\n")
    if args.gate:
        remarks.write(as_breaches(broken))
        return EXIT_FAILED if broken else EXIT_DONE
    if any(_misses_target(figures) for figures in results.values()):
        return EXIT_INCOMPLETE
    return EXIT_DONE


def _misses_target(figures: Figures) -> bool:
    return any(figure.ok is False for figure in figures.values())


def _mirrors(args: argparse.Namespace) -> tuple[RepoSpec, ...]:
    repos = override(Settings(), {"repos": args.repo}).repos
    for spec in repos:
        if spec.path is None:
            raise UsageError(
                f"{spec.name} has no path; sets read real repositories only from disk:"
                " owner/name=PATH"
            )
    return repos


def _run_apart(args: argparse.Namespace, name: str) -> _SetOutcome:
    """Run a set in its own process, so that a crash does not end the others."""
    # The fork server imports everything once; twenty sets would spend a minute on imports.
    forkserver = multiprocessing.get_context("forkserver")
    forkserver.set_forkserver_preload([_PRELOADED])
    with ProcessPoolExecutor(1, mp_context=forkserver) as executor:
        try:
            return executor.submit(_run_set, args, name).result()
        except BrokenProcessPool as error:
            return _SetOutcome(crashed(name, str(error)), {})


def _run_set(args: argparse.Namespace, name: str) -> _SetOutcome:
    (evalset,) = choose([name], SETS)
    with tempfile.TemporaryDirectory(prefix="gitzette-eval-") as folder:
        bench = Bench(
            folder=Path(folder),
            system=Gitzette(),
            say=say,
            mirrors=_mirrors(args),
            span=(args.since, args.until) if args.since else None,
            reports=tuple(map(Path, args.report or ())),
            model=_model(args),
            seed=HELD_OUT if args.held_out else SEED,
            analyst=args.analyst,
            full=args.full,
            gold=args.gold,
            threads=args.threads,
            home=args.keep,
        )
        figures = asyncio.run(run_set(evalset, bench))
        return _SetOutcome(figures, bench.details)


def _model(args: argparse.Namespace) -> dict[str, str]:
    """Return the models behind `--model-url`, as the settings name them."""
    if not args.model_url:
        return {}
    model = {"model": args.model, "model_url": args.model_url}
    if args.judge:
        model["model_judging"] = args.judge
    return model
