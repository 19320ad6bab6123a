"""Links and stories of a report from the relations that a model named and a judge admitted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.domain.claims import Claim
from agent.domain.links import Act, Grade, Link, Related, Relation, Story
from agent.domain.report import Drop

_ACTS: Mapping[Relation, tuple[Act, ...]] = {
    Relation.INTRODUCED: ("mended",),
    Relation.CONTINUES: ("follow-up", "part"),
    Relation.STEP: ("step",),
    Relation.UNDOES: ("undone", "a part undone"),
    Relation.RELANDS: ("landed again", "a part landed again"),
    Relation.NEEDS: ("ported",),
    Relation.INDEPENDENT: ("same change",),
    Relation.SAME_WORK: ("same work",),
}
"""The steps of stories that express a relation."""
_PREDICATES: Mapping[Relation, str] = {
    Relation.FIXES: "fixes",
    Relation.PARTLY: "partly fixes",
    Relation.REVERTS: "reverts the fix",
    Relation.BECAUSE: "reverts because of",
    Relation.CONTINUES: "continues",
    Relation.STEP: "step of",
    Relation.NEEDS: "needs or ports",
    Relation.INDEPENDENT: "same change",
    Relation.SAME_WORK: "same work",
}
"""The sentences that express a link; `agent/words` has their words."""
_STORY_PREDICATES = frozenset(
    ("undoes", "undoes part", "relands", "relands part", "relands some", "mends", "takes in")
)
_ASSERTED_PREDICATES = frozenset(
    (
        "addresses",
        *_PREDICATES.values(),
        *(f"likely {predicate}" for predicate in _PREDICATES.values()),
        *_STORY_PREDICATES,
    )
)


def related_links(links: Sequence[Link], related: Iterable[Related]) -> tuple[Link, ...]:
    """Return the links, with admitted relations in place of plain references.

    What GitHub records as fixed can only become partly fixed.
    """
    kept = list(links)
    for relation in related:
        if relation.kind != "issue":
            continue
        link = Link(
            issue=relation.other,
            change=relation.change,
            relation=relation.relation,
            grade=relation.grade,
            evidence=tuple(text for _, text in relation.anchors),
            judged_by=relation.judged_by,
        )
        kept = with_link(kept, link)
    return tuple(kept)


def with_link(links: Sequence[Link], admitted: Link) -> list[Link]:
    """Return the links and an admitted one, which replaces weaker links of the same pair."""
    pair = [link for link in links if are_of_one_pair(link, admitted)]
    if admitted.relation is Relation.FIXES and any(link.grade is Grade.A for link in pair):
        return list(links)
    replaced = [link for link in pair if _gives_way(link, admitted)]
    kept = [link for link in links if link not in replaced]
    return [*kept, admitted]


def are_of_one_pair(link: Link, other: Link) -> bool:
    """Return True if two links tie the same issue to the same change."""
    return (link.issue, link.change) == (other.issue, other.change)


def _gives_way(old: Link, new: Link) -> bool:
    """Return True if a link of the same pair says less than another one, or the same."""
    if old.relation in (Relation.MENTIONS, new.relation):
        return True
    return new.relation is Relation.PARTLY and old.relation is Relation.FIXES


def predicate_of(link: Link, state: str) -> str:
    """Return the sentence for a link with an issue in this state, or an empty string."""
    if link.relation is Relation.FIXES and link.grade is not Grade.C and state == "open":
        return "addresses"
    if link.relation is Relation.MENTIONS:
        return "" if link.by_issue else "refers to"
    predicate = _PREDICATES.get(link.relation, "")
    if predicate and link.grade is Grade.C:
        return f"likely {predicate}"
    return predicate


def asserts_relation(claim: Claim) -> bool:
    """Return True if a sentence says what a commit has to do with an issue or another change."""
    return claim.predicate in _ASSERTED_PREDICATES


def with_judges(stories: Iterable[Story], related: Sequence[Related]) -> Iterator[Story]:
    """Yield the stories, each with the judge of the first relation that it expresses, if any."""
    for story in stories:
        judges = [relation.judged_by for relation in related if _is_in_story(relation, story)]
        yield story.model_copy(update={"judged_by": judges[0]}) if judges else story


def missing_relations(
    related: Iterable[Related], links: Sequence[Link], stories: Sequence[Story]
) -> Iterator[Drop]:
    """Yield a drop for each admitted relation that no link and no story of the report expresses."""
    for relation in related:
        if relation.kind == "issue":
            is_reported = any(_is_in_link(relation, link) for link in links)
            reason = "GitHub records another relation of the two"
        else:
            is_reported = any(_is_in_story(relation, story) for story in stories)
            reason = "no story of the report tells it"
        if is_reported:
            continue
        yield Drop(
            repo=relation.change.repo,
            verdict="out of scope",
            check="relation",
            about=(relation.change, relation.other),
            free=True,
            reason=f"{relation.change} {relation.relation.value} {relation.other}: {reason}",
        )


def _is_in_link(relation: Related, link: Link) -> bool:
    if (link.issue, link.change) != (relation.other, relation.change):
        return False
    return link.relation is relation.relation


def _is_in_story(relation: Related, story: Story) -> bool:
    if relation.other not in story.steps:
        return False
    acts = _ACTS.get(relation.relation, ())
    return any(step.cite == relation.change and step.act in acts for step in story.timeline)
