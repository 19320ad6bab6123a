"""What a claim cites is well named, exists, belongs here, and was read."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.domain.claims import Quote
from tests.agent.gate.conftest import DAY, make_commit, make_issue, wrong


def test_a_fact_of_the_day_that_was_read_passes_and_what_was_not_read_is_unseen() -> None:
    commit = make_commit()
    assert wrong(commit, evidence_set={"seen": frozenset({commit.id})}) == []
    assert wrong(commit, evidence_set={"seen": frozenset()})[0].verdict == "unseen"


def test_a_claim_that_cites_nothing_is_malformed() -> None:
    assert "nothing is cited" in wrong()[0].reason


@pytest.mark.parametrize(
    "cite", ["c1", "octo/router", "octo/router@" + "a" * 39, "octo/router#0", "octo/router@A" * 2]
)
def test_a_citation_that_is_no_name_of_evidence_is_malformed(cite: str) -> None:
    objections = wrong(cite)
    assert objections[0].verdict == "malformed"
    assert cite in objections[0].reason


def test_evidence_is_cited_once_and_everything_spoken_of_is_cited() -> None:
    commit = make_commit()
    assert "twice" in wrong(commit, commit)[0].reason
    assert "spoken of and not cited" in wrong(commit, about=("octo/router#7",))[0].reason
    assert (
        "spoken of and not cited"
        in wrong(commit, quotes=(Quote(cite="octo/router#7", text="x"),))[0].reason
    )


def test_every_citation_that_is_not_there_is_listed() -> None:
    assert [
        objection.verdict for objection in wrong("octo/router@" + "b" * 40, "octo/router#9")
    ] == ["nonexistent"] * 2


def test_another_repository_and_another_day_are_out_of_scope() -> None:
    assert wrong(make_commit(repo="octo/other"))[0].check == "repository"
    assert wrong(make_commit(at=datetime(2026, 2, 5, 1, tzinfo=UTC)))[0].check == "window"
    assert wrong(make_commit(at=DAY.end))[0].check == "window"
    assert wrong(make_commit(at=DAY.end - timedelta(seconds=1))) == []
    # What is said over all repositories keeps to those of the report.
    over_all = {"repos": frozenset({make_commit().repo})}
    (objection,) = wrong(make_commit(repo="octo/other"), repo=None, evidence_set=over_all)
    assert "of which the report does not speak" in objection.reason
    assert wrong(make_commit(), repo=None, evidence_set=over_all) == []
    early = make_commit(sha="c" * 40, at=datetime(2026, 2, 3, 1, tzinfo=UTC))
    now = make_commit()
    assert wrong(early)[0].check == "window"
    assert wrong(make_commit(at=DAY.start)) == []
    assert wrong(make_commit(at=DAY.start - timedelta(seconds=1)))[0].check == "window"
    assert wrong(early, evidence_set={"late": frozenset({early.id})}) == []
    assert wrong(now, early, cites=(now.id,), background=(early.id,)) == []


def test_an_old_issue_is_cited_beside_a_commit_of_the_day_or_one_that_is_reported_late() -> None:
    before = DAY.start - timedelta(hours=2)
    issue = make_issue(updated_at=before)
    early = make_commit(at=before)
    assert wrong(issue)[0].check == "window"
    assert wrong(issue, make_commit()) == []
    assert wrong(issue, early, evidence_set={"late": frozenset({early.id})}) == []
    assert [no.about for no in wrong(issue, early)] == [issue.id, early.id]
