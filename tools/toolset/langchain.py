"""Methods as LangChain tools: the name, the docstring and the arguments are those of the method."""

import inspect
from collections.abc import Awaitable, Callable, Iterable
from functools import cache, wraps
from types import FunctionType, MethodType
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel

Tool = Callable[..., Awaitable[str]]


def langchain_tools(methods: Iterable[Tool], mistake: type[Exception]) -> list[BaseTool]:
    """Wrap async methods; `mistake` becomes an answer to the caller, whatever else they raise stays an error."""
    return [
        StructuredTool.from_function(
            coroutine=_with_answers(method, mistake),
            name=method.__name__,
            description=inspect.getdoc(method),
            args_schema=_arguments(method.__func__),
            handle_tool_error=_answer,
        )
        for method in methods
        if isinstance(method, MethodType) and isinstance(method.__func__, FunctionType)
    ]


def _answer(error: ToolException) -> str:
    return f"Error: {error}"


def _with_answers(tool: Tool, mistake: type[Exception]) -> Tool:
    """Raise a mistake of the caller as the error that LangChain answers with."""

    @wraps(tool)
    async def call(*args: Any, **kwargs: Any) -> str:
        try:
            return await tool(*args, **kwargs)
        except mistake as error:
            raise ToolException(str(error)) from error

    return call


@cache
def _arguments(function: FunctionType) -> type[BaseModel]:
    """Describe what a tool takes, once for all repositories: it takes longer than most calls of the tool."""
    form = StructuredTool.from_function(coroutine=MethodType(function, object()), name=function.__name__).args_schema
    assert isinstance(form, type)
    assert issubclass(form, BaseModel)
    return form
