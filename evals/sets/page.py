"""What a reader meets on a page: whether evidence shows its sentence, how long the page is, what it says twice."""

import re
from collections import Counter
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.domain.base import Language
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Layout, RepoSpec, Settings
from evals.figures import Exhibit, Score, Target, measure, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.oracle import first_parent_line, git_dir_of

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_LAYOUTS: tuple[Layout, ...] = ("digest", "ledger")
_MOST_WORDS, _MOST_COMMITS, _FEW_COMMITS = 1_200, 100, 10
_FOLD = re.compile(r"<details>(?:(?!<details>).)*?</details>", re.DOTALL)
_FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)
_ADDRESS = re.compile(r"\]\([^()\s]*\)")
_CODE = re.compile(r"`+([^`]+)`+")
_NAME = re.compile(r"[\w-]*(?:\d|_|\w[A-Z]|--)[\w-]*", re.ASCII)
_HAN = re.compile(r"[\u3400-\u9fff]")


async def _run(bench: Bench) -> Figures:
    shown: list[Score] = []
    told: list[Score] = []
    lengths: list[float] = []
    for name, report in [one async for one in _reports(bench)]:
        for lang in _LANGUAGES:
            shown += [_shows(f"{name} {lang}", *one) for one in bench.system.citations(report, lang)]
        for lang, layout in ((lang, layout) for lang in _LANGUAGES for layout in _LAYOUTS):
            page = bench.system.page(report, lang, layout, "https://git.example")
            told += _twice(f"{name} {lang} {layout}", page)
            if len(report.ledger) <= _MOST_COMMITS:
                lengths.append(unfolded_words(page))
                bench.say(f"page: {name} {lang} {layout}: {len(report.ledger)} commits, {lengths[-1]:.0f} words")
    return {
        "citations that open on what their sentence names": share(shown, Target(0.97)),
        "words before the folds, a day of at most 100 commits": measure(lengths, Target(_MOST_WORDS, "at most")),
        "sentences that a page tells once": share(told, Target(1.0)),
    }


PAGE = EvalSet("page", "pages of real days: evidence, length, repetition", _run, needs_mirrors=True)


async def _reports(bench: Bench) -> AsyncIterator[tuple[str, Report]]:
    """Report on the days that are given, or on the newest whole day of each mirror with enough commits."""
    for spec in bench.mirrors:
        assert spec.path is not None
        moments = [row.at.date() for row in await first_parent_line(git_dir_of(spec.path))]
        last = max(moments) - timedelta(days=1)
        while moments.count(last) < _FEW_COMMITS and last > min(moments):
            last -= timedelta(days=1)
        first, end = bench.span or (last.isoformat(), (last + timedelta(days=1)).isoformat())
        day = date.fromisoformat(first)
        while day < date.fromisoformat(end):
            with TemporaryDirectory(dir=bench.folder) as home:
                report, _ = await bench.system.report(_settings(spec, Path(home)), Window.days(day, day, "UTC"))
            yield f"{spec.name} {day}", report
            day += timedelta(days=1)


def _settings(spec: RepoSpec, folder: Path) -> Settings:
    return Settings(repos=(spec,), out=folder / "out", home=folder / "home", source="git")


def _shows(case: str, sentence: str, evidence: str) -> Score:
    """Score a citation: 1 where what it opens on has a name, a number or quoted words of the sentence."""
    codes = _CODE.findall(sentence)
    names = {part for code in codes for part in (code, *re.split(r"[.:/\s=,]+", code)) if len(part) > 1}
    names |= set(_NAME.findall(_CODE.sub(" ", sentence)))
    quoted = re.search("“([^”]{1,24})", sentence)
    names |= {quoted[1]} if quoted else set()
    found = any(name in evidence for name in names)
    return Score(f"{sentence[:160]} / {evidence[:120]!r}", float(found), case, "", Exhibit(sentence, evidence))


def unfolded_words(page: str) -> float:
    """Count the words of a page before its folds, without excerpts and addresses; two Chinese characters are one."""
    while _FOLD.search(page):
        page = _FOLD.sub("", page)
    text = _ADDRESS.sub("]", _FENCE.sub("", page))
    words = [word for word in _HAN.sub(" ", text).split() if any(map(str.isalnum, word))]
    return len(words) + len(_HAN.findall(text)) / 2


def _twice(case: str, page: str) -> list[Score]:
    """Score the items of lists: 0 for one that stood there before."""
    lines = (line.strip().removeprefix("- ") for line in _FENCE.sub("", page).split("\n"))
    items = Counter(_ADDRESS.sub("]", line) for line in lines if len(line.split()) > 3 or len(_HAN.findall(line)) > 6)
    return [Score(text[:160], float(count == 1), case) for text, count in items.items()]
