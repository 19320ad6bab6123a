"""What a model related and a judge admitted: which links it replaces and how these are told."""

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Grade, Link, Related, Relation
from agent.links.admitted_relation_links import missing_relations, predicate_of, with_link
from agent.stories.timeline import headline, step, story
from tests.made_commits import made_commit

REPO = RepoId("octo/router")


def link(
    relation: Relation, grade: Grade = Grade.B, *, number: int = 12, by_issue: bool = False
) -> Link:
    return Link(
        issue=EvidenceId.thread(REPO, number),
        change=EvidenceId.commit(REPO, "a" * 40),
        relation=relation,
        grade=grade,
        by_issue=by_issue,
    )


@pytest.mark.parametrize(
    ("told", "state", "predicate"),
    [
        (link(Relation.FIXES, Grade.A), "closed", "fixes"),
        (link(Relation.FIXES, Grade.B), "open", "addresses"),
        # A likely fix is told as one, whether the issue is open or not.
        (link(Relation.FIXES, Grade.C), "open", "likely fixes"),
        (link(Relation.FIXES, Grade.C), "closed", "likely fixes"),
        (link(Relation.PARTLY, Grade.B), "open", "partly fixes"),
        (link(Relation.PARTLY, Grade.C), "open", "likely partly fixes"),
        (link(Relation.MENTIONS, Grade.C), "open", "refers to"),
        # A reference by the issue is not told of the commit.
        (link(Relation.MENTIONS, by_issue=True), "open", ""),
        (link(Relation.INTRODUCED, Grade.C), "open", ""),
    ],
)
def test_a_link_is_told_by_its_relation_its_grade_and_the_state_of_the_issue(
    told: Link, state: str, predicate: str
) -> None:
    assert predicate_of(told, state) == predicate


@pytest.mark.parametrize(
    ("known", "admitted", "expected"),
    [
        # A plain reference and an equal relation give way.
        (link(Relation.MENTIONS), link(Relation.FIXES), [Relation.FIXES]),
        (link(Relation.PARTLY), link(Relation.PARTLY), [Relation.PARTLY]),
        # What GitHub records as fixed can only become partly fixed.
        (link(Relation.FIXES, Grade.A), link(Relation.FIXES, Grade.C), [Relation.FIXES]),
        (link(Relation.FIXES, Grade.A), link(Relation.PARTLY), [Relation.PARTLY]),
        # Any other relation stands beside it.
        (
            link(Relation.FIXES, Grade.A),
            link(Relation.BECAUSE),
            [Relation.FIXES, Relation.BECAUSE],
        ),
        (link(Relation.PARTLY), link(Relation.FIXES), [Relation.PARTLY, Relation.FIXES]),
    ],
)
def test_an_admitted_relation_replaces_what_says_less_of_the_same_pair(
    known: Link, admitted: Link, expected: list[Relation]
) -> None:
    other = link(Relation.MENTIONS, number=13)
    links = with_link([known, other], admitted)
    assert [one.relation for one in links if one.issue == known.issue] == expected
    assert other in links


def test_a_recorded_fix_keeps_its_grade_when_a_likely_one_is_admitted() -> None:
    recorded = link(Relation.FIXES, Grade.A)
    assert with_link([recorded], link(Relation.FIXES, Grade.C)) == [recorded]
    judged = link(Relation.FIXES, Grade.C)
    assert with_link([link(Relation.FIXES, Grade.B)], judged) == [judged]


def related(relation: Relation, other: str) -> Related:
    return Related(
        change=EvidenceId.commit(REPO, "b" * 40),
        other=EvidenceId.commit(REPO, other * 40),
        relation=relation,
        anchors=(),
        grade=Grade.C,
    )


@pytest.mark.parametrize(
    ("relation", "other", "is_missing"),
    [
        (Relation.INTRODUCED, "a", False),
        # Another relation of the two, and the same one with a commit of which no step tells.
        (Relation.NEEDS, "a", True),
        (Relation.INTRODUCED, "c", True),
    ],
)
def test_an_admitted_relation_that_no_story_tells_is_dropped_with_a_reason(
    relation: Relation, other: str, *, is_missing: bool
) -> None:
    act: Act = "mended"
    first = step(REPO, headline(made_commit(sha="a" * 40)), "landed")
    last = step(REPO, headline(made_commit(sha="b" * 40)), act, after=(first.cite,))
    told = story("same-lines", REPO, [first, last])
    drops = list(missing_relations([related(relation, other)], [], [told]))
    assert [drop.check for drop in drops] == (["relation"] if is_missing else [])
