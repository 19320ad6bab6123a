"""Commits that go on with earlier ones: by references, by changed lines, as a reader of both found."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Mention, Related, Relation, Story, StoryKind, StoryStep
from agent.domain.references import pull_number
from agent.stories.timeline import CommitPair, LandedLine, Said, step, story

_SOON = timedelta(days=14)
"""How long it is news by itself that lines are changed again."""
_MOST = 5
OF_COMMITS = (
    "title",
    "message",
    "pull request",
)  # Where a day's commits and their pull requests speak


def own_references(repo: RepoId, references: Iterable[Mention]) -> list[Mention]:
    """Keep what the day's commits and their pull requests name of their own repository, the commits' words first."""
    own = [one for one in references if one.place in OF_COMMITS and one.target.repo == repo]
    return sorted(own, key=lambda one: one.place == "pull request")


def named_pairs(
    repo: RepoId, today: Sequence[Headline], references: Iterable[Mention], line: LandedLine
) -> Iterator[CommitPair]:
    """Pair commits with the landed commits that they or their pull requests name by number or hash."""
    heads: dict[EvidenceId, Headline] = {EvidenceId.commit(repo, head.sha): head for head in today}
    seen: set[tuple[str, str]] = set()
    for one in references:
        doer = heads.get(one.source)
        said = Said(False, one.target.revision, one.target.number or 0)
        earlier = line.earlier(doer, said) if doer else None
        if doer and earlier and (doer.sha, earlier.sha) not in seen:
            seen.add((doer.sha, earlier.sha))
            said_in = (
                EvidenceId.thread(repo, doer.pull)
                if one.place == "pull request" and doer.pull
                else None
            )
            yield CommitPair(doer=doer, earlier=earlier, said_in=said_in)


READ: Mapping[Relation, Act] = {
    Relation.INTRODUCED: "mended",
    Relation.CONTINUES: "follow-up",
    Relation.STEP: "step",
    Relation.NEEDS: "ported",
    Relation.INDEPENDENT: "same change",
}
"""What a reader of both sides may find between two changes."""
KINDS: Mapping[Act, StoryKind] = {
    "mended": "follow-up",
    "follow-up": "follow-up",
    "step": "follow-up",
    "ported": "same-work",
    "same change": "same-work",
    "changed lines": "same-lines",
    "refers": "reference",
    "taken in": "bump",
}


def follow_up_stories(
    repo: RepoId, pairs: Iterable[CommitPair], related: Iterable[Related], told: Sequence[Story]
) -> list[Story]:
    """Tell each pair as what a reader of both sides called it, else as the bare fact.

    A bare fact about two commits is left out where another story `told` of both, or when it is old.
    """
    acts: dict[tuple[EvidenceId, EvidenceId], Act] = {}
    for relation in related:
        if relation.relation in READ:
            acts[relation.change, relation.other] = READ[relation.relation]
    grouped: dict[tuple[str, Act], dict[str, CommitPair]] = defaultdict(dict)
    seen: set[tuple[str, str]] = set()
    for pair in sorted(pairs, key=lambda pair: not pair.by_lines):
        doer, earlier = pair.ids(repo)
        act = acts.get((doer, earlier))
        if act is None and pair.earlier.pull:
            act = acts.get((doer, EvidenceId.thread(repo, pair.earlier.pull)))
        if act is None and (_is_old(pair) or _tells_of(told, doer, earlier)):
            continue
        if act == "follow-up" and _tells_of(told, doer, earlier, kind="series"):
            continue  # That it is the next part says that it continues the one before
        if (doer, earlier) in seen:
            continue
        seen.add((doer, earlier))
        bare: Act = "changed lines" if pair.by_lines else "refers"
        grouped[pair.doer.sha, act or bare][pair.earlier.sha] = pair
    stories = []
    for (_, act), group in grouped.items():
        is_bare = act in ("changed lines", "refers")
        chosen = list(group.values())[: _MOST if is_bare else None]
        stories.append(_story(repo, act, chosen))
    return stories


def _is_old(pair: CommitPair) -> bool:
    return pair.by_lines and pair.doer.at - pair.earlier.at > _SOON


def _tells_of(stories: Iterable[Story], doer: str, earlier: str, kind: str = "") -> bool:
    both = {doer, earlier}
    return any(both <= set(story.steps) for story in stories if kind in ("", story.kind))


def _story(repo: RepoId, act: Act, group: Sequence[CommitPair]) -> Story:
    earlier = [step(repo, pair.earlier, "landed") for pair in group]
    doer = step(repo, group[0].doer, act, after=tuple(one.cite for one in earlier))
    return story(KINDS[act], repo, [*earlier, doer])


def thread_stories(
    repo: RepoId, today: Iterable[Headline], related: Iterable[Related]
) -> list[Story]:
    """Tell what today's commits have to do with pull requests of the repository that did not land."""
    doers = {EvidenceId.commit(repo, commit.sha): commit for commit in today}
    stories = []
    for relation in related:
        doer = doers.get(relation.change)
        act = READ.get(relation.relation)
        is_pull = relation.kind == "pull request" and not relation.is_abroad
        if doer is None or act is None or relation.at is None or not is_pull:
            continue
        first = StoryStep(cite=relation.other, at=relation.at, act="opened", title=relation.title)
        last = step(repo, doer, act, after=(relation.other,))
        # A pull request may be opened while the commit lands.
        last = last.model_copy(update={"at": max(last.at, first.at)})
        stories.append(story(KINDS[act], repo, [first, last]))
    return stories


def related_pairs(
    repo: RepoId, today: Iterable[Headline], pairs: Iterable[CommitPair], related: Iterable[Related]
) -> list[CommitPair]:
    """Return the pairs of admitted relations that nothing else paired: both commits are landed."""
    doers = {EvidenceId.commit(repo, commit.sha): commit for commit in today}
    paired = {(pair.doer.sha, pair.earlier.sha) for pair in pairs}
    added = []
    for relation in related:
        doer = doers.get(relation.change)
        if doer is None or relation.kind != "commit" or relation.is_abroad or not relation.at:
            continue
        sha = relation.other.sha
        if (doer.sha, sha) not in paired:
            earlier = Headline(
                sha=sha,
                at=relation.at,
                author=relation.author,
                title=relation.title,
                pull=pull_number(relation.title),
            )
            added.append(CommitPair(doer=doer, earlier=earlier))
    return added
