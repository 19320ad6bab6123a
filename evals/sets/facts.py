"""Facts: what is read from a diff is what was done, on worlds by both routes, and is proved on mirrors.

A fact found is the one meant if it is of the same commit and kind, has the last part of the name, and has the values
wherever the one meant has any.
"""

import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from agent.domain.base import RepoId
from agent.domain.facts import Fact, Severity
from agent.settings.values import RepoSpec
from evals.figures import SHOWN, Figures, Score, Target, share
from evals.harness import Bench, Crash, attempt, evalset
from evals.sets.oracle import first_parent_line, path_of
from evals.worlds.facts import described, gold_facts
from evals.worlds.model import World
from tools.diff.sheet import study
from tools.git.source import GitSource

PROOF_COMMITS = 250  # How many of the latest commits of each mirror must prove every fact
_DATA = files("evals") / "sets" / "data"
_WANTED = {"blobs": Target(0.97), "hunks": SHOWN}  # By hunks alone less can be known
_NAMELESS = (
    "error-",
    "limit-",
    "deprecated",
    "revert",
    "reland",
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
    tallies = {"blobs": FactTally(), "hunks": FactTally()}
    for name in ("facts", "demo", "full")[: bench.count(1, 3)]:
        await _add_world(bench.world(name), tallies, bench.count(4, 1))
    proofs = [score for spec in bench.mirrors async for score in _prove_latest(bench, spec)]
    return {
        **{
            f"precision, {route}": share(tally.precision, _WANTED[route])
            for route, tally in tallies.items()
        },
        **{
            f"recall, {route}": share(tally.recall, _WANTED[route])
            for route, tally in tallies.items()
        },
        "severity right": share(tallies["blobs"].severity, Target(0.97)),
        "facts whose quoted lines are in the diff, mirrors": share(proofs),
    }


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
    """What was found and what was not on one route."""

    recall: list[Score] = field(default_factory=list)
    precision: list[Score] = field(default_factory=list)
    severity: list[Score] = field(default_factory=list)

    def add(self, where: str, gold: Sequence[Meant], facts: Sequence[Fact]) -> None:
        """Count one commit; a hunk that is shown for itself says nothing that could be wrong."""
        for meant in (one for one in gold if not one.optional):
            found = [fact for fact in facts if matches(meant, fact)]
            self.recall.append(
                Score(f"{where}: not found: {meant}", float(bool(found)), where, meant.kinds[0])
            )
            if found and meant.severity:
                right = any(fact.severity == meant.severity for fact in found)
                self.severity.append(
                    Score(f"{where}: {meant} is not {found[0].severity}", float(right), where)
                )
        for fact in facts:
            if fact.severity is not Severity.INTERNAL and fact.kind != "code-changed":
                right = any(matches(meant, fact) or brought_by(meant, fact) for meant in gold)
                told = f"{where}: not meant: {fact.kind} {fact.name} {fact.old or ''} → {fact.new or ''}"
                self.precision.append(Score(told, float(right), where, fact.kind))


async def _add_world(world: World, tallies: Mapping[str, FactTally], step: int) -> None:
    """Read one of so many commits by whole files and by hunks."""
    gold: dict[str, list[Meant]] = defaultdict(list)
    for fact in gold_facts(world):
        kinds = (fact.kind, *ALIKE.get(fact.kind, ()))
        meant = Meant(
            kinds, fact.name, fact.old, fact.new, fact.detail, fact.severity, fact.optional
        )
        gold[fact.sha].append(meant)
    for repo in world.repos:
        source = GitSource(RepoId(repo.full_name), repo.git_dir)
        async for change in source.changes(
            [one.sha for one in described(world) if one.repo == repo.full_name][::step]
        ):
            where = f"{change.commit.sha[:10]} {change.commit.subject[:50]}"
            for route, tally in tallies.items():
                sheet = await study(source, change, hunks=route == "hunks")
                tally.add(where, gold[change.commit.sha], sheet.facts)


async def _prove_latest(bench: Bench, spec: RepoSpec) -> AsyncIterator[Score]:
    """Look up every quoted line of the latest commits in their diffs; a commit that cannot be read proves nothing."""
    line, source = await first_parent_line(spec), GitSource(spec.name, path_of(spec))
    bench.say(f"facts: {spec.name}, the proofs of {min(len(line), PROOF_COMMITS)} commits")
    async for change in source.changes([row.sha for row in line[:PROOF_COMMITS]]):
        lines = {file.path: frozenset((file.patch or "").split("\n")) for file in change.files}
        lines |= {
            file.previous_path: lines[file.path] for file in change.files if file.previous_path
        }
        for hunks in (False, True):
            where = f"{change.commit.id} by {'hunks' if hunks else 'blobs'}"
            sheet = await attempt(study(source, change, hunks=hunks))
            if isinstance(sheet, Crash):
                yield Score(f"{where}: {sheet}", 0.0, where)
            else:
                for fact in sheet.facts:
                    yield prove(where, fact, lines)


def prove(where: str, fact: Fact, lines: Mapping[str, frozenset[str]]) -> Score:
    """Tell whether each line that a fact quotes is a changed line of that file in the commit's diff."""
    quoted = [(place.file, text) for place in fact.places for text in place.lines]
    wrong = [
        (file, text)
        for file, text in quoted
        if text[:1] not in ("+", "-") or text not in lines.get(file, ())
    ]
    return Score(f"{where}: {fact.kind} {fact.name} quotes {wrong[:1]}", float(not wrong), where)


# ---------------------------------------------------------------- when a fact is the one meant


def matches(meant: Meant, fact: Fact) -> bool:
    """Tell whether this is the fact that was meant; severity is judged apart."""
    lines = [line[1:] for place in fact.places for line in place.lines]
    words = " ".join(filter(None, (fact.name, fact.old, fact.new, fact.detail, *lines)))
    if fact.kind not in meant.kinds or (meant.detail or "") not in words:
        return False
    # Errors, limits and reverts have no names: the words must be there.
    named = (
        words
        if fact.kind.startswith(_NAMELESS)
        else f"{fact.name} {fact.detail} {fact.old} {fact.new}"
    )
    name = _project(_SEGMENT.split(meant.name)[-1] if "/" not in meant.name else meant.name)
    return (
        (fact.kind in ("generated", "vendored") or name in _project(named))
        and _has(fact.old, meant.old)
        and _has(fact.new, meant.new)
    )


def brought_by(meant: Meant, fact: Fact) -> bool:
    """Tell whether a fact follows from one that was meant, or only spells a name that was changed."""
    if any(fact.kind in BRINGS.get(kind, ()) for kind in meant.kinds):
        return True
    renamed = meant.old and meant.new and fact.old and fact.new and "symbol-renamed" in meant.kinds
    return bool(renamed) and (fact.old or "").replace(meant.old or "", meant.new or "") == fact.new


def _has(found: str | None, meant: str | None) -> bool:
    """Tell whether a value is there, as a whole word: a fact that joins several has all of theirs."""
    if meant is None:
        return True
    plain, wanted = (" ".join(text.split()).strip("\"'`") for text in (found or "", meant))
    return plain == wanted or re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", plain) is not None


def _project(name: str) -> str:
    """Spell a name as package indexes do, and a flag without its dashes."""
    return re.sub(r"[-_.]+", "-", name).lower().strip("-")
