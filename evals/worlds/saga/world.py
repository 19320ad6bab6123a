"""A world of two projects whose work goes on over three weeks: the gold of stories is known by construction."""

import json
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.worlds import people
from evals.worlds.drafts import Maker, bump, by_chance, edited, text, version
from evals.worlds.edits import add_constant, change_constant
from evals.worlds.model import LandedGold, World
from evals.worlds.plan import filler, pull
from evals.worlds.projects import SWIFTSERVE, TENSORFORGE
from evals.worlds.pulls import Work
from evals.worlds.saga.plot import FALSE_PARTS, NAMING, QUOTING, serials
from evals.worlds.script import Made, Step, at, finish, perform, start, work_notes
from evals.worlds.source import Constant
from evals.worlds.team import Team

OWNER = "northwind-ai"
FIRST = date(2026, 3, 2)
DAYS = 18
GOLD = "stories"
"""Under this name the notes of the world hold the gold, as JSON."""
_RELEASES = (("0.5.0", 2, 3), ("0.5.1", 4, 6), ("0.6.0", 7, 7), ("0.6.1", 9, 10), ("0.7.0", 12, 14), ("0.7.1", 15, 16))
_TAKEN_BACK: tuple[tuple[int, int, int | None], ...] = (
    (2, 0, 3),
    (5, 2, None),
    (8, 1, 4),
    (11, 0, 1),
    (14, 1, None),
    (0, 1, 2),
    (1, 0, 0),
    (3, 3, 6),
    (6, 0, 8),
    (10, 2, None),
    (12, 1, 2),
)
"""On which day something bold lands, how many days later it is taken back, and after how many more it returns."""
_BOLD = (
    ("fuse the ring into one launch", "环形通信融合为一次启动"),
    ("keep pages pinned", "固定页面"),
    ("swap experts early", "提前交换专家"),
    ("pack drafts", "打包草稿"),
    ("spill to disk", "溢出到磁盘"),
    ("overlap copies with prefill", "拷贝与预填充重叠"),
    ("hash prefixes on the device", "在设备上计算前缀哈希"),
    ("reuse graphs across shapes", "跨形状复用图"),
    ("batch the small kernels", "合并小核函数"),
    ("drop the staging buffer", "去掉中转缓冲区"),
    ("steal work between ranks", "在各 rank 间窃取任务"),
)
_MENDED, _ASIDE = "tensorforge/comm.py", "tensorforge/sampling.py"
_MIRA, _ZHANG, _CHIDI, _SAANVI = people.MAINTAINERS
_BY = people.CONTRIBUTORS
Gold = list[dict[str, Any]]


def make(seed: int, folder: Path) -> tuple[World, list[Made]]:
    """Make the world."""
    gold: Gold = []
    kernels = _kernels(seed, folder, gold)
    made = [kernels, _serving(seed, folder, gold, kernels)]
    notes = work_notes(made)
    shas = {name.partition(": ")[2]: value for name, value in notes.items()}
    told = [_resolved(one, shas) for one in gold]
    landed = tuple(row for one in made for row in one.landed)
    told += _undone_by_chance(landed)
    present = at(_day(DAYS), "08:00")
    notes |= {GOLD: json.dumps(told)}
    return World(seed, present, tuple(one.repo for one in made), landed, notes), made


def _resolved(one: dict[str, Any], shas: dict[str, str]) -> dict[str, Any]:
    return {
        "kind": one["kind"],
        "doer": shas[one["doer"]],
        "targets": sorted(shas.get(key, key) for key in one["targets"]),
        "missing": one.get("missing", []),
    }


def _undone_by_chance(landed: Sequence[LandedGold]) -> Gold:
    """List the commits that do nothing but take out a function which another one did nothing but bring."""
    brought: dict[tuple[str, str, str], str] = {}
    found: Gold = []
    kinds = ("add_function", "remove_function")
    for row in landed:
        edit = row.edits[0] if len(row.edits) == len(row.files) == 1 else None
        names = {(row.repo, edit.path, edit.param("function"))} if edit and edit.kind in kinds else set()
        sha = f"{row.repo}@{row.sha}"
        for name in names & brought.keys() if edit and edit.kind == "remove_function" else ():
            found.append({"kind": "revert", "doer": sha, "targets": [brought[name]], "missing": []})
        # What was changed in between is no longer what was brought.
        brought = {key: value for key, value in brought.items() if key[0] != row.repo or key[1] not in dict(row.files)}
        if edit and edit.kind == "add_function":
            brought |= dict.fromkeys(names, sha)
    return found


def _day(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


def _kernels(seed: int, folder: Path, gold: Gold) -> Made:
    team = start(OWNER, TENSORFORGE, seed, at("2026-02-20", "08:00"), first_number=3100, repo_id=7101)
    avoid = (_MENDED, _ASIDE)
    works = _series(team, gold, avoid)
    works += _follow_ups(team, gold, avoid)
    works += _mended(gold)
    works += [
        pull(f"release-{name}", _day(day), "17:00", _MIRA, version(TENSORFORGE, name), tags=("release",))
        for name, day, _ in _RELEASES
    ]
    works += filler(team, [(_day(number), 2) for number in range(DAYS)], avoid=avoid)
    perform(team, (), works, _reverts(gold, works))
    team.history.refs |= {f"refs/tags/v{name}": team.landed[f"release-{name}"] for name, _, _ in _RELEASES}
    return finish(team, folder, repo_id=7101)


def _serving(seed: int, folder: Path, gold: Gold, kernels: Made) -> Made:
    team = start(OWNER, SWIFTSERVE, seed, at("2026-02-20", "09:00"), first_number=6200, repo_id=7102)
    works = []
    for name, _, day in _RELEASES:
        works.append(pull(f"take-{name}", _day(day), "19:10", _MIRA, bump("tensorforge", name)))
        gold.append({"kind": "bump", "doer": f"take-{name}", "targets": [f"{OWNER}/tensorforge@v{name}"]})
    works.append(pull("torch", _day(5), "04:01", people.DEPENDENCY_BOT, bump("torch", "2.10.0")))
    works += [
        pull(f"trap-{number}", _day(2 + number), "11:30", _CHIDI, by_chance(SWIFTSERVE, team.dice), subject=subject)
        for number, subject in enumerate(FALSE_PARTS)
    ]
    works += _named(team, gold, kernels)
    works += filler(team, [(_day(number), 2) for number in range(DAYS)])
    perform(team, (), works)
    return finish(team, folder, repo_id=7102)


def _named(team: Team, gold: Gold, kernels: Made) -> list[Work]:
    """Name pull requests of the other project in messages."""
    numbers = {one.merge_commit: one.number for one in kernels.repo.pulls}
    works = []
    for number, (day, _, _) in enumerate(_TAKEN_BACK[:5]):
        words = NAMING[number].replace("<<{}>>", f"{kernels.repo.full_name}#{numbers[kernels.work[f'bold-{number}']]}")
        make = by_chance(SWIFTSERVE, team.dice)
        works.append(pull(f"said-{number}", _day(day + 1), "22:10", _ZHANG, make, trailer=words))
        gold.append({"kind": "reference", "doer": f"said-{number}", "targets": [f"bold-{number}"]})
    return works


def _series(team: Team, gold: Gold, avoid: tuple[str, ...]) -> list[Work]:
    works = []
    for serial in serials(team.dice, DAYS):
        by = team.dice.pick(_BY)
        landed: dict[int, str] = {}
        for part in serial.parts:
            make = by_chance(TENSORFORGE, team.dice, avoid)
            clock = f"{team.dice.between(6, 15):02}:{team.dice.between(0, 59):02}"
            works.append(pull(part.key, _day(part.day), clock, by, make, subject=part.subject))
            if landed:
                gaps = [index for index in range(min(landed), part.index) if index not in landed]
                found = {"doer": part.key, "targets": list(landed.values()), "missing": gaps}
                gold.append({"kind": "series", **found})
            landed[part.index] = part.key
    return works


def _follow_ups(team: Team, gold: Gold, avoid: tuple[str, ...]) -> list[Work]:
    works = []
    for number, words in enumerate((*NAMING, *QUOTING)):
        base, later = f"base-{number}", f"after-{number}"
        day = number % (DAYS - 5)
        make = [by_chance(TENSORFORGE, team.dice, avoid) for _ in range(2)]
        works.append(pull(base, _day(day), "05:10", team.dice.pick(_BY), make[0]))
        apart = team.dice.between(0, 4)
        works.append(pull(later, _day(day + apart), "16:20", team.dice.pick(_BY), make[1], trailer=words.format(base)))
        if number < len(NAMING):
            gold.append({"kind": "earlier", "doer": later, "targets": [base]})
    return works


def _mended(gold: Gold) -> list[Work]:
    """Change a value that was brought days ago: as a fix, and once as plain tuning, which is no follow-up."""
    works = []
    for number, (day, apart, subject) in enumerate(
        (
            (1, 3, "fix the retry limit of all-reduce"),
            (3, 2, "fix: clamp the window of the ring"),
            (6, 5, "tune the ring"),
        )
    ):
        limit = Constant(f"RING_LIMIT_{number}", "int", str(20 + number), "limit of the ring")

        def brought(path: str, unit: Any, limit: Constant = limit) -> Any:
            return add_constant(path, unit, limit)

        def changed(path: str, unit: Any, name: str = limit.name) -> Any:
            return change_constant(path, unit, name, "7")

        path = _MENDED if number < 2 else _ASIDE
        makers: list[Maker] = [edited(path, brought), edited(path, changed)]
        works.append(pull(f"ring-{number}", _day(day), "08:00", _SAANVI, makers[0], subject=f"limit ring {number}"))
        works.append(pull(f"mend-{number}", _day(day + apart), "12:00", _ZHANG, makers[1], subject=subject))
        if number < 2:
            gold.append({"kind": "lines", "doer": f"mend-{number}", "targets": [f"ring-{number}"]})
    return works


def _reverts(gold: Gold, works: list[Work]) -> list[Step]:
    """Take back some work, the same day or later, and land a part of it again."""
    steps = []
    for number, (day, apart, again) in enumerate(_TAKEN_BACK):
        key, undo, redo = f"bold-{number}", f"undo-{number}", f"redo-{number}"
        works.append(pull(key, _day(day), "09:00", _BY[number % len(_BY)], _bold(number)))
        when = at(_day(day + apart), "18:30")
        steps.append(_taken_back(undo, key, when, relands=False))
        gold.append({"kind": "revert", "doer": undo, "targets": [key]})
        if again is not None:
            steps.append(_taken_back(redo, undo, at(_day(day + apart + again), "21:15"), relands=True))
            gold.append({"kind": "reland", "doer": redo, "targets": [key]})
    return steps


def _bold(number: int) -> Maker:
    """Bring a file of its own, which nobody touches before it is taken back."""
    lines = "".join(f"WEIGHT_{step} = {step * 3 + number}\n" for step in range(14))
    subject, zh = _BOLD[number]
    return text(f"tensorforge/bold_{number}.py", "", lines, "feat", subject, zh)


def _taken_back(key: str, target: str, when: datetime, *, relands: bool) -> Step:
    opened = when - timedelta(minutes=35)
    why = "The nightly is green with it again." if relands else "The nightly fails since this landed."

    def do(team: Team) -> None:
        team.revert(key, target, opened, when, _MIRA, why, relands=relands)

    return Step(when, do, key, opened, pushes=True)
