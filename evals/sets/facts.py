"""Facts: what is read from a diff is what was done, on worlds by both routes and on real commits that were judged."""

import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.facts import Fact, FactKind, FactSheet, Severity
from agent.settings.values import RepoSpec
from evals.cases import Crash, attempt
from evals.figures import Figure, Score, Target, measure, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.fact_matching import ALIKE, Meant, brought_by, matches
from evals.sets.oracle import first_parent_line, git_dir_of
from evals.worlds.facts import GoldFact, described, gold_facts
from evals.worlds.model import World
from tools.diff.sheet import paths_to_read, read_facts, study
from tools.git.source import GitSource

WORLDS = ("facts", "demo", "full")
PROOF_COMMITS = 250
"""How many of the latest commits of each mirror must prove every fact."""
REAL = Path(__file__).with_name("real_facts.json")
_ENOUGH, _ALL, _MOST = Target(0.97), Target(1.0), Target(0.9)


async def run(bench: Bench) -> Figures:
    """Compare with the gold of the worlds and with what was judged of real commits; prove every fact of many more."""
    tallies = {"blobs": Tally("blobs"), "hunks": Tally("hunks")}
    for name in WORLDS[:1] if bench.small else WORLDS:
        bench.say(f"facts: world {name}")
        await _add_world(bench.world(name), tallies)
    figures: dict[str, Figure] = {}
    for tally in tallies.values():
        figures |= tally.figures()
    proofs, seconds, real = list[Score](), list[float](), list[Score]()
    for spec in bench.mirrors:
        real += await _real(spec)
        await _prove_latest(bench, spec, proofs, seconds)
    figures["recall, real commits"] = share(real, _MOST)
    figures["facts whose quoted lines are in the diff, mirrors"] = share(proofs, _ALL)
    longest = [max(seconds)] if seconds else []
    figures["seconds of the longest commit, mirrors"] = measure(longest, Target(2, "at most"))
    return figures


class Tally:
    """What was found and what was not, by kind, on one route."""

    def __init__(self, route: str) -> None:
        self.route = route
        self.recall: dict[str, list[Score]] = defaultdict(list)
        self.precision: dict[str, list[Score]] = defaultdict(list)
        self.severity: list[Score] = []

    def add(self, where: str, gold: Sequence[Meant], facts: Sequence[Fact]) -> None:
        """Count one commit; a hunk that is shown for itself says nothing that could be wrong."""
        for meant in (one for one in gold if not one.optional):
            found = [fact for fact in facts if matches(meant, fact)]
            self.recall[meant.kinds[0]].append(Score(f"{where}: not found: {meant}", float(bool(found))))
            if found and meant.severity:
                right = any(fact.severity == meant.severity for fact in found)
                reason = f"{where}: {meant} is {meant.severity}, not {found[0].severity}"
                self.severity.append(Score(reason, float(right)))
        for fact in facts:
            if fact.severity is not Severity.INTERNAL and fact.kind is not FactKind.CODE_CHANGED:
                right = any(matches(meant, fact) or brought_by(meant, fact) for meant in gold)
                reason = f"{where}: not meant: {fact.kind} {fact.name} {fact.old or ''} → {fact.new or ''}"
                self.precision[fact.kind].append(Score(reason, float(right)))

    def figures(self) -> dict[str, Figure]:
        """Give the figures of this route over all facts and of each kind; of severity by whole files alone."""
        figures = {}
        for name, scores in (("precision", self.precision), ("recall", self.recall)):
            figures[f"{name}, {self.route}"] = share([one for each in scores.values() for one in each], _ENOUGH)
            for kind in sorted(scores):
                figures[f"{name}, {self.route}: {kind}"] = share(scores[kind], _ENOUGH)
        if self.route == "blobs":
            figures["severity right"] = share(self.severity, _ENOUGH)
        return figures


async def _add_world(world: World, tallies: Mapping[str, Tally]) -> None:
    gold: dict[str, list[Meant]] = defaultdict(list)
    for fact in gold_facts(world):
        gold[fact.sha].append(meant_by(fact))
    for repo in world.repos:
        source = GitSource(RepoId(repo.full_name), repo.git_dir)
        shas = [row.sha for row in described(world) if row.repo == repo.full_name]
        async for change in source.changes(shas):
            where = f"{change.commit.sha[:10]} {change.commit.subject[:50]}"
            for route, tally in tallies.items():
                sheet = await study(source, change, hunks=route == "hunks")
                tally.add(where, gold[change.commit.sha], sheet.facts)


def meant_by(gold: GoldFact) -> Meant:
    """Put a fact of a world's gold as the matching wants it."""
    kinds = (gold.kind, *ALIKE.get(gold.kind, ()))
    return Meant(kinds, gold.name, gold.old, gold.new, gold.detail, severity=gold.severity, optional=gold.optional)


async def _real(spec: RepoSpec) -> list[Score]:
    """Look for what was judged from the diffs of real commits."""
    assert spec.path is not None
    source = GitSource(spec.name, spec.path)
    rows = {row["sha"]: row["facts"] for row in json.loads(REAL.read_text("utf-8")) if row["repo"] == spec.name}
    scores: list[Score] = []
    async for change in source.changes(list(rows)):
        facts = (await study(source, change)).facts
        for meant in map(judged, rows[change.commit.sha]):
            found = any(matches(meant, fact) and meant.severity in (None, fact.severity) for fact in facts)
            scores.append(Score(f"{spec.name}@{change.commit.sha[:10]}: not found: {meant}", float(found)))
    return scores


def judged(row: Mapping[str, str | list[str]]) -> Meant:
    """Read one fact of `real_facts.json`."""
    texts = {key: str(value) for key, value in row.items() if key != "kinds"}
    return Meant(tuple(row["kinds"]), **texts)  # type: ignore[arg-type]


async def _prove_latest(bench: Bench, spec: RepoSpec, proofs: list[Score], seconds: list[float]) -> None:
    """Look up every quoted line of the latest commits in their diffs; a commit that cannot be read proves nothing."""
    assert spec.path is not None
    line = await first_parent_line(git_dir_of(spec.path))
    bench.say(f"facts: {spec.name}, the proofs of {min(len(line), PROOF_COMMITS)} commits")
    source = GitSource(spec.name, spec.path)
    async for change in source.changes([row.sha for row in line[:PROOF_COMMITS]]):
        lines = changed_lines(change)
        for whole in (True, False):
            where = f"{spec.name}@{change.commit.sha[:10]} by {'blobs' if whole else 'hunks'}"
            started = time.perf_counter()
            sheet = await attempt(_read(source, change, whole=whole))
            seconds.append(time.perf_counter() - started)
            if isinstance(sheet, Crash):
                proofs.append(Score(f"{where}: {sheet}", 0.0))
            else:
                proofs += [prove(where, fact, lines) for fact in sheet.facts]


async def _read(source: GitSource, change: Change, *, whole: bool) -> FactSheet:
    return read_facts(change, await source.blobs(change, paths_to_read(change)) if whole else None)


def changed_lines(change: Change) -> dict[str, frozenset[str]]:
    """List the lines of a commit's diff, by file; what was renamed stands under both of its names."""
    lines = {file.path: frozenset((file.patch or "").split("\n")) for file in change.files}
    return {file.previous_path: lines[file.path] for file in change.files if file.previous_path} | lines


def prove(where: str, fact: Fact, lines: Mapping[str, frozenset[str]]) -> Score:
    """Tell whether each line that a fact quotes is a changed line of that file in the commit's diff."""
    wrong = [
        (place.file, text)
        for place in fact.places
        for text in place.lines
        if text[:1] not in ("+", "-") or text not in lines.get(place.file, ())
    ]
    return Score(f"{where}: {fact.kind} {fact.name} quotes {wrong[:1]}", float(not wrong))


FACTS = EvalSet("facts", "what is read from a diff is what was done, and every fact is proved", run)
