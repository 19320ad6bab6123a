"""Links: which change fixed which issue, by records, by words and by content; and what is never linked."""

import itertools
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from agent.domain import Commit, Coverage, Issue, Threads
from agent.ids import CommitId, RepoId
from agent.linking.explicit import explicit_links
from agent.linking.guesser import Guess, Guesser
from agent.linking.inferred import asserted, inferred_links
from agent.linking.sketch import Sketch, sketch
from agent.linking.standing import Standing, standing
from agent.links import Grade, Link, Relation
from evals.figures import Score, Target, measure, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.links_gold import Pair, closed_pairs, masked_commit, relations, threads_of, true_pairs
from evals.sets.links_real import read_threads, score_cases
from evals.worlds.model import Repo, World
from evals.worlds.worlds import build
from tools.git.source import GitSource

_BINS = 10
_SEEDS = (1, 2, 3)
_HELD_OUT = (11, 12, 13, 14, 15, 16)
"""Seeds on which nothing was chosen."""


@dataclass
class Tally:
    """The scores of all repositories so far."""

    explicit: list[Score] = field(default_factory=list)
    first: list[Score] = field(default_factory=list)
    asserted: list[Score] = field(default_factory=list)
    covered: list[Score] = field(default_factory=list)
    traps: list[Score] = field(default_factory=list)
    relation: list[Score] = field(default_factory=list)
    standing: list[Score] = field(default_factory=list)
    tops: list[tuple[float, bool]] = field(default_factory=list)
    largest: tuple[RepoId, list[Commit], dict[str, Sketch], tuple[Issue, ...]] = (RepoId(""), [], {}, ())
    """The repository with the most issues: its commits with their sketches, and its issues."""


async def run(bench: Bench) -> Figures:
    """Link the issues of worlds with their references and without, then real cases where threads are given."""
    tuned, held_out = Tally(), Tally()
    for name, seed in itertools.product(("demo", "full"), (*_SEEDS, *_HELD_OUT)):
        world = build(name, seed, bench.folder / f"links-{name}-{seed}")
        for repo in world.repos:
            if repo.pulls:
                bench.say(f"links: {repo.full_name} of {name}, seed {seed}")
                await _score(world, repo, tuned if seed in _SEEDS else held_out)
    cases = await score_cases(bench, read_threads(bench.threads)) if bench.threads else []
    return {
        **_figures(tuned, ""),
        **_figures(held_out, "held out: "),
        "seconds to link 100 commits with 2,000 open issues": measure([cost(tuned)], Target(2, "at most")),
        "real cases": share(cases, Target(1.0)),
    }


def _figures(tally: Tally, prefix: str) -> Figures:
    figures: Figures = {
        "explicit links found and true": share(tally.explicit, Target(0.995)),
        "fixing commit ranked first, references masked": share(tally.first, Target(0.80)),
        "asserted without reference and true": share(tally.asserted, Target(0.97)),
        "fixes asserted without reference": share(tally.covered, Target(0.60)),
        "traps left alone": share(tally.traps, Target(1.0)),
        "relation of pull requests to issues": share(tally.relation, Target(0.98)),
        "present state of issues": share(tally.standing, Target(0.98)),
        "calibration error": measure([calibration_error(tally.tops)], Target(0.05, "at most")),
    }
    return {f"{prefix}{name}": figure for name, figure in figures.items()}


def cost(tally: Tally) -> float:
    """Measure a large day: 100 commits, and as many open issues as 2,000 by telling each several times."""
    repo, commits, sketches, issues = tally.largest
    copies = itertools.islice(itertools.cycle(issues), 2_000)
    opened = {"state": "open", "state_reason": None, "closed_at": None}
    many = tuple(one.model_copy(update=opened | {"number": number}) for number, one in enumerate(copies, start=1))
    started = time.process_time()
    threads = Threads(coverage=Coverage.READ, issues=many)
    inferred_links(repo, commits[:100], threads, sketches, explicit_links(repo, commits[:100], threads))
    return time.process_time() - started


async def _score(world: World, repo: Repo, tally: Tally) -> None:
    name, commits, sketches = RepoId(repo.full_name), [], {}
    shas = [row.sha for row in world.landed if row.repo == name and row.dropped_by is None]
    async for change in GitSource(name, Path(repo.git_dir)).changes(shas):
        commits.append(change.commit)
        sketches[change.commit.sha] = sketch(change)
    links = explicit_links(name, commits, threads_of(repo, commits), repo.default_branch)
    gold, true = closed_pairs(world, repo), true_pairs(world, repo)
    _score_explicit(repo, links, gold, true, tally)
    _score_relation(repo, links, tally)
    _score_standing(repo, commits, links, gold, tally)
    issues = threads_of(repo, commits).issues
    if len(issues) > len(tally.largest[3]):
        tally.largest = (name, commits, sketches, issues)
    _score_masked(repo, commits, sketches, true, tally)


def _score_explicit(repo: Repo, links: tuple[Link, ...], gold: set[Pair], true: set[Pair], tally: Tally) -> None:
    """Score links of grade A against what the generator closed; whatever else reads as a fix must be one."""
    found = {Pair(link.issue, CommitId(link.change)): link for link in links}
    strong = {pair for pair, link in found.items() if link.grade is Grade.A and link.relation is Relation.FIXES}
    tally.explicit += [Score(f"{pair.issue} ← {pair.change[-40:-30]}", float(pair in strong)) for pair in gold]
    tally.explicit += [Score(f"{pair.issue} ← {pair.change[-40:-30]} is not so", 0.0) for pair in strong - gold]
    for pair, link in found.items():
        if pair not in gold:
            good = not link.may_read_fixed or pair in true
            tally.traps.append(Score(f"{repo.full_name}: {pair.issue} {link.relation} {link.evidence}", float(good)))


def _score_relation(repo: Repo, links: tuple[Link, ...], tally: Tally) -> None:
    found = {Pair(link.issue, CommitId(link.change)): link.relation for link in links}
    for pair, relation in relations(repo).items():
        have = found.get(pair)
        tally.relation.append(Score(f"{pair.issue} {have}, not {relation}", float(have is relation)))


def _score_standing(repo: Repo, commits: list[Commit], links: tuple[Link, ...], gold: set[Pair], tally: Tally) -> None:
    fixed = {pair.issue for pair in gold}
    for issue in threads_of(repo, commits).issues:
        given_up = issue.state_reason in ("not_planned", "duplicate")
        want = Standing.GIVEN_UP if given_up else Standing.FIXED if issue.id in fixed else Standing.CLOSED
        if issue.state == "open":
            want = Standing.REOPENED if issue.state_reason == "reopened" else Standing.OPEN
        have = standing(issue, links)
        # The words of a change may say more than GitHub's records do.
        good = have is want or (have is Standing.ADDRESSED and want is Standing.OPEN)
        tally.standing.append(Score(f"{issue.id}: {have}, not {want}", float(good)))


def _score_masked(
    repo: Repo, commits: list[Commit], sketches: dict[str, Sketch], true: set[Pair], tally: Tally
) -> None:
    """Let the guesser look at threads that refer to nothing, with every landed commit as a candidate."""
    name, masked = RepoId(repo.full_name), [masked_commit(commit) for commit in commits]
    guesses = Guesser(name, masked, threads_of(repo, masked, masked=True), sketches).guesses()
    told = {_pair(name, one) for one in asserted(guesses)}
    best: dict[str, Guess] = {}
    for guess in guesses:
        if guess.issue not in best or guess.score > best[guess.issue].score:
            best[guess.issue] = guess
    tally.tops += [(guess.score, _pair(name, guess) in true) for guess in best.values()]
    for pair in true:
        top = best.get(pair.issue)
        tally.first.append(Score(f"{pair.issue}", float(top is not None and _pair(name, top) == pair)))
        tally.covered.append(Score(f"{pair.issue} is not asserted", float(pair in told)))
    tally.asserted += [Score(f"{pair.issue} ← {pair.change[-40:-30]}", float(pair in true)) for pair in told]
    unfixed = {issue.id for issue in threads_of(repo, commits).issues} - {pair.issue for pair in true}
    wrong = {pair.issue for pair in told}
    tally.traps += [Score(f"{issue} is told as likely fixed", float(issue not in wrong)) for issue in unfixed]


def _pair(repo: RepoId, guess: Guess) -> Pair:
    return Pair(guess.issue, guess.change(repo))


def calibration_error(tops: list[tuple[float, bool]]) -> float:
    """Give the mean distance, over ten bins, between how sure the guesses are and how often they are right."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for score, right in tops:
        bins[min(_BINS - 1, int(score * _BINS))].append((score, right))
    gaps = (abs(sum(score for score, _ in rows) - sum(right for _, right in rows)) for rows in bins.values())
    return sum(gaps) / max(1, len(tops))


LINKS = EvalSet("links", "issues are linked with what fixed them, and with nothing else", run)
