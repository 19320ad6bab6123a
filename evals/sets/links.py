"""Links: what GitHub records and keywords say is found and nothing else is told as fixed; real threads where given."""

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.domain.base import CommitId, RepoId
from agent.domain.commits import Change, Commit, Coverage, Issue, Threads
from agent.domain.evidence import CommitEvidence, Read
from agent.domain.ledger import Depth
from agent.domain.links import Link, Standing
from agent.links.candidates import candidates
from agent.links.issues import digest, standing
from agent.links.recorded import day_links
from agent.links.references import Day, day_references
from agent.triage.score import weigh
from evals.figures import Score, Target, measure, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.links_gold import Pair, closed_pairs, threads_of, true_pairs
from evals.sets.links_real import real_figures
from evals.worlds.model import Repo, World
from tools.git.source import GitSource

_SMALL, _GROWTH = 100, 100


@dataclass
class Tally:
    """The scores of all repositories so far."""

    recall: list[Score] = field(default_factory=list)
    precision: list[Score] = field(default_factory=list)
    traps: list[Score] = field(default_factory=list)
    standing: list[Score] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)


async def run(bench: Bench) -> Figures:
    """Link the issues of worlds, measure how the cost grows, then real threads with a gold of their own."""
    tally = Tally()
    for name in ("demo", "full"):
        world = bench.world(name)
        for repo in world.repos:
            if repo.pulls:
                bench.say(f"links: {repo.full_name} of {name}")
                await _score(world, repo, tally)
    return {
        "recorded links found": share(tally.recall, Target(0.98)),
        "recorded links that are true": share(tally.precision, Target(1.0)),
        "traps told as fixed": share(tally.traps, Target(0.0, "at most")),
        "present state of issues": share(tally.standing, Target(0.98)),
        f"cost of a commit at {_GROWTH} times the commits and issues": measure([growth(tally)], Target(2, "at most")),
        **await real_figures(bench),
    }


def growth(tally: Tally) -> float:
    """Compare what a commit costs on a day a hundred times as large, with a hundred times the issues."""
    return _cost(tally, _SMALL * _GROWTH) / _cost(tally, _SMALL)


def _cost(tally: Tally, count: int) -> float:
    """Give the seconds for a commit: references, links, and the nearest issues of those that are read for that."""
    repo = tally.issues[0].repo
    opened = {"repo": repo, "state": "open", "state_reason": None, "closed_at": None}
    issues = [
        one.model_copy(update=opened | {"number": number})
        for number, one in enumerate(itertools.islice(itertools.cycle(tally.issues), count), start=1)
    ]
    changes = list(itertools.islice(itertools.cycle(tally.changes), count))
    commits = [_again(one.commit, repo, number) for number, one in enumerate(changes)]
    read = [one.model_copy(update={"commit": commit}) for one, commit in zip(changes, commits, strict=True)]
    reads = [
        Read(evidence=CommitEvidence(change=one), triage=weigh(one, None), depth=Depth.SKIM) for one in read[:_SMALL]
    ]
    started = time.process_time()
    day = Day(repo, None, commits, Threads(coverage=Coverage.READ, issues=tuple(issues)))
    links = day_links(day, day_references(day))
    candidates(reads, map(digest, issues), {link.change for link in links})
    return (time.process_time() - started) / count


def _again(commit: Commit, repo: RepoId, number: int) -> Commit:
    return commit.model_copy(update={"repo": repo, "sha": f"{number:040x}"})


async def _score(world: World, repo: Repo, tally: Tally) -> None:
    name = RepoId(repo.full_name)
    shas = [row.sha for row in world.landed if row.repo == name and row.dropped_by is None]
    changes = [change async for change in GitSource(name, Path(repo.git_dir)).changes(shas)]
    commits = [change.commit for change in changes]
    day = Day(name, repo.default_branch, commits, threads_of(repo, commits))
    links = day_links(day, day_references(day))
    gold, true = closed_pairs(world, repo), true_pairs(world, repo)
    told = {Pair(link.issue, CommitId(link.change)) for link in links if link.may_read_fixed}
    tally.recall += [Score(_named(pair), float(pair in told)) for pair in gold]
    tally.precision += [Score(_named(pair), float(pair in gold | true)) for pair in told]
    unfixed = {issue.id for issue in day.threads.issues} - {pair.issue for pair in gold | true}
    tally.traps += [Score(issue, float(issue in {pair.issue for pair in told})) for issue in unfixed]
    _score_standing(day.threads.issues, links, gold, tally)
    tally.changes += changes[:_SMALL]
    tally.issues += day.threads.issues


def _named(pair: Pair) -> str:
    return f"{pair.issue} ← {pair.change[-40:-30]}"


def _score_standing(issues: Sequence[Issue], links: Sequence[Link], gold: set[Pair], tally: Tally) -> None:
    fixed = {pair.issue for pair in gold}
    for issue in issues:
        given_up = issue.state_reason in ("not_planned", "duplicate")
        want = Standing.GIVEN_UP if given_up else Standing.FIXED if issue.id in fixed else Standing.CLOSED
        if issue.state == "open":
            want = Standing.REOPENED if issue.state_reason == "reopened" else Standing.OPEN
        have = standing(issue, links)
        # The words of a change may say more than GitHub's records do.
        good = have is want or (have is Standing.ADDRESSED and want is Standing.OPEN)
        tally.standing.append(Score(f"{issue.id}: {have}, not {want}", float(good)))


LINKS = EvalSet("links", "issues are linked with what fixed them, and with nothing else", run)
