"""The graphs of the development server: drawn with their subgraphs, described, and run on the demonstration."""

from typing import Any

import pytest

from gitzette import studio

ANALYSIS = ("write", "check", "judge", "repair")
STEPS = {
    "daily": {
        *("daily:collect", "daily:allocate", "daily:connect", "daily:publish"),
        *(
            "daily:repository:choose",
            "daily:repository:read",
            "daily:repository:tools",
            "daily:repository:file",
        ),
        *(f"daily:repository:explain:{step}" for step in ANALYSIS),
        *(f"daily:compose:{step}" for step in ANALYSIS),
    },
    "ask": {
        "ask:retrieve",
        "ask:read",
        "ask:tools",
        "ask:answer",
        "ask:check",
        "ask:judge",
        "ask:repair",
        "ask:reply",
    },
}


@pytest.mark.parametrize("graph", [studio.daily, studio.ask])
def test_the_graphs_hold_every_step_of_those_they_run_and_say_what_they_take(graph: Any) -> None:
    built = graph()
    assert STEPS[built.name] <= set(built.get_graph(xray=True).nodes)
    assert {"date", "lang", "question"} == set(built.get_input_jsonschema()["properties"])
    assert {"report", "page", "answer", "cites"} <= set(built.get_output_jsonschema()["properties"])


@pytest.mark.heavy
async def test_an_empty_input_is_about_the_demonstration_in_the_language_that_is_asked_for() -> (
    None
):
    told = await studio.daily().ainvoke({"lang": "zh"})
    report = told["report"]
    assert (report["failures"], len(report["repos"])) == ([], 3)
    assert all(claim["cites"] and claim["verdict"] == "supported" for claim in report["claims"])
    assert "提交" in told["page"]
    reply = await studio.ask().ainvoke({})
    assert not reply["abstained"]
    assert reply["cites"]
