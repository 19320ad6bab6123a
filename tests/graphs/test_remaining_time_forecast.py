"""How long a run takes, by the answers so far: said once, and what does not fit is left out."""

import pytest

from agent.domain.base import RepoId
from agent.model_errors import ModelError
from graphs.remaining_time_forecast import Forecast, duration
from tools.chat.budget import Cap, RunBudget

ROUTER = RepoId("octo/router")
ENGINE = RepoId("octo/engine")


def after_first_answer(commits: int = 6) -> Forecast:
    """Expect commits of two repositories; the first answer took a minute."""
    forecast = Forecast()
    forecast.expect(ROUTER, commits, longest_question=6_000)
    forecast.expect(ENGINE, commits, longest_question=6_000)
    forecast.answered("reading", sent=1_600, received=50, seconds=60)
    return forecast


def test_before_the_first_answer_nothing_is_said() -> None:
    forecast = Forecast()
    forecast.expect(ROUTER, 6, longest_question=6_000)
    assert forecast.remark(None, 7_200) is None


def test_the_first_answer_tells_how_long_the_rest_takes_and_that_is_said_once() -> None:
    forecast = after_first_answer()
    remark = forecast.remark(1, 36_000)
    assert remark is not None
    assert "12 commits are to be explained, which takes about" in remark
    assert "model_seconds" not in remark
    assert forecast.remark(1, 36_000) is None


def test_where_the_time_is_not_enough_it_is_said_how_many_commits_fit() -> None:
    forecast = after_first_answer()
    needed = forecast.seconds_left(1)
    remark = forecast.remark(1, needed / 2)
    assert remark is not None
    assert remark.endswith("enough for about 6: the most important come first")


def test_a_short_run_needs_no_announcement() -> None:
    forecast = Forecast()
    forecast.expect(ROUTER, 6, longest_question=6_000)
    forecast.answered("reading", sent=1_600, received=50, seconds=1)
    assert forecast.remark(4, 7_200) is None


def test_answers_about_commits_take_the_place_of_the_first_guess() -> None:
    forecast = after_first_answer()
    forecast.answered("writing", sent=6_000, received=400, seconds=100)
    forecast.answered("judging", sent=6_000, received=200, seconds=50)
    assert forecast.commit_seconds() == 200
    assert forecast.seconds_left(1) == 200 * (12 + 3)


def test_nothing_is_left_out_because_of_a_guess_from_other_questions() -> None:
    forecast = after_first_answer()
    assert forecast.surely_needed(1, other_tasks=0) == 0
    forecast.answered("writing", sent=6_000, received=400, seconds=100)
    forecast.answered("judging", sent=6_000, received=200, seconds=50)
    # Two repositories share the server, and the brief comes last.
    assert forecast.surely_needed(1, other_tasks=0) == 2 * 200 + 200


@pytest.mark.parametrize(
    ("seconds", "words"), [(4, "4 s"), (95, "2 min"), (4_000, "67 min"), (8_100, "2 h 15 min")]
)
def test_durations_are_rounded(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_time_in_our_own_queue_does_not_count_for_a_repository() -> None:
    now = 0.0
    budget = RunBudget(run=Cap(seconds=1_000), account=Cap(seconds=100), clock=lambda: now)
    budget.begin_call("oracle-1", "octo/router", 10)
    first = budget.watch("octo/router")
    second = budget.watch("octo/router")
    now = 500.0  # Both waited for questions of other repositories.
    first.start()
    second.start()
    now = 560.0
    first.stop()
    second.stop()
    budget.begin_call("oracle-1", "octo/router", 10)
    first.start()
    now = 620.0
    first.stop()
    with pytest.raises(ModelError, match="octo/router has used its 100 seconds"):
        budget.begin_call("oracle-1", "octo/router", 10)
    budget.begin_call("oracle-1", "octo/engine", 10)
    assert budget.seconds_left() == 380
