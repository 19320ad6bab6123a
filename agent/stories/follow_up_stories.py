"""Follow-ups: stories of commits that go on with earlier ones, by references, by lines, or as read."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Mention, Related, Relation, Story, StoryKind, StoryStep
from agent.domain.references import pull_number
from agent.stories.timeline import CommitPair, LandedLine, LineageReference, step, story

_SOON = timedelta(days=14)
"""How long it is news by itself that lines are changed again."""
_MAX_BARE_PAIRS = 5  # Earlier commits that a story lists if nobody has read both sides
OF_COMMITS = ("title", "message", "pull request")
"""Where commits of a day and their pull requests mention something."""


def own_references(repo: RepoId, references: Iterable[Mention]) -> list[Mention]:
    """Return the mentions, in the day's commits and pull requests, of their own repository.

    Mentions in the commits themselves come first.
    """
    mentions: list[Mention] = []
    for mention in references:
        if mention.place in OF_COMMITS and mention.target.repo == repo:
            mentions.append(mention)
    return sorted(mentions, key=lambda mention: mention.place == "pull request")


def named_pairs(
    repo: RepoId, today: Sequence[Headline], references: Iterable[Mention], line: LandedLine
) -> Iterator[CommitPair]:
    """Yield commits with the landed commits that they or their pull requests name."""
    doers = {EvidenceId.commit(repo, commit.sha): commit for commit in today}
    paired: set[tuple[str, str]] = set()
    for mention in references:
        doer = doers.get(mention.source)
        if doer is None:
            continue
        target = LineageReference(False, mention.target.revision, mention.target.number or 0)
        earlier = line.earlier(doer, target)
        if earlier is None or (doer.sha, earlier.sha) in paired:
            continue
        paired.add((doer.sha, earlier.sha))
        said_in: EvidenceId | None = None
        if mention.place == "pull request" and doer.pull:
            said_in = EvidenceId.thread(repo, doer.pull)
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
    repo: RepoId,
    pairs: Iterable[CommitPair],
    related: Iterable[Related],
    stories_of_day: Sequence[Story],
) -> list[Story]:
    """Return the stories of pairs: as a reader of both sides called them, else as the bare fact.

    A bare fact is left out if it is old, or if a story of the day has both commits.
    """
    acts: dict[tuple[EvidenceId, EvidenceId], Act] = {}
    for relation in related:
        if relation.relation in READ:
            acts[relation.change, relation.other] = READ[relation.relation]
    groups: dict[tuple[str, Act], dict[str, CommitPair]] = defaultdict(dict)
    seen: set[tuple[str, str]] = set()
    for pair in sorted(pairs, key=lambda pair: not pair.by_lines):
        doer, earlier = pair.ids(repo)
        act = acts.get((doer, earlier))
        if act is None and pair.earlier.pull:
            act = acts.get((doer, EvidenceId.thread(repo, pair.earlier.pull)))
        if act is None and (_is_old(pair) or _have_both(stories_of_day, doer, earlier)):
            continue
        if act == "follow-up" and _have_both(stories_of_day, doer, earlier, kind="series"):
            continue  # That it is the next part says that it continues the one before
        if (doer, earlier) in seen:
            continue
        seen.add((doer, earlier))
        bare: Act = "changed lines" if pair.by_lines else "refers"
        groups[pair.doer.sha, act or bare][pair.earlier.sha] = pair
    stories = []
    for (_, act), group in groups.items():
        group_pairs = list(group.values())
        if act in ("changed lines", "refers"):
            group_pairs = group_pairs[:_MAX_BARE_PAIRS]
        stories.append(_story(repo, act, group_pairs))
    return stories


def _is_old(pair: CommitPair) -> bool:
    return pair.by_lines and pair.doer.at - pair.earlier.at > _SOON


def _have_both(stories: Iterable[Story], doer: str, earlier: str, kind: str = "") -> bool:
    """Return True if a story has both commits; with `kind`, a story of this kind."""
    if kind:
        stories = [other for other in stories if other.kind == kind]
    return any({doer, earlier} <= set(other.steps) for other in stories)


def _story(repo: RepoId, act: Act, group: Sequence[CommitPair]) -> Story:
    steps = [step(repo, pair.earlier, "landed") for pair in group]
    earlier_ids = tuple(earlier.cite for earlier in steps)
    steps.append(step(repo, group[0].doer, act, after=earlier_ids))
    return story(KINDS[act], repo, steps)


def thread_stories(
    repo: RepoId, today: Iterable[Headline], related: Iterable[Related]
) -> list[Story]:
    """Return the stories of today's commits and of pull requests that did not land."""
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
