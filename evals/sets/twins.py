"""Twins: two worlds that differ in one fact are told apart by that fact, and by nothing that is not there."""

import re
from datetime import date

from agent.domain.claims import Claim
from agent.domain.report import Report
from agent.domain.window import Window
from evals.cases import Crash, attempt
from evals.figures import CRASHED, Exhibit, Score, Target, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, EvalSet, Figures
from evals.stage import Stage
from evals.worlds.worlds import DAY, KINDS, Twin, Which, twin
from tools.github.client import GitHubClient

_TOKEN = "twins"  # noqa: S105 -- the loopback server's only token
_PAIRS, _FEW = 6, 1
_BOTH: tuple[Which, Which] = ("one", "other")


async def run(bench: Bench) -> Figures:
    """Report on both of every pair."""
    scores: dict[str, list[Score]] = {}
    for kind in KINDS:
        bench.say(f"twins: {kind}")
        for seed in range(bench.seed, bench.seed + (_FEW if bench.small else _PAIRS)):
            scores.setdefault(kind, []).append(await _pair(bench, kind, seed))
    every = [score for each in scores.values() for score in each]
    by_kind = {f"told apart by {kind}": share(each, Target(0.99)) for kind, each in scores.items()}
    return {"twins that are told apart": share(every, Target(0.99)), **by_kind}


async def _pair(bench: Bench, kind: str, seed: int) -> Score:
    case = f"{kind}/{seed}"
    for which in _BOTH:
        one = twin(kind, seed, which, bench.folder / "twins" / kind / str(seed) / which)
        told = await attempt(_report(one))
        if isinstance(told, Crash):
            return Score(f"{case}: {told}", 0.0, case, CRASHED)
        if problem := wrong_with(told, one, kind):
            text = "\n".join(str(claim.text) for claim in told.claims_about(one.sha))
            return Score(
                f"{case}: {which}: {problem}", 0.0, case, "mistaken", Exhibit(text, f"{one.says} in {one.sha}")
            )
    return Score(f"{case}: told apart", 1.0, case)


async def _report(one: Twin) -> Report:
    with GitHubServer(one.world.repos, tokens=(_TOKEN,), now=one.world.now) as server:
        async with GitHubClient(base_url=server.url, token=_TOKEN) as client:
            day = date.fromisoformat(DAY)
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
