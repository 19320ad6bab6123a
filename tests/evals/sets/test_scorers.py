"""Scorers: a good report has every point, and each flaw costs what it should and is named."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.claims import Claim, Judgement
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, LedgerRow, Tier
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.questions_and_replies import Reply
from evals.figures import Score
from evals.mirror_commits import FirstParentCommit
from evals.sets.ask import AskQuestion, graded, wrong_with
from evals.sets.citations import GateRuling, steps
from evals.sets.daily import (
    accounted,
    covered,
    gain_in_order,
    in_both_languages,
    mentioned,
    ordered,
    quiet,
)
from evals.sets.stories import StoryEvent, compared
from evals.sets.time_and_token_costs import last_days_with, timed
from evals.sets.twin_worlds import reported
from evals.sets.twin_worlds import wrong_with as mistaken
from evals.sets.windows import once
from evals.worlds.worlds import Twin, twin

REPO = RepoId("octo/engine")
DAY = date(2026, 2, 4)
GRADES: dict[tuple[str, str], int] = {(REPO, "a" * 40): 3, (REPO, "b" * 40): 2, (REPO, "c" * 40): 0}


def row(name: str, tier: Tier, weight: float, depth: Depth = "skim") -> LedgerRow:
    given = {
        "repo": REPO,
        "sha": name * 40,
        "depth": depth,
        "tier": tier,
        "weight": weight,
        "members": 0,
    }
    row_fields = {"reason": "", "late": False, "subject": name, "title": name, "author": "Mira"}
    return LedgerRow.model_validate(
        given | row_fields | {"landed_at": datetime(2026, 2, 4, 9, tzinfo=UTC)}
    )


def claim(name: str, **more: object) -> Claim:
    about = (f"{REPO}@{name * 40}",)
    fields = {"id": name, "repo": REPO, "role": "change", "about": about, "cites": about}
    return Claim.model_validate(fields | {"text": {"en": "It.", "zh": "它。"}} | more)


def report(rows: Sequence[LedgerRow], claims: Sequence[Claim] = ()) -> Report:
    section = RepoSection(repo=REPO, branch="main", tip="a" * 40, coverage="read")
    window = Window.days(DAY, DAY, "UTC")
    return Report(
        window=window, repos=(REPO,), sections=(section,), ledger=tuple(rows), claims=tuple(claims)
    )


def values(scores: Sequence[Score]) -> list[float | None]:
    return [score.value for score in scores]


GOOD = report(
    [row("c", Tier.LOW, 0.1, "group"), row("b", Tier.LOW, 2.0), row("a", Tier.HIGH, 6.0, "deep")],
    [claim("a"), claim("b")],
)


def test_a_good_report_has_every_point() -> None:
    scores = [
        accounted(GOOD, GRADES, "day"),
        mentioned(GOOD, GRADES, "day"),
        covered(GOOD, GRADES, "day"),
    ]
    scores += [quiet(GOOD, GRADES, "day"), in_both_languages(GOOD, GOOD, "day")]
    assert {value for each in scores for value in values(each)} == {1.0}
    assert gain_in_order(ordered(GOOD), GOOD.ledger, GRADES) == 1.0


def test_a_commit_that_is_missing_twice_there_or_of_another_day_is_found() -> None:
    rows = [row("a", Tier.HIGH, 6.0), row("a", Tier.HIGH, 6.0), row("d", Tier.LOW, 1.0)]
    assert values(accounted(report(rows), GRADES, "day")) == [0.0] * 4
    assert values(once(["a", "b", "c"], ["a", "b", "b", "x"], "day")) == [1.0, 0.0, 0.0, 0.0]


def test_the_important_must_be_on_top_and_spoken_of_and_noise_on_top_costs() -> None:
    assert values(mentioned(report([row("a", Tier.HIGH, 6.0)]), GRADES, "day")) == [0.0]
    low = report([row("a", Tier.LOW, 1.0)], [claim("a")])
    assert values(mentioned(low, GRADES, "day")) == [0.0]
    rows = [row("b", Tier.LOW, 1.0, "group"), row("c", Tier.MID, 3.0)]
    assert (
        values(covered(report(rows), GRADES, "day"))
        == values(quiet(report(rows), GRADES, "day"))
        == [0.0]
    )


def test_the_wrong_order_costs_and_one_grade_has_no_order() -> None:
    turned = report([row("a", Tier.LOW, 1.0), row("b", Tier.HIGH, 6.0), row("c", Tier.LOW, 2.0)])
    assert gain_in_order(ordered(turned), turned.ledger, GRADES) == pytest.approx(0.731, abs=0.01)
    alone = report([row("a", Tier.LOW, 1.0)])
    assert gain_in_order(ordered(alone), alone.ledger, GRADES) is None


def test_a_claim_must_be_in_both_reports_and_in_both_languages() -> None:
    assert values(in_both_languages(GOOD, report([], [claim("a")]), "day")) == [1.0, 0.0]
    mute = report([], [claim("a", text={"en": "It."})])
    assert values(in_both_languages(mute, mute, "day")) == [0.0]


def test_a_citation_fails_in_its_own_check_and_is_not_asked_of_again() -> None:
    verdicts = ["supported", "malformed", "out of scope", "unseen", "quote"]
    rulings = [GateRuling(claim("a"), "en", Judgement(verdict=verdict)) for verdict in verdicts]
    assert values(steps(rulings, "nonexistent")) == [1.0, 0.0, 1.0, 1.0, 1.0]
    assert values(steps(rulings, "out of scope")) == [1.0, 0.0, 1.0, 1.0]
    assert values(steps(rulings, "quote")) == [1.0, 0.0]


def test_a_story_is_right_only_with_its_kind_its_doer_its_targets_and_its_gaps() -> None:
    gold = StoryEvent("series", EvidenceId("o/n@b"), frozenset({EvidenceId("o/n@a")}), (2,))
    wrong = [
        StoryEvent("revert", EvidenceId("o/n@b"), frozenset({EvidenceId("o/n@a")}), (2,)),
        StoryEvent("series", EvidenceId("o/n@c"), frozenset({EvidenceId("o/n@a")}), (2,)),
        StoryEvent("series", EvidenceId("o/n@b"), frozenset({EvidenceId("o/n@x")}), (2,)),
        StoryEvent("series", EvidenceId("o/n@b"), frozenset({EvidenceId("o/n@a")}), ()),
    ]
    assert values(compared([gold, *wrong], [gold], "")) == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_an_answer_is_right_when_it_cites_says_and_leaves_out_what_it_should() -> None:
    target = {
        "abstain": False,
        "cites": [[EvidenceId("o/n@a"), "o/n#1"]],
        "says": [["Mira", "mira-k"]],
        "not_says": ["Chidi"],
    }
    ask_question = AskQuestion.model_validate(
        {"id": "q1", "lang": "en", "question": "Who?", "repos": [], "target": target}
    )

    def reply(answer: str, *cited: str, abstained: bool = False) -> Reply:
        return Reply(
            outcome="abstained" if abstained else "answered", lang="en", answer=answer, cites=cited
        )

    assert wrong_with(ask_question, reply("It was mira.", "o/n#1")) == ""
    assert "does not cite" in wrong_with(ask_question, reply("It was Mira.", EvidenceId("o/n@b")))
    assert "does not say 'Mira'" in wrong_with(
        ask_question, reply("Somebody.", EvidenceId("o/n@a"))
    )
    assert "says 'Chidi'" in wrong_with(ask_question, reply("Mira, or Chidi.", EvidenceId("o/n@a")))
    none = ask_question.model_copy(
        update={"target": ask_question.target.model_copy(update={"abstain": True})}
    )
    silent = reply("", abstained=True)
    figures = graded(
        [ask_question, ask_question, none, none],
        [reply("Mira.", EvidenceId("o/n@a")), silent, silent, reply("Mira.", EvidenceId("o/n@a"))],
    )
    assert [figure.value for figure in figures.values()] == [0.5, 0.5]


@pytest.mark.parametrize("kind", ["number", "fixed", "undone", "author"])
async def test_a_report_on_one_twin_is_right_for_it_and_wrong_for_the_other(
    kind: str, tmp_path: Path
) -> None:
    first_twin = twin(kind, 4, "one", tmp_path)
    made = await reported(first_twin)
    assert mistaken(made, first_twin, kind) == ""
    assert (
        mistaken(
            made, Twin(first_twin.world, first_twin.sha, first_twin.not_says, first_twin.says), kind
        )
        != ""
    )


def test_a_long_window_ends_before_the_newest_day_and_programs_are_timed() -> None:
    newest = datetime(2026, 2, 10, 12, tzinfo=UTC)
    days = last_days_with(
        [
            FirstParentCommit(str(number), newest - timedelta(hours=6 * number))
            for number in range(40)
        ],
        12,
    )
    assert days[-1] == date(2026, 2, 9)
    assert len(days) in (3, 4)
    assert timed(["git", "--version"]).clock > 0
