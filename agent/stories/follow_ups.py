"""Commits that mend or continue earlier ones as a reader of both found, name them, or change their lines."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import EvidenceId, RepoId, commit_id, thread_id
from agent.domain.links import Act, Related, Relation, Story, StoryKind
from agent.stories.candidates import MOST
from agent.stories.found import Pair
from agent.stories.joining import step, story

_SOON = timedelta(days=14)
"""How long after a change it is news by itself that its lines are changed again."""
READ: Mapping[Relation, Act] = {
    Relation.INTRODUCED: Act.MENDED,
    Relation.CONTINUES: Act.FOLLOW_UP,
    Relation.SAME_WORK: Act.SAME_WORK,
}
"""What a reader of both sides may find between two changes."""
KINDS: Mapping[Act, StoryKind] = {
    Act.MENDED: StoryKind.FOLLOW_UP,
    Act.FOLLOW_UP: StoryKind.FOLLOW_UP,
    Act.SAME_WORK: StoryKind.SAME_WORK,
    Act.CHANGED: StoryKind.SAME_LINES,
    Act.REFERS: StoryKind.REFERENCE,
    Act.TAKEN_IN: StoryKind.BUMP,
}


def follow_up_stories(
    repo: RepoId, pairs: Iterable[Pair], related: Iterable[Related], told: Sequence[Story]
) -> list[Story]:
    """Tell each pair as what a reader of both sides called it, else as the bare fact; not what other stories tell."""
    read: dict[tuple[EvidenceId, EvidenceId], Act] = {}
    read |= {(one.change, one.other): READ[one.relation] for one in related if one.relation in READ}
    grouped: dict[tuple[str, Act], dict[str, Pair]] = defaultdict(dict)
    seen = {frozenset((a, b)) for one in told for a in one.steps for b in one.steps}
    for one in sorted(pairs, key=lambda one: not one.by_lines):
        both = frozenset((commit_id(repo, one.doer.sha), commit_id(repo, one.earlier.sha)))
        act = _act(repo, one, read)
        late = act is Act.CHANGED and one.doer.at - one.earlier.at > _SOON
        if both not in seen and not late:
            seen.add(both)
            grouped[one.doer.sha, act][one.earlier.sha] = one
    return [_story(repo, act, list(group.values())[:MOST]) for (_, act), group in grouped.items()]


def _act(repo: RepoId, one: Pair, read: Mapping[tuple[EvidenceId, EvidenceId], Act]) -> Act:
    doer, earlier = commit_id(repo, one.doer.sha), commit_id(repo, one.earlier.sha)
    pull = thread_id(repo, one.earlier.pull) if one.earlier.pull else earlier
    found = read.get((doer, earlier)) or read.get((doer, pull))
    return found or (Act.CHANGED if one.by_lines else Act.REFERS)


def _story(repo: RepoId, act: Act, group: Sequence[Pair]) -> Story:
    earlier = [step(repo, one.earlier, Act.LANDED) for one in group]
    doer = step(repo, group[0].doer, act, after=tuple(one.cite for one in earlier))
    return story(KINDS[act], repo, [*earlier, doer])
