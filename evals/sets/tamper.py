"""Tamper: the audit must find a changed digit, word, number or repository in a report of ours."""

import re
from collections.abc import Sequence
from datetime import date
from random import Random
from typing import NamedTuple, get_args

from agent.domain.report import Report
from agent.domain.window import Window
from agent.reports.report_json import dump
from agent.settings.values import Layout, Settings
from evals.figures import Figures, Score, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.mirror_commits import days_of, first_parent_line

_FEW = 8  # Changes to each of the four pages of a report
_MANY = 50
_OTHER_WORDS = ("never", "faster", "移除", "tensor", "not")
_PATTERNS = {
    "digit": r"\d",
    "word": r"[A-Za-z]{2,}|[\u4e00-\u9fff]{2,}",
    "number": r"(?<![\w.])\d{1,5}(?![\w.])",
}


@evalset("tamper", "changes to our own reports that the audit must find")
async def run(bench: Bench) -> Figures:
    """Change reports of ours at random and audit them: a day of a world, and days of the mirrors."""
    clean: list[Score] = []
    mirrored: list[Score] = []
    world = bench.world("demo")
    day = date.fromisoformat(world.notes["reported day"])
    specs = specs_of(world, cloned=False)
    with (
        serving(world.repos, world.now) as server,
        bench.settings(specs, **through(server)) as settings,
    ):
        report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
        detected = await _tampered_pages(bench, report, settings, clean)
    for spec in bench.mirrors:
        days = days_of(bench, await first_parent_line(spec), commits=5)
        with bench.settings([spec]) as settings:
            report, _ = await bench.system.report(settings, Window.days(days[0], days[-1], "UTC"))
            mirrored += await _tampered_pages(bench, report, settings, clean)
    return {
        "changes found": share(detected),
        "changes found, mirrors": share(mirrored),
        "untouched reports in which nothing is wrong": share(clean),
    }


class Tampered(NamedTuple):
    """A page with one change."""

    text: str
    change: str


async def _tampered_pages(
    bench: Bench, report: Report, settings: Settings, clean: list[Score]
) -> list[Score]:
    """Change every page of a report, in each layout and language, next to its JSON."""
    scores: list[Score] = []
    file = settings.out / "reports" / f"{report.window.label}.md"
    file.with_suffix(".json").write_text(dump(report), "utf-8")

    async def is_accused(text: str) -> bool:
        file.write_text(text, "utf-8")
        findings = await bench.system.audit(file, settings)
        return any(finding.wrong for finding in findings)

    for layout in get_args(Layout):
        for lang in ("en", "zh"):
            case = f"{report.window.label} {layout} {lang}"
            page = bench.system.page(report, lang, layout, settings.web)
            clean.append(Score(case, float(not await is_accused(page)), case))
            dice = Random(f"{report.window.label} {len(page)}")  # noqa: S311 -- cases, not secrets
            for number in range(bench.count(_FEW, _MANY)):
                tampered = _tampered(page, number, report.repos, dice)
                detected = await is_accused(tampered.text)
                reason = f"{case}: {tampered.change}"
                scores.append(Score(reason, float(detected), f"{case} {number}"))
    return scores


def _tampered(text: str, number: int, repos: Sequence[str], dice: Random) -> Tampered:
    """Change a random passage; the kind of the change follows from the number."""
    kinds = (*_PATTERNS, "repository")
    kind = kinds[number % len(kinds)]
    pattern = _PATTERNS.get(kind) or "|".join(map(re.escape, repos))
    match = dice.choice(list(re.finditer(pattern, text)))
    old = match[0]
    new = dice.choice([other for other in _replacements(kind, old, repos) if other != old])
    line = text[: match.start()].count("\n") + 1
    changed = text[: match.start()] + new + text[match.end() :]
    return Tampered(changed, f"line {line}: {kind} {old!r} → {new!r}")


def _replacements(kind: str, old: str, repos: Sequence[str]) -> Sequence[str]:
    if kind == "digit":
        return "0123456789"
    if kind == "word":
        return _OTHER_WORDS
    if kind == "number":
        return [str(int(old) + step) for step in (1, 2, 7, 10)]
    return (*repos, "octo-org/octo-repo")
