"""What a reader meets on a page: whether evidence shows its sentence, how long it is, repetition."""

import re
from collections import Counter
from datetime import date
from typing import get_args

from agent.domain.base import Language
from agent.domain.report import Report
from agent.settings.values import Layout
from evals.figures import Exhibit, Figures, Score, Target, measure, share
from evals.harness import Bench, evalset, specs_of
from evals.sets.oracle import days_of, first_parent_line

_MOST_COMMITS, _FEW_COMMITS = 100, 10
_FOLD = re.compile(r"<details>(?:(?!<details>).)*?</details>", re.DOTALL)
_FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)
_ADDRESS = re.compile(r"\]\([^()\s]*\)")
_CODE = re.compile(r"`+([^`]+)`+")
_NAME = re.compile(r"[\w-]*(?:\d|_|\w[A-Z]|--)[\w-]*", re.ASCII)
_HAN = re.compile(r"[\u3400-\u9fff]")


@evalset("page", "pages of days: evidence, length, repetition")
async def run(bench: Bench) -> Figures:
    """Look at the pages of a world's day, and of the days of mirrors, by figures of their own."""
    world, real = bench.world("demo"), list[Report]()
    made = await bench.report(specs_of(world), date.fromisoformat(world.notes["reported day"]))
    for spec in bench.mirrors:
        for day in days_of(bench, await first_parent_line(spec), commits=_FEW_COMMITS):
            real.append(await bench.report([spec], day))
    return {**_figures(bench, [made], ""), **(_figures(bench, real, ", mirrors") if real else {})}


def _figures(bench: Bench, reports: list[Report], where: str) -> Figures:
    shown, told, lengths = list[Score](), list[Score](), list[float]()
    for report in reports:
        for lang in get_args(Language):
            name = f"{report.repos[0]} {report.window.label} {lang}"
            shown += [_shows(name, *one) for one in bench.system.citations(report, lang)]
            for layout in get_args(Layout):
                page = bench.system.page(report, lang, layout, "https://git.example")
                told += _once(f"{name} {layout}", page)
                lengths += [unfolded_words(page)] if len(report.ledger) <= _MOST_COMMITS else []
    return {
        f"citations that open on what their sentence names{where}": share(shown, Target(0.97)),
        f"words before the folds, at most 100 commits{where}": measure(lengths),
        f"sentences that a page tells once{where}": share(told),
    }


def _shows(case: str, sentence: str, evidence: str) -> Score:
    """Score a citation: 1 where what it opens on has a name, a number or quoted words of the sentence."""
    codes = _CODE.findall(sentence)
    names = {
        part for code in codes for part in (code, *re.split(r"[.:/\s=,]+", code)) if len(part) > 1
    }
    quoted = re.search("“([^”]{1,24})", sentence)
    names |= {*_NAME.findall(_CODE.sub(" ", sentence)), *([quoted[1]] if quoted else [])}
    found = any(name in evidence for name in names)
    return Score(
        f"{sentence[:160]} / {evidence[:120]!r}",
        float(found),
        case,
        "",
        Exhibit(sentence, evidence),
    )


def unfolded_words(page: str) -> float:
    """Count the words of a page before its folds, without excerpts and addresses; two Chinese characters are one."""
    while _FOLD.search(page):
        page = _FOLD.sub("", page)
    text = _ADDRESS.sub("]", _FENCE.sub("", page))
    words = [word for word in _HAN.sub(" ", text).split() if any(map(str.isalnum, word))]
    return len(words) + len(_HAN.findall(text)) / 2


def _once(case: str, page: str) -> list[Score]:
    """Score what is told, headings and tables aside: 0 for what stood there before."""
    lines = (line.strip().removeprefix("- ") for line in _FENCE.sub("", page).split("\n"))
    told = (line for line in lines if line[:1] not in ("#", "|"))
    items = Counter(
        _ADDRESS.sub("]", line)
        for line in told
        if len(line.split()) > 3 or len(_HAN.findall(line)) > 6
    )
    return [Score(text[:160], float(count == 1), case) for text, count in items.items()]
