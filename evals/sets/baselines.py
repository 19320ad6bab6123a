"""Baselines: the same days told by `git log`, by the rules, and by one prompt with cut diffs, on the same scales."""

import time
from dataclasses import dataclass, field
from datetime import date

from agent.domain.report import Report
from agent.domain.window import Window
from evals.baselines import log_dump, one_prompt
from evals.figures import Exhibit, Score, Target, measure, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, EvalSet, Figures
from evals.sets.daily_scores import Grades, covered, gain_in_order, ordered, quiet, told
from evals.stage import Stage
from evals.truth import Truth
from evals.worlds.gold import importance
from tools.github.http.client import GitHubClient

_TOKEN = "baselines"  # noqa: S105 -- the loopback server's only token
_DAYS = ("2026-02-02", "2026-02-03", "2026-02-04")
_SEEDS, _FEW = 6, 1
_NAMES = ("b0 git log", "b1 rules", "b2 one prompt")
_ANY = Target(0.0)
"""What is only shown beside the others has nothing to reach."""


@dataclass
class Tally:
    """The scores of one of them."""

    true: list[Score] = field(default_factory=list)
    must: list[Score] = field(default_factory=list)
    coverage: list[Score] = field(default_factory=list)
    quiet: list[Score] = field(default_factory=list)
    order: list[Score] = field(default_factory=list)


async def run(bench: Bench) -> Figures:
    """Tell the days of several worlds in three ways."""
    tallies = {name: Tally() for name in _NAMES}
    seconds: list[float] = []
    prompts: list[float] = []
    for seed in range(bench.seed, bench.seed + (_FEW if bench.small else _SEEDS)):
        bench.say(f"baselines: world {seed}")
        world = bench.world("demo", seed)
        truth, grades = Truth(world), importance(world)
        paths = {repo.full_name: repo.git_dir for repo in world.repos}
        with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now) as server:
            async with GitHubClient(base_url=server.url, token=_TOKEN) as client:
                stage = Stage(world, client)
                for day in map(date.fromisoformat, _DAYS):
                    started = time.process_time()
                    rules = await stage.report(None, Window.days(day, day, "UTC"))
                    seconds.append(time.process_time() - started)
                    prompted, length = await one_prompt(rules, paths)
                    prompts.append(float(length))
                    for name, report in zip(_NAMES, (log_dump(rules), rules, prompted), strict=True):
                        score(tallies[name], report, truth, grades, f"{seed}/{day}")
    costs = {
        "b1 rules: processor seconds for a report": measure(seconds, Target(10, "at most")),
        "b1 rules: processor seconds for a claim that holds": measure(
            [sum(seconds) / max(1, sum(one.value == 1.0 for one in tallies["b1 rules"].true))], Target(1, "at most")
        ),
        "b2 one prompt: characters for a report": measure(prompts, _ANY),
    }
    return {key: one for name, tally in tallies.items() for key, one in _figures(name, tally).items()} | costs


def score(tally: Tally, report: Report, truth: Truth, grades: Grades, case: str) -> None:
    """Score one report; what is true is what git says, not what the gate does."""
    for claim in report.claims:
        wrong = next(truth.of_claim(claim, report), None)
        shown = Exhibit(claim.text.get("en", ""), wrong.why) if wrong else None
        name = f"{case}/{claim.id}"
        reason = f"{wrong.kind}: {wrong.why}" if wrong else "holds"
        tally.true.append(Score(f"{name}: {reason}", float(wrong is None), name, wrong.kind if wrong else "", shown))
    tally.must += told(report, grades, case)
    tally.coverage += covered(report, grades, case)
    tally.quiet += quiet(report, grades, case)
    gain = gain_in_order(ordered(report), report.ledger, grades)
    tally.order += [Score(f"{case}: {gain:.3f}", gain, case)] if gain is not None else []


def _figures(name: str, tally: Tally) -> Figures:
    mine = name.startswith("b1")
    return {
        f"{name}: claims that git bears out": share(tally.true, Target(1.0) if mine else _ANY),
        f"{name}: must be mentioned and is": share(tally.must, Target(1.0) if mine else _ANY),
        f"{name}: importance 2 and 3 with an item": share(tally.coverage, Target(0.97) if mine else _ANY),
        f"{name}: items on top that are no noise": share(tally.quiet, Target(0.97) if mine else _ANY),
        f"{name}: nDCG@10": share(tally.order, Target(0.93) if mine else _ANY),
    }


BASELINES = EvalSet("baselines", "the same days told by git log, by the rules and by one prompt", run)
