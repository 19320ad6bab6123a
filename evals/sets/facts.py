"""Facts: what is read from a diff is what was done, on worlds by both routes and on real commits that were judged."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agent.domain import Change
from agent.facts import Fact, FactSheet, Severity
from agent.ids import RepoId
from agent.settings import RepoSpec
from evals.figures import Figure, Score, Target, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.fact_matching import ALIKE, Meant, brought_by, matches
from evals.sets.fact_partners import Past
from evals.sets.oracle import first_parent_line, git_dir_of
from evals.worlds.facts import GoldFact, described, gold_facts
from evals.worlds.model import World
from tools.diff.lineage import Lineage
from tools.diff.sheet import paths_to_read, read_facts
from tools.diff.study import partner_of
from tools.git.source import GitSource

WORLDS = ("facts", "demo", "full")
PROOF_COMMITS = 250
"""How many of the latest commits of each mirror must prove every fact."""
REAL = Path(__file__).with_name("real_facts.json")
_ENOUGH, _ALL, _MOST = Target(0.97), Target(1.0), Target(0.9)
_ROUTES = ("blobs", "hunks")


@dataclass(frozen=True)
class Read:
    """One commit as it was read."""

    change: Change
    sheets: dict[str, FactSheet]
    """By route."""


async def run(bench: Bench) -> Figures:
    """Compare with the gold of the worlds and with what was judged of real commits; prove every fact of many more."""
    figures: dict[str, Figure] = {}
    tallies = {route: Tally(route) for route in _ROUTES}
    for name in WORLDS[:1] if bench.small else WORLDS:
        bench.say(f"facts: world {name}")
        await _add_world(bench.world(name), tallies)
    for tally in tallies.values():
        figures |= tally.figures()
    real = await _real(bench)
    figures["recall, named real commits"] = share(real["named", "blobs"], _ALL)
    figures["recall, other real commits"] = share(real["other", "blobs"], _MOST)
    figures["recall, real commits, hunks"] = share(real["named", "hunks"] + real["other", "hunks"], _MOST)
    figures["proof, mirrors"] = share([score for spec in bench.mirrors for score in await _proofs(bench, spec)], _ALL)
    return figures


class Tally:
    """What was found and what was not, by kind, on one route."""

    def __init__(self, route: str) -> None:
        self.route = route
        self.recall: dict[str, list[Score]] = defaultdict(list)
        self.precision: dict[str, list[Score]] = defaultdict(list)
        self.severity: list[Score] = []

    def add(self, where: str, gold: Sequence[Meant], facts: Sequence[Fact]) -> None:
        """Count one commit."""
        for meant in (one for one in gold if not one.optional):
            found = [fact for fact in facts if matches(meant, fact)]
            self.recall[meant.kinds[0]].append(Score(f"{where}: not found: {meant}", float(bool(found))))
            if found and meant.severity:
                right = any(fact.severity == meant.severity for fact in found)
                reason = f"{where}: {meant} is {meant.severity}, not {found[0].severity}"
                self.severity.append(Score(reason, float(right)))
        for fact in facts:
            if fact.severity is not Severity.INTERNAL:
                right = any(matches(meant, fact) or brought_by(meant, fact) for meant in gold)
                reason = f"{where}: not meant: {fact.kind} {fact.name} {fact.old or ''} → {fact.new or ''}"
                self.precision[fact.kind].append(Score(reason, float(right)))

    def figures(self) -> dict[str, Figure]:
        """Give the figures of this route: over all facts, and how many kinds reach the target by themselves."""
        return {
            f"precision, {self.route}": share(_flat(self.precision), _ENOUGH),
            f"recall, {self.route}": share(_flat(self.recall), _ENOUGH),
            f"kinds precise enough, {self.route}": share(_by_kind(self.precision), _ALL),
            f"kinds found enough, {self.route}": share(_by_kind(self.recall), _ALL),
            f"severity right, {self.route}": share(self.severity, _ENOUGH),
        }


def _flat(scores: dict[str, list[Score]]) -> list[Score]:
    return [score for kind in sorted(scores) for score in scores[kind]]


def _by_kind(scores: dict[str, list[Score]]) -> list[Score]:
    figures = [(kind, share(scores[kind], _ENOUGH)) for kind in sorted(scores)]
    return [Score(f"{kind}: {figure.value:.3f} of {figure.n}", float(bool(figure.ok))) for kind, figure in figures]


async def _add_world(world: World, tallies: dict[str, Tally]) -> None:
    gold: dict[str, list[GoldFact]] = defaultdict(list)
    for fact in gold_facts(world):
        gold[fact.sha].append(fact)
    for repo in world.repos:
        source = GitSource(RepoId(repo.full_name), repo.git_dir)
        shas = [row.sha for row in described(world) if row.repo == repo.full_name]
        past = await Past.of(source, [row.sha for row in world.landed if row.repo == repo.full_name])
        async for read in reading(source, shas, past.partner):
            meant = [meant_by(fact) for fact in gold[read.change.commit.sha]]
            where = f"{read.change.commit.sha[:10]} {read.change.commit.subject[:50]}"
            for route, tally in tallies.items():
                tally.add(where, meant, read.sheets[route].facts)


def meant_by(gold: GoldFact) -> Meant:
    """Put a fact of a world's gold as the matching wants it."""
    return Meant(
        (gold.kind, *ALIKE.get(gold.kind, ())),
        gold.name,
        gold.old,
        gold.new,
        gold.detail,
        gold.file or None,
        severity=gold.severity,
        optional=gold.optional,
    )


async def reading(
    source: GitSource, shas: Sequence[str], partner_of: Callable[[Change], Awaitable[Lineage | None]] | None = None
) -> AsyncIterator[Read]:
    """Read these commits by both routes, looking for what they undo or copy where somebody can tell."""
    async for change in source.changes(shas):
        partner = await partner_of(change) if partner_of else None
        blobs = await source.blobs(change, paths_to_read(change))
        yield Read(change, {"blobs": read_facts(change, blobs, partner), "hunks": read_facts(change, None, partner)})


async def _real(bench: Bench) -> dict[tuple[str, str], list[Score]]:
    """Look for what was judged from the diffs of real commits; those of which all must be found are named so."""
    scores: dict[tuple[str, str], list[Score]] = defaultdict(list)
    rows = json.loads(REAL.read_text(encoding="utf-8"))
    for spec in bench.mirrors:
        assert spec.path is not None
        source = GitSource(spec.name, spec.path)
        for row in [row for row in rows if row["repo"].lower() == spec.name.lower()]:
            async for read in reading(source, [row["sha"]], partial(partner_of, source)):
                for route, sheet in read.sheets.items():
                    where = f"{spec.name}@{row['sha'][:10]} by {route}"
                    group = "named" if row["named"] else "other"
                    scores[group, route] += [_found(where, judged(one), sheet.facts) for one in row["facts"]]
    return scores


def judged(row: dict[str, str | list[str]]) -> Meant:
    """Read one fact of `real_facts.json`."""

    def text(key: str) -> str | None:
        return str(row[key]) if key in row else None

    return Meant(
        tuple(row["kinds"]),
        text("name") or "",
        text("old"),
        text("new"),
        shows=text("shows"),
        severity=text("severity"),
    )


def _found(where: str, meant: Meant, facts: Sequence[Fact]) -> Score:
    hit = any(matches(meant, fact) and meant.severity in (None, fact.severity) for fact in facts)
    return Score(f"{where}: not found: {meant}", float(hit))


async def _proofs(bench: Bench, spec: RepoSpec) -> list[Score]:
    """Look up every quoted line in the diff of its commit and file."""
    assert spec.path is not None
    line = await first_parent_line(git_dir_of(spec.path))
    bench.say(f"facts: {spec.name}, the proofs of {min(len(line), PROOF_COMMITS)} commits")
    scores: list[Score] = []
    async for read in reading(GitSource(spec.name, spec.path), [row.sha for row in line[:PROOF_COMMITS]]):
        lines = changed_lines(read.change)
        for route, sheet in read.sheets.items():
            where = f"{spec.name}@{read.change.commit.sha[:10]} by {route}"
            scores += [prove(where, fact, lines) for fact in sheet.facts]
    return scores


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
