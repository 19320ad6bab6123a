"""Changes and issues that belong together over time and across repositories."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from agent.domain.base import EvidenceId, Frozen, Language, RepoId


class StoryKind(StrEnum):
    """How the parts of a story hang together."""

    REVERT = "revert"
    """A change and the one that undid it."""
    RELAND = "reland"
    """A change that was undone and came back."""
    SERIES = "series"
    """Numbered parts of one piece of work."""
    FOLLOW_UP = "follow-up"
    """A change and what mends or continues it, as a reader of both found."""
    SAME_LINES = "same-lines"
    """A change and a fix of the lines that it brought."""
    REFERENCE = "reference"
    """A change that names an earlier one."""
    BUMP = "bump"
    """A change of one repository, and another repository that takes it in."""
    SAME_WORK = "same-work"
    """The same work in two repositories, as a reader of both found."""
    RELEASED = "released"
    """A tag, and the changes or the fix of an issue that it is the first to have."""


BARE = (StoryKind.REFERENCE, StoryKind.SAME_LINES)
"""Facts about two commits that are told with the later one and have no page of their own."""


class Act(StrEnum):
    """What a step of a story does."""

    LANDED = "landed"
    UNDONE = "undone"
    PART_UNDONE = "a part undone"
    LANDED_AGAIN = "landed again"
    PART_AGAIN = "a part landed again"
    PART = "part"
    FOLLOW_UP = "follow-up"
    MENDED = "mended"
    CHANGED = "changed lines"
    REFERS = "refers"
    UPSTREAM = "upstream"
    TAKEN_IN = "taken in"
    SAME_WORK = "same work"
    OPENED = "opened"
    RELEASED = "released"


class Step(Frozen):
    """One step of a story, as its timeline shows it."""

    cite: EvidenceId
    at: datetime
    act: Act
    title: str = ""
    part: int | None = None
    """Which part of a series."""
    after: tuple[EvidenceId, ...] = ()
    """What a step undoes, mends, continues, names or changes."""


class Story(Frozen):
    """One story: its steps, oldest first, each an artefact by its name."""

    kind: StoryKind
    repo: RepoId
    steps: tuple[EvidenceId, ...]
    timeline: tuple[Step, ...] = ()
    """The same steps with their days, what each does and is called; and the first releases that have them."""
    news: tuple[EvidenceId, ...] = ()
    """The steps that the report of this window adds."""
    since: str = ""
    """The day of the latest earlier report that told of a step; empty where none did."""
    missing: tuple[int, ...] = ()
    """Parts of a series that have not landed though a later one has."""
    total: int | None = None
    """How many parts a series is to have; None for an open end."""
    text: dict[Language, str] = Field(default_factory=dict)
    """What is new, in each language."""


def undone_pairs(story: Story) -> list[tuple[EvidenceId, EvidenceId]]:
    """List which step undid which: each revert what stood before it."""
    if not story.timeline:
        return [(story.steps[0], story.steps[1])] if story.kind is StoryKind.REVERT and len(story.steps) == 2 else []
    pairs, standing = [], ""
    for step in story.timeline:
        if step.act in (Act.LANDED, Act.LANDED_AGAIN, Act.PART_AGAIN):
            standing = step.cite
        elif step.act is Act.UNDONE and (step.after or standing):
            pairs += [(one, step.cite) for one in step.after or (standing,)]
            standing = ""
    return pairs
