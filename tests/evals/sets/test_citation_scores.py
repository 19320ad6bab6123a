"""Each check of a citation has its own figure, and types are averaged by type."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from agent.domain.base import RepoId
from agent.domain.claims import Claim, Judgement, Role, Verdict
from agent.domain.report import Depth, LedgerRow
from agent.triage.conventions import Purpose
from evals.sets.citation_scores import Judged, citation_figures
from evals.sets.type_scores import macro_f1, typed
from evals.worlds.model import Edit, LandedGold

REPO = RepoId("octo/engine")
AT = datetime(2026, 2, 4, 9, tzinfo=UTC)


def claim(*cites: str) -> Claim:
    fields = {"id": "c", "repo": REPO, "role": Role.CHANGE, "about": cites[:1], "cites": cites}
    return Claim.model_validate(fields | {"text": {"en": "It.", "zh": "它。"}})


def judged(*verdicts: Verdict) -> list[Judged]:
    return [Judged("day", claim("a"), Judgement(verdict=one)) for one in verdicts]


def value(name: str, of: Sequence[Judged]) -> tuple[float | None, int]:
    figure = citation_figures(of)[name]
    return figure.value, figure.n


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("citations that exist", Verdict.NONEXISTENT),
        ("citations within the window and the repositories", Verdict.OUT_OF_SCOPE),
        ("citations that were read", Verdict.UNSEEN),
        ("numbers that stand in the evidence", Verdict.NUMBER),
    ],
)
def test_a_failure_counts_in_its_own_check_and_is_not_asked_of_again(name: str, verdict: Verdict) -> None:
    assert value(name, judged(Verdict.SUPPORTED, verdict)) == (0.5, 2)
    assert value(name, judged(Verdict.SUPPORTED, Verdict.UNSUPPORTED)) == (1.0, 2)
    if verdict is not Verdict.NONEXISTENT:
        assert value(name, judged(Verdict.SUPPORTED, Verdict.NONEXISTENT)) == (1.0, 1)


def test_what_is_malformed_does_not_exist() -> None:
    assert value("citations that exist", judged(Verdict.SUPPORTED, Verdict.MALFORMED)) == (0.5, 2)


def test_a_claim_that_fails_any_check_is_counted() -> None:
    assert value("claims that pass every check", judged(Verdict.SUPPORTED, Verdict.UNSUPPORTED)) == (0.5, 2)


def row(sha: str, purpose: Purpose | None) -> LedgerRow:
    told = {"reason": "", "late": False, "subject": sha, "title": sha, "author": "Mira", "members": 0}
    return LedgerRow.model_validate(
        told | {"repo": REPO, "sha": sha, "depth": Depth.SKIM, "landed_at": AT, "purpose": purpose}
    )


def gold(sha: str, *edits: str) -> LandedGold:
    return LandedGold(REPO, sha, AT, (), 0, (), edits=tuple(Edit(kind=kind, path="a.py") for kind in edits))


def test_types_are_averaged_by_type_and_mixed_commits_are_not_asked() -> None:
    rows = [row("a", Purpose.FIX), row("b", Purpose.FIX), row("c", Purpose.DOCS), row("d", None), row("e", Purpose.FIX)]
    truth = [gold("a", "fix_bug"), gold("b", "add_flag"), gold("c", "reword_doc"), gold("d", "reword_doc")]
    pairs = typed(rows, [*truth, gold("e", "fix_bug", "add_flag")])
    assert pairs == [("fix", "fix"), ("feature", "fix"), ("documents", "documents"), ("documents", "none")]
    assert macro_f1(pairs).value == pytest.approx((2 / 3 + 0.0 + 2 / 3) / 3)
