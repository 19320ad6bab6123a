"""The quality of pages for readers: whether citations fit, how long a page is, and what it repeats."""

import re
from collections import Counter
from datetime import date
from typing import get_args

from agent.domain.base import Language
from agent.domain.report import Report
from agent.settings.values import Layout
from evals.figures import Exhibit, Figure, Figures, Score, Target, measure, share
from evals.harness import Bench, evalset, specs_of
from evals.mirror_commits import days_of, first_parent_line

_MAX_COMMITS = 100  # The length of pages with more commits is not measured
_MIN_COMMITS = 10  # Of a day of a mirror
_FOLD = re.compile(r"<details>(?:(?!<details>).)*?</details>", re.DOTALL)
_FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)
_ADDRESS = re.compile(r"\]\([^()\s]*\)")
_CODE = re.compile(r"`+([^`]+)`+")
_NAME = re.compile(r"[\w-]*(?:\d|_|\w[A-Z]|--)[\w-]*", re.ASCII)
_CODE_SEPARATORS = re.compile(r"[.:/\s=,]+")
_QUOTED = re.compile("“([^”]{1,24})")
_HAN = re.compile(r"[\u3400-\u9fff]")


@evalset("page", "pages of days: evidence, length, repetition")
async def run(bench: Bench) -> Figures:
    """Check the pages of a world's day and, apart from that, of days of mirrors."""
    world = bench.world("demo")
    day = date.fromisoformat(world.notes["reported day"])
    report = await bench.report(specs_of(world), day)
    figures = _figures(bench, [report], "")
    mirror_reports: list[Report] = []
    for spec in bench.mirrors:
        for mirror_day in days_of(bench, await first_parent_line(spec), commits=_MIN_COMMITS):
            mirror_reports.append(await bench.report([spec], mirror_day))
    if mirror_reports:
        figures |= _figures(bench, mirror_reports, ", mirrors")
    return figures


def _figures(bench: Bench, reports: list[Report], where: str) -> dict[str, Figure]:
    citations: list[Score] = []
    sentences: list[Score] = []
    lengths: list[float] = []
    for report in reports:
        for lang in get_args(Language):
            case = f"{report.repos[0]} {report.window.label} {lang}"
            for sentence, evidence in bench.system.citations(report, lang):
                citations.append(_citation_score(case, sentence, evidence))
            for layout in get_args(Layout):
                page = bench.system.page(report, lang, layout, "https://git.example")
                sentences += _repetition_scores(f"{case} {layout}", page)
                if len(report.ledger) <= _MAX_COMMITS:
                    lengths.append(unfolded_words(page))
    return {
        f"citations that open on what their sentence names{where}": share(citations, Target(0.97)),
        f"words before the folds, at most 100 commits{where}": measure(lengths),
        f"sentences that a page tells once{where}": share(sentences),
    }


def _citation_score(case: str, sentence: str, evidence: str) -> Score:
    """Score a citation: 1 if it opens on a name, a number or quoted words of the sentence."""
    fits = any(name in evidence for name in _names_in(sentence))
    reason = f"{sentence[:160]} / {evidence[:120]!r}"
    return Score(reason, float(fits), case, "", Exhibit(sentence, evidence))


def _names_in(sentence: str) -> set[str]:
    """Return the names, numbers and quoted words of a sentence, and the parts of its code."""
    names: set[str] = set()
    for code in _CODE.findall(sentence):
        parts = _CODE_SEPARATORS.split(code)
        names.update(part for part in (code, *parts) if len(part) > 1)
    names.update(_NAME.findall(_CODE.sub(" ", sentence)))
    quoted = _QUOTED.search(sentence)
    if quoted:
        names.add(quoted[1])
    return names


def unfolded_words(page: str) -> float:
    """Count the words of a page outside of its folds, without excerpts and addresses.

    Two Chinese characters count as one word.
    """
    while _FOLD.search(page):
        page = _FOLD.sub("", page)
    text = _ADDRESS.sub("]", _FENCE.sub("", page))
    words = [word for word in _HAN.sub(" ", text).split() if any(map(str.isalnum, word))]
    return len(words) + len(_HAN.findall(text)) / 2


def _repetition_scores(case: str, page: str) -> list[Score]:
    """Score each sentence of a page, headings and tables aside: 0 if it occurs more than once."""
    counts: Counter[str] = Counter()
    for raw_line in _FENCE.sub("", page).split("\n"):
        line = raw_line.strip().removeprefix("- ")
        if line[:1] in ("#", "|"):
            continue
        if len(line.split()) > 3 or len(_HAN.findall(line)) > 6:
            counts[_ADDRESS.sub("]", line)] += 1
    return [Score(text[:160], float(count == 1), case) for text, count in counts.items()]
