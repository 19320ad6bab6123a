"""Tamper: one digit, word, number or repository of our own report is changed, and the audit must find it."""

import re
from collections.abc import Sequence
from datetime import date
from random import Random
from typing import get_args

from agent.audit.lookup import Finding
from agent.domain.base import Language
from agent.domain.report import Report
from agent.domain.window import Window
from agent.reports.stored import dump
from agent.settings.values import Layout, Settings
from evals.figures import Figures, Score, share
from evals.harness import Bench, EvalSet, serving, specs_of, through
from evals.sets.oracle import days_of, first_parent_line

_FEW, _MANY = 8, 50
"""Changes to each of the four pages of a report."""
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"(?<![\w.])\d{1,5}(?![\w.])")
_WORD = re.compile(r"[A-Za-z]{2,}|[\u4e00-\u9fff]{2,}")
_WORDS = ("never", "faster", "移除", "tensor", "not")


async def run(bench: Bench) -> Figures:
    """Change reports of ours in random places and audit them: a day of a world, and days of the mirrors."""
    clean, found, mirrored = list[Score](), list[Score](), list[Score]()
    world = bench.world("demo")
    day = date.fromisoformat(world.notes["reported day"])
    specs = specs_of(world, cloned=False)
    with serving(world.repos, world.now) as server, bench.settings(specs, **through(server)) as settings:
        report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
        found = await _pages(bench, report, settings, clean)
    for spec in bench.mirrors:
        days = days_of(bench, await first_parent_line(spec), commits=5)
        with bench.settings([spec]) as settings:
            report, _ = await bench.system.report(settings, Window.days(days[0], days[-1], "UTC"))
            mirrored += await _pages(bench, report, settings, clean)
    return {
        "changes found": share(found),
        "changes found, mirrors": share(mirrored),
        "untouched reports in which nothing is wrong": share(clean),
    }


async def _pages(bench: Bench, report: Report, settings: Settings, clean: list[Score]) -> list[Score]:
    """Change every page of a report, in each layout and language, as it lies beside its JSON."""
    scores: list[Score] = []
    file = settings.out / "reports" / f"{report.window.label}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".json").write_text(dump(report), "utf-8")

    async def wrong(text: str) -> list[Finding]:
        file.write_text(text, "utf-8")
        return [finding for finding in await bench.system.audit(file, settings) if finding.wrong]

    for layout in get_args(Layout):
        for lang in get_args(Language):
            text, case = bench.system.page(report, lang, layout, settings.web), f"{report.window.label} {layout} {lang}"
            untouched = await wrong(text)
            clean.append(Score(f"{case}: {untouched[:2]}", float(not untouched), case))
            dice = Random(f"{report.window.label} {len(text)}")  # noqa: S311 -- cases, not secrets
            for number in range(bench.count(_FEW, _MANY)):
                changed, told = _changed(text, number, report.repos, dice)
                scores.append(Score(f"{case}: {told}", float(bool(await wrong(changed))), f"{case} {number}"))
    return scores


def _changed(text: str, number: int, repos: Sequence[str], dice: Random) -> tuple[str, str]:
    """Change one place, of the next kind."""
    kind = ("digit", "word", "number", "repository")[number % 4]
    names = re.compile("|".join(map(re.escape, repos)))
    pattern = {"digit": _DIGIT, "word": _WORD, "number": _NUMBER, "repository": names}[kind]
    found = dice.choice(list(pattern.finditer(text)))
    others: dict[str, Sequence[str]] = {
        "digit": "0123456789",
        "word": _WORDS,
        "number": [str(int(found[0]) + more) for more in (1, 2, 7, 10)] if kind == "number" else (),
        "repository": (*repos, "octo-org/octo-repo"),
    }
    new = dice.choice([one for one in others[kind] if one != found[0]])
    line = text[: found.start()].count("\n") + 1
    return text[: found.start()] + new + text[found.end() :], f"line {line}: {kind} {found[0]!r} → {new!r}"


TAMPER = EvalSet("tamper", "changes to our own reports that the audit must find", run)
