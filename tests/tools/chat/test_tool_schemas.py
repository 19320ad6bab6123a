"""Tools are described to models as LangChain describes them, and each is described once."""

from collections.abc import Sequence

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from tools.chat.tool_schemas import openai_tool, tool_text


class FileLines(BaseModel):
    """Lines of a file."""

    path: str
    start: int = Field(default=1, description="the first line")


async def _lines(path: str, start: int = 1) -> str:
    """Show lines of a file."""
    return f"{path}:{start}"


def _tool(description: str = "Show lines of a file.") -> BaseTool:
    return StructuredTool.from_function(
        coroutine=_lines, name="get_lines", description=description, args_schema=FileLines
    )


@pytest.mark.parametrize(
    "tool", [_tool(), FileLines, {"type": "function", "function": {"name": "look"}}]
)
def test_a_tool_is_described_as_langchain_describes_it(tool: BaseTool | type) -> None:
    assert openai_tool(tool) == convert_to_openai_tool(tool)
    assert openai_tool(tool) == convert_to_openai_tool(tool)


def test_changing_a_description_changes_nothing_for_the_next_request() -> None:
    described = openai_tool(_tool())
    described["function"]["parameters"].clear()
    assert openai_tool(_tool()) == convert_to_openai_tool(_tool())


def test_tools_that_differ_in_their_words_alone_are_two_tools() -> None:
    texts = [tool_text(_tool()), tool_text(_tool("Show some lines."))]
    assert texts == [_text_of(_tool()), _text_of(_tool("Show some lines."))]
    assert texts[0] != texts[1]


def test_a_thousand_requests_describe_their_tools_once() -> None:
    made: list[type] = []

    class Counted(FileLines):
        @classmethod
        def __get_pydantic_json_schema__(
            cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
        ) -> JsonSchemaValue:
            made.append(cls)
            return handler(core_schema)

    tools: Sequence[BaseTool] = [
        StructuredTool.from_function(coroutine=_lines, name="get_lines", args_schema=Counted)
        for _ in range(1_000)
    ]
    for tool in tools:
        openai_tool(tool)
        tool_text(tool)
    assert len(made) <= 4


def _text_of(tool: BaseTool) -> str:
    return f"{tool.name} {tool.description} {tool.args}"
