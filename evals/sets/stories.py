"""Links and stories: issues are linked with their fixes, and what spans days is reported on its day."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.links import Story, StoryStep, undone_pairs
from agent.domain.report import Report
from agent.domain.window import Window
from evals.figures import NONE, Figure, Figures, Score, Target, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.truth import Fix, Truth
from evals.worlds.data_model import World, WorldStory, thread_name

_KINDS = ("revert", "reland", "series", "earlier", "lines", "bump", "reference")
_RELANDED = ("landed again", "a part landed again")
_EARLIER = ("refers", "follow-up", "mended")
"""Acts of a commit that continues an earlier one; only a reader of both can say more than that."""
_ACT_KINDS = {
    "a part undone": "revert",
    **dict.fromkeys(_RELANDED, "reland"),
    **dict.fromkeys(_EARLIER, "reference"),
}
_ABANDONED = ("not_planned", "duplicate")
_PART_NUMBER = re.compile(r"(\d+)[a-z]?/(?:\d|n\b)", re.IGNORECASE)


@dataclass(frozen=True)
class StoryEvent:
    """A commit and the earlier ones that it continues."""

    kind: str
    doer: EvidenceId
    targets: frozenset[EvidenceId]
    missing: tuple[int, ...] = ()


@evalset("stories", "what goes on over days and repositories is found, and nothing else")
async def stories(bench: Bench) -> Figures:
    """Report on a world day by day."""
    world = bench.world("stories")
    days: dict[str, date] = {}
    for row in world.landed:
        if "root" not in row.tags:
            days[row.id] = row.committed_at.date()
    reported: list[StoryEvent] = []
    in_time: list[Score] = []
    rows: dict[EvidenceId, LedgerRow] = {}
    with bench.settings(specs_of(world)) as settings:
        for day in sorted(set(days.values())):
            report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
            rows |= {row.id: row for row in report.ledger}
            for event in events(report.stories):
                reported.append(event)
                good = days.get(event.doer, day) == day
                in_time.append(Score(f"{event.doer} told on {day}", float(good)))
    gold = [_gold_event(story, rows) for story in world.stories]
    figures: dict[str, Figure] = {}
    for kind in _KINDS:
        figures |= _kind_figures(kind, reported, gold)
    figures["told on the day"] = share(in_time)
    return figures


def _kind_figures(
    kind: str, reported: Iterable[StoryEvent], gold: Iterable[StoryEvent]
) -> dict[str, Figure]:
    """Return the precision and recall of one kind of events."""
    reported_of_kind = [event for event in reported if event.kind == kind]
    gold_of_kind = [event for event in gold if event.kind == kind]
    figures: dict[str, Figure] = {}
    # git decides whose lines a commit changes, and worlds do not list all of those commits.
    if kind != "lines":
        precision = compared(reported_of_kind, gold_of_kind, "is wrong")
        figures[f"{kind}: precision"] = share(precision, Target(0.99))
    recall = compared(gold_of_kind, reported_of_kind, "is not told")
    figures[f"{kind}: recall"] = share(recall, Target(0.97))
    return figures


def _gold_event(story: WorldStory, rows: Mapping[EvidenceId, LedgerRow]) -> StoryEvent:
    """Return the event that a report must have; a part is missing if no title has its number."""
    doer = rows[EvidenceId(story.doer)]
    landed_parts: set[int] = set()
    for row in rows.values():
        if row.repo == doer.repo and row.landed_at <= doer.landed_at:
            landed_parts.update(map(int, _PART_NUMBER.findall(row.title)))
    missing = [number for number in story.missing if number not in landed_parts]
    targets = frozenset(map(EvidenceId, story.targets))
    return StoryEvent(story.kind, doer.id, targets, tuple(missing))


def compared(
    scored: Sequence[StoryEvent], others: Iterable[StoryEvent], complaint: str
) -> list[Score]:
    """Score each event by whether it is among the others."""
    expected = set(others)
    scores = []
    for event in scored:
        name = _event_name(event)
        scores.append(Score(f"{name} {complaint}", float(event in expected), name))
    return scores


def events(stories: Iterable[Story]) -> list[StoryEvent]:
    """Return the events that are the news of stories, each once."""
    unique: dict[StoryEvent, None] = {}
    for story in stories:
        unique.update(dict.fromkeys(_news(story)))
    return list(unique)


def _news(story: Story) -> Iterator[StoryEvent]:
    first = next((step.cite for step in story.timeline if step.act != "released"), None)
    undone: dict[EvidenceId, list[EvidenceId]] = {}
    for earlier, later in undone_pairs(story):
        undone.setdefault(later, []).append(earlier)
    for step in story.timeline:
        if step.cite not in story.news:
            continue
        if step.cite in undone:
            for target in undone[step.cite]:
                yield StoryEvent("revert", step.cite, frozenset({target}))
        elif first is not None:
            yield from _step_events(story, step, first)


def _step_events(story: Story, step: StoryStep, first: EvidenceId) -> Iterator[StoryEvent]:
    follows_upstream = story.timeline[0].act == "upstream"
    if step.act == "part":
        yield from _part_events(story, step)
    elif step.act == "changed lines":
        for target in step.after or (first,):
            yield StoryEvent("lines", step.cite, frozenset({target}))
    elif step.act in _EARLIER and not follows_upstream:
        for target in step.after or (first,):
            yield StoryEvent("earlier", step.cite, frozenset({target}))
    elif story.kind == "bump" and step.act == "taken in":
        yield StoryEvent("bump", step.cite, frozenset({first}))
    elif step.act in _ACT_KINDS:
        yield StoryEvent(_ACT_KINDS[step.act], step.cite, frozenset({first}))


def _part_events(story: Story, step: StoryStep) -> Iterator[StoryEvent]:
    """Yield the event of a part of a series that follows earlier ones."""
    earlier = set()
    for other in story.timeline:
        if other.act == "part" and other.cite != step.cite and other.at <= step.at:
            earlier.add(other.cite)
    if not earlier:
        return
    missing = tuple(number for number in story.missing if number < (step.part or 0))
    yield StoryEvent("series", step.cite, frozenset(earlier), missing)


def _event_name(event: StoryEvent) -> str:
    targets = ", ".join(sorted(target.revision[:9] for target in event.targets)) or "nothing"
    return f"{event.kind} {event.doer.revision[:9]} → {targets} (missing {event.missing})"


@evalset("links", "issues are linked with what fixed them, and with nothing else")
async def links(bench: Bench) -> Figures:
    """Report on the last weeks of worlds, and compare with what their GitHub records."""
    recall: list[Score] = []
    precision: list[Score] = []
    traps: list[Score] = []
    for name in ("demo", "full")[: bench.count(1, 2)]:
        world = bench.world(name)
        report = await _report_on_all(bench, world)
        landed = {row.id for row in report.ledger}
        gold = {fix for fix in Truth(world).fixes if fix.commit in landed}
        right = gold | true_fixes(world)
        reported = _reported_fixes(report)
        recall += [_fix_score(fix, fix in reported) for fix in sorted(gold)]
        precision += [_fix_score(fix, fix in right) for fix in sorted(reported)]
        fixed_issues = {fix.issue for fix in right}
        reported_issues = {fix.issue for fix in reported}
        for issue in sorted(_issue_names(world) - fixed_issues):
            traps.append(Score(issue, float(issue in reported_issues), issue))
    return {
        "recorded links found": share(recall, Target(0.98)),
        "recorded links that are true": share(precision),
        "traps told as fixed": share(traps, NONE),
    }


def _reported_fixes(report: Report) -> set[Fix]:
    fixes: set[Fix] = set()
    for link in report.links:
        if link.may_read_fixed:
            fixes.add(Fix(str(link.issue), str(link.change)))
    return fixes


async def _report_on_all(bench: Bench, world: World) -> Report:
    """Report on everything that landed after the root commits."""
    days = []
    for row in world.landed:
        if row.dropped_by is None and "root" not in row.tags:
            days.append(row.committed_at)
    first = min(days).date()
    last = world.now.date() - timedelta(days=1)
    with serving(world.repos, world.now) as server:
        return await bench.report(specs_of(world), first, last, **through(server))


def _issue_names(world: World) -> set[str]:
    names: set[str] = set()
    for repo in world.repos:
        names.update(thread_name(repo.full_name, issue.number) for issue in repo.issues)
    return names


def true_fixes(world: World) -> set[Fix]:
    """Return the true fixes: a commit that fixes a bug, with each issue that reports it.

    Issues that were closed as duplicates or given up do not count.
    """
    fixes = set()
    for row in world.landed:
        if row.dropped_by is not None:
            continue
        bugs = [edit.param("bug") for edit in row.edits if edit.kind == "fix_bug"]
        for issue in world.repo(row.repo).issues:
            if issue.reports not in bugs or issue.deleted or issue.state_reason in _ABANDONED:
                continue
            fixes.add(Fix(thread_name(row.repo, issue.number), row.id))
    return fixes


def _fix_score(fix: Fix, good: bool) -> Score:
    name = f"{fix.issue} ← {fix.commit[-40:][:9]}"
    return Score(name, float(good), name)
