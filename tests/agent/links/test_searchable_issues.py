"""Whether an issue is fixed follows from its state and from what commits do about it."""

from typing import Any

import pytest

from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Link, Relation
from agent.domain.threads import Issue
from agent.links.searchable_issues import standing
from tests.agent.gate.conftest import REPO, make_issue

OPEN = {"state": "open", "state_reason": None, "closed_at": None}
CLOSED = {"state": "closed"}


def link(relation: Relation, grade: Grade = Grade.A, *evidence: str, issue: int = 12) -> Link:
    return Link(
        issue=EvidenceId.thread(REPO, issue),
        change=EvidenceId.commit(REPO, "a" * 40),
        relation=relation,
        grade=grade,
        evidence=evidence,
    )


FIX = link(Relation.FIXES)
REVERT = link(Relation.REVERTS)
RELAND = link(Relation.FIXES, Grade.A, "brings back abc")


@pytest.mark.parametrize(
    ("state", "links", "expected"),
    [
        (OPEN, [], "open"),
        (CLOSED, [], "closed"),
        (CLOSED, [FIX], "fixed"),
        (OPEN, [FIX], "addressed, still open"),
        (CLOSED, [link(Relation.FIXES, issue=13)], "closed"),
        (OPEN | {"state_reason": "reopened"}, [FIX], "reopened"),
        (CLOSED | {"state_reason": "reopened"}, [FIX], "fixed"),
        (CLOSED | {"state_reason": "not_planned"}, [FIX], "not planned"),
        (CLOSED | {"state_reason": "duplicate"}, [], "not planned"),
        (OPEN, [link(Relation.FIXES, Grade.C)], "likely fixed"),
        (OPEN, [link(Relation.PARTLY)], "open"),
        # A fix counts until it is taken back, and again once it is brought back.
        (CLOSED, [FIX, REVERT], "fixed, but the fix was reverted"),
        (OPEN | {"state_reason": "reopened"}, [FIX, REVERT], "fixed, but the fix was reverted"),
        (CLOSED, [FIX, REVERT, RELAND], "fixed"),
        (CLOSED, [FIX, REVERT, RELAND, REVERT], "fixed, but the fix was reverted"),
        # What is only likely to take it back does not count.
        (CLOSED, [FIX, link(Relation.REVERTS, Grade.C)], "fixed"),
    ],
)
def test_an_issue_stands_by_its_state_and_by_the_last_word_of_commits(
    state: dict[str, Any], links: list[Link], expected: str
) -> None:
    issue = make_issue(**state).thread
    assert isinstance(issue, Issue)
    assert standing(issue, links) == expected
