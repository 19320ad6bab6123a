"""Where a relation that a model named and a judge admitted stands in the report: in a link or in a story."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.domain.links import Act, Grade, Link, Related, Relation, Story
from agent.domain.report import Drop

_ACTS: Mapping[Relation, tuple[Act, ...]] = {
    Relation.INTRODUCED: ("mended",),
    Relation.CONTINUES: ("follow-up", "part"),
    Relation.STEP: ("step",),
    Relation.UNDOES: ("undone", "a part undone"),
    Relation.RELANDS: ("landed again", "a part landed again"),
    Relation.SAME_WORK: ("same work",),
}
"""The steps of stories that tell a relation."""
_PREDICATES: Mapping[Relation, str] = {
    Relation.FIXES: "fixes",
    Relation.PARTLY: "partly fixes",
    Relation.BECAUSE: "reverts because of",
    Relation.CONTINUES: "continues",
    Relation.STEP: "step of",
    Relation.SAME_WORK: "same work",
}
"""The sentences that tell a link; `agent/words` has their words."""


def related_links(links: Sequence[Link], related: Iterable[Related]) -> tuple[Link, ...]:
    """Put the relations with issues in the place of plain references.

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
    """Add a link that a judge admitted, in the place of what says less of the same two."""
    pair = [link for link in links if are_of_one_pair(link, admitted)]
    if admitted.relation is Relation.FIXES and any(link.grade is Grade.A for link in pair):
        return list(links)
    replaced = [link for link in pair if _gives_way(link, admitted)]
    return [*(link for link in links if link not in replaced), admitted]


def are_of_one_pair(link: Link, other: Link) -> bool:
    """Return True if two links tie the same issue to the same change."""
    return (link.issue, link.change) == (other.issue, other.change)


def _gives_way(old: Link, new: Link) -> bool:
    """Return True if a link of the same pair says less than another one, or the same."""
    if old.relation in (Relation.MENTIONS, new.relation):
        return True
    return new.relation is Relation.PARTLY and old.relation is Relation.FIXES


def predicate_of(link: Link, state: str) -> str:
    """Return the sentence that tells a link with an issue of this state; empty where none does."""
    if link.relation is Relation.FIXES and link.grade is not Grade.C and state == "open":
        # A keyword that closed nothing is told with the issue; a reader of both sides says more.
        return "addresses" if link.grade is Grade.B else ""
    predicate = _PREDICATES.get(link.relation, "")
    return f"likely {predicate}" if predicate and link.grade is Grade.C else predicate


def with_judges(stories: Iterable[Story], related: Sequence[Related]) -> Iterator[Story]:
    """Yield stories, each with the judge of a relation that it tells, if it tells one."""
    for story in stories:
        judges = [one.judged_by for one in related if _is_told_by_story(one, story)]
        yield story.model_copy(update={"judged_by": judges[0]}) if judges else story


def untold_relations(
    related: Iterable[Related], links: Sequence[Link], stories: Sequence[Story]
) -> Iterator[Drop]:
    """Yield a drop for each admitted relation that neither a link nor a story of the report tells."""
    for relation in related:
        if relation.kind == "issue":
            told = any(_is_told_by_link(relation, link) for link in links)
            reason = "GitHub records another relation of the two"
        else:
            told = any(_is_told_by_story(relation, story) for story in stories)
            reason = "no story of the report tells it"
        if not told:
            yield Drop(
                repo=relation.change.repo,
                verdict="out of scope",
                check="relation",
                about=(relation.change, relation.other),
                free=True,
                reason=f"{relation.change} {relation.relation.value} {relation.other}: {reason}",
            )


def _is_told_by_link(relation: Related, link: Link) -> bool:
    ends = (relation.other, relation.change, relation.relation)
    return (link.issue, link.change, link.relation) == ends


def _is_told_by_story(relation: Related, story: Story) -> bool:
    if relation.other not in story.steps:
        return False
    acts = _ACTS.get(relation.relation, ())
    return any(step.cite == relation.change and step.act in acts for step in story.timeline)
