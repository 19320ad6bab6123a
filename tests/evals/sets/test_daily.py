"""What a day's report is scored by: a good report passes, each flaw costs what it should."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

import pytest

from agent.domain.base import RepoId
from agent.domain.claims import Claim, Role
from agent.domain.commits import Coverage
from agent.domain.ledger import Depth, LedgerRow, Tier
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from evals.figures import Score
from evals.sets.daily_scores import accounted, covered, gain_in_order, in_both_languages, ordered, quiet, told

REPO = RepoId("octo/engine")
GRADES: dict[tuple[str, str], int] = {(REPO, "a" * 40): 3, (REPO, "b" * 40): 2, (REPO, "c" * 40): 0}


def row(name: str, tier: Tier, weight: float, depth: Depth = Depth.SKIM) -> LedgerRow:
    return LedgerRow(
        repo=REPO,
        sha=name * 40,
        depth=depth,
        reason="",
        late=False,
        subject=name,
        title=name,
        author="Mira",
        landed_at=datetime(2026, 2, 4, 9, tzinfo=UTC),
        members=0,
        tier=tier,
        weight=weight,
    )


def claim(name: str, **more: object) -> Claim:
    about = (f"{REPO}@{name * 40}",)
    fields = {"id": name, "repo": REPO, "role": Role.CHANGE, "about": about, "cites": about}
    return Claim.model_validate(fields | {"text": {"en": "It.", "zh": "它。"}} | more)


def report(rows: Sequence[LedgerRow], claims: Sequence[Claim] = ()) -> Report:
    day = date(2026, 2, 4)
    section = RepoSection(repo=REPO, branch="main", tip="a" * 40, coverage=Coverage.READ)
    window = Window.days(day, day, "UTC")
    return Report(window=window, repos=(REPO,), sections=(section,), ledger=tuple(rows), claims=tuple(claims))


def values(scores: Sequence[Score]) -> list[float | None]:
    return [score.value for score in scores]


GOOD = report(
    [row("c", Tier.LOW, 0.1, Depth.GROUP), row("b", Tier.LOW, 2.0), row("a", Tier.HIGH, 6.0, Depth.DEEP)],
    [claim("a"), claim("b")],
)


def test_a_good_report_has_every_point() -> None:
    assert set(values(accounted(GOOD, GRADES, "day"))) == {1.0}
    assert values(told(GOOD, GRADES, "day")) == [1.0]
    assert values(covered(GOOD, GRADES, "day")) == [1.0, 1.0]
    assert values(quiet(GOOD, GRADES, "day")) == [1.0]
    assert gain_in_order(ordered(GOOD), GOOD.ledger, GRADES) == 1.0
    assert values(in_both_languages(GOOD, GOOD, "day")) == [1.0, 1.0]


def test_a_commit_that_is_missing_twice_there_or_of_another_day_is_found() -> None:
    rows = [row("a", Tier.HIGH, 6.0), row("a", Tier.HIGH, 6.0), row("d", Tier.LOW, 1.0)]
    assert sorted(score.value or 0.0 for score in accounted(report(rows), GRADES, "day")) == [0.0] * 4


def test_the_important_must_be_on_top_and_spoken_of() -> None:
    assert values(told(report([row("a", Tier.HIGH, 6.0)]), GRADES, "day")) == [0.0]
    assert values(told(report([row("a", Tier.LOW, 1.0)], [claim("a")]), GRADES, "day")) == [0.0]
    highlight = claim("a", repo=None, role=Role.SUMMARY)
    assert values(told(report([row("a", Tier.LOW, 1.0)], [highlight]), GRADES, "day")) == [1.0]


def test_what_is_folded_is_not_covered_and_noise_on_top_costs() -> None:
    rows = [row("b", Tier.LOW, 1.0, Depth.GROUP), row("c", Tier.MID, 3.0)]
    assert values(covered(report(rows), GRADES, "day")) == [0.0]
    assert values(quiet(report(rows), GRADES, "day")) == [0.0]


def test_the_wrong_order_costs_and_one_grade_has_no_order() -> None:
    turned = report([row("a", Tier.LOW, 1.0), row("b", Tier.HIGH, 6.0), row("c", Tier.LOW, 2.0)])
    gain = gain_in_order(ordered(turned), turned.ledger, GRADES)
    assert gain == pytest.approx(0.731, abs=0.01)
    alone = report([row("a", Tier.LOW, 1.0)])
    assert gain_in_order(ordered(alone), alone.ledger, GRADES) is None


def test_a_claim_must_be_in_both_reports_and_in_both_languages() -> None:
    fewer = report([], [claim("a")])
    assert sorted(score.value or 0.0 for score in in_both_languages(GOOD, fewer, "day")) == [0.0, 1.0]
    mute = report([], [claim("a", text={"en": "It."})])
    assert values(in_both_languages(mute, mute, "day")) == [0.0]


def test_quoted_code_needs_no_words() -> None:
    quote = {"cite": f"{REPO}@{'a' * 40}", "text": "+x = 1"}
    shown = report([], [claim("a", text={}, quotes=[quote])])
    assert values(in_both_languages(shown, shown, "day")) == [1.0]
    nothing = report([], [claim("a", text={})])
    assert values(in_both_languages(nothing, nothing, "day")) == [0.0]
