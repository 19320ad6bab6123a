"""A story as one paragraph: its steps in order, each with its day, as code can write them."""

from collections.abc import Mapping, Sequence

from agent.domain.base import Language
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Story, StoryStep
from agent.report_languages import catalogue

_MIN_STEPS = 2
_MAX_STEPS = 8  # Steps of a paragraph: the first one, and the last ones
_MAX_TITLE = 160  # Characters
_HASH = 7  # Digits of a hash
NO_REASONS: Mapping[EvidenceId, EvidenceId] = {}
_PHRASES: Mapping[Act, str] = {
    "landed": "landed",
    "upstream": "landed",
    "opened": "opened",
    "undone": "undone",
    "a part undone": "part_undone",
    "landed again": "landed_again",
    "a part landed again": "part_landed_again",
    "part": "part",
    "follow-up": "continued",
    "mended": "mended",
    "step": "step",
    "ported": "ported",
    "same change": "same_change",
    "same work": "same_work",
    "taken in": "taken_in",
    "changed lines": "changed_lines",
    "refers": "named",
}
"""The words for each act, in the section `stories` of `agent/words`."""


def story_title(story: Story) -> str:
    """Return the title of a story: the tag of a release, else the title of its first change."""
    if story.kind == "released":
        tags = [step for step in story.timeline if step.act == "released"]
        if tags:
            return tags[-1].cite.revision
    for step in story.timeline:
        if step.title:
            return step.title
    return story.repo


def story_paragraph(
    story: Story, lang: Language, reasons: Mapping[EvidenceId, EvidenceId] = NO_REASONS
) -> str:
    """Return the steps of a story in one sentence; empty for less than two steps.

    The reasons are the issues because of which commits took something back. What a release has and
    what a commit takes in is in their own sentences.
    """
    steps = _shown_steps(story)
    if len(steps) < _MIN_STEPS or story.kind in ("released", "bump"):
        return ""
    phrases: Mapping[str, str] = catalogue(lang)["stories"]
    title = _shortened(story_title(story))
    clauses: list[str] = []
    for step in steps:
        clause = _clause(step, phrases, reasons.get(step.cite))
        step_title = _shortened(step.title)
        # Without its title, another change would read as if the first one had landed twice.
        if step.act in ("landed", "upstream") and step_title not in ("", title):
            clause = phrases["titled"].format(clause=clause, title=step_title)
        clauses.append(clause)
    return phrases["paragraph"].format(
        title=title, steps=phrases["between"].join(clauses), releases=_releases(story, phrases)
    )


def _shown_steps(story: Story) -> Sequence[StoryStep]:
    steps = [step for step in story.timeline if step.act != "released"]
    if len(steps) <= _MAX_STEPS:
        return steps
    return [steps[0], *steps[1 - _MAX_STEPS :]]


def _clause(step: StoryStep, phrases: Mapping[str, str], reason: EvidenceId | None) -> str:
    phrase = phrases[_PHRASES[step.act]]
    name = _bare(step.cite)
    clause = phrase.format(day=f"{step.at:%Y-%m-%d}", name=name, part=step.part or "")
    if reason is None:
        return clause
    return phrases["because"].format(clause=clause, issue=_bare(reason))


def _bare(name: EvidenceId) -> str:
    """Return the hash, the number or the tag of a name, without its repository."""
    if name.is_thread:
        return f"#{name.number}"
    return name.sha[:_HASH] if name.is_commit else name.revision


def _releases(story: Story, phrases: Mapping[str, str]) -> str:
    # Which of the steps a release has is not known here: it may be that of a branch.
    tags = [step.cite.revision for step in story.timeline if step.act == "released"]
    return phrases["released_in"].format(tags=", ".join(tags)) if tags else ""


def _shortened(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= _MAX_TITLE else f"{line[:_MAX_TITLE].rstrip()} …"
