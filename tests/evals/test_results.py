"""What an evaluation leaves behind, and the page made of it."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agent.domain.base import InputError, UsageError
from evals.figures import Exhibit, Figure, Score, Target, measure, share
from evals.gate import compared
from evals.harness import Bench, EvalSet, choose, run_sets
from evals.page import page, sparkline
from evals.results import junit, keep_set, kept_set, lines_of, read_history, read_lines, write_results
from evals.trials import over_trials

SHOWN = Score("the number is not in the diff", 0.0, "day/claim-3", "number", Exhibit("now 9", "-a = 1\n+a = 8", (1,)))
RESULTS = {
    "daily": {
        "claims that hold": share([Score("well", 1.0, "day/claim-1"), SHOWN], Target(1.0)),
        "seconds": measure([2.0], Target(3, "at most")),
    },
    "griffe": dict[str, Figure](),
}
ABOUT = {"run": "20260101T000000", "seed": 1}


def test_every_score_has_a_line_with_its_case_the_reason_before_the_value(tmp_path: Path) -> None:
    write_results(tmp_path, RESULTS, ABOUT)
    lines = read_lines(tmp_path / "results.jsonl")
    assert [(line["case"], line["verdict"], line["wrong"]) for line in lines] == [
        ("day/claim-1", "right", False),
        ("day/claim-3", "number", True),
        ("00000", "measured", False),
    ]
    assert list(lines[0]).index("reason") < list(lines[0]).index("value")
    assert lines[1]["shown"] == {"claim": "now 9", "evidence": "-a = 1\n+a = 8", "marked": [1]}


def test_the_summary_and_the_history_have_the_figures_and_no_scores(tmp_path: Path) -> None:
    write_results(tmp_path, RESULTS, ABOUT)
    write_results(tmp_path, RESULTS, ABOUT | {"run": "20260102T000000"})
    first, second = read_history(tmp_path)
    assert first["about"]["run"] < second["about"]["run"]
    assert first["sets"]["daily"]["claims that hold"]["value"] == 0.5
    assert "scores" not in json.dumps(json.loads((tmp_path / "summary.json").read_text()))


def test_a_test_runner_sees_what_failed_and_what_was_skipped() -> None:
    hostile = share([Score("<b> & \x00\x1b]]> \udc80 \"'", 0.0)], Target(1.0))
    root = ET.fromstring(junit({**RESULTS, "odd": {'a "<metric>"': hostile}}).encode("utf-8", "replace"))
    suites = {suite.get("name"): suite for suite in root}
    assert suites["daily"].get("failures") == "1"
    assert suites["griffe"].get("skipped") == "1"
    (failure,) = suites["odd"].iter("failure")
    assert failure.text is not None
    assert "<b> &" in failure.text


def test_a_set_that_is_done_is_found_again_by_the_same_evaluation_only(tmp_path: Path) -> None:
    file = tmp_path / "sets" / "daily.json"
    keep_set(file, RESULTS["daily"], "key")
    assert kept_set(file, "key") == RESULTS["daily"]
    assert kept_set(file, "other") is None
    assert kept_set(tmp_path / "none.json", "key") is None


def test_a_file_that_holds_no_results_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{nothing")
    with pytest.raises(InputError, match="no results"):
        read_lines(tmp_path / "x")


def test_the_page_asks_nobody_for_anything_and_shows_claims_beside_their_evidence() -> None:
    hostile = Score("</script><script>alert(1)</script>", 0.0, "<img src=x>")
    results = {**RESULTS, "odd": {"<b>": share([hostile], Target(1.0))}}
    history = [{"sets": {"daily": {"claims that hold": {"value": value}}}} for value in (0.4, 0.5)]
    changes = compared(RESULTS, [{"set": "daily", "metric": "claims that hold", "case": "day/claim-3", "value": 1.0}])
    text = page(results, ABOUT, history, changes)
    assert not re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?(?:https?:)?//", text)
    assert "default-src 'none'" in text
    assert text.count("<script") == 2
    assert "<img" not in text
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert [row["shown"]["marked"] for row in data if "shown" in row] == [[1]]
    assert data[-1]["reason"] == hostile.reason
    assert "<polyline" in text
    assert "day/claim-3" in text.partition("Beside the other run")[2]
    assert "skipped" in text


def test_the_page_stays_small_when_there_are_many_scores() -> None:
    many = {"s": {"m": share([Score("x" * 50, 1.0)] * 30_000, Target(1.0))}}
    text = page(many, ABOUT)
    assert len(text) < 100_000
    assert "29960 right scores are left out" in text


def test_one_run_makes_no_line() -> None:
    assert sparkline([0.4]) == ""
    assert "over 3 runs" in sparkline([0.4, 0.4, 0.5])


def test_over_trials_a_case_counts_with_its_mean_and_pass_k_wants_it_every_time() -> None:
    def trial(*values: float) -> dict[str, Figure]:
        return {"m": share([Score(f"r{v}", v, f"c{place}") for place, v in enumerate(values)], Target(0.9))}

    joined = over_trials([trial(1.0, 1.0), trial(1.0, 0.0)])
    assert joined["m"].value == pytest.approx(0.75)
    assert joined["m, pass^2"].value == pytest.approx(0.5)
    assert joined["m, pass^2"].worst == ("r0.0",)
    alone = over_trials([{"s": measure([1.0], Target(2, "at most"))}] * 2)
    assert list(alone) == ["s"]


def a_set(name: str, run: Callable[[Bench], Awaitable[dict[str, Figure]]], **values: Any) -> EvalSet:
    return EvalSet(name, "about it", run, **values)


def bench(tmp_path: Path, said: list[str]) -> Bench:
    return Bench(folder=tmp_path, mirrors=(), span=None, system=None, say=said.append)  # type: ignore[arg-type]


async def test_a_set_that_crashes_is_a_result_and_the_others_go_on(tmp_path: Path) -> None:
    async def crash(_: Bench) -> dict[str, Figure]:
        raise KeyError("sha")

    async def well(_: Bench) -> dict[str, Figure]:
        return {"m": share([Score("", 1.0)], Target(1.0))}

    said: list[str] = []
    sets = [a_set("a", crash), a_set("b", well), a_set("c", well, needs_mirrors=True)]
    results = await run_sets(sets, bench(tmp_path, said))
    assert results["a"]["ran to its end"].ok is False
    assert results["b"]["m"].ok is True
    assert results["c"] == {}
    assert [line for line in said if line.startswith("c: skipped")]
    assert {line.case for line in lines_of(results)} == {"a", "00000"}


async def test_each_trial_has_a_folder_of_its_own(tmp_path: Path) -> None:
    folders = []

    async def run(given: Bench) -> dict[str, Figure]:
        folders.append(given.folder)
        return {"m": share([Score("", 1.0)], Target(1.0))}

    results = await run_sets([a_set("a", run)], bench(tmp_path, []), trials=3)
    assert len(set(folders)) == 3
    assert results["a"]["m, pass^3"].value == 1.0


def test_sets_that_take_long_are_run_only_when_they_are_named() -> None:
    async def run(_: Bench) -> dict[str, Figure]:
        return {}

    known = [a_set("quick", run), a_set("slow", run, by_name=True)]
    assert [one.name for one in choose([], known)] == ["quick"]
    assert [one.name for one in choose(["slow"], known)] == ["slow"]
    with pytest.raises(UsageError, match="no evaluation set 'none'; there are quick, slow"):
        choose(["none"], known)
