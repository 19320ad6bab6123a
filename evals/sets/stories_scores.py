"""Stories as single events: who did what to which commits, so that a report can be compared with what is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.domain.base import EvidenceId
from agent.domain.links import Act, Story, StoryKind, undone_pairs
from evals.figures import Score

AGAIN = (Act.LANDED_AGAIN, Act.PART_AGAIN)
EARLIER = (Act.REFERS, Act.FOLLOW_UP, Act.MENDED)
"""How a commit is told to go on with an earlier one: only a reader of both can say more than that."""


@dataclass(frozen=True)
class Event:
    """One commit and the earlier ones that it belongs to."""

    kind: str
    doer: EvidenceId
    targets: frozenset[EvidenceId]
    missing: tuple[int, ...] = ()


def events(stories: Iterable[Story]) -> list[Event]:
    """Take the news of stories apart."""
    found = [event for story in stories for event in _events(story)]
    return list(dict.fromkeys(found))


def _events(story: Story) -> list[Event]:
    undone: dict[EvidenceId, list[EvidenceId]] = {}
    for earlier, later in undone_pairs(story):
        undone.setdefault(later, []).append(earlier)
    first = next((step.cite for step in story.timeline if step.act is not Act.RELEASED), "")
    found = []
    for step in story.timeline:
        if step.cite not in story.news:
            continue
        if step.cite in undone:
            found += [Event("revert", step.cite, frozenset({one})) for one in undone[step.cite]]
        elif step.act is Act.PART_UNDONE:
            found.append(Event("revert", step.cite, frozenset({first})))
        elif step.act in AGAIN:
            found.append(Event("reland", step.cite, frozenset({first})))
        elif step.act in EARLIER and story.timeline[0].act is Act.UPSTREAM:
            found.append(Event("reference", step.cite, frozenset({first})))
        elif step.act in (*EARLIER, Act.CHANGED):
            kind = "lines" if step.act is Act.CHANGED else "earlier"
            found += [Event(kind, step.cite, frozenset({one})) for one in step.after or (first,)]
        elif story.kind is StoryKind.BUMP and step.act is Act.TAKEN_IN:
            found.append(Event("bump", step.cite, frozenset({first})))
        elif step.act is Act.PART:
            before = [
                one for one in story.timeline if one.at <= step.at and one.cite != step.cite and one.act is Act.PART
            ]
            missing = tuple(number for number in story.missing if number < (step.part or 0))
            if before:
                found.append(Event("series", step.cite, frozenset(one.cite for one in before), missing))
    return found


def compared(told: Sequence[Event], gold: Sequence[Event]) -> tuple[list[Score], list[Score]]:
    """Score each event that is told, and each that should be."""
    right, wanted = set(gold), set(told)
    precision = [Score(_named(one, "is wrong"), float(one in right)) for one in told]
    recall = [Score(_named(one, "is not told"), float(one in wanted)) for one in gold]
    return precision, recall


def _named(one: Event, what: str) -> str:
    others = ", ".join(sorted(target.partition("@")[2][:9] for target in one.targets))
    return f"{one.kind} {one.doer[-40:][:9]} → {others or 'nothing'} (missing {one.missing}) {what}"
