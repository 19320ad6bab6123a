"""Daily: the report of a day tells everything that landed, what matters first, and in both languages alike."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date, timedelta

from agent.domain.claims import Claim
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.report import Report
from evals.figures import SHOWN, Figures, Score, Target, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.sets.oracle import between, days_of, first_parent_line
from evals.worlds.gold import gold_window, importance
from evals.worlds.model import World, commit_name

Grades = Mapping[tuple[str, str], int]  # How much each commit matters, by repository and hash
_TOP = (Tier.HIGH, Tier.MID)
_FIRST = 10
_MIRROR_DAYS = 3
_STORY = (
    "fix-",
    "flag-",
    "unfuse",
    "refuse",
    "fused",
    "pick",
    "release",
    "next",
    "octopus",
    "numpy-3",
    "forge",
)
"""Work of the world `full` whose days are reported beside those that have a name."""


@evalset("daily", "a day's report is complete and tells what matters first")
async def run(bench: Bench) -> Figures:
    """Report on days of worlds, those that have a name in both languages, then on days of the mirrors."""
    found: dict[str, list[Score]] = defaultdict(list)
    for name in ("demo", "full")[: bench.count(1, 2)]:
        world = bench.world(name)
        named = {
            date.fromisoformat(text) for key, text in world.notes.items() if key.endswith(" day")
        }
        with serving(world.repos, world.now) as server:
            for day in days_to_report(world, named):
                report = await bench.report(specs_of(world), day, **through(server))
                _score(world, report, found)
                if day in named:
                    chinese = await bench.report(specs_of(world), day, lang="zh", **through(server))
                    found["languages"] += in_both_languages(report, chinese, str(day))
    for spec in bench.mirrors:
        line = await first_parent_line(spec)
        for day in days_of(bench, line, _MIRROR_DAYS):
            report = await bench.report([spec], day)
            landed = [(spec.name, sha) for sha in between(line, [day])]
            found["mirrored"] += accounted(report, landed, f"{spec.name} {day}")
    return {
        "landed commits in exactly one ledger row": share(found["ledger"]),
        "must be mentioned and is": share(found["must"]),
        "importance 2 and 3 with an item of its own": share(found["coverage"], Target(0.97)),
        "items on top that are no noise": share(found["quiet"], Target(0.97)),
        "nDCG@10": share(found["order"], Target(0.93)),
        "nDCG@10 of git log": share(found["log order"], SHOWN),
        "claims that both languages state": share(found["languages"]),
        "landed commits in exactly one ledger row, mirrors": share(found["mirrored"]),
    }


def days_to_report(world: World, named: Set[date]) -> list[date]:
    """List the days that have a name, those before them, and those on which a part of the story landed."""
    keys = {text: name.partition(": ")[2] for name, text in world.notes.items() if ": " in name}
    rows = [row for row in world.landed if row.dropped_by is None]
    story = {row.committed_at.date() for row in rows if keys.get(row.id, "").startswith(_STORY)}
    return sorted(
        day
        for day in named | {day - timedelta(days=1) for day in named} | story
        if day < world.now.date()
    )


def _score(world: World, report: Report, found: dict[str, list[Score]]) -> None:
    """Score one report, and its order beside that of `git log`."""
    where, grades = report.window.label, importance(world)
    start, end = report.window.start, report.window.end
    gold = [row for repo in world.repos for row in gold_window(world, repo.full_name, start, end)]
    found["ledger"] += accounted(report, [(row.repo, row.sha) for row in gold], where)
    found["must"] += told(report, grades, where)
    found["coverage"] += covered(report, grades, where)
    found["quiet"] += quiet(report, grades, where)
    for repo in report.repos:
        rows, case = report.rows(repo), f"{where}: {repo}"
        orders = {"order": [row for row in ordered(report) if row.repo == repo], "log order": rows}
        for name, order in orders.items():
            if (gain := gain_in_order(order, rows, grades)) is not None:
                found[name].append(Score(f"{case} {gain:.3f}", gain, case))


def accounted(report: Report, landed: Iterable[tuple[str, str]], where: str) -> list[Score]:
    """Score each commit that landed, and each row that should not be there."""
    counts, gold = Counter((str(row.repo), row.sha) for row in report.ledger), set(landed)
    rows = [(name, counts[name] == 1) for name in sorted(gold)] + [
        (name, False) for name in counts.keys() - gold
    ]
    return [
        Score(
            f"{where}: {commit_name(repo, sha)} has {counts[repo, sha]} rows",
            float(good),
            commit_name(repo, sha),
        )
        for (repo, sha), good in rows
    ]


def told(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each commit that must be mentioned: on top with something said of it, or among the highlights."""
    spoken = {name for claim in report.claims for name in claim.about}
    highlights = [claim for claim in report.claims if claim.repo is None or claim.role == "summary"]
    highlighted = {name for claim in highlights for name in claim.sources}
    rows = [(row, row.id) for row in report.ledger if grades[row.repo, row.sha] == 3]
    return [
        _scored(row, (row.tier in _TOP and name in spoken) or name in highlighted, where)
        for row, name in rows
    ]


def covered(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each commit that users can notice: with an item of its own, not folded."""
    return [
        _scored(row, _is_item(row), where)
        for row in report.ledger
        if grades[row.repo, row.sha] >= 2
    ]


def quiet(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each item on top: 1 unless it is noise."""
    return [
        _scored(row, grades[row.repo, row.sha] > 0, where)
        for row in report.ledger
        if row.tier in _TOP
    ]


def ordered(report: Report) -> list[LedgerRow]:
    """List the items in the order in which a reader meets them: by tier, then by weight."""
    items = [row for row in report.ledger if _is_item(row)]
    return sorted(
        items,
        key=lambda row: (
            list(Tier).index(row.tier or Tier.LOW),
            row.noise is not None,
            -row.weight,
        ),
    )


def gain_in_order(
    rows: Sequence[LedgerRow], landed: Sequence[LedgerRow], grades: Grades
) -> float | None:
    """Give the nDCG of the first ten items; None where every order is as good as any other."""
    ideal = sorted((grades[row.repo, row.sha] for row in landed), reverse=True)
    return (
        _gain([grades[row.repo, row.sha] for row in rows]) / _gain(ideal)
        if len(set(ideal)) > 1
        else None
    )


def _gain(grades: Sequence[int]) -> float:
    return math.fsum(
        (2**grade - 1) / math.log2(place + 1)
        for place, grade in enumerate(grades[:_FIRST], start=1)
    )


def in_both_languages(english: Report, chinese: Report, where: str) -> list[Score]:
    """Score each claim of either report: in both, and in words of both languages."""
    one, other = ({claim.id: claim for claim in report.claims} for report in (english, chinese))
    good = {name for name, claim in one.items() if claim == other.get(name) and _in_words(claim)}
    return [
        Score(f"{where}: {name}", float(name in good), name)
        for name in sorted(one.keys() | other.keys())
    ]


def _in_words(claim: Claim) -> bool:
    """Tell whether a claim can be read in both languages; speech and code are quoted as they are in either."""
    quoted = claim.speech or (bool(claim.quotes) and not any(claim.text.values()))
    return quoted or all(claim.text.get(lang) for lang in ("en", "zh"))


def _is_item(row: LedgerRow) -> bool:
    return row.tier is not None and row.noise is None and row.depth in ("deep", "skim")


def _scored(row: LedgerRow, good: bool, where: str) -> Score:
    tier, name = row.tier.value if row.tier else "not read", row.id.shortened(10)
    return Score(
        f"{where}: {name} {tier} {row.weight:g} ({', '.join(row.marks)}) {row.title[:70]}",
        float(good),
        name,
    )
