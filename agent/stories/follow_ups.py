"""Which earlier commits a commit names or changes the lines of: what it may mend or continue."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import EvidenceId, RepoId, commit_id, thread_id
from agent.domain.commits import Headline
from agent.domain.links import Act, Place, Reference, Related, Relation, Story, StoryKind
from agent.stories.timeline import Line, Pair, step, story

MOST, _MOST_OF_THEM = 5, 0.8
OF_COMMITS = (Place.TITLE, Place.MESSAGE, Place.PULL)
"""Where a day's commits and their pull requests speak."""


def own_references(repo: RepoId, references: Iterable[Reference]) -> list[Reference]:
    """Keep what the day's commits and their pull requests name of their own repository, the commits' words first."""
    own = [one for one in references if one.place in OF_COMMITS and one.target.startswith((f"{repo}#", f"{repo}@"))]
    return sorted(own, key=lambda one: one.place is Place.PULL)


def named_pairs(repo: RepoId, today: Sequence[Headline], references: Iterable[Reference], line: Line) -> Iterator[Pair]:
    """Pair commits with the landed commits that they or their pull requests name by number or hash."""
    heads: dict[EvidenceId, Headline] = {commit_id(repo, head.sha): head for head in today}
    seen: set[tuple[str, str]] = set()
    for one in references:
        doer = heads.get(one.source)
        sha, number = one.target.partition("@")[2], one.target.partition("#")[2]
        earlier = line.earlier(doer, sha=sha, number=int(number or 0)) if doer else None
        if doer and earlier and (doer.sha, earlier.sha) not in seen:
            seen.add((doer.sha, earlier.sha))
            said_in = thread_id(repo, doer.pull) if one.place is Place.PULL and doer.pull else ""
            yield Pair(doer=doer, earlier=earlier, said_in=said_in)


def main_writer(writers: Mapping[str, int]) -> str | None:
    """Name the recent commit that wrote at least four in five of the lines which another one takes out."""
    sha, lines = max(writers.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return sha if sha and lines >= _MOST_OF_THEM * sum(writers.values()) else None


def pairs(repo: RepoId, found: Iterable[Pair]) -> dict[str, list[EvidenceId]]:
    """Give, for each commit by its hash, the earlier commits it may mend or continue; whose lines go come first."""
    earlier: dict[str, dict[EvidenceId, None]] = {}
    for one in sorted(found, key=lambda one: not one.by_lines):
        earlier.setdefault(one.doer.sha, {})[commit_id(repo, one.earlier.sha)] = None
    return {sha: list(names)[:MOST] for sha, names in earlier.items()}


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
