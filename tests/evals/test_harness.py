"""Figures made of scores, the gate that names the case that broke it, and how an evaluation reads."""

import json
import re
from pathlib import Path

import pytest

from agent.domain.errors import ConfigError, InputError, UsageError
from evals.figures import Exhibit, Figure, Figures, Score, Target, crashed, measure, share
from evals.harness import Bench, Crash, EvalSet, attempt, choose, run_set
from evals.limits import (
    LIMITS,
    PREVIOUS,
    LimitsFile,
    breaches,
    changes,
    load_figures,
    load_limits,
    shares,
)
from evals.result_formats import as_breaches, as_json, as_page, as_table
from gitzette.commands.evaluate import SETS

RULES = LimitsFile(
    sets=("daily",),
    invariants={"daily": ("citations",)},
    drops={"default": 0.01, "daily/order": 0.1},
)


def figure(*values: float) -> Figure:
    return share(
        [Score(f"claim {number}", value, f"c{number}") for number, value in enumerate(values)],
        Target(0.5),
    )


def test_a_share_is_the_mean_with_the_interval_of_wilson_and_names_its_failures() -> None:
    result = share([Score("well", 1.0)] * 9 + [Score("badly", 0.0)], Target(0.9))
    assert (result.n, result.ok, result.worst) == (10, True, ("badly",))
    assert [result.value, result.low, result.high] == pytest.approx([0.9, 0.5958, 0.9821], abs=1e-3)
    assert share([Score("alarm", 1.0), Score("calm", 0.0)], Target(0.1, "at most")).worst == (
        "alarm",
    )


def test_a_target_is_met_at_its_limit_and_not_below() -> None:
    scores = [Score("", 1.0)] * 96 + [Score("no", None)] * 4
    limits = [Target(0.96), Target(0.961), Target(0.96, "at most"), Target(0.95, "at most")]
    assert [share(scores, target).ok for target in limits] == [True, False, True, False]


def test_nothing_to_score_is_neither_good_nor_bad_and_a_measure_is_the_median() -> None:
    for empty in (share([]), measure([])):
        assert (empty.value, empty.n, empty.ok) == (None, 0, None)
    result = measure([9.0, 1.0, 2.0], Target(3, "at most"))
    assert (result.value, result.low, result.high, result.ok, result.worst) == (
        2.0,
        1.0,
        9.0,
        True,
        (),
    )


def test_a_broken_invariant_names_the_case_even_where_the_target_is_met() -> None:
    result = breaches({"daily": {"citations": figure(1.0, 0.0, 1.0)}}, RULES, {})
    assert [str(case_set) for case_set in result] == ["daily: citations: case c1: claim 1"]
    many = breaches({"daily": {"citations": figure(*[0.0] * 9)}}, RULES, {})
    assert many[-1].why == "and 4 more"
    for unmeasured in ({}, {"citations": share([])}):
        assert "was not measured" in str(breaches({"daily": unmeasured}, RULES, {})[0])


def test_a_set_that_crashed_breaks_the_gate_once_and_a_figure_may_fall_as_far_as_its_limit() -> (
    None
):
    before = {"daily": {"order": 0.8, "quiet": 0.8}}
    (result,) = breaches({"daily": crashed("daily", "KeyError: 'x'")}, RULES, before)
    assert "KeyError" in result.why
    near = {"citations": figure(1.0), "order": figure(1.0, 1.0, 1.0, 0.0), "quiet": figure(0.8)}
    assert breaches({"daily": near}, RULES, before) == []
    far = {"citations": figure(1.0), "order": figure(1.0, 0.0)}
    assert [breach.metric for breach in breaches({"daily": far}, RULES, before)] == [
        "order",
        "quiet",
    ]


def test_the_limits_and_what_may_not_fall_name_sets_that_there_are(tmp_path: Path) -> None:
    limits = load_limits(LIMITS)
    known = {case_set.name for case_set in SETS}
    assert known >= {*limits.sets, *limits.invariants, *load_figures(PREVIOUS)}
    assert set(limits.sets) >= {*limits.invariants, *load_figures(PREVIOUS)}
    (tmp_path / "limits.toml").write_text('sets = []\ninvariant = "typo"\n')
    with pytest.raises(ConfigError, match="invariant"):
        load_limits(tmp_path / "limits.toml")
    (tmp_path / "none.json").write_text("{nothing")
    with pytest.raises(InputError, match="no figures"):
        load_figures(tmp_path / "none.json")


def test_shares_are_kept_and_another_run_is_compared_figure_by_figure(tmp_path: Path) -> None:
    results = {"daily": {"order": figure(1.0, 0.0), "seconds": measure([2.0])}}
    assert shares(results) == {"sets": {"daily": {"order": 0.5}}}
    (tmp_path / "run.json").write_text(
        as_json({"daily": {"order": figure(*[1.0] * 40), "seconds": measure([2.0])}})
    )
    assert list(changes(results, load_figures(tmp_path / "run.json"))) == [
        "daily: order: was 1 (n=40), is 0.5, clearly"
    ]


def test_a_shortfall_is_red_names_its_case_and_stands_beside_the_last_release() -> None:
    missed = share([Score("claim 3 is not so", 0.0, "c3"), Score("well", 1.0, "c4")], Target(0.9))
    results: dict[str, Figures] = {"daily": {"claims": missed}, "griffe": {}}
    table = as_table(results, {"daily": {"claims": 0.97}}, colour=True)
    for words in ("\x1b[31m", "claim 3 is not so", "before 0.97", "griffe: skipped"):
        assert words in table
    assert "\x1b" not in as_table(results)
    assert as_breaches([]) == "gate: everything holds\n"


def test_the_page_asks_nobody_for_anything_stays_small_and_shows_claims_beside_their_evidence() -> (
    None
):
    hostile = Score(
        "</script><script>alert(1)</script>",
        0.0,
        "<img src=x>",
        shown=Exhibit("now 9", "-a = 1\n+a = 8"),
    )
    many = share([Score("x" * 50, 1.0)] * 30_000)
    text = as_page(
        {"odd": {"<b>": share([hostile]), "many": many}, "griffe": {}}, {"seed": 1}, ["order: <i>"]
    )
    assert not re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?(?:https?:)?//", text)
    assert "default-src 'none'" in text
    assert text.count("<script") == 2
    for tag in ("<img", "<b>", "<i>"):
        assert tag not in text
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert data[0]["shown"] == {"claim": "now 9", "evidence": "-a = 1\n+a = 8"}
    assert len(text) < 100_000
    assert "skipped" in text


async def test_a_set_or_a_case_that_crashes_is_a_result(tmp_path: Path) -> None:
    async def crash(_: Bench) -> Figures:
        raise KeyError("sha")

    messages: list[str] = []
    bench = Bench(folder=tmp_path, system=None, say=messages.append)  # type: ignore[arg-type]
    assert (await run_set(EvalSet("a", "", crash), bench))["ran to its end"].worst == (
        "KeyError: 'sha'",
    )
    assert await run_set(EvalSet("b", "", crash, needs_mirrors=True), bench) == {}
    assert messages[-1].startswith("b: skipped")
    assert isinstance(await attempt(crash(bench)), Crash)


def test_sets_that_take_long_are_run_only_when_they_are_named() -> None:
    names = {case_set.name for case_set in choose([], SETS)}
    assert "long-window" not in names
    assert [case_set.name for case_set in choose(["long-window"], SETS)] == ["long-window"]
    with pytest.raises(UsageError, match="no evaluation set 'none'; there are adversaries"):
        choose(["none"], SETS)


def test_the_sets_have_the_names_that_the_documentation_gives_them() -> None:
    text = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text("utf-8")
    missing = [case_set.name for case_set in SETS if f"`{case_set.name}`" not in text]
    assert not missing
