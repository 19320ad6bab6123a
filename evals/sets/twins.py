"""Twins: two worlds that differ in one fact are told apart by that fact, and by nothing that is not there."""

import re
from datetime import date

from agent.domain.claims import Claim
from agent.domain.report import Report
from agent.domain.window import Window
from evals.figures import CRASHED, Exhibit, Figures, Score, Target, share
from evals.harness import TOKEN, Bench, Crash, EvalSet, attempt, serving
from evals.stage import Stage
from evals.worlds.worlds import DAY, KINDS, Twin, Which, twin
from tools.github.client import GitHubClient

_PAIRS = 6
_BOTH: tuple[Which, Which] = ("one", "other")


async def run(bench: Bench) -> Figures:
    """Report on both of every pair."""
    pairs = [(kind, seed) for kind in KINDS for seed in range(bench.seed, bench.seed + bench.count(1, _PAIRS))]
    return {"twins that are told apart": share([await _pair(bench, *pair) for pair in pairs], Target(0.99))}


async def _pair(bench: Bench, kind: str, seed: int) -> Score:
    case = f"{kind}/{seed}"
    for which in _BOTH:
        one = twin(kind, seed, which, bench.folder / "twins" / kind / str(seed) / which)
        report = await attempt(reported(one))
        if isinstance(report, Crash):
            return Score(f"{case}: {report}", 0.0, case, CRASHED)
        if problem := wrong_with(report, one, kind):
            text = "\n".join(str(claim.text) for claim in report.claims_about(one.sha))
            return Score(f"{case}: {which}: {problem}", 0.0, case, kind, Exhibit(text, f"{one.says} in {one.sha}"))
    return Score(f"{case}: told apart", 1.0, case, kind)


async def reported(one: Twin) -> Report:
    """Report on the day on which twins differ."""
    day = date.fromisoformat(DAY)
    with serving(one.world.repos, one.world.now) as server:
        async with GitHubClient(base_url=server.url, token=TOKEN) as client:
            return await Stage(one.world, client).report(None, Window.days(day, day, "UTC"))


def wrong_with(report: Report, one: Twin, kind: str) -> str:
    """Say how a report mistakes a world for its twin; nothing where it does not."""
    claims = report.claims_about(one.sha)
    if kind == "author":
        author = next(row.author for row in report.ledger if f"{row.repo}@{row.sha}" == one.sha)
        return "" if author == one.says else f"{author} is named, not {one.says}"
    if kind == "undone":
        undone = any(claim.predicate == "undone" for claim in claims)
        return "" if undone == (one.says == "undone") else f"told as undone: {undone}, and it is {one.says}"
    if kind == "fixed":
        fixed = {name for claim in report.claims if claim.predicate == "fixes" for name in claim.about if "#" in name}
        return "" if fixed == {one.says} else f"{sorted(fixed) or 'nothing'} is told as fixed, not {one.says}"
    return _in_words(claims, one)


def _in_words(claims: tuple[Claim, ...], one: Twin) -> str:
    """Look for the fact in the words of claims that cite the commit, in both languages."""
    for lang in ("en", "zh"):
        words = "\n".join(claim.text.get(lang, "") for claim in claims if one.sha in claim.cites)
        if not _has(words, one.says):
            return f"{one.says} is not said ({lang})"
        if _has(words, one.not_says):
            return f"{one.not_says} is said ({lang})"
    return ""


def _has(words: str, value: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", words, re.ASCII) is not None


TWINS = EvalSet("twins", "two worlds that differ in one fact are told apart by it", run)
