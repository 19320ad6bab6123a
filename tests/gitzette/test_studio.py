"""The graphs of the development server: the real steps, which can be run, watched and interrupted."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph_sdk import get_client

from agent.domain.report import Report
from gitzette.studio import ServedGraph
from tests.scripted_analysis import two_commits

ROOT = Path(__file__).parents[2]
ANALYSIS = ("look", "look_up", "write", "check", "judge", "repair", "settle")
READING = ("study", "connect", "relate", "write_facts", "write_stories", "file")
STEPS = {
    "daily": {
        *("collect", "edit", "allocate", "connect", "publish"),
        *(f"repository:{step}" for step in READING),
        *(f"repository:explain:{step}" for step in ANALYSIS),
        *(f"compose:{step}" for step in ANALYSIS),
    },
    "ask": {"retrieve", "read", "tools", "answer", "check", "judge", "repair", "reply"},
}
THREAD: RunnableConfig = {"configurable": {"thread_id": "t"}}


def served(name: str) -> ServedGraph:
    """Build a graph as langgraph.json names it, with a checkpointer as the server adds it."""
    configured = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"][name]["path"]
    file, _, factory = configured.partition(":")
    module = ".".join(Path(file).with_suffix("").parts)
    graph: ServedGraph = getattr(import_module(module), factory)()
    return graph.copy(update={"checkpointer": InMemorySaver()})


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the input that names a small repository on this machine, by rules."""
    clone = two_commits(tmp_path / "code")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GITZETTE_OUT", str(tmp_path / "out"))
    return {"repos": [f"octo/router={clone.spec.path}"], "analyst": "rules"}


def published(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "out" / "reports").iterdir())


async def nodes_of(graph: ServedGraph, given: Any, **options: Any) -> list[str]:
    """Run a graph, and return the nodes that it streams, those of subgraphs after their own name."""
    nodes = []
    parts = graph.astream(given, THREAD, stream_mode="updates", subgraphs=True, **options)
    async for subgraphs, update in parts:
        path = [part.partition(":")[0] for part in subgraphs]
        nodes += [":".join((*path, node)) for node in update]
    return nodes


@pytest.mark.parametrize("name", ["daily", "ask"])
def test_the_server_is_given_the_graphs_with_every_step_and_what_they_take(name: str) -> None:
    graph = served(name)
    assert STEPS[name] <= set(graph.get_graph(xray=True).nodes)
    assert {"repos", "lang", "analyst"} <= set(graph.get_input_jsonschema()["properties"])
    assert ({"daily": "report", "ask": "reply"})[name] in graph.get_output_jsonschema()[
        "properties"
    ]


async def test_a_run_on_a_repository_of_the_input_can_be_interrupted_inspected_and_gone_on_with(
    request_of: dict[str, Any], tmp_path: Path
) -> None:
    graph = served("daily")
    given = request_of | {"date": "2026-02-04"}
    nodes = await nodes_of(graph, given, interrupt_after=["collect"])
    assert nodes == ["plan", "collect", "__interrupt__"]
    stood = await graph.aget_state(THREAD)
    assert stood.next == ("edit",)
    assert [commit.sha for commit in stood.values["collected"]["octo/router"].table]
    nodes = await nodes_of(graph, None)
    assert nodes[:2] == ["edit", "allocate"]
    assert nodes[-3:] == ["connect", "compose", "publish"]
    steps = [node for node in nodes if node.startswith("repository:")]
    assert steps[:2] == ["repository:study", "repository:connect"]
    assert set(steps[2:4]) == {"repository:relate", "repository:look"}
    report: Report = (await graph.aget_state(THREAD)).values["report"]
    assert (report.analyst, report.failures, len(report.ledger)) == ("rules", (), 2)
    assert published(tmp_path) == ["2026-02-04.json", "2026-02-04.md"]


async def test_questions_on_one_thread_follow_each_other_and_each_step_can_be_inspected(
    request_of: dict[str, Any],
) -> None:
    graph = served("ask")
    given = request_of | {"question": "What happened to MAX_ROUTES?", "since": "2026-02-01"}
    given["until"] = "2026-02-05"
    assert "retrieve" in await nodes_of(graph, given, interrupt_after=["retrieve"])
    stood = await graph.aget_state(THREAD)
    assert stood.next == ("reply",)
    assert stood.values["hits"][0].kind == "commit"
    await nodes_of(graph, None)
    assert (await graph.aget_state(THREAD)).values["reply"].outcome == "looked up"
    await nodes_of(graph, {"question": "and WORKER_TIMEOUT?"})
    values = (await graph.aget_state(THREAD)).values
    assert values["history"][0].text == "What happened to MAX_ROUTES?"
    assert values["turn"] == 1


# ---------------------------------------------------------------- the server itself


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = os.environ | {"PYTHONPATH": str(ROOT), "GITZETTE_HOME": str(tmp_path)}
    options = ["--port", str(port), "--no-browser", "--no-reload"]
    command = [sys.executable, "-m", "langgraph_cli", "dev", *options]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(f"{url}/ok", process)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError("the development server did not start")


@pytest.mark.heavy
async def test_the_development_server_runs_the_demonstration_step_by_step(server: str) -> None:
    async with get_client(url=server) as client:
        assistants = {assistant["graph_id"] for assistant in await client.assistants.search()}
        assert assistants == {"daily", "ask"}
        thread = (await client.threads.create())["thread_id"]
        parts = client.runs.stream(
            thread, "daily", input={}, stream_mode="updates", interrupt_after=["collect"]
        )
        nodes = [node async for part in parts if part.event == "updates" for node in part.data]
        assert nodes == ["plan", "collect", "collect", "collect", "__interrupt__"]
        stood: Any = await client.threads.get_state(thread)
        assert stood["next"] == ["edit"] * 3
        assert len(stood["values"]["collected"]) == 3
        events = set()
        modes: Any = ["updates", "messages"]
        async for part in client.runs.stream(
            thread, "daily", input=None, stream_mode=modes, stream_subgraphs=True
        ):
            events.add(tuple(name.partition(":")[0] for name in part.event.split("|")))
        ended: Any = await client.threads.get_state(thread)
    steps = {("updates",), ("updates", "repository"), ("updates", "repository", "explain")}
    assert steps <= events
    assert ("messages/complete",) in events
    report = ended["values"]["report"]
    assert (report["failures"], report["analyst"]) == ([], "model recorded answers")
