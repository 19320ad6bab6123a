"""The command `eval`: runs evaluation sets, each in a process of its own, and prints their figures."""

import argparse
import asyncio
import hashlib
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.asking.query import Reply
from agent.audit.lookup import Finding
from agent.domain.base import EXIT_DONE, EXIT_FAILED, EXIT_INCOMPLETE, Language, RepoId, UsageError
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Layout, RepoSpec, Settings
from agent.web import Web
from evals.figures import crashed
from evals.gate import PREVIOUS, breaches, compared, load_limits, shares
from evals.harness import HELD_OUT, SEED, Bench, EvalSet, Figures, Spent, choose, run_set
from evals.page import page
from evals.results import Results, keep_set, kept_set, read_history, read_json, read_lines, write_results
from evals.sets import all_sets
from evals.tables import as_breaches, as_changes, as_json, as_table
from gitzette.asking import asking_context
from gitzette.auditing import check_file, read_report
from gitzette.progress import QuietProgress
from gitzette.render.compose import page_model
from gitzette.render.markdown import report_page
from gitzette.replies import ReplyPage
from gitzette.running import cover
from graphs.ask import answered

SETS: tuple[EvalSet, ...] = tuple(all_sets())
_SHAPING = ["repo", "since", "until", "threads", "gold", "model", "model_url", "held_out", "small", "analyst", "trials"]
"""Options that shape the figures: kept ones of other values are not taken again."""


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
        items = (one for item in page.items.values() for one in item.fresh)
        sentences = (*page.brief, *items, *(one for part in page.repos for one in part.summary))
        return [(one.whole, cite.evidence) for one in sentences for cite in one.citations if cite.opens]

    async def audit(self, file: Path, settings: Settings) -> list[Finding]:
        """Check a report that lies in a file."""
        return (await check_file(file, read_report(file), settings, {}, QuietProgress())).findings


def evaluate(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Run the sets; 3 when a figure misses its target, 1 when the gate is broken."""
    del environ
    _refuse(args)
    started = datetime.now(UTC)
    sets = choose(load_limits().sets if args.gate and not args.sets else args.sets, SETS)
    # Few cases are enough for the gate, and where nobody asked for a certain set.
    args.small = args.small or args.gate or not args.sets
    if args.small:
        _say("few cases where there are many of the same kind; a set that is named runs whole")
    with tempfile.TemporaryDirectory(prefix="gitzette-eval-") as folder:
        results = asyncio.run(_run(args, sets, Path(folder)))
    about = {
        "run": f"{started:%Y%m%dT%H%M%S}",
        "seconds": round((datetime.now(UTC) - started).total_seconds()),
        "seed": HELD_OUT if args.held_out else SEED,
        "trials": args.trials,
        "small": args.small,
    }
    return _report(args, results, about)


def _refuse(args: argparse.Namespace) -> None:
    if missing := [spec.name for spec in map(RepoSpec.parse, args.repo) if spec.path is None]:
        raise UsageError(f"{missing[0]} has no path; sets read real repositories only from disk: owner/name=PATH")
    if args.gold and not (args.threads and args.since):
        raise UsageError("--gold needs its threads and days: --threads FILE --since DAY --until DAY")
    if bool(args.since) != bool(args.until):
        raise UsageError("--since and --until go together")
    if args.trials < 1 or args.jobs < 1:
        raise UsageError("--trials and --jobs are at least 1")
    if args.resume and not args.out:
        raise UsageError("--resume needs the folder of the evaluation: --out DIR")


async def _run(args: argparse.Namespace, sets: Sequence[EvalSet], folder: Path) -> dict[str, Figures]:
    """Run the sets here, or each in a process of its own, a few at once; a set that dies ends no other."""
    if (len(sets) == 1 and not args.out) or args.jobs == 1:
        return {one.name: await run_set(one, _bench(args, folder), args.trials) for one in sets}
    kept = (args.out / "sets" if args.out else folder).absolute()
    key = hashlib.sha256(repr([getattr(args, name) for name in _SHAPING]).encode()).hexdigest()[:16]
    few = asyncio.Semaphore(args.jobs)
    # One process imports everything and forks into all others: twenty sets do not spend a minute on imports.
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])

    async def one(chosen: EvalSet) -> Figures:
        file = kept / f"{chosen.name}.json"
        if args.resume and (before := kept_set(file, key)) is not None:
            _say(f"{chosen.name}: kept from before")
            return before
        file.unlink(missing_ok=True)
        async with few:
            process = forks.Process(target=_run_apart, args=(args, chosen.name, file, key))
            process.start()
            try:
                await asyncio.to_thread(process.join)
            finally:
                process.kill()
        done = kept_set(file, key)
        return {"ran to its end": crashed(chosen.name, f"status {process.exitcode}")} if done is None else done

    return dict(zip((one.name for one in sets), await asyncio.gather(*map(one, sets)), strict=True))


def _run_apart(args: argparse.Namespace, name: str, file: Path, key: str) -> None:
    with tempfile.TemporaryDirectory(prefix="gitzette-eval-") as folder:
        (chosen,) = choose([name], SETS)
        keep_set(file, asyncio.run(run_set(chosen, _bench(args, Path(folder)), args.trials)), key)


def _bench(args: argparse.Namespace, folder: Path) -> Bench:
    return Bench(
        folder=folder,
        mirrors=tuple(map(RepoSpec.parse, args.repo)),
        span=(args.since, args.until) if args.since else None,
        system=Gitzette(),
        say=_say,
        threads=Path(args.threads) if args.threads else None,
        gold=Path(args.gold) if args.gold else None,
        model={"model": args.model, "model_url": args.model_url} if args.model_url else {},
        seed=HELD_OUT if args.held_out else SEED,
        analyst=args.analyst,
        small=args.small,
    )


def _report(args: argparse.Namespace, results: Results, about: dict[str, Any]) -> int:
    """Print the figures, leave the files, and say how it went."""
    changes = compared(results, read_lines(args.baseline)) if args.baseline else []
    previous = read_json(PREVIOUS) if PREVIOUS.exists() else None
    found = breaches(results, load_limits(), previous) if args.gate else []
    if args.accept:
        PREVIOUS.write_text(json.dumps(shares(results), indent=1, ensure_ascii=False) + "\n", "utf-8")
    if args.out:
        write_results(args.out, results, about)
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
