"""Methods as LangChain tools: the name, the docstring and the arguments are those of the method."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from types import FunctionType, MethodType
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field, create_model

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


def tools_over(
    toolsets: Mapping[str, Any], names: Sequence[str], mistake: type[Exception]
) -> list[BaseTool]:
    """Give the tools of several repositories as one set: each takes the name of the repository that it reads."""
    known = ", ".join(toolsets)

    def placed(name: str) -> BaseTool:
        async def call(repo: str = "", **arguments: Any) -> str:
            wanted = (repo or str(arguments.get("sha", "")).rpartition("@")[0]).lower()
            chosen = [one for one in toolsets if not wanted or one.lower().endswith(wanted)]
            if len(chosen) != 1:
                raise ToolException(f"name the repository in `repo`; there are {known}")
            return await _with_answers(getattr(toolsets[chosen[0]], name), mistake)(**arguments)

        method = getattr(next(iter(toolsets.values())), name)
        form = create_model(
            f"{name}_in", __base__=_arguments(method.__func__), repo=(str, Field(default=""))
        )
        about = f"{inspect.getdoc(method)}\n\n`repo` is one of {known}."
        return StructuredTool(
            name=name,
            description=about,
            args_schema=form,
            coroutine=call,
            handle_tool_error=_answer,
        )

    return [placed(name) for name in names]


def _answer(error: ToolException) -> str:
    return f"Error: {error}"


def _with_answers(tool: Tool, mistake: type[Exception]) -> Tool:

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
    form = StructuredTool.from_function(
        coroutine=MethodType(function, object()), name=function.__name__
    ).args_schema
    assert isinstance(form, type)
    assert issubclass(form, BaseModel)
    return form
