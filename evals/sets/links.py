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
from evals.worlds.mirror import repo_from_mirror
from evals.worlds.model import Repo, World

Pair = tuple[str, str]
"""An issue and the landed commit that fixes it."""
Rows = list[dict[str, Any]]
_UNFIXED = ("not_planned", "duplicate")
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
        for repo in world.repos:
            gold = {pair for pair in closed_pairs(world, repo) if pair[1] in landed}
            right, mine = gold | true_pairs(world, repo), {pair for pair in told if pair[1].startswith(repo.full_name)}
            recall += [Score(_named(pair), float(pair in told), _named(pair)) for pair in sorted(gold)]
            precision += [Score(_named(pair), float(pair in right), _named(pair)) for pair in sorted(mine)]
            unfixed = {f"{repo.full_name}#{one.number}" for one in repo.issues} - {pair[0] for pair in right}
            traps += [Score(issue, float(issue in {pair[0] for pair in told}), issue) for issue in sorted(unfixed)]
    return {
        "recorded links found": share(recall, Target(0.98)),
        "recorded links that are true": share(precision),
        "traps told as fixed": share(traps, NONE),
        **(await _real(bench)),
    }


def closed_pairs(world: World, repo: Repo) -> set[Pair]:
    """List what GitHub links by itself: merged pull requests on the default branch, commits that closed an issue."""
    merged = {pull.number: f"{repo.full_name}@{pull.merge_commit}" for pull in repo.pulls if pull.merge_commit}
    found = {
        (f"{owner}#{number}", merged[pull.number])
        for pull in repo.pulls
        if pull.number in merged and pull.base == repo.default_branch
        for owner, number in pull.closes
    }
    for home in world.repos:
        for issue in home.issues:
            for event in issue.events:
                if event.kind != "closed" or event.state_reason in _UNFIXED:
                    continue
                name = f"{home.full_name}#{issue.number}"
                if event.source and event.source[0] == repo.full_name and event.source[1] in merged:
                    found.add((name, merged[event.source[1]]))
                if event.commit and home is repo:
                    found.add((name, f"{repo.full_name}@{event.commit}"))
    return found


def true_pairs(world: World, repo: Repo) -> set[Pair]:
    """List what really fixes what: the commit that mends a flaw, and each issue that reports it, unless given up."""
    found = set()
    for row in world.landed:
        bugs = [edit.param("bug") for edit in row.edits if edit.kind == "fix_bug"]
        if row.repo == repo.full_name and row.dropped_by is None:
            issues = [one for one in repo.issues if one.reports in bugs and not one.deleted]
            fixed = [one for one in issues if one.state_reason not in _UNFIXED]
            found |= {(f"{repo.full_name}#{one.number}", f"{repo.full_name}@{row.sha}") for one in fixed}
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
