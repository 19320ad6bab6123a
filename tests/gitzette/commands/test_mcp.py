"""`gitzette mcp` as the official client library meets it: a real process, over its pipes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent

from tests.gitzette.conftest import Command, Engine
from tools.toolset import TOOL_NAMES

TOOLS = {"ask", "audit", "get_report", "facts", *TOOL_NAMES}
FEBRUARY = {"since": "2026-02-01", "until": "2026-02-08"}
ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("corner")


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
        if tool.name in TOOL_NAMES:
            assert {"repo", "since", "until"} <= tool.input_schema["properties"].keys()
            assert "the last seven days" in str(tool.description)
    answer = text(
        await client.call_tool("ask", {"question": "what changed in MAX_ROUTES on 2026-02-04?"})
    )
    assert "from `22` to `12`" in answer
    assert f"Cites: acme/engine@{sha}" in answer
    audited = text(
        await client.call_tool("audit", {"text": "# acme/engine 2026-02-04\n\n- Lost (abc1234)\n"})
    )
    assert "References to nothing (1)" in audited
    report = text(await client.call_tool("get_report", {"date": "2026-02-04", "lang": "zh"}))
    assert sha[:7] in report
    assert "提交" in report
    facts = text(await client.call_tool("facts", {"sha": sha[:10]}))
    assert "MAX_ROUTES" in facts
    assert "router.py:1" in facts
    recent = text(await client.call_tool("list_commits", {}))
    assert "Tell the time" in recent
    assert "Lower the limit" not in recent
    assert "Grace: Lower the limit of routes" in text(
        await client.call_tool("list_commits", FEBRUARY)
    )
    diff = text(
        await client.call_tool("get_diff", {"sha": sha[:9], "repo": "acme/engine", **FEBRUARY})
    )
    assert "-MAX_ROUTES = 22\n+MAX_ROUTES = 12" in diff
    assert "     1  MAX_ROUTES = 12" in text(
        await client.call_tool("get_file", {"path": "router.py"})
    )
    usages = text(await client.call_tool("find_usages", {"name": "MAX_ROUTES", **FEBRUARY}))
    assert "router.py:1: MAX_ROUTES = 12" in usages
    assert f"acme/engine@{sha}" in text(
        await client.call_tool("search_history", {"words": "MAX_ROUTES"})
    )
    assert "MAX_ROUTES" in text(await client.call_tool("previous_reports", {"day": "2026-02-04"}))


def lowered(engine: Engine) -> str:
    command = ["git", "-C", str(engine.folder), "log", "--format=%H", "--grep=Lower the limit"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


async def a_mistake_is_told_in_one_line_that_says_what_to_do(client: Client) -> None:
    wrong: list[tuple[str, dict[str, object], str]] = [
        ("ask", {"question": "what?", "repo": "evil/repo"}, "known are acme/engine"),
        ("audit", {"text": ""}, "give the whole report"),
        ("get_report", {"date": "../../etc/passwd"}, "the newest is 2026-02-04"),
        ("get_report", {"page": "x"}, "integer"),
        ("facts", {"sha": "0" * 40}, "acme/engine"),
        ("get_diff", {"sha": "0" * 40}, "not a commit of this window; list_commits shows"),
        ("get_diff", {}, "sha: Field required"),
        ("get_file", {"path": "../../etc/passwd"}, "from the root of the repository"),
    ]
    for tool, arguments, expected in wrong:
        result = await client.call_tool(tool, arguments)
        assert result.is_error, tool
        assert expected in text(result)
        assert "\n" not in text(result)
        assert "Traceback" not in text(result)


@pytest.fixture
def reported(engine: Engine, command: Command) -> Engine:
    assert command("run", "--date", "2026-02-04", *engine.repo).status == 0
    return engine


async def test_every_tool_answers_over_pipes_and_mistakes_are_told(reported: Engine) -> None:
    engine = reported
    started = ["-m", "gitzette", "mcp", *engine.repo]
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    server = StdioServerParameters(
        command=sys.executable, args=started, env=environ, cwd=Path.cwd()
    )
    async with Client(server, mode="legacy") as client:
        await every_tool_answers(client, lowered(engine))
        await a_mistake_is_told_in_one_line_that_says_what_to_do(client)
