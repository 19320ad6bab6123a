"""Daily: a day's report lists all that landed, puts what matters first, and says the same in both languages."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date, timedelta

from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.report import Report
from evals.figures import SHOWN, Figures, Score, Target, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.mirror_commits import between, days_of, first_parent_line
from evals.worlds.data_model import World, commit_name
from evals.worlds.true_ledger import gold_window, importance

Grades = Mapping[tuple[str, str], int]  # How much each commit matters, by repository and hash
_TOP = (Tier.HIGH, Tier.MID)
_RANKED = 10  # Items whose order is scored
_MIRROR_DAYS = 3
_STORY_KEYS = (
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
"""Starts of the keys of commits in the world `full` whose days are reported too."""


@evalset("daily", "a day's report is complete and tells what matters first")
async def run(bench: Bench) -> Figures:
    """Report on days of worlds, those with a name in both languages, and on days of the mirrors."""
    scores: defaultdict[str, list[Score]] = defaultdict(list)
    for name in ("demo", "full")[: bench.count(1, 2)]:
        await _report_on_world(bench, bench.world(name), scores)
    for spec in bench.mirrors:
        line = await first_parent_line(spec)
        for day in days_of(bench, line, _MIRROR_DAYS):
            report = await bench.report([spec], day)
            landed = [(spec.name, sha) for sha in between(line, [day])]
            scores["mirrored"] += accounted(report, landed, f"{spec.name} {day}")
    return {
        "landed commits in exactly one ledger row": share(scores["ledger"]),
        "must be mentioned and is": share(scores["must"]),
        "importance 2 and 3 with an item of its own": share(scores["coverage"], Target(0.97)),
        "items on top that are no noise": share(scores["quiet"], Target(0.97)),
        "nDCG@10": share(scores["order"], Target(0.93)),
        "nDCG@10 of git log": share(scores["log order"], SHOWN),
        "claims that both languages state": share(scores["languages"]),
        "landed commits in exactly one ledger row, mirrors": share(scores["mirrored"]),
    }


async def _report_on_world(
    bench: Bench, world: World, scores: defaultdict[str, list[Score]]
) -> None:
    special_days = set()
    for key, text in world.notes.items():
        if key.endswith(" day"):
            special_days.add(date.fromisoformat(text))
    specs = specs_of(world)
    with serving(world.repos, world.now) as server:
        days = days_to_report(world, special_days)
        # A small run takes the newest one, which is special.
        for day in days[-bench.count(1, len(days)) :]:
            report = await bench.report(specs, day, **through(server))
            _score(world, report, scores)
            if day in special_days:
                chinese = await bench.report(specs, day, lang="zh", **through(server))
                scores["languages"] += in_both_languages(report, chinese, str(day))


def days_to_report(world: World, special_days: Set[date]) -> list[date]:
    """List the special days, those before them, and those on which a part of the story landed."""
    days = set(special_days)
    days.update(day - timedelta(days=1) for day in special_days)
    keys: dict[str, str] = {}
    for note, text in world.notes.items():
        if ": " in note:
            keys[text] = note.partition(": ")[2]
    for row in world.landed:
        if row.dropped_by is None and keys.get(row.id, "").startswith(_STORY_KEYS):
            days.add(row.committed_at.date())
    return sorted(day for day in days if day < world.now.date())


def _score(world: World, report: Report, scores: defaultdict[str, list[Score]]) -> None:
    """Score one report, and its order beside that of `git log`."""
    window = report.window
    where = window.label
    grades = importance(world)
    landed: list[tuple[str, str]] = []
    for gold_repo in world.repos:
        for gold in gold_window(world, gold_repo.full_name, window.start, window.end):
            landed.append((gold.repo, gold.sha))
    scores["ledger"] += accounted(report, landed, where)
    scores["must"] += mentioned(report, grades, where)
    scores["coverage"] += covered(report, grades, where)
    scores["quiet"] += quiet(report, grades, where)
    for repo in report.repos:
        rows = report.rows(repo)
        items = [row for row in ordered(report) if row.repo == repo]
        case = f"{where}: {repo}"
        for name, order in (("order", items), ("log order", rows)):
            gain = gain_in_order(order, rows, grades)
            if gain is not None:
                scores[name].append(Score(f"{case} {gain:.3f}", gain, case))


def accounted(report: Report, landed: Iterable[tuple[str, str]], where: str) -> list[Score]:
    """Score each commit that landed, and each row that should not be there."""
    counts = Counter((str(row.repo), row.sha) for row in report.ledger)
    gold = set(landed)
    scores = []
    for repo, sha in (*sorted(gold), *(counts.keys() - gold)):
        count = counts[repo, sha]
        good = (repo, sha) in gold and count == 1
        name = commit_name(repo, sha)
        scores.append(Score(f"{where}: {name} has {count} rows", float(good), name))
    return scores


def mentioned(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each commit that must be mentioned: on top with a claim, or among the highlights."""
    described: set[EvidenceId] = set()
    highlighted: set[EvidenceId] = set()
    for claim in report.claims:
        described.update(claim.about)
        if claim.repo is None or claim.role == "summary":
            highlighted.update(claim.sources)
    scores = []
    for row in report.ledger:
        if grades[row.repo, row.sha] == 3:
            on_top = row.tier in _TOP and row.id in described
            scores.append(_scored(row, on_top or row.id in highlighted, where))
    return scores


def covered(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each commit that users can notice: 1 if it has its own item that is not folded."""
    scores = []
    for row in report.ledger:
        if grades[row.repo, row.sha] >= 2:
            scores.append(_scored(row, _is_item(row), where))
    return scores


def quiet(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each item on top: 1 unless it is noise."""
    scores = []
    for row in report.ledger:
        if row.tier in _TOP:
            scores.append(_scored(row, grades[row.repo, row.sha] > 0, where))
    return scores


def ordered(report: Report) -> list[LedgerRow]:
    """Return the items in the order in which a reader meets them: by tier, then by weight."""
    items = [row for row in report.ledger if _is_item(row)]
    return sorted(items, key=_reading_order)


def _reading_order(row: LedgerRow) -> tuple[int, bool, float]:
    tier = list(Tier).index(row.tier or Tier.LOW)
    return tier, row.noise is not None, -row.weight


def gain_in_order(
    rows: Sequence[LedgerRow], landed: Sequence[LedgerRow], grades: Grades
) -> float | None:
    """Return the nDCG of the first ten items; None where all orders are equally good."""
    ideal = sorted((grades[row.repo, row.sha] for row in landed), reverse=True)
    if len(set(ideal)) < 2:
        return None
    gain = _gain([grades[row.repo, row.sha] for row in rows])
    return gain / _gain(ideal)


def _gain(grades: Sequence[int]) -> float:
    gains = []
    for rank, grade in enumerate(grades[:_RANKED], start=1):
        gains.append((2**grade - 1) / math.log2(rank + 1))
    return math.fsum(gains)


def in_both_languages(english: Report, chinese: Report, where: str) -> list[Score]:
    """Score each claim of either report: 1 if both have it, in words of both languages."""
    english_claims = {claim.id: claim for claim in english.claims}
    chinese_claims = {claim.id: claim for claim in chinese.claims}
    scores = []
    for claim_id in sorted(english_claims.keys() | chinese_claims.keys()):
        claim = english_claims.get(claim_id)
        same = claim is not None and claim == chinese_claims.get(claim_id)
        good = claim is not None and same and _in_words(claim)
        scores.append(Score(f"{where}: {claim_id}", float(good), claim_id))
    return scores


def _in_words(claim: Claim) -> bool:
    """Return True if a claim can be read in both languages; speech and code are only quoted."""
    quoted = claim.speech or (bool(claim.quotes) and not any(claim.text.values()))
    return quoted or all(claim.text.get(lang) for lang in ("en", "zh"))


def _is_item(row: LedgerRow) -> bool:
    return row.tier is not None and row.noise is None and row.depth in ("deep", "skim")


def _scored(row: LedgerRow, good: bool, where: str) -> Score:
    name = row.id.shortened(10)
    tier = row.tier.value if row.tier else "not read"
    marks = ", ".join(row.marks)
    reason = f"{where}: {name} {tier} {row.weight:g} ({marks}) {row.title[:70]}"
    return Score(reason, float(good), name)
