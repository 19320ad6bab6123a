"""Stories: what is undone, lands again, goes on in parts, is followed up or taken in, told on the day and rightly."""

import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from agent.domain.base import EvidenceId, RepoId
from agent.domain.commits import Coverage, Threads
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.ledger import Depth
from agent.domain.links import Story
from agent.domain.window import Window
from agent.links.references import Day, day_references
from agent.settings.values import RepoSpec, Settings
from agent.sources import Past
from agent.stories.releases import taken
from agent.stories.timeline import Remembered
from agent.triage.score import weigh
from evals.figures import Score, Target, measure, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.stories_scores import Event, compared, events
from evals.worlds.model import World
from tools.evidence_cache import EvidenceCache
from tools.git.source import GitSource
from tools.history.cross_repository import Reading, connected
from tools.history.find import find_stories, with_relations

_KINDS = ("revert", "reland", "series", "earlier", "lines", "bump", "reference")
_CASES = Path(__file__).parent / "data" / "real_stories.json"


async def run(bench: Bench) -> Figures:
    """Report on a world day by day, then find the stories of real commits that were judged by hand."""
    world = bench.world("stories")
    gold = _gold(world)
    told: list[Event] = []
    late: list[Score] = []
    days = {one.doer: _day_of(world, one.doer) for one in gold}
    with tempfile.TemporaryDirectory(prefix="gitzette-stories-") as folder:
        for day in sorted({row.committed_at.date() for row in world.landed if "root" not in row.tags}):
            bench.say(f"stories: {day}")
            some = events(await _stories(bench, world, day, Path(folder)))
            told += some
            late += [Score(f"{one.doer} told on {day}", float(days.get(one.doer, day) == day)) for one in some]
    figures: dict[str, Any] = {}
    for kind in _KINDS:
        precision, recall = compared(
            [one for one in told if one.kind == kind], [one for one in gold if one.kind == kind]
        )
        # Whose lines a commit changes is git's word, and worlds do not count all who do.
        figures |= {f"{kind}: precision": share(precision, Target(0.99))} if kind != "lines" else {}
        figures[f"{kind}: recall"] = share(recall, Target(0.97))
    return {**figures, "told on the day": share(late, Target(1.0)), **await _mirrors(bench)}


def _gold(world: World) -> list[Event]:
    return [Event(one.kind, one.doer, frozenset(one.targets), one.missing) for one in world.stories]


def _day_of(world: World, doer: EvidenceId) -> date:
    return next(row.committed_at.date() for row in world.landed if f"{row.repo}@{row.sha}" == doer)


async def _stories(bench: Bench, world: World, day: date, folder: Path) -> tuple[Story, ...]:
    specs = tuple(RepoSpec(name=RepoId(repo.full_name), path=repo.git_dir) for repo in world.repos)
    settings = Settings(repos=specs, out=folder / "out", home=folder / "home")
    report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
    return report.stories


# ---------------------------------------------------------------- real commits


class _Nothing:
    """Remembers nothing: each real commit is the first that is reported on."""

    def known(self, window: Window, cites: Any) -> Remembered:
        """Tell that nothing is known."""
        del window, cites
        return Remembered()

    def past(self, repo: RepoId, window: Window) -> Past:
        """Tell that nothing is listed."""
        del repo, window
        return Past()

    def recent(self, repo: RepoId, window: Window) -> tuple[Story, ...]:
        """Tell that nothing was told."""
        del repo, window
        return ()


async def _mirrors(bench: Bench) -> Figures:
    """Find the stories of each real commit that was judged by reading its repository beforehand."""
    sources = {spec.name: GitSource(spec.name, spec.path) for spec in bench.mirrors if spec.path is not None}
    cases = [case for case in json.loads(_CASES.read_text(encoding="utf-8")) if case["repo"] in sources]
    told: list[Event] = []
    gold: list[Event] = []
    seconds: list[float] = []
    for case in cases:
        if any(name.partition("@")[0] not in sources for name in case["others"]):
            continue
        bench.say(f"stories: {case['kind']} {case['repo']} {case['sha'][:9]}")
        day = date.fromisoformat(case["day"])
        # A report lists what landed before it looks back, and the line is read once for both.
        await sources[case["repo"]].landed(Window.days(day, day, "UTC"))
        started = time.monotonic()
        found = [replace(one, kind="earlier") if one.kind == "lines" else one for one in await _found(case, sources)]
        seconds.append(time.monotonic() - started)
        told += [one for one in found if one.kind == case["kind"] and one.doer.endswith(case["sha"])]
        gold += _expected(case)
    if not gold:
        return {}
    # That an earlier commit is named is true, whether or not somebody would call it a follow-up.
    precision, recall = compared([one for one in told if one.kind != "earlier"], gold)[0], compared(told, gold)[1]
    return {
        "real commits: precision": share(precision, Target(0.97)),
        "real commits: recall": share(recall, Target(0.95)),
        "seconds to look back for one commit": measure(seconds, Target(3, "at most")),
    }


def _expected(case: Mapping[str, Any]) -> list[Event]:
    doer = f"{case['repo']}@{case['sha']}"
    if case["kind"] == "series":
        several = [frozenset(case["others"])] if case["others"] else []
    else:
        several = [frozenset({other}) for other in case["others"]]
    return [Event(case["kind"], doer, targets, tuple(case.get("missing", ()))) for targets in several]


async def _found(case: Mapping[str, Any], sources: Mapping[RepoId, GitSource]) -> list[Event]:
    code, library = sources[case["repo"]], EvidenceCache()
    evidence = await library.study(code, case["sha"])
    assert evidence is not None, f"{case['repo']} has no {case['sha']}"
    day = date.fromisoformat(case["day"])
    window = Window.days(day, day, "UTC")
    if case["kind"] == "bump":
        return await _bumps(evidence, sources, window, library)
    read = Read(evidence=evidence, triage=weigh(evidence.change, evidence.sheet), depth=Depth.DEEP)
    named = [
        fact.old for fact in evidence.facts if fact.old and len(fact.old) == 40 and fact.kind in ("revert", "reland")
    ]
    background = {one.id: one async for one in library.skim(code, named)}
    material = Material(repo=code.repo, window=window, reads=[read], background=background)
    references = day_references(Day(code.repo, None, [evidence.change.commit], Threads(coverage=Coverage.NOT_READ)))
    found = await find_stories(material, references, code, library, _Nothing(), blamed=60)
    return events((await with_relations(found, material, (), code, _Nothing())).stories)


async def _bumps(
    evidence: CommitEvidence, sources: Mapping[RepoId, GitSource], window: Window, library: EvidenceCache
) -> list[Event]:
    read = {name: Reading(code=code, tip="") for name, code in sources.items()}
    read[evidence.repo] = Reading(code=sources[evidence.repo], tip="", taken=taken(evidence))
    return events((await connected(read, window, library, _Nothing())).stories)


STORIES = EvalSet("stories", "what goes on over days and repositories is found, and nothing else", run)
