"""Tamper: one digit, word, number or repository of our own report is changed, and the audit must find it."""

import random
import re
import tempfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import get_args

from pydantic import SecretStr

from agent.audit.lookup import Finding
from agent.domain.base import Language, RepoId
from agent.domain.report import Report
from agent.domain.window import Window
from agent.reports.stored import dump
from agent.settings.values import Layout, RepoSpec, Settings
from evals.figures import Score, Target, share
from evals.github_server.app import GitHubServer
from evals.github_server.responses import Allowance
from evals.harness import SEED, Bench, EvalSet, Figures
from evals.sets.oracle import first_parent_line, git_dir_of

_TOKEN = "tamper"  # noqa: S105 -- the loopback server's only token
_PLACES, _FEW_PLACES = 50, 15
"""Changes to each of the four pages of a report, and where few are enough."""
_FEW_COMMITS = 5
_ALL = Target(1.0)
_WORD = re.compile(r"[A-Za-z]{2,}|[\u4e00-\u9fff]{2,}")


async def run(bench: Bench) -> Figures:
    """Change reports of ours in random places and audit them."""
    clean = list[Score]()
    world = bench.world("demo")
    day = date.fromisoformat(world.notes["reported day"])
    allowance = Allowance(token=1_000_000)
    with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now, allowance=allowance) as server, _folder() as home:
        specs = tuple(RepoSpec(name=RepoId(repo.full_name)) for repo in world.repos)
        settings = _settings(specs, home).model_copy(
            update={"github_url": server.url, "git_url": server.git_url, "token": SecretStr(_TOKEN)}
        )
        report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
        found = await _pages(bench, report, settings, clean)
    mirrored = await _mirrors(bench, clean)
    return {
        "changes found": share(found, _ALL),
        "changes found, mirrors": share(mirrored, _ALL),
        "untouched reports in which nothing is wrong": share(clean, _ALL),
    }


async def _mirrors(bench: Bench, clean: list[Score]) -> list[Score]:
    """Do the same with the days that are given, or the newest whole day of each mirror on which something landed."""
    scores: list[Score] = []
    for spec in bench.mirrors:
        assert spec.path is not None
        line = await first_parent_line(git_dir_of(spec.path))
        window = _given(bench) or _busy_day([row.at for row in line])
        with _folder() as home:
            settings = _settings((spec,), home)
            report, _ = await bench.system.report(settings, window)
            scores += await _pages(bench, report, settings, clean)
    return scores


def _given(bench: Bench) -> Window | None:
    if bench.span is None:
        return None
    first, end = (date.fromisoformat(day) for day in bench.span)
    return Window.days(first, end - timedelta(days=1), "UTC")


def _busy_day(moments: Sequence[datetime]) -> Window:
    """Choose the newest day that is over and has a few commits."""
    days = [moment.date() for moment in moments]
    last = max(days) - timedelta(days=1)
    while sum(day == last for day in days) < _FEW_COMMITS and last > min(days):
        last -= timedelta(days=1)
    return Window.days(last, last, "UTC")


async def _pages(bench: Bench, report: Report, settings: Settings, clean: list[Score]) -> list[Score]:
    """Change every page of a report, in each layout and language, as it lies beside its JSON."""
    scores: list[Score] = []
    places = _FEW_PLACES if bench.small else _PLACES
    file = settings.out / "reports" / f"{report.window.label}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".json").write_text(dump(report), "utf-8")

    async def wrong(text: str) -> list[Finding]:
        file.write_text(text, "utf-8")
        return [finding for finding in await bench.system.audit(file, settings) if finding.wrong]

    for layout in get_args(Layout):
        for lang in get_args(Language):
            text = bench.system.page(report, lang, layout, settings.web)
            bench.say(f"tamper: {report.repos[0]} on {report.window.label}, {layout} in {lang}, {places} changes")
            untouched = await wrong(text)
            clean.append(Score(f"{report.window.label} {layout} {lang}: {untouched[:2]}", float(not untouched)))
            dice = random.Random(f"{SEED} {report.window.label} {len(text)}")  # noqa: S311 -- cases, not secrets
            for number in range(places):
                changed, told = _CHANGES[number % len(_CHANGES)](text, report.repos, dice)
                scores.append(Score(told, float(bool(await wrong(changed)))))
    return scores


# ---------------------------------------------------------------- what is changed


def _swap(text: str, found: re.Match[str], new: str, what: str) -> tuple[str, str]:
    line = text[: found.start()].count("\n") + 1
    return text[: found.start()] + new + text[found.end() :], f"line {line}: {what} {found[0]!r} → {new!r}"


def _digit(text: str, repos: Sequence[RepoId], dice: random.Random) -> tuple[str, str]:
    del repos
    found = dice.choice(list(re.finditer(r"\d", text)))
    return _swap(text, found, dice.choice([digit for digit in "0123456789" if digit != found[0]]), "digit")


def _number(text: str, repos: Sequence[RepoId], dice: random.Random) -> tuple[str, str]:
    del repos
    found = dice.choice(list(re.finditer(r"(?<![\w.])\d{1,5}(?![\w.])", text)))
    return _swap(text, found, str(int(found[0]) + dice.choice((1, 2, 7, 10))), "number")


def _word(text: str, repos: Sequence[RepoId], dice: random.Random) -> tuple[str, str]:
    del repos
    found = dice.choice(list(_WORD.finditer(text)))
    new = ("never", "faster", "移除", "tensor", "not")
    return _swap(text, found, dice.choice([word for word in new if word != found[0]]), "word")


def _repository(text: str, repos: Sequence[RepoId], dice: random.Random) -> tuple[str, str]:
    found = dice.choice(list(re.finditer("|".join(map(re.escape, repos)), text)))
    others = [name for name in repos if name != found[0]] or [RepoId("octo-org/octo-repo")]
    return _swap(text, found, dice.choice(others), "repository")


_CHANGES: tuple[Callable[[str, Sequence[RepoId], random.Random], tuple[str, str]], ...] = (
    _digit,
    _word,
    _number,
    _repository,
)


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="gitzette-tamper-")


def _settings(specs: tuple[RepoSpec, ...], home: str) -> Settings:
    return Settings(repos=specs, out=Path(home) / "out", home=Path(home) / "home")


TAMPER = EvalSet("tamper", "changes to our own reports that the audit must find", run)
