"""Commits that mend or continue earlier ones as a reader of both found, name them, or change their lines."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from agent.evidence import EvidenceId
from agent.ids import RepoId, commit_id, thread_id
from agent.links import Related, Relation
from agent.sources import Headline
from agent.stories import Act, Story, StoryKind
from agent.story_finding.candidates import MOST
from agent.story_finding.found import Pair
from agent.story_finding.joining import step, story

_ACTS: Mapping[Relation, Act] = {Relation.INTRODUCED: Act.MENDED, Relation.CONTINUES: Act.FOLLOW_UP}
_KINDS: Mapping[Act, StoryKind] = {
    Act.MENDED: StoryKind.FOLLOW_UP,
    Act.FOLLOW_UP: StoryKind.FOLLOW_UP,
    Act.CHANGED: StoryKind.SAME_LINES,
    Act.REFERS: StoryKind.REFERENCE,
}


def follow_up_stories(
    repo: RepoId, pairs: Sequence[Pair], related: Iterable[Related], told: Sequence[Story]
) -> list[Story]:
    """Tell each pair as what a reader of both sides called it, else as the bare fact; not what other stories tell."""
    named = {(one.change, one.other): _ACTS[one.relation] for one in related if one.relation in _ACTS}
    grouped: dict[tuple[str, Act], list[Pair]] = defaultdict(list)
    for one in sorted(pairs, key=lambda one: not one.by_lines):
        both = {commit_id(repo, one.doer.sha), commit_id(repo, one.earlier.sha)}
        if any(both <= set(other.steps) for other in told):
            continue
        act = _act(repo, one, named)
        group = grouped[one.doer.sha, act]
        known = {pair.earlier.sha for acts in _KINDS for pair in grouped.get((one.doer.sha, acts), ())}
        if one.earlier.sha not in known and len(group) < MOST:
            group.append(one)
    return [_story(repo, act, group) for (_, act), group in grouped.items() if group]


def _act(repo: RepoId, one: Pair, named: Mapping[tuple[EvidenceId, EvidenceId], Act]) -> Act:
    doer = commit_id(repo, one.doer.sha)
    for other in _names(repo, one.earlier):
        if (doer, other) in named:
            return named[doer, other]
    return Act.CHANGED if one.by_lines else Act.REFERS


def _names(repo: RepoId, head: Headline) -> list[EvidenceId]:
    return [commit_id(repo, head.sha), *([thread_id(repo, head.pull)] if head.pull else [])]


def _story(repo: RepoId, act: Act, group: Sequence[Pair]) -> Story:
    earlier = [step(repo, one.earlier, Act.LANDED) for one in group]
    doer = step(repo, group[0].doer, act, after=tuple(one.cite for one in earlier))
    return story(_KINDS[act], repo, [*earlier, doer])
