"""The gate of the harness: it names the case that broke it."""

from pathlib import Path

import pytest

from agent.domain.base import ConfigError
from evals.figures import Figure, Score, Target, crashed, measure, share
from evals.gate import LIMITS, Limits, breaches, compared, load_limits, shares
from evals.results import lines_of
from gitzette.evaluation import SETS

RULES = Limits(sets=("daily",), invariants={"daily": ("citations",)}, drops={"default": 0.01, "daily/order": 0.1})


def figures(*values: float, sense: str = "at least") -> Figure:
    target = Target(0.5, "at most" if sense == "at most" else "at least")
    return share([Score(f"claim {place}", value, f"c{place}") for place, value in enumerate(values)], target)


def test_a_broken_invariant_names_the_claim_and_the_case() -> None:
    found = breaches({"daily": {"citations": figures(1.0, 0.0, 1.0)}}, RULES)
    assert [str(one) for one in found] == ["daily: citations: case c1: claim 1"]


def test_an_invariant_is_broken_by_one_case_even_where_the_target_is_met() -> None:
    met = figures(*([1.0] * 99), 0.0)
    assert met.ok is True
    assert len(breaches({"daily": {"citations": met}}, RULES)) == 1


def test_an_invariant_that_was_not_measured_is_broken() -> None:
    assert "was not measured" in str(breaches({"daily": {}}, RULES)[0])
    assert "was not measured" in str(breaches({"daily": {"citations": share([], Target(1.0))}}, RULES)[0])


def test_many_broken_cases_are_counted_behind_the_first_ones() -> None:
    found = breaches({"daily": {"citations": figures(*([0.0] * 9))}}, RULES)
    assert [one.case for one in found] == ["c0", "c1", "c2", "c3", "c4", ""]
    assert found[-1].why == "and 4 more"


def test_a_set_that_crashed_breaks_the_gate_once() -> None:
    previous = {"sets": {"daily": {"order": 0.8}}}
    (found,) = breaches({"daily": {"ran to its end": crashed("daily", "KeyError: 'x'")}}, RULES, previous)
    assert "KeyError" in found.why


def test_when_all_holds_the_gate_holds() -> None:
    assert breaches({"daily": {"citations": figures(1.0, 1.0)}, "links": {"F1": figures(0.0)}}, RULES) == []


def test_a_figure_may_fall_as_far_as_its_limit_and_no_further() -> None:
    previous = {"sets": {"daily": {"order": 0.8, "quiet": 0.8}}}
    near = {"daily": {"citations": figures(1.0), "order": figures(1.0, 1.0, 1.0, 0.0), "quiet": figures(0.8)}}
    assert breaches(near, RULES, previous) == []
    far = {"daily": {"citations": figures(1.0), "order": figures(1.0, 0.0), "quiet": figures(0.78)}}
    assert [one.metric for one in breaches(far, RULES, previous)] == ["order", "quiet"]


def test_a_figure_that_should_be_low_must_not_rise() -> None:
    previous = {"sets": {"mutants": {"alarms": 0.0}}}
    risen = {"mutants": {"alarms": figures(1.0, 0.0, sense="at most")}}
    assert [one.metric for one in breaches(risen, RULES, previous)] == ["alarms"]
    calm = {"mutants": {"alarms": figures(0.0, 0.0, sense="at most")}}
    assert breaches(calm, RULES, {"sets": {"mutants": {"alarms": 0.5}}}) == []


def test_a_figure_that_is_gone_is_missed_but_a_set_that_was_not_run_is_not() -> None:
    previous = {"sets": {"daily": {"order": 0.8}, "links": {"F1": 0.9}}}
    (found,) = breaches({"daily": {"citations": figures(1.0)}}, RULES, previous)
    assert "not measured any more" in found.why


def test_what_is_kept_for_the_next_release_are_shares_and_not_seconds() -> None:
    kept = shares({"daily": {"order": figures(1.0, 0.0), "seconds": measure([3.0], Target(9, "at most"))}, "x": {}})
    assert kept == {"sets": {"daily": {"order": 0.5}}}


def test_two_runs_are_compared_case_by_case() -> None:
    before = [line.as_json() for line in lines_of({"daily": {"order": figures(1.0, 0.0, 1.0, 1.0)}})]
    (change,) = compared({"daily": {"order": figures(0.0, 1.0, 1.0)}}, before)
    assert (change.pairs, change.better, change.worse) == (3, ("c1",), ("c0",))
    assert change.mean == 0.0
    (worse,) = compared({"daily": {"order": figures(0.0, 0.0, 0.0, 0.0)}}, before)
    assert worse.mean == -0.75
    assert not worse.clearly_worse or worse.high < 0


def test_fewer_alarms_are_better() -> None:
    before = [line.as_json() for line in lines_of({"m": {"alarms": figures(1.0, sense="at most")}})]
    (change,) = compared({"m": {"alarms": figures(0.0, sense="at most")}}, before)
    assert change.better == ("c0",)
    assert change.mean == 1.0


def test_the_limits_of_the_house_name_sets_that_there_are() -> None:
    limits, known = load_limits(LIMITS), {one.name for one in SETS}
    assert set(limits.sets) <= known
    assert set(limits.invariants) <= set(limits.sets)


def test_limits_that_cannot_be_read_are_an_error_of_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text('sets = ["daily"]\n[invariant]\n')
    with pytest.raises(ConfigError, match="invariant"):
        load_limits(file)
