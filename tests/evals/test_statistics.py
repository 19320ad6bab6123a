"""Intervals, pairs and passing every time."""

import pytest

from evals.statistics import bootstrap, paired, pass_hat


def test_an_interval_holds_the_mean_and_is_the_same_from_the_same_seed() -> None:
    values = [0.0, 1.0, 1.0, 0.5] * 25
    one = bootstrap(values)
    assert one == bootstrap(values)
    assert one.mean == pytest.approx(0.625)
    assert 0.5 < one.low < one.mean < one.high < 0.75


def test_more_cases_make_a_narrower_interval_also_beyond_the_number_that_is_drawn() -> None:
    few, many = bootstrap([0.0, 1.0] * 50), bootstrap([0.0, 1.0] * 5_000)
    assert (many.high - many.low) < (few.high - few.low) / 5


def test_values_that_are_all_equal_leave_no_doubt_and_none_at_all_is_an_error() -> None:
    assert bootstrap([0.7, 0.7]).low == bootstrap([0.7, 0.7]).high == pytest.approx(0.7)
    with pytest.raises(ValueError, match="nothing"):
        bootstrap([])


def test_pairs_show_a_difference_that_means_alone_would_hide() -> None:
    old = [place / 100 for place in range(100)]
    new = [value + 0.01 for value in old]
    apart = paired(new, old)
    assert apart.low == pytest.approx(0.01)
    assert paired(old, new).high < 0
    with pytest.raises(ValueError, match="no pairs"):
        paired([1.0], [1.0, 0.0])


def test_passing_k_times_is_the_chance_that_all_of_k_trials_pass() -> None:
    assert pass_hat([[True, True, True]], 3) == 1.0
    assert pass_hat([[True, True, False]], 2) == pytest.approx(1 / 3)
    assert pass_hat([[True, True], [False, True]], 1) == pytest.approx(0.75)
    assert pass_hat([[True, True], [False, True]], 2) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="needs 3"):
        pass_hat([[True]], 3)
