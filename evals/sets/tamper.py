"""Tamper: one digit, word, number or repository of our own report is changed, and the audit must find it."""

import re
from collections.abc import Sequence
from datetime import date
from random import Random
from typing import get_args

from agent.domain.report import Report
from agent.domain.window import Window
from agent.reports.stored import dump
from agent.settings.values import Layout, Settings
from evals.figures import Figures, Score, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.sets.oracle import days_of, first_parent_line

_FEW, _MANY = 8, 50  # Changes to each of the four pages of a report
_WORDS = ("never", "faster", "移除", "tensor", "not")
_FORMS = {
    "digit": r"\d",
    "word": r"[A-Za-z]{2,}|[\u4e00-\u9fff]{2,}",
    "number": r"(?<![\w.])\d{1,5}(?![\w.])",
}


@evalset("tamper", "changes to our own reports that the audit must find")
async def run(bench: Bench) -> Figures:
    """Change reports of ours in random places and audit them: a day of a world, and days of the mirrors."""
    clean, found, mirrored = list[Score](), list[Score](), list[Score]()
    world = bench.world("demo")
    day = date.fromisoformat(world.notes["reported day"])
    specs = specs_of(world, cloned=False)
    with (
        serving(world.repos, world.now) as server,
        bench.settings(specs, **through(server)) as settings,
    ):
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


async def _pages(
    bench: Bench, report: Report, settings: Settings, clean: list[Score]
) -> list[Score]:
    """Change every page of a report, in each layout and language, as it lies beside its JSON."""
    scores: list[Score] = []
    file = settings.out / "reports" / f"{report.window.label}.md"
    file.with_suffix(".json").write_text(dump(report), "utf-8")

    async def wrong(text: str) -> bool:
        file.write_text(text, "utf-8")
        return any(finding.wrong for finding in await bench.system.audit(file, settings))

    for layout in get_args(Layout):
        for lang in ("en", "zh"):
            text, case = (
                bench.system.page(report, lang, layout, settings.web),
                f"{report.window.label} {layout} {lang}",
            )
            clean.append(Score(case, float(not await wrong(text)), case))
            dice = Random(f"{report.window.label} {len(text)}")  # noqa: S311 -- cases, not secrets
            for number in range(bench.count(_FEW, _MANY)):
                changed, told = _changed(text, number, report.repos, dice)
                scores.append(
                    Score(f"{case}: {told}", float(await wrong(changed)), f"{case} {number}")
                )
    return scores


def _changed(text: str, number: int, repos: Sequence[str], dice: Random) -> tuple[str, str]:
    """Change one place, of the next kind."""
    kind = (*_FORMS, "repository")[number % 4]
    found = dice.choice(
        list(re.finditer(_FORMS.get(kind) or "|".join(map(re.escape, repos)), text))
    )
    others: Sequence[str] = {"digit": "0123456789", "word": _WORDS}.get(
        kind, (*repos, "octo-org/octo-repo")
    )
    if kind == "number":
        others = [str(int(found[0]) + more) for more in (1, 2, 7, 10)]
    new = dice.choice([one for one in others if one != found[0]])
    line = text[: found.start()].count("\n") + 1
    return text[: found.start()] + new + text[
        found.end() :
    ], f"line {line}: {kind} {found[0]!r} → {new!r}"
