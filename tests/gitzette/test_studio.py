"""The development server, for real: it draws the graphs with their subgraphs, describes them, and runs them."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from gitzette import studio

ROOT = Path(__file__).parents[2]
PATIENCE = 120
ANALYSIS = ("write", "check", "judge", "repair")
STEPS = {
    "daily": {
        *("daily:collect", "daily:allocate", "daily:connect", "daily:publish"),
        *("daily:repository:choose", "daily:repository:read", "daily:repository:tools", "daily:repository:file"),
        *(f"daily:repository:explain:{step}" for step in ANALYSIS),
        *(f"daily:compose:{step}" for step in ANALYSIS),
    },
    "ask": {"ask:retrieve", "ask:read", "ask:tools", "ask:answer", "ask:check", "ask:judge", "ask:repair", "ask:reply"},
}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Start `langgraph dev` as a developer does, with a way to loopback and to nowhere else."""
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log"
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("LANGSMITH_", "LANGCHAIN_"))}
    closed = f"http://127.0.0.1:{free_port()}"
    environ |= {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "NO_PROXY": "127.0.0.1,localhost"}
    environ |= {"HTTP_PROXY": closed, "HTTPS_PROXY": closed, "ALL_PROXY": closed}
    langgraph = str(Path(sys.executable).with_name("langgraph"))
    command = [langgraph, "dev", "--no-browser", "--no-reload", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=output, stderr=subprocess.STDOUT)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE, trust_env=False) as client:
            assert is_up(client, process), log.read_text("utf-8", "replace")[-4000:]
            yield client
    finally:
        process.terminate()
        process.wait(PATIENCE)


def is_up(client: httpx.Client, process: "subprocess.Popen[bytes]") -> bool:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with suppress(httpx.TransportError):
            return client.get("/ok").is_success
        time.sleep(0.2)
    return False


def ran(server: httpx.Client, graph: str, **asked: Any) -> dict[str, Any]:
    response = server.post("/runs/wait", json={"assistant_id": graph, "input": asked})
    ended: dict[str, Any] = response.json()
    assert "__error__" not in ended, response.text[:2000]
    return ended


@pytest.mark.parametrize("graph", [studio.daily, studio.ask])
def test_the_graphs_hold_every_step_of_those_they_run(graph: Any) -> None:
    built = graph()
    assert STEPS[built.name] <= set(built.get_graph(xray=True).nodes)


@pytest.mark.heavy
def test_an_empty_input_is_about_the_demonstration_in_the_language_that_is_asked_for(server: httpx.Client) -> None:
    told = ran(server, "daily", lang="zh")
    report = told["report"]
    assert (report["failures"], len(report["repos"])) == ([], 3)
    assert all(claim["cites"] and claim["verdict"] == "supported" for claim in report["claims"])
    assert "提交" in told["page"]
    reply = ran(server, "ask")
    assert not reply["abstained"]
    assert reply["answer"].strip()
    assert reply["cites"]
