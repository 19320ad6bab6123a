"""Links and stories: issues are linked with what fixed them, and what goes on over days is told on its day."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.links import Story, StoryStep, undone_pairs
from agent.domain.window import Window
from evals.figures import NONE, Figures, Score, Target, share
from evals.harness import Bench, evalset, serving, specs_of, through
from evals.truth import Truth
from evals.worlds.model import World, WorldStory, thread_name

_KINDS = ("revert", "reland", "series", "earlier", "lines", "bump", "reference")
_AGAIN = ("landed again", "a part landed again")
_EARLIER = ("refers", "follow-up", "mended")
"""How a commit is told to go on with an earlier one: only a reader of both can say more than that."""

_NUMBERED = re.compile(r"(\d+)[a-z]?/(?:\d|n\b)", re.IGNORECASE)


@dataclass(frozen=True)
class StoryEvent:
    """One commit and the earlier ones that it belongs to."""

    kind: str
    doer: EvidenceId
    targets: frozenset[EvidenceId]
    missing: tuple[int, ...] = ()


@evalset("stories", "what goes on over days and repositories is found, and nothing else")
async def stories(bench: Bench) -> Figures:
    """Report on a world day by day."""
    world = bench.world("stories")
    days = {row.id: row.committed_at.date() for row in world.landed if "root" not in row.tags}
    told, late, figures = list[StoryEvent](), list[Score](), {}
    rows: dict[EvidenceId, LedgerRow] = {}
    with bench.settings(specs_of(world)) as settings:
        for day in sorted(set(days.values())):
            report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
            found = events(report.stories)
            told += found
            rows |= {row.id: row for row in report.ledger}
            late += [
                Score(f"{one.doer} told on {day}", float(days.get(one.doer, day) == day))
                for one in found
            ]
    gold = [_gold_event(story, rows) for story in world.stories]
    for kind in _KINDS:
        mine, wanted = ([one for one in several if one.kind == kind] for several in (told, gold))
        # Whose lines a commit changes is git's word, and worlds do not count all who do.
        if kind != "lines":
            figures[f"{kind}: precision"] = share(compared(mine, wanted, "is wrong"), Target(0.99))
        figures[f"{kind}: recall"] = share(compared(wanted, mine, "is not told"), Target(0.97))
    return {**figures, "told on the day": share(late)}


def _gold_event(story: WorldStory, rows: Mapping[EvidenceId, LedgerRow]) -> StoryEvent:
    """Return what a report must tell; a part is told as missing if no title has its number yet."""
    doer = rows[EvidenceId(story.doer)]
    earlier = [row for row in rows.values() if row.landed_at <= doer.landed_at]
    titles = [row.title for row in earlier if row.repo == doer.repo]
    numbers = {int(number) for title in titles for number in _NUMBERED.findall(title)}
    missing = tuple(number for number in story.missing if number not in numbers)
    targets = frozenset(EvidenceId(target) for target in story.targets)
    return StoryEvent(story.kind, doer.id, targets, missing)


def compared(
    several: Sequence[StoryEvent], others: Iterable[StoryEvent], complaint: str
) -> list[Score]:
    """Score each event by whether it stands among the others."""
    known = set(others)
    return [
        Score(f"{_event_name(one)} {complaint}", float(one in known), _event_name(one))
        for one in several
    ]


def events(stories: Iterable[Story]) -> list[StoryEvent]:
    """Take the news of stories apart."""
    return list(dict.fromkeys(event for story in stories for event in _events(story)))


def _events(story: Story) -> Iterator[StoryEvent]:
    landed = [step.cite for step in story.timeline if step.act != "released"]
    undone: dict[EvidenceId, list[EvidenceId]] = {}
    for earlier, later in undone_pairs(story):
        undone.setdefault(later, []).append(earlier)
    for step in story.timeline:
        if step.cite in story.news and step.cite in undone:
            yield from (
                StoryEvent("revert", step.cite, frozenset({one})) for one in undone[step.cite]
            )
        elif step.cite in story.news:
            yield from _event(story, step, landed[0])


def _event(story: Story, step: StoryStep, first: EvidenceId) -> Iterator[StoryEvent]:
    after_upstream = story.timeline[0].act == "upstream"
    taken_in = story.kind == "bump" and step.act == "taken in"
    if step.act == "part":
        before = [
            one
            for one in story.timeline
            if one.at <= step.at and one.cite != step.cite and one.act == "part"
        ]
        missing = tuple(number for number in story.missing if number < (step.part or 0))
        if before:
            yield StoryEvent("series", step.cite, frozenset(one.cite for one in before), missing)
    elif step.act in (*_EARLIER, "changed lines") and not (after_upstream and step.act in _EARLIER):
        kind = "lines" if step.act == "changed lines" else "earlier"
        yield from (StoryEvent(kind, step.cite, frozenset({one})) for one in step.after or (first,))
    else:
        kinds = {
            "a part undone": "revert",
            **dict.fromkeys(_AGAIN, "reland"),
            **dict.fromkeys(_EARLIER, "reference"),
        }
        kind = "bump" if taken_in else kinds.get(step.act, "")
        if kind:
            yield StoryEvent(kind, step.cite, frozenset({first}))


def _event_name(one: StoryEvent) -> str:
    others = ", ".join(sorted(target.revision[:9] for target in one.targets))
    return f"{one.kind} {one.doer.revision[:9]} → {others or 'nothing'} (missing {one.missing})"


Pair = tuple[str, str]  # An issue and the landed commit that fixes it


@evalset("links", "issues are linked with what fixed them, and with nothing else")
async def links(bench: Bench) -> Figures:
    """Report on the last weeks of worlds, and compare with what their GitHub records."""
    recall, precision, traps = list[Score](), list[Score](), list[Score]()
    for name in ("demo", "full")[: bench.count(1, 2)]:
        world = bench.world(name)
        first = min(
            row.committed_at
            for row in world.landed
            if row.dropped_by is None and "root" not in row.tags
        )
        with serving(world.repos, world.now) as server:
            last = world.now.date() - timedelta(days=1)
            report = await bench.report(specs_of(world), first.date(), last, **through(server))
        landed = {row.id for row in report.ledger}
        told = {(str(link.issue), str(link.change)) for link in report.links if link.may_read_fixed}
        gold = {pair for pair in Truth(world).fixes if pair[1] in landed}
        right = gold | true_pairs(world)
        recall += [
            Score(_pair_name(pair), float(pair in told), _pair_name(pair)) for pair in sorted(gold)
        ]
        precision += [
            Score(_pair_name(pair), float(pair in right), _pair_name(pair)) for pair in sorted(told)
        ]
        issues = {
            thread_name(repo.full_name, one.number) for repo in world.repos for one in repo.issues
        }
        for issue in sorted(issues - {pair[0] for pair in right}):
            traps.append(Score(issue, float(issue in {pair[0] for pair in told}), issue))
    return {
        "recorded links found": share(recall, Target(0.98)),
        "recorded links that are true": share(precision),
        "traps told as fixed": share(traps, NONE),
    }


def true_pairs(world: World) -> set[Pair]:
    """List what really fixes what: the commit that mends a flaw, and each issue that reports it, unless given up."""
    found = set()
    for row in world.landed:
        bugs = [
            edit.param("bug")
            for edit in row.edits
            if edit.kind == "fix_bug" and row.dropped_by is None
        ]
        issues = [
            one for one in world.repo(row.repo).issues if one.reports in bugs and not one.deleted
        ]
        fixed = [
            one.number for one in issues if one.state_reason not in ("not_planned", "duplicate")
        ]
        found |= {(thread_name(row.repo, number), row.id) for number in fixed}
    return found


def _pair_name(pair: Pair) -> str:
    return f"{pair[0]} ← {pair[1][-40:][:9]}"
