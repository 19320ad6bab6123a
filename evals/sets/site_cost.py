"""What a site costs: the first build of a year of eight repositories, one more day, the front page, and a search."""

import asyncio
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from agent.domain.record import dump
from evals.figures import Target, measure
from evals.harness import Bench, EvalSet, Figures
from evals.sets.day_cost import Spent
from evals.sets.site_reports import REPOS, made_day, write_year
from evals.sets.site_search import search_times

_DAYS, _FEW_DAYS = 365, 40
Build = Callable[[Path, Path], object]
"""Makes the site of an output folder in another folder."""


def site_cost(build: Build) -> EvalSet:
    """Make the set for a builder; sets know nothing of who builds."""

    async def run(bench: Bench) -> Figures:
        return await asyncio.to_thread(_measured, bench, build)

    return EvalSet("site-cost", f"a site of {_DAYS} days and {len(REPOS)} repositories", run, by_name=True)


def _measured(bench: Bench, build: Build) -> Figures:
    out, to = bench.folder / "site-cost", bench.folder / "site-cost-pages"
    files = write_year(out, _FEW_DAYS if bench.small else _DAYS)
    size = sum(file.stat().st_size for file in files)
    whole = _timed(build, out, to)
    written = [file for file in to.rglob("*") if file.is_file()]
    made = sum(file.stat().st_size for file in written)
    told = f"{size / 1e6:.0f} MB of reports become {len(written)} files of {made / 1e6:.0f} MB"
    bench.say(f"site-cost: {told} in {_told(whole)}")
    again = []
    for turn, file in enumerate((files[-1], files[len(files) // 2], files[-1])):
        changed = made_day(date.fromisoformat(file.stem), seed=turn + 2)
        file.write_text(dump(changed), encoding="utf-8")
        again.append(_timed(build, out, to))
        bench.say(f"site-cost: {file.stem} changed and built again in {_told(again[-1])}")
    pages = [to / "index.html", to / "en" / "index.html", to / "zh" / "index.html"]
    searched = search_times(to, bench.say)
    return {
        "seconds for the first build": measure([whole.clock], Target(60, "at most")),
        "processor seconds for the first build": measure([whole.processor], Target(60, "at most")),
        "seconds for one changed day": measure([one.clock for one in again], Target(2, "at most")),
        "processor seconds for one changed day": measure([one.processor for one in again], Target(2, "at most")),
        "front page in kB": measure([page.stat().st_size / 1000 for page in pages], Target(200, "at most")),
        "search in the browser, first answer in ms": measure(searched.first, Target(100, "at most")),
        "search in the browser, further answers in ms": measure(searched.further, Target(100, "at most")),
        "search in the browser, the script alone in ms": measure(searched.again, Target(50, "at most")),
    }


def _timed(build: Build, out: Path, to: Path) -> Spent:
    started, used = time.perf_counter(), time.process_time()
    build(out, to)
    return Spent(time.perf_counter() - started, time.process_time() - used)


def _told(spent: Spent) -> str:
    """Tell the processor's time as well: other work on the machine slows only the clock."""
    return f"{spent.clock:.1f} s ({spent.processor:.1f} s of processor)"
