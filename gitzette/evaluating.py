"""The command `eval`: runs sets and prints their figures."""

import argparse
import asyncio
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent.asking.reply import Reply
from agent.audit.findings import Finding
from agent.errors import EXIT_DONE, EXIT_FAILED, EXIT_INCOMPLETE, UsageError
from agent.ids import RepoId
from agent.report import Report
from agent.settings import Language, Layout, RepoSpec, Settings
from agent.web import Web
from agent.window import Window
from evals.bench.plot import drawn
from evals.bench.suite import BENCH
from evals.gate import PREVIOUS, breaches, compared, load_limits, shares
from evals.harness import HELD_OUT, SEED, Bench, EvalSet, Figures, Spent, choose, run_sets
from evals.page import page
from evals.planting import PLANTED
from evals.results import Results, keep_set, read_history, read_json, read_lines, write_results
from evals.sets.adversaries import ADVERSARIAL
from evals.sets.ask_cost import ASK_COST
from evals.sets.baselines import BASELINES
from evals.sets.daily import DAILY
from evals.sets.day_cost import DAY_COST
from evals.sets.facts import FACTS
from evals.sets.facts_cost import FACTS_COST
from evals.sets.griffe import GRIFFE
from evals.sets.injection import INJECTION
from evals.sets.kills import KILLS
from evals.sets.links import LINKS
from evals.sets.literal_twins import LITERAL_TWINS
from evals.sets.long_window import LONG_WINDOW
from evals.sets.model_storm import MODEL_STORM
from evals.sets.model_tokens import MODEL_TOKENS
from evals.sets.page import PAGE
from evals.sets.questions import QUESTIONS
from evals.sets.reading import READING
from evals.sets.recorded import RECORDED
from evals.sets.requests import REQUESTS
from evals.sets.site_cost import site_cost
from evals.sets.sources import SOURCES
from evals.sets.stories import STORIES
from evals.sets.storm import STORM
from evals.sets.tamper import TAMPER
from evals.sets.twins import TWINS
from evals.sets.windows import WINDOWS
from gitzette.asking import asking_context
from gitzette.auditing import check_file, read_report
from gitzette.eval_jobs import run_apart
from gitzette.eval_printing import as_breaches, as_changes, as_json, as_table
from gitzette.progress import QuietProgress
from gitzette.recording import record
from gitzette.render.compose import page_model
from gitzette.render.markdown import report_page
from gitzette.replies import ReplyPage
from gitzette.running import cover
from gitzette.site.build import build_site
from gitzette.site.report_pages import SiteSettings
from graphs.conversing import answered

SETS: tuple[EvalSet, ...] = (
    WINDOWS,
    SOURCES,
    REQUESTS,
    STORM,
    FACTS,
    READING,
    FACTS_COST,
    GRIFFE,
    TAMPER,
    LITERAL_TWINS,
    PAGE,
    DAILY,
    DAY_COST,
    LONG_WINDOW,
    KILLS,
    LINKS,
    STORIES,
    QUESTIONS,
    MODEL_STORM,
    MODEL_TOKENS,
    INJECTION,
    ASK_COST,
    ADVERSARIAL,
    TWINS,
    BASELINES,
    RECORDED,
    PLANTED,
    BENCH,
    site_cost(lambda out, to: build_site(out, to, SiteSettings(web=Web("https://github.com")))),
)


class Gitzette:
    """Gitzette itself, run as the command line runs it."""

    async def report(
        self, settings: Settings, window: Window, environ: Mapping[str, str] | None = None
    ) -> tuple[Report, Spent]:
        """Report on a window, with these variables, and say what it cost."""
        started = time.monotonic()
        covered = await cover(settings, environ or {}, window, settings.repos, datetime.now(UTC), QuietProgress())
        usage = covered.usage
        return covered.report, Spent(usage.sent, usage.free, time.monotonic() - started)

    async def ask(
        self, settings: Settings, questions: Sequence[tuple[str, Sequence[RepoId]]], now: datetime, since: datetime
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
        items = (one for item in page.items for one in item.fresh)
        sentences = (*page.brief, *items, *(one for part in page.repos for one in part.summary))
        return [(one.whole, cite.evidence) for one in sentences for cite in one.citations if cite.opens]

    async def audit(self, file: Path, settings: Settings) -> list[Finding]:
        """Check a report that lies in a file."""
        return (await check_file(file, read_report(file), settings, {}, QuietProgress())).findings


def evaluate(args: argparse.Namespace) -> int:
    """Run the sets; 3 when a figure misses its target, 1 when the gate is broken."""
    _refuse(args)
    if args.sets[:1] == ["record"]:
        return record(args)
    started = datetime.now(UTC)
    sets = choose(load_limits().sets if args.gate and not args.sets else args.sets, SETS)
    if _is_small(args) and not args.part:
        _say("few cases where there are many of the same kind; a set that is named runs whole")
    with tempfile.TemporaryDirectory(prefix="gitzette-eval-") as name:
        results = _run(args, sets, Path(name))
    if args.part:
        return EXIT_DONE
    about = {
        "run": f"{started:%Y%m%dT%H%M%S}",
        "seconds": round((datetime.now(UTC) - started).total_seconds()),
        "seed": _seed(args),
        "trials": args.trials,
        "small": _is_small(args),
    }
    return _tell(args, results, about)


def _refuse(args: argparse.Namespace) -> None:
    mirrors = [RepoSpec.parse(text) for text in args.repo]
    if missing := [spec.name for spec in mirrors if spec.path is None]:
        raise UsageError(f"{missing[0]} has no path; sets read real repositories only from disk: owner/name=PATH")
    if args.gold and not (args.threads and args.since):
        raise UsageError(
            "--gold needs the threads that it is about and the days: --threads FILE --since DAY --until DAY"
        )
    if bool(args.since) != bool(args.until):
        raise UsageError("--since and --until go together")
    if args.trials < 1 or args.jobs < 1:
        raise UsageError("--trials and --jobs are at least 1")
    if args.resume and not args.out:
        raise UsageError("--resume needs the folder of the evaluation: --out DIR")


def _run(args: argparse.Namespace, sets: Sequence[EvalSet], folder: Path) -> dict[str, Figures]:
    """Run the sets here, or each in a process of its own."""
    if args.part or (len(sets) == 1 and not args.out) or args.jobs == 1:
        bench = Bench(
            folder=folder,
            mirrors=tuple(RepoSpec.parse(text) for text in args.repo),
            span=(args.since, args.until) if args.since else None,
            system=Gitzette(),
            say=_say,
            threads=Path(args.threads) if args.threads else None,
            gold=Path(args.gold) if args.gold else None,
            model={"model": args.model, "model_url": args.model_url} if args.model_url else {},
            seed=_seed(args),
            analyst=args.analyst,
            small=_is_small(args),
        )
        results = asyncio.run(run_sets(sets, bench, args.trials))
        for name, figures in results.items() if args.part else ():
            keep_set(args.out / f"{name}.json", figures, args.part)
        return results
    kept = (args.out / "sets" if args.out else folder).absolute()
    if not args.resume:
        for one in sets:
            (kept / f"{one.name}.json").unlink(missing_ok=True)
    options = _options(args)
    key = hashlib.sha256("\0".join(options).encode()).hexdigest()[:16]
    return asyncio.run(run_apart(sets, [*options, "--out", str(kept)], kept, key, args.jobs))


def _options(args: argparse.Namespace) -> list[str]:
    """Give what shapes the result, as arguments for another process."""
    repos = [part for text in args.repo for part in ("--repo", text)]
    texts = [
        part
        for name in ("since", "until", "threads", "gold", "model", "model_url")
        if (value := getattr(args, name))
        for part in (f"--{name.replace('_', '-')}", value)
    ]
    flags = ["--held-out"] * bool(args.held_out) + ["--small"] * _is_small(args)
    return [*repos, *texts, *flags, "--analyst", args.analyst, "--trials", str(args.trials)]


def _is_small(args: argparse.Namespace) -> bool:
    """Tell whether few cases are enough: for the gate, and where nobody asked for a certain set."""
    return bool(args.small or args.gate or (not args.sets and not args.part))


def _seed(args: argparse.Namespace) -> int:
    return HELD_OUT if args.held_out else SEED


def _tell(args: argparse.Namespace, results: Results, about: dict[str, object]) -> int:
    """Print the figures, leave the files, and say how it went."""
    changes = compared(results, read_lines(args.baseline)) if args.baseline else []
    previous = read_json(PREVIOUS) if PREVIOUS.exists() else None
    found = breaches(results, load_limits(), previous) if args.gate else []
    if args.accept:
        PREVIOUS.write_text(json.dumps(shares(results), indent=1, ensure_ascii=False) + "\n", "utf-8")
    if args.out:
        write_results(args.out, results, about)
        if measured := results.get(BENCH.name):
            (args.out / "bench.svg").write_text(drawn(measured), encoding="utf-8")
    if args.html:
        history = read_history(args.out) if args.out else []
        args.html.write_text(page(results, about, history, changes), encoding="utf-8")
    sys.stdout.write(as_json(results) if args.json else as_table(results, previous, colour=sys.stdout.isatty()))
    told = (as_changes(changes) if args.baseline else "") + (as_breaches(found) if args.gate else "")
    (sys.stderr if args.json else sys.stdout).write(told)
    if args.gate:
        return EXIT_FAILED if found else EXIT_DONE
    failed = any(figure.ok is False for figures in results.values() for figure in figures.values())
    return EXIT_INCOMPLETE if failed else EXIT_DONE


def _say(text: str) -> None:
    sys.stderr.write(f"gitzette: {text}\n")
