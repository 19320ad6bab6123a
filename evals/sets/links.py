"""Links: what GitHub records and keywords say is found, and nothing else is told as fixed."""

from datetime import timedelta

from evals.figures import NONE, Figures, Score, Target, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.truth import Truth
from evals.worlds.model import World

Pair = tuple[str, str]
"""An issue and the landed commit that fixes it."""


@evalset("links", "issues are linked with what fixed them, and with nothing else")
async def run(bench: Bench) -> Figures:
    """Report on the last weeks of worlds, and compare with what their GitHub records."""
    recall, precision, traps = list[Score](), list[Score](), list[Score]()
    for name in ("demo", "full")[: bench.count(1, 2)]:
        world = bench.world(name)
        first = min(row.committed_at for row in world.landed if row.dropped_by is None and "root" not in row.tags)
        with serving(world.repos, world.now) as server:
            last = world.now.date() - timedelta(days=1)
            report = await bench.report(specs_of(world), first.date(), last, **through(server))
        landed = {f"{row.repo}@{row.sha}" for row in report.ledger}
        told = {(str(link.issue), str(link.change)) for link in report.links if link.may_read_fixed}
        gold = {pair for pair in Truth(world).fixes if pair[1] in landed}
        right = gold | true_pairs(world)
        recall += [Score(_named(pair), float(pair in told), _named(pair)) for pair in sorted(gold)]
        precision += [Score(_named(pair), float(pair in right), _named(pair)) for pair in sorted(told)]
        issues = {f"{repo.full_name}#{one.number}" for repo in world.repos for one in repo.issues}
        for issue in sorted(issues - {pair[0] for pair in right}):
            traps.append(Score(issue, float(issue in {pair[0] for pair in told}), issue))
    return {
        "recorded links found": share(recall, Target(0.98)),
        "recorded links that are true": share(precision),
        "traps told as fixed": share(traps, NONE),
    }


def true_pairs(world: World) -> set[Pair]:
    """List what really fixes what: the commit that mends a flaw, and each issue that reports it, unless given up."""
    found = set()
    for row in world.landed:
        bugs = [edit.param("bug") for edit in row.edits if edit.kind == "fix_bug" and row.dropped_by is None]
        issues = [one for one in world.repo(row.repo).issues if one.reports in bugs and not one.deleted]
        fixed = [one.number for one in issues if one.state_reason not in ("not_planned", "duplicate")]
        found |= {(f"{row.repo}#{number}", f"{row.repo}@{row.sha}") for number in fixed}
    return found


def _named(pair: Pair) -> str:
    return f"{pair[0]} ← {pair[1][-40:][:9]}"
