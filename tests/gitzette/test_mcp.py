"""`gitzette mcp` as the official client library meets it: a real process, over its pipes and over HTTP."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent

from tests.gitzette.conftest import Command, Engine
from tools.toolset import TOOL_NAMES

TOOLS = {"ask", "audit", "list_reports", "get_report", "stories", "facts", *TOOL_NAMES}
FEBRUARY = {"since": "2026-02-01", "until": "2026-02-08"}
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("corner")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def over_pipes(engine: Engine) -> Client:
    command = ["-m", "gitzette", "mcp", *engine.repo]
    return Client(StdioServerParameters(command=sys.executable, args=command, env=environment(), cwd=Path.cwd()))


@contextmanager
def over_http(engine: Engine) -> Iterator[str]:
    command = [sys.executable, "-m", "gitzette", "mcp", "--http", "--port", "0", *engine.repo]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            yield process.stderr.readline().split(" at ")[1].strip()
        finally:
            process.terminate()


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


async def every_tool_answers(client: Client, sha: str) -> None:
    listed = await client.list_tools()
    assert {tool.name for tool in listed.tools} == TOOLS
    for tool in listed.tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.description
        if tool.name in TOOL_NAMES:
            assert {"repo", "since", "until"} <= tool.input_schema["properties"].keys()
            assert "the last seven days" in tool.description
    answer = text(await client.call_tool("ask", {"question": "what changed in MAX_ROUTES on 2026-02-04?"}))
    assert "from `22` to `12`" in answer
    assert f"Cites: acme/engine@{sha}" in answer
    audited = text(await client.call_tool("audit", {"text": "# acme/engine 2026-02-04\n\n- Lost (abc1234)\n"}))
    assert "References to nothing (1)" in audited
    assert "2026-02-04 (UTC): 1 commits of acme/engine" in text(await client.call_tool("list_reports", {}))
    report = text(await client.call_tool("get_report", {"date": "2026-02-04", "lang": "zh"}))
    assert sha[:7] in report
    assert "提交" in report
    assert text(await client.call_tool("stories", {}))
    facts = text(await client.call_tool("facts", {"sha": sha[:10]}))
    assert "MAX_ROUTES" in facts
    assert "router.py:1" in facts
    recent = text(await client.call_tool("list_commits", {}))
    assert "Tell the time" in recent
    assert "Lower the limit" not in recent
    assert "Grace: Lower the limit of routes" in text(await client.call_tool("list_commits", FEBRUARY))
    diff = text(await client.call_tool("get_diff", {"sha": sha[:9], "repo": "acme/engine", **FEBRUARY}))
    assert "-MAX_ROUTES = 22\n+MAX_ROUTES = 12" in diff
    assert "     1  MAX_ROUTES = 12" in text(await client.call_tool("get_file", {"path": "router.py"}))
    usages = text(await client.call_tool("find_usages", {"name": "MAX_ROUTES", **FEBRUARY}))
    assert "router.py:1: MAX_ROUTES = 12" in usages
    assert f"acme/engine@{sha}" in text(await client.call_tool("search_history", {"words": "MAX_ROUTES"}))
    assert "MAX_ROUTES" in text(await client.call_tool("previous_reports", {"day": "2026-02-04"}))


def lowered(engine: Engine) -> str:
    command = ["git", "-C", str(engine.folder), "log", "--format=%H", "--grep=Lower the limit"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


async def a_mistake_is_told_in_one_line_that_says_what_to_do(client: Client) -> None:
    wrong: list[tuple[str, dict[str, object], str]] = [
        ("ask", {"question": "what?", "repo": "evil/repo"}, "known are acme/engine"),
        ("ask", {"question": "what?", "until": "2026-02-04"}, "--until needs --since"),
        ("audit", {"text": ""}, "give the whole report"),
        ("get_report", {"date": "../../etc/passwd"}, "the newest is 2026-02-04"),
        ("get_report", {"lang": "fr"}, "'en'"),
        ("list_reports", {"page": "x"}, "integer"),
        ("stories", {"since": "tuesday"}, "write one such as 2026-02-04"),
        ("facts", {"sha": "0" * 40}, "acme/engine"),
        ("get_diff", {"sha": "0" * 40}, "not a commit of this window; list_commits shows"),
        ("get_diff", {}, "sha: Field required"),
        ("get_file", {"path": "../../etc/passwd"}, "from the root of the repository"),
        ("get_issue", {"number": 7}, "was not read"),
    ]
    for tool, arguments, told in wrong:
        result = await client.call_tool(tool, arguments)
        assert result.is_error, tool
        assert told in text(result)
        assert "\n" not in text(result)
        assert "Traceback" not in text(result)


@pytest.fixture
def reported(engine: Engine, command: Command) -> Engine:
    for day in ("2026-02-03", "2026-02-04"):
        assert command("run", "--date", day, *engine.repo).status == 0
    return engine


async def test_every_tool_answers_over_pipes_and_mistakes_are_told(reported: Engine) -> None:
    # The older protocol here, the newest one over HTTP.
    async with Client(over_pipes(reported).server, mode="legacy") as client:
        await every_tool_answers(client, lowered(reported))
        await a_mistake_is_told_in_one_line_that_says_what_to_do(client)


async def test_tools_answer_over_http_and_other_sites_are_kept_out(engine: Engine) -> None:
    with over_http(engine) as address:
        async with Client(address) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
            assert "Tell the time" in text(await client.call_tool("list_commits", {}))
        async with httpx.AsyncClient() as browser:
            head = {"Origin": "https://evil.example", "Accept": "application/json, text/event-stream"}
            strange = await browser.post(address, json={}, headers=head)
            assert strange.status_code == 403
            rebound = await browser.post(address, json={}, headers={"Host": "evil.example"})
            assert rebound.status_code == 421
