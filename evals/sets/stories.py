"""Stories: what is undone, lands again, goes on in parts, is followed up or taken in, told on the day and rightly.

A story is taken apart into events, who did what to which commits, so that reports can be held against what is known.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agent.domain.base import EvidenceId
from agent.domain.links import Act, Step, Story, StoryKind, undone_pairs
from agent.domain.window import Window
from evals.figures import Figures, Score, Target, share
from evals.harness import Bench, evalset, specs_of

_KINDS = ("revert", "reland", "series", "earlier", "lines", "bump", "reference")
_AGAIN = (Act.LANDED_AGAIN, Act.PART_AGAIN)
_EARLIER = (Act.REFERS, Act.FOLLOW_UP, Act.MENDED)
"""How a commit is told to go on with an earlier one: only a reader of both can say more than that."""


@dataclass(frozen=True)
class Event:
    """One commit and the earlier ones that it belongs to."""

    kind: str
    doer: EvidenceId
    targets: frozenset[EvidenceId]
    missing: tuple[int, ...] = ()


@evalset("stories", "what goes on over days and repositories is found, and nothing else")
async def run(bench: Bench) -> Figures:
    """Report on a world day by day."""
    world = bench.world("stories")
    days = {f"{row.repo}@{row.sha}": row.committed_at.date() for row in world.landed if "root" not in row.tags}
    gold = [Event(one.kind, one.doer, frozenset(one.targets), one.missing) for one in world.stories]
    told, late, figures = list[Event](), list[Score](), {}
    with bench.settings(specs_of(world)) as settings:
        for day in sorted(set(days.values())):
            report, _ = await bench.system.report(settings, Window.days(day, day, "UTC"))
            found = events(report.stories)
            told += found
            late += [Score(f"{one.doer} told on {day}", float(days.get(one.doer, day) == day)) for one in found]
    for kind in _KINDS:
        mine, wanted = ([one for one in several if one.kind == kind] for several in (told, gold))
        # Whose lines a commit changes is git's word, and worlds do not count all who do.
        if kind != "lines":
            figures[f"{kind}: precision"] = share(compared(mine, wanted, "is wrong"), Target(0.99))
        figures[f"{kind}: recall"] = share(compared(wanted, mine, "is not told"), Target(0.97))
    return {**figures, "told on the day": share(late)}


def compared(several: Sequence[Event], others: Iterable[Event], complaint: str) -> list[Score]:
    """Score each event by whether it stands among the others."""
    known = set(others)
    return [Score(f"{_named(one)} {complaint}", float(one in known), _named(one)) for one in several]


def events(stories: Iterable[Story]) -> list[Event]:
    """Take the news of stories apart."""
    return list(dict.fromkeys(event for story in stories for event in _events(story)))


def _events(story: Story) -> Iterator[Event]:
    first = next((step.cite for step in story.timeline if step.act is not Act.RELEASED), "")
    undone: dict[EvidenceId, list[EvidenceId]] = {}
    for earlier, later in undone_pairs(story):
        undone.setdefault(later, []).append(earlier)
    for step in story.timeline:
        if step.cite in story.news and step.cite in undone:
            yield from (Event("revert", step.cite, frozenset({one})) for one in undone[step.cite])
        elif step.cite in story.news:
            yield from _event(story, step, first)


def _event(story: Story, step: Step, first: EvidenceId) -> Iterator[Event]:
    after_upstream = story.timeline[0].act is Act.UPSTREAM
    taken_in = story.kind is StoryKind.BUMP and step.act is Act.TAKEN_IN
    if step.act is Act.PART:
        before = [one for one in story.timeline if one.at <= step.at and one.cite != step.cite and one.act is Act.PART]
        missing = tuple(number for number in story.missing if number < (step.part or 0))
        if before:
            yield Event("series", step.cite, frozenset(one.cite for one in before), missing)
    elif step.act in (*_EARLIER, Act.CHANGED) and not (after_upstream and step.act in _EARLIER):
        kind = "lines" if step.act is Act.CHANGED else "earlier"
        yield from (Event(kind, step.cite, frozenset({one})) for one in step.after or (first,))
    else:
        kinds = {Act.PART_UNDONE: "revert", **dict.fromkeys(_AGAIN, "reland"), **dict.fromkeys(_EARLIER, "reference")}
        kind = "bump" if taken_in else kinds.get(step.act, "")
        if kind:
            yield Event(kind, step.cite, frozenset({first}))


def _named(one: Event) -> str:
    others = ", ".join(sorted(target.partition("@")[2][:9] for target in one.targets))
    return f"{one.kind} {one.doer[-40:][:9]} → {others or 'nothing'} (missing {one.missing})"
