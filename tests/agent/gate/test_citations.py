"""What a claim cites is well named, exists, belongs here, and was read."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from agent.domain.claims import Quote
from agent.gate.check import refusals

Make = Callable[..., Any]


@pytest.fixture
def wrong(make_claim: Make, make_dossier: Make) -> Make:
    """List what is wrong with a fact that cites this evidence; a name cites what is not there."""

    def run(*evidence: Any, dossier: dict[str, Any] | None = None, **about: Any) -> list[Any]:
        found = [one for one in evidence if not isinstance(one, str)]
        claim = make_claim(*evidence, **{"predicate": "fact", "text": "It is so.", **about})
        return refusals(claim, make_dossier(*found, **(dossier or {})), "en")

    return run


def test_a_fact_of_the_day_that_was_read_passes(wrong: Make, make_commit: Make) -> None:
    commit = make_commit()
    assert wrong(commit, dossier={"seen": frozenset({commit.id})}) == []


def test_a_claim_that_cites_nothing_is_malformed(wrong: Make) -> None:
    assert "nothing is cited" in wrong()[0].reason


@pytest.mark.parametrize("cite", ["c1", "octo/router", "octo/router@" + "a" * 39, "octo/router#0", "octo/router@A" * 2])
def test_a_citation_that_is_no_name_of_evidence_is_malformed(wrong: Make, cite: str) -> None:
    found = wrong(cite)
    assert found[0].verdict == "malformed"
    assert cite in found[0].reason


def test_evidence_is_cited_once_and_everything_spoken_of_is_cited(wrong: Make, make_commit: Make) -> None:
    commit = make_commit()
    assert "twice" in wrong(commit, commit)[0].reason
    assert "spoken of and not cited" in wrong(commit, about=("octo/router#7",))[0].reason
    assert "spoken of and not cited" in wrong(commit, quotes=(Quote(cite="octo/router#7", text="x"),))[0].reason


def test_every_citation_that_is_not_there_is_listed(wrong: Make) -> None:
    found = wrong("octo/router@" + "b" * 40, "octo/router#9")
    assert [one.verdict for one in found] == ["nonexistent"] * 2


def test_another_repository_and_another_day_are_out_of_scope(wrong: Make, make_commit: Make) -> None:
    assert wrong(make_commit(repo="octo/other"))[0].check == "repository"
    assert wrong(make_commit(at=datetime(2026, 2, 5, 1, tzinfo=UTC)))[0].check == "window"
    early = make_commit(at=datetime(2026, 2, 3, 1, tzinfo=UTC))
    assert wrong(early)[0].check == "window"
    assert wrong(early, dossier={"late": frozenset({early.id})}) == []


def test_evidence_of_earlier_days_may_stand_in_the_background(wrong: Make, make_commit: Make) -> None:
    early = make_commit(sha="c" * 40, at=datetime(2026, 2, 1, 1, tzinfo=UTC))
    now = make_commit()
    assert wrong(now, early, cites=(now.id,), background=(early.id,)) == []


def test_what_this_run_has_not_read_is_unseen(wrong: Make, make_commit: Make) -> None:
    assert wrong(make_commit(), dossier={"seen": frozenset()})[0].verdict == "unseen"
