"""Links: what GitHub records and keywords say is found and nothing else is told as fixed; real threads where given."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from agent.domain.links import Grade, Link, Relation
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget
from evals.figures import NONE, Figures, Score, Target, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.sets.oracle import days_of, git_dir_of
from evals.truth import Truth
from evals.worlds.mirror import repo_from_mirror
from evals.worlds.model import World

Pair = tuple[str, str]
"""An issue and the landed commit that fixes it."""
Rows = list[dict[str, Any]]
_ASSERTED = (Relation.FIXES, Relation.PARTLY, Relation.BECAUSE)
_PATIENT = Budget(answer_seconds=3_600, model_seconds=86_400, repo_model_seconds=86_400)


@evalset("links", "issues are linked with what fixed them, and with nothing else")
async def run(bench: Bench) -> Figures:
    """Report on the last weeks of a world, and on the days of real threads that have a gold."""
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
        **(await _real(bench)),
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


# ---------------------------------------------------------------- real threads with a gold of readers


async def _real(bench: Bench) -> Figures:
    """Report day by day in one memory, with the threads served beside their mirrors."""
    if bench.threads is None or bench.gold is None:
        return {}
    threads, reports = _rows(bench.threads), list[Report]()
    hosted = [repo_from_mirror(spec.name, git_dir_of(spec), threads) for spec in bench.mirrors]
    model = {"analyst": bench.analyst, "budget": _PATIENT, **bench.model}
    with serving(hosted) as server, bench.settings(bench.mirrors, **through(server), **model) as settings:
        for day in days_of(bench):
            bench.say(f"links: {day}")
            report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"), {"OPENAI_API_KEY": "links"})
            reports.append(report)
    issues = {f"{one['repo']}#{one['number']}" for one in threads if one["kind"] == "issue"}
    return link_figures([link for report in reports for link in report.links], _rows(bench.gold), issues)


def _rows(path: Path) -> Rows:
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


def link_figures(links: Sequence[Link], gold: Rows, issues: set[str]) -> Figures:
    """Score links by their pairs; of issues that were not served nobody knows what is right."""
    wanted = {(row["issue"], f"{row['repo']}@{row['sha']}"): row for row in gold}
    found: dict[Pair, Link] = {(link.issue, link.change): link for link in links}
    asserted = {pair: one for pair, one in found.items() if pair[0] in issues and one.relation in _ASSERTED}

    def of(*kinds: str) -> list[Pair]:
        return [pair for pair, row in wanted.items() if row["kind"] in kinds]

    def right(pair: Pair) -> Score:
        told = found[pair].relation.value if pair in found else "nothing"
        want = wanted[pair]["relation"] if pair in wanted else "nothing"
        recorded = pair in found and found[pair].grade is Grade.A and want != "nothing"
        return Score(f"{_named(pair)}: {told}, gold says {want}", float(told == want or recorded), _named(pair))

    def there(pairs: Sequence[Pair], where: Mapping[Pair, Link]) -> list[Score]:
        return [Score(_named(pair), float(pair in where), _named(pair)) for pair in pairs]

    return {
        "real: recorded links found": share(there(of("recorded"), asserted), Target(0.98)),
        "real: said and inferred links told rightly": share(map(right, of("said", "inferred")), Target(0.80)),
        "real: said links at least referred to": share(there(of("said"), found), Target(0.95)),
        "real: links told that are true": share(map(right, asserted), Target(0.95)),
        "real: traps told as fixed": share(there(of("trap"), asserted), NONE),
    }
