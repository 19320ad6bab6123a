"""What a site costs: the first build of a year of eight repositories, one more day, the front page, and a search."""

import asyncio
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from agent.record import dump
from evals.figures import Target, measure
from evals.harness import Bench, EvalSet, Figures
from evals.sets.site_reports import REPOS, made_day, write_year
from evals.sets.site_search import search_times

_DAYS, _FEW_DAYS = 365, 40
Build = Callable[[Path, Path], object]
"""Makes the site of an output folder in another folder."""


def site_cost(build: Build) -> EvalSet:
    """Make the set for a builder; sets know nothing of who builds."""

    async def run(bench: Bench) -> Figures:
        return await asyncio.to_thread(_measured, bench, build)

    return EvalSet("site-cost", f"a site of {_DAYS} days and {len(REPOS)} repositories", run)


def _measured(bench: Bench, build: Build) -> Figures:
    out, to = bench.folder / "site-cost", bench.folder / "site-cost-pages"
    files = write_year(out, _FEW_DAYS if bench.small else _DAYS)
    size = sum(file.stat().st_size for file in files)
    whole = _timed(build, out, to)
    written = [file for file in to.rglob("*") if file.is_file()]
    told = (
        f"{size / 1e6:.0f} MB of reports, {len(written)} files, {sum(f.stat().st_size for f in written) / 1e6:.0f} MB"
    )
    bench.say(f"site-cost: {told}: {whole:.1f} s")
    again = []
    for turn, file in enumerate((files[-1], files[len(files) // 2], files[-1])):
        changed = made_day(date.fromisoformat(file.stem), seed=turn + 2)
        file.write_text(dump(changed), encoding="utf-8")
        again.append(_timed(build, out, to))
    pages = [to / "index.html", to / "en" / "index.html", to / "zh" / "index.html"]
    searched = search_times(to, bench.say)
    return {
        "seconds for the first build": measure([whole], Target(60, "at most")),
        "seconds for one changed day": measure(again, Target(2, "at most")),
        "front page in kB": measure([page.stat().st_size / 1000 for page in pages], Target(200, "at most")),
        "search in the browser, first answer in ms": measure(searched.first, Target(100, "at most")),
        "search in the browser, further answers in ms": measure(searched.further, Target(100, "at most")),
    }


def _timed(build: Build, out: Path, to: Path) -> float:
    started = time.perf_counter()
    build(out, to)
    return time.perf_counter() - started
