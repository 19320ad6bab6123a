"""Schemas of tools as models are sent them; each is made once, since making it is slow."""

from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

Tool = dict[str, Any] | type | Callable[..., Any] | BaseTool
_MAX_CACHED_TOOLS = 256  # A tool over several repositories has a schema for each set of them


def openai_tool(tool: Tool) -> dict[str, Any]:
    """Return a tool in the form of OpenAI's interface."""
    if isinstance(tool, StructuredTool) and isinstance(tool.args_schema, type):
        description = _described(tool.name, tool.description, tool.args_schema)
        return deepcopy(description.openai_tool)
    return convert_to_openai_tool(tool)


def tool_text(tool: BaseTool) -> str:
    """Return the text of a tool's description, by which its tokens are counted."""
    if isinstance(tool, StructuredTool) and isinstance(tool.args_schema, type):
        return _described(tool.name, tool.description, tool.args_schema).text
    return f"{tool.name} {tool.description} {tool.args}"


class _Description(BaseModel):
    """A tool as it is sent to a model, and as its tokens are counted."""

    openai_tool: dict[str, Any]
    text: str


@lru_cache(maxsize=_MAX_CACHED_TOOLS)
def _described(name: str, description: str, arguments: type[BaseModel]) -> _Description:
    tool = StructuredTool(name=name, description=description, args_schema=arguments)
    return _Description(
        openai_tool=convert_to_openai_tool(tool), text=f"{name} {description} {tool.args}"
    )
