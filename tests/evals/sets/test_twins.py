"""Worlds that differ in one fact, and the scorer that tells them apart."""

from pathlib import Path

import pytest

from agent.domain.claims import Claim
from agent.domain.report import Report
from evals.sets.twins import _report, wrong_with
from evals.worlds.worlds import KINDS, Twin, twin


@pytest.mark.parametrize("kind", KINDS)
def test_twins_have_the_same_work_and_differ_in_what_tells_them_apart(kind: str, tmp_path: Path) -> None:
    one, other = (twin(kind, 3, which, tmp_path / which) for which in ("one", "other"))
    assert one.says == other.not_says
    assert one.not_says == other.says
    assert one.says != other.says
    if kind not in ("undone",):
        assert [row.files for row in one.world.landed] == [row.files for row in other.world.landed]


@pytest.mark.parametrize("kind", ["number", "fixed", "undone", "author"])
async def test_a_report_on_one_twin_is_right_for_it_and_wrong_for_the_other(kind: str, tmp_path: Path) -> None:
    one = twin(kind, 4, "one", tmp_path)
    report = await _report(one)
    assert wrong_with(report, one, kind) == ""
    mistaken = Twin(one.world, one.sha, one.not_says, one.says)
    assert wrong_with(report, mistaken, kind) != ""


async def test_saying_both_facts_or_citing_something_else_is_wrong(tmp_path: Path) -> None:
    one = twin("renamed", 5, "one", tmp_path)
    report = await _report(one)

    def said(claim: Claim, **values: object) -> Report:
        return report.model_copy(update={"claims": (claim.model_copy(update=values),)})

    claim = next(claim for claim in report.claims_about(one.sha) if one.says in claim.text.get("en", ""))
    assert wrong_with(said(claim), one, "renamed") == ""
    both = {lang: f"{text} {one.not_says}" for lang, text in claim.text.items()}
    assert "is said" in wrong_with(said(claim, text=both), one, "renamed")
    assert "is not said" in wrong_with(said(claim, cites=()), one, "renamed")
    longer = {lang: text.replace(one.says, f"{one.says}_v2") for lang, text in claim.text.items()}
    assert "is not said" in wrong_with(said(claim, text=longer), one, "renamed")
