"""Each check of a citation has its own figure."""

from collections.abc import Sequence

import pytest

from agent.domain.base import RepoId
from agent.domain.claims import Claim, Judgement, Role, Verdict
from evals.sets.citation_scores import Judged, citation_figures

REPO = RepoId("octo/engine")


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
