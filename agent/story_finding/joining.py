"""Stories put together: steps made from commits, stories that share their beginning, what earlier reports knew."""

from collections.abc import Sequence

from agent.evidence import EvidenceId
from agent.ids import RepoId, commit_id
from agent.sources import Headline
from agent.stories import Act, Step, Story, StoryKind
from agent.story_finding.found import Remembered

_LINEAGE = (StoryKind.REVERT, StoryKind.RELAND)


def step(
    repo: RepoId, head: Headline, act: Act, *, part: int | None = None, after: tuple[EvidenceId, ...] = ()
) -> Step:
    """Make a step of a landed commit."""
    return Step(cite=commit_id(repo, head.sha), at=head.at, act=act, title=head.title, part=part, after=after)


def story(kind: StoryKind, repo: RepoId, steps: Sequence[Step]) -> Story:
    """Make a story of steps, oldest first."""
    ordered = tuple(sorted(steps, key=lambda one: one.at))
    return Story(kind=kind, repo=repo, steps=tuple(one.cite for one in ordered), timeline=ordered)


def joined(stories: Sequence[Story], today: set[EvidenceId]) -> list[Story]:
    """Tell as one what shares its beginning, a revert and the re-land after it; name the news of each."""
    found: list[Story] = []
    for one in sorted(stories, key=lambda one: (one.timeline[-1].at, one.kind)):
        before = next((other for other in found if _goes_on(other, one)), None)
        if before is None:
            found.append(one)
            continue
        found.remove(before)
        steps = {step.cite: step for step in (*before.timeline, *one.timeline)}
        # What undid or came back is more than that it landed.
        steps |= {old.cite: _both(old, steps[old.cite]) for old in before.timeline if old.act is not Act.LANDED}
        found.append(story(one.kind, one.repo, list(steps.values())))
    return [with_news(one, today) for one in found]


def with_news(one: Story, today: set[EvidenceId]) -> Story:
    """Name the steps that the report adds."""
    return one.model_copy(update={"news": tuple(step for step in one.steps if step in today)})


def with_memory(one: Story, known: Remembered) -> Story:
    """Say since when a story is told, and put what earlier reports knew of it in front."""
    earlier = [old for old in known.stories if _same_sort(old, one) and set(old.steps) & set(one.steps)]
    steps = {step.cite: step for old in earlier for step in old.timeline} if one.kind in _LINEAGE else {}
    steps |= {step.cite: step for step in one.timeline}
    timeline = tuple(sorted(steps.values(), key=lambda step: (step.at, step.cite)))
    days = [known.days[step.cite] for step in timeline if step.cite in known.days and step.cite not in one.news]
    return one.model_copy(
        update={"timeline": timeline, "steps": tuple(step.cite for step in timeline), "since": max(days, default="")}
    )


def _same_sort(one: Story, other: Story) -> bool:
    return one.kind is other.kind or (one.kind in _LINEAGE and other.kind in _LINEAGE)


def _goes_on(one: Story, other: Story) -> bool:
    lineage = one.kind in _LINEAGE and other.kind in _LINEAGE
    return lineage and (one.steps[0] == other.steps[0] or one.steps[-1] in other.steps)


def _both(one: Step, other: Step) -> Step:
    """Keep everything that a step undoes where two stories tell of it."""
    if one.act is not other.act:
        return one
    return one.model_copy(update={"after": tuple(dict.fromkeys((*one.after, *other.after)))})
