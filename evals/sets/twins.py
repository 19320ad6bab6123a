"""Twins: two worlds that differ in one fact are told apart by that fact, and by nothing that is not there."""

import re
from datetime import date

from agent.domain.claims import Claim
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
    """Report on both of every pair."""
    scores = []
    for kind in KINDS:
        for seed in range(bench.seed, bench.seed + bench.count(1, _PAIRS)):
            case, folder = f"{kind}/{seed}", bench.folder / "twins" / kind / str(seed)
            both = [twin(kind, seed, which, folder / which) for which in _BOTH]
            told = [(one, await attempt(reported(one))) for one in both]
            wrong = [score for one, report in told if (score := _wrong(one, report, kind, case))]
            scores.append(wrong[0] if wrong else Score(f"{case}: told apart", 1.0, case, kind))
    return {"twins that are told apart": share(scores, Target(0.99))}


async def reported(one: Twin) -> Report:
    """Report on the day on which twins differ."""
    day = date.fromisoformat(DAY)
    async with staged(one.world) as stage:
        return await stage.report(None, Window.days(day, day, "UTC"))


def _wrong(one: Twin, report: Report | Crash, kind: str, case: str) -> Score | None:
    if isinstance(report, Crash):
        return Score(f"{case}: {report}", 0.0, case, CRASHED)
    if not (problem := wrong_with(report, one, kind)):
        return None
    text = "\n".join(str(claim.text) for claim in _claims(report, one))
    return Score(f"{case}: {problem}", 0.0, case, kind, Exhibit(text, f"{one.says} in {one.sha}"))


def _claims(report: Report, one: Twin) -> list[Claim]:
    return [claim for claim in report.claims if one.sha in claim.about]


def wrong_with(report: Report, one: Twin, kind: str) -> str:
    """Say how a report mistakes a world for its twin; nothing where it does not."""
    claims = _claims(report, one)
    if kind == "author":
        told = next(row.author for row in report.ledger if row.id == one.sha)
    elif kind == "undone":
        told = (
            one.says
            if any(claim.predicate == "undone" for claim in claims) == (one.says == "undone")
            else "mistaken"
        )
    elif kind == "fixed":
        fixed = {
            name
            for claim in report.claims
            if claim.predicate == "fixes"
            for name in claim.about
            if name.is_thread
        }
        told = ", ".join(sorted(fixed))
    else:
        words = [
            " ".join(c.text.get(lang, "") for c in claims if one.sha in c.cites)
            for lang in ("en", "zh")
        ]
        good = all(_has(text, one.says) and not _has(text, one.not_says) for text in words)
        told = one.says if good else str(words)
    return "" if told == one.says else f"{told} is told, not {one.says}"


def _has(words: str, value: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", words, re.ASCII) is not None
