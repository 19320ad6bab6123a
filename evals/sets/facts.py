"""Facts: those read from a diff are those that were meant, and on mirrors each is proved.

A fact matches the one that was meant if it is of the same commit and kind, has the last part of the
name, and has the values wherever the one that was meant has any.
"""

import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.facts import Fact, Severity
from agent.settings.values import RepoSpec
from evals.figures import SHOWN, Figure, Figures, Score, Target, share
from evals.harness import Bench, Crash, attempt, evalset
from evals.mirror_commits import first_parent_line, path_of
from evals.worlds.data_model import World
from evals.worlds.gold_facts import described, gold_facts
from tools.diff.files_read_for_facts import study
from tools.git.source import GitSource

PROOF_COMMITS = 250  # The latest commits of each mirror, whose facts must all be proved
_DATA = files("evals") / "sets" / "data"
_TARGETS = {"blobs": Target(0.97), "hunks": SHOWN}  # Hunks alone show less
_NAMELESS = (
    "error-",
    "limit-",
    "deprecated",
    "revert",
    "reland",
    "partial-re",
    "cherry-pick",
    "generated",
    "vendored",
)
_SEGMENT = re.compile(r"\.|::|#")
_KINDS = json.loads((_DATA / "fact_kinds.json").read_text("utf-8"))
ALIKE: Mapping[str, Sequence[str]] = _KINDS["alike"]
BRINGS: Mapping[str, Sequence[str]] = _KINDS["brings"]


@evalset("facts", "what is read from a diff is what was done, and every fact is proved")
async def run(bench: Bench) -> Figures:
    """Compare with the gold of the worlds, and prove every fact of the latest commits of mirrors."""
    tallies = {route: FactTally() for route in _TARGETS}
    for name in ("facts", "demo", "full")[: bench.count(1, 3)]:
        await _add_world(bench.world(name), tallies, bench.count(4, 1))
    proofs: list[Score] = []
    for spec in bench.mirrors:
        proofs += [score async for score in _prove_latest(bench, spec)]
    figures: dict[str, Figure] = {}
    for route, tally in tallies.items():
        figures[f"precision, {route}"] = share(tally.precision, _TARGETS[route])
    for route, tally in tallies.items():
        figures[f"recall, {route}"] = share(tally.recall, _TARGETS[route])
    figures["severity right"] = share(tallies["blobs"].severity, Target(0.97))
    figures["facts whose quoted lines are in the diff, mirrors"] = share(proofs)
    return figures


@dataclass(frozen=True)
class Meant:
    """A fact that should be found; what is None or empty may be anything."""

    kinds: tuple[str, ...]
    name: str = ""
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    severity: str | None = None
    optional: bool = False


@dataclass
class FactTally:
    """The scores of one route: by whole files (blobs) or by hunks."""

    recall: list[Score] = field(default_factory=list)
    precision: list[Score] = field(default_factory=list)
    severity: list[Score] = field(default_factory=list)

    def add(self, where: str, gold: Sequence[Meant], facts: Sequence[Fact]) -> None:
        """Score the facts of one commit."""
        for meant in gold:
            if not meant.optional:
                self._add_recall(where, meant, facts)
        for fact in facts:
            # A hunk that is shown for itself says nothing that could be wrong.
            if fact.severity is not Severity.INTERNAL and fact.kind != "code-changed":
                self._add_precision(where, gold, fact)

    def _add_recall(self, where: str, meant: Meant, facts: Sequence[Fact]) -> None:
        matching = [fact for fact in facts if matches(meant, fact)]
        reason = f"{where}: not found: {meant}"
        self.recall.append(Score(reason, float(bool(matching)), where, meant.kinds[0]))
        if matching and meant.severity:
            right = any(fact.severity == meant.severity for fact in matching)
            reason = f"{where}: {meant} is not {matching[0].severity}"
            self.severity.append(Score(reason, float(right), where))

    def _add_precision(self, where: str, gold: Sequence[Meant], fact: Fact) -> None:
        right = any(matches(meant, fact) or brought_by(meant, fact) for meant in gold)
        values = f"{fact.old or ''} → {fact.new or ''}"
        reason = f"{where}: not meant: {fact.kind} {fact.name} {values}"
        self.precision.append(Score(reason, float(right), where, fact.kind))


async def _add_world(world: World, tallies: Mapping[str, FactTally], step: int) -> None:
    """Read each `step`-th commit by whole files and by hunks."""
    gold = _gold_by_commit(world)
    rows = described(world)
    for repo in world.repos:
        source = GitSource(RepoId(repo.full_name), repo.git_dir)
        shas = [row.sha for row in rows if row.repo == repo.full_name]
        async for change in source.changes(shas[::step]):
            where = f"{change.commit.sha[:10]} {change.commit.subject[:50]}"
            for route, tally in tallies.items():
                sheet = await study(source, change, hunks=route == "hunks")
                tally.add(where, gold[change.commit.sha], sheet.facts)


def _gold_by_commit(world: World) -> defaultdict[str, list[Meant]]:
    gold: defaultdict[str, list[Meant]] = defaultdict(list)
    for fact in gold_facts(world):
        meant = Meant(
            kinds=(fact.kind, *ALIKE.get(fact.kind, ())),
            name=fact.name,
            old=fact.old,
            new=fact.new,
            detail=fact.detail,
            severity=fact.severity,
            optional=fact.optional,
        )
        gold[fact.sha].append(meant)
    return gold


async def _prove_latest(bench: Bench, spec: RepoSpec) -> AsyncIterator[Score]:
    """Look up every quoted line of the latest commits in their diffs.

    A commit that cannot be read scores 0.
    """
    line = await first_parent_line(spec)
    source = GitSource(spec.name, path_of(spec))
    bench.say(f"facts: {spec.name}, the proofs of {min(len(line), PROOF_COMMITS)} commits")
    async for change in source.changes([row.sha for row in line[:PROOF_COMMITS]]):
        lines = _diff_lines(change)
        for route in _TARGETS:
            where = f"{change.commit.id} by {route}"
            sheet = await attempt(study(source, change, hunks=route == "hunks"))
            if isinstance(sheet, Crash):
                yield Score(f"{where}: {sheet}", 0.0, where)
                continue
            for fact in sheet.facts:
                yield prove(where, fact, lines)


def _diff_lines(change: Change) -> dict[str, frozenset[str]]:
    """Return the lines of a diff by the new and the old path of each file."""
    lines: dict[str, frozenset[str]] = {}
    for file in change.files:
        lines[file.path] = frozenset((file.patch or "").split("\n"))
    for file in change.files:
        if file.previous_path:
            lines[file.previous_path] = lines[file.path]
    return lines


def prove(where: str, fact: Fact, lines: Mapping[str, frozenset[str]]) -> Score:
    """Score a fact: 1 if each line that it quotes is a changed line of that file in the diff."""
    unproved: list[tuple[str, str]] = []
    for location in fact.places:
        file_lines = lines.get(location.file, frozenset())
        for text in location.lines:
            if text[:1] not in ("+", "-") or text not in file_lines:
                unproved.append((location.file, text))
    reason = f"{where}: {fact.kind} {fact.name} quotes {unproved[:1]}"
    return Score(reason, float(not unproved), where)


# ---------------------------------------------------------------- when a fact is the one that was meant


def matches(meant: Meant, fact: Fact) -> bool:
    """Return True if this is the fact that was meant; severity is judged apart."""
    if fact.kind not in meant.kinds:
        return False
    lines: list[str] = []
    for location in fact.places:
        lines += [line[1:] for line in location.lines]
    words = " ".join(filter(None, (fact.name, fact.old, fact.new, fact.detail, *lines)))
    if (meant.detail or "") not in words:
        return False
    if fact.kind not in ("generated", "vendored") and not _has_name(meant, fact, words):
        return False
    return _has_value(fact.old, meant.old) and _has_value(fact.new, meant.new)


def _has_name(meant: Meant, fact: Fact, words: str) -> bool:
    """Return True if a fact has the last part of the name that was meant."""
    names = f"{fact.name} {fact.detail} {fact.old} {fact.new}"
    if fact.kind.startswith(_NAMELESS):
        names = words  # Errors, limits and reverts have no names: the words must occur.
    name = meant.name
    if "/" not in name:
        name = _SEGMENT.split(name)[-1]
    return _normalised(name) in _normalised(names)


def brought_by(meant: Meant, fact: Fact) -> bool:
    """Return True if a fact follows from one that was meant, or only spells a renamed name."""
    if any(fact.kind in BRINGS.get(kind, ()) for kind in meant.kinds):
        return True
    if "symbol-renamed" not in meant.kinds:
        return False
    if not (meant.old and meant.new and fact.old and fact.new):
        return False
    return fact.old.replace(meant.old, meant.new) == fact.new


def _has_value(value: str | None, meant: str | None) -> bool:
    """Return True if a value has the one that was meant, as a whole word.

    A fact that joins several has all of their values.
    """
    if meant is None:
        return True
    plain_value = _unquoted(value or "")
    plain_meant = _unquoted(meant)
    if plain_value == plain_meant:
        return True
    return re.search(rf"(?<!\w){re.escape(plain_meant)}(?!\w)", plain_value) is not None


def _unquoted(text: str) -> str:
    return " ".join(text.split()).strip("\"'`")


def _normalised(name: str) -> str:
    """Spell a name as package indexes do, and a flag without its dashes."""
    return re.sub(r"[-_.]+", "-", name).lower().strip("-")
