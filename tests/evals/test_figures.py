"""Figures made of scores."""

import pytest

from evals.figures import MEASURED, Score, Target, crashed, is_wrong, measure, share


def test_a_share_is_the_mean_with_the_interval_of_wilson() -> None:
    figure = share([Score("well", 1.0)] * 9 + [Score("badly", 0.0)], Target(0.9))
    assert figure.value == pytest.approx(0.9)
    assert figure.n == 10
    assert figure.ok is True
    assert figure.low == pytest.approx(0.5958, abs=1e-3)
    assert figure.high == pytest.approx(0.9821, abs=1e-3)
    assert figure.worst == ("badly",)


def test_a_share_just_below_its_target_is_missed_and_one_at_it_is_met() -> None:
    scores = [Score("", 1.0)] * 96 + [Score("no", 0.0)] * 4
    assert share(scores, Target(0.96)).ok is True
    assert share(scores, Target(0.961)).ok is False
    assert share(scores, Target(0.96, "at most")).ok is True
    assert share(scores, Target(0.95, "at most")).ok is False


def test_what_could_not_be_scored_counts_as_failed() -> None:
    assert share([Score("unreadable", None), Score("", 1.0)], Target(1.0)).value == pytest.approx(0.5)


def test_nothing_to_score_is_neither_good_nor_bad() -> None:
    for figure in (share([], Target(1.0)), measure([], Target(1.0))):
        assert (figure.value, figure.n, figure.ok) == (None, 0, None)


def test_of_things_there_should_be_few_of_the_present_ones_are_named() -> None:
    figure = share([Score("alarm", 1.0), Score("calm", 0.0)], Target(0.1, "at most"))
    assert figure.worst == ("alarm",)
    assert [is_wrong(figure, score) for score in figure.scores] == [True, False]


def test_a_measured_quantity_is_the_median_with_its_extremes() -> None:
    figure = measure([9.0, 1.0, 2.0], Target(3, "at most"))
    assert (figure.value, figure.low, figure.high, figure.ok) == (2.0, 1.0, 9.0, True)
    assert {score.verdict for score in figure.scores} == {MEASURED}
    assert not any(is_wrong(figure, score) for score in figure.scores)
    assert measure([9.0], Target(3, "at most")).ok is False


def test_scores_between_right_and_wrong_get_an_interval_that_is_drawn_from_them() -> None:
    figure = share([Score("", value / 10) for value in range(11)], Target(0.0))
    assert figure.low is not None
    assert figure.high is not None
    assert 0.25 < figure.low < 0.5 < figure.high < 0.75


def test_plain_data_of_a_figure_is_without_its_scores() -> None:
    data = share([Score("", 1.0)], Target(1.0)).as_json()
    assert "scores" not in data
    assert data["value"] == 1.0


def test_a_set_that_crashed_has_failed() -> None:
    figure = crashed("links", "KeyError: 'sha'")
    assert figure.ok is False
    assert figure.worst == ("KeyError: 'sha'",)
