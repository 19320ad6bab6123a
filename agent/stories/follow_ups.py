"""Commits that go on with earlier ones: by references, by changed lines, as a reader of both found."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import EvidenceId, RepoId, commit_id, thread_id
from agent.domain.commits import Headline
from agent.domain.links import Act, Reference, Related, Relation, Story, StoryKind
from agent.stories.timeline import Line, Pair, Said, step, story

_SOON = timedelta(days=14)
"""How long it is news by itself that lines are changed again."""
_MOST = 5
OF_COMMITS = (
    "title",
    "message",
    "pull request",
)  # Where a day's commits and their pull requests speak


def own_references(repo: RepoId, references: Iterable[Reference]) -> list[Reference]:
    """Keep what the day's commits and their pull requests name of their own repository, the commits' words first."""
    own = [
        one
        for one in references
        if one.place in OF_COMMITS and one.target.startswith((f"{repo}#", f"{repo}@"))
    ]
    return sorted(own, key=lambda one: one.place == "pull request")


def named_pairs(
    repo: RepoId, today: Sequence[Headline], references: Iterable[Reference], line: Line
) -> Iterator[Pair]:
    """Pair commits with the landed commits that they or their pull requests name by number or hash."""
    heads: dict[EvidenceId, Headline] = {commit_id(repo, head.sha): head for head in today}
    seen: set[tuple[str, str]] = set()
    for one in references:
        doer = heads.get(one.source)
        sha, number = one.target.partition("@")[2], one.target.partition("#")[2]
        earlier = line.earlier(doer, Said(False, sha, int(number or 0))) if doer else None
        if doer and earlier and (doer.sha, earlier.sha) not in seen:
            seen.add((doer.sha, earlier.sha))
            said_in = (
                thread_id(repo, doer.pull) if one.place == "pull request" and doer.pull else ""
            )
            yield Pair(doer=doer, earlier=earlier, said_in=said_in)


READ: Mapping[Relation, Act] = {
    Relation.INTRODUCED: "mended",
    Relation.CONTINUES: "follow-up",
    Relation.SAME_WORK: "same work",
}
"""What a reader of both sides may find between two changes."""
KINDS: Mapping[Act, StoryKind] = {
    "mended": "follow-up",
    "follow-up": "follow-up",
    "same work": "same-work",
    "changed lines": "same-lines",
    "refers": "reference",
    "taken in": "bump",
}


def follow_up_stories(
    repo: RepoId, pairs: Iterable[Pair], related: Iterable[Related], told: Sequence[Story]
) -> list[Story]:
    """Tell each pair as what a reader of both sides called it, else as the bare fact; not what other stories tell."""
    read: dict[tuple[str, str], Act] = {}
    read |= {(one.change, one.other): READ[one.relation] for one in related if one.relation in READ}
    grouped: dict[tuple[str, Act], dict[str, Pair]] = defaultdict(dict)
    seen = {frozenset((a, b)) for one in told for a in one.steps for b in one.steps}
    for one in sorted(pairs, key=lambda one: not one.by_lines):
        doer, earlier = f"{repo}@{one.doer.sha}", f"{repo}@{one.earlier.sha}"
        bare: Act = "changed lines" if one.by_lines else "refers"
        act = read.get((doer, earlier)) or read.get((doer, f"{repo}#{one.earlier.pull}")) or bare
        late = act == "changed lines" and one.doer.at - one.earlier.at > _SOON
        if frozenset((doer, earlier)) not in seen and not late:
            seen.add(frozenset((doer, earlier)))
            grouped[one.doer.sha, act][one.earlier.sha] = one
    return [_story(repo, act, list(group.values())[:_MOST]) for (_, act), group in grouped.items()]


def _story(repo: RepoId, act: Act, group: Sequence[Pair]) -> Story:
    earlier = [step(repo, one.earlier, "landed") for one in group]
    doer = step(repo, group[0].doer, act, after=tuple(one.cite for one in earlier))
    return story(KINDS[act], repo, [*earlier, doer])
