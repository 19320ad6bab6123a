"""Twin worlds: reports of two that differ in one fact differ in that fact, and in nothing else."""

import re
from datetime import date
from pathlib import Path

from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.report import Report
from agent.domain.window import Window
from evals.figures import CRASHED, Exhibit, Figures, Score, Target, share
from evals.harness import Bench, Crash, attempt, evalset
from evals.stage import staged
from evals.worlds.worlds import DAY, KINDS, Twin, Which, twin

_PAIRS = 6
_BOTH: tuple[Which, Which] = ("one", "other")


@evalset("twins", "two worlds that differ in one fact are told apart by it")
async def run(bench: Bench) -> Figures:
    """Report on both worlds of every pair."""
    scores = []
    for kind in KINDS:
        for seed in range(bench.seed, bench.seed + bench.count(1, _PAIRS)):
            folder = bench.folder / "twins" / kind / str(seed)
            scores.append(await _pair_score(kind, seed, folder))
    return {"twins that are told apart": share(scores, Target(0.99))}


async def _pair_score(kind: str, seed: int, folder: Path) -> Score:
    """Score a pair: the first fault of either report, or 1."""
    case = f"{kind}/{seed}"
    faults = []
    for which in _BOTH:
        world_twin = twin(kind, seed, which, folder / which)
        report = await attempt(reported(world_twin))
        fault = _fault(world_twin, report, kind, case)
        if fault is not None:
            faults.append(fault)
    return faults[0] if faults else Score(f"{case}: told apart", 1.0, case, kind)


async def reported(world_twin: Twin) -> Report:
    """Report on the day on which twins differ."""
    day = date.fromisoformat(DAY)
    async with staged(world_twin.world) as stage:
        return await stage.report(None, Window.days(day, day, "UTC"))


def _fault(world_twin: Twin, report: Report | Crash, kind: str, case: str) -> Score | None:
    if isinstance(report, Crash):
        return Score(f"{case}: {report}", 0.0, case, CRASHED)
    problem = wrong_with(report, world_twin, kind)
    if not problem:
        return None
    text = "\n".join(str(claim.text) for claim in _claims(report, world_twin))
    exhibit = Exhibit(text, f"{world_twin.says} in {world_twin.sha}")
    return Score(f"{case}: {problem}", 0.0, case, kind, exhibit)


def _claims(report: Report, world_twin: Twin) -> list[Claim]:
    return [claim for claim in report.claims if world_twin.sha in claim.about]


def wrong_with(report: Report, world_twin: Twin, kind: str) -> str:
    """Return the fault by which a report mistakes a world for its twin, or an empty string."""
    reported_value = _reported_value(report, world_twin, kind)
    if reported_value == world_twin.says:
        return ""
    return f"{reported_value} is told, not {world_twin.says}"


def _reported_value(report: Report, world_twin: Twin, kind: str) -> str:
    """Return the value that a report states for the fact in which twins differ."""
    if kind == "author":
        return next(row.author for row in report.ledger if row.id == world_twin.sha)
    if kind == "undone":
        return _reported_undone(report, world_twin)
    if kind == "fixed":
        return _reported_fixes(report)
    texts = []
    for lang in ("en", "zh"):
        words = []
        for claim in _claims(report, world_twin):
            if world_twin.sha in claim.cites:
                words.append(claim.text.get(lang, ""))
        texts.append(" ".join(words))
    for text in texts:
        if not _has(text, world_twin.says) or _has(text, world_twin.not_says):
            return str(texts)
    return world_twin.says


def _reported_undone(report: Report, world_twin: Twin) -> str:
    reported_undone = any(claim.predicate == "undone" for claim in _claims(report, world_twin))
    is_undone = world_twin.says == "undone"
    return world_twin.says if reported_undone == is_undone else "mistaken"


def _reported_fixes(report: Report) -> str:
    issues: set[EvidenceId] = set()
    for claim in report.claims:
        if claim.predicate == "fixes":
            issues.update(name for name in claim.about if name.is_thread)
    return ", ".join(sorted(issues))


def _has(words: str, value: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", words, re.ASCII) is not None
