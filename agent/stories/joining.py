"""Stories put together: steps made from commits, stories that share their beginning, what earlier reports knew."""

from collections.abc import Iterable, Sequence

from agent.domain.base import EvidenceId, RepoId, commit_id
from agent.domain.commits import Headline
from agent.domain.links import Act, Step, Story, StoryKind
from agent.stories.found import Remembered

_LINEAGE = (StoryKind.REVERT, StoryKind.RELAND)


def step(
    repo: RepoId, head: Headline, act: Act, *, part: int | None = None, after: tuple[EvidenceId, ...] = ()
) -> Step:
    """Make a step of a landed commit."""
    return Step(cite=commit_id(repo, head.sha), at=head.at, act=act, title=head.title, part=part, after=after)


def story(kind: StoryKind, repo: RepoId, steps: Iterable[Step]) -> Story:
    """Make a story of steps."""
    return with_steps(Story(kind=kind, repo=repo, steps=()), steps)


def with_steps(one: Story, steps: Iterable[Step]) -> Story:
    """Give a story these steps, oldest first."""
    ordered = tuple(sorted(steps, key=lambda step: (step.at, step.cite)))
    return one.model_copy(update={"timeline": ordered, "steps": tuple(step.cite for step in ordered)})


def joined(stories: Sequence[Story]) -> list[Story]:
    """Tell as one what shares its beginning: a revert and the re-land after it."""
    found: list[Story] = []
    for one in sorted(stories, key=lambda one: (one.timeline[-1].at, one.kind)):
        before = next((old for old in found if old.steps[0] == one.steps[0] or old.steps[-1] in one.steps), None)
        if before is None:
            found.append(one)
            continue
        found.remove(before)
        steps = {step.cite: step for step in (*before.timeline, *one.timeline)}
        # What undid or came back is more than that it landed.
        for old in (step for step in before.timeline if step.act is not Act.LANDED):
            after = tuple(dict.fromkeys((*old.after, *steps[old.cite].after)))
            steps[old.cite] = old.model_copy(update={"after": after})
        found.append(with_steps(one, steps.values()))
    return found


def with_memory(one: Story, today: set[EvidenceId], known: Remembered) -> Story:
    """Name the steps that the report adds, say since when the story is told, and put in front what was known of it."""
    earlier = [old for old in known.stories if one.kind in _LINEAGE and old.kind in _LINEAGE]
    known_steps = [step for old in earlier if set(old.steps) & set(one.steps) for step in old.timeline]
    steps = {step.cite: step for step in known_steps if step.act is not Act.RELEASED}
    whole = with_steps(one, (steps | {step.cite: step for step in one.timeline}).values())
    days = [known.days[cite] for cite in whole.steps if cite in known.days and cite not in today]
    news = tuple(cite for cite in whole.steps if cite in today)
    return whole.model_copy(update={"news": news, "since": max(days, default="")})
