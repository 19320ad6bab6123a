"""Methods as LangChain tools: the name, the docstring and the arguments are those of the method."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from types import FunctionType, MethodType
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field, create_model

from agent.domain.evidence_id import EvidenceId

Tool = Callable[..., Awaitable[str]]


def langchain_tools(methods: Iterable[Tool], mistake: type[Exception]) -> list[BaseTool]:
    """Return async methods as LangChain tools.

    `mistake` becomes an answer to the caller; any other exception stays an error.
    """
    tools: list[BaseTool] = []
    for method in methods:
        assert isinstance(method, MethodType)
        tools.append(
            StructuredTool.from_function(
                coroutine=_with_answers(method, mistake),
                name=method.__name__,
                description=inspect.getdoc(method),
                args_schema=_arguments(method.__func__),
                handle_tool_error=_answer,
            )
        )
    return tools


def tools_over(
    toolsets: Mapping[str, Any], names: Sequence[str], mistake: type[Exception]
) -> list[BaseTool]:
    """Return the tools of several repositories as one set, whose tools take the repository."""
    return [_tool_over(toolsets, name, mistake) for name in names]


def _tool_over(toolsets: Mapping[str, Any], name: str, mistake: type[Exception]) -> BaseTool:
    repos = ", ".join(toolsets)

    async def call(repo: str = "", **arguments: Any) -> str:
        meant = _toolsets_meant(toolsets, repo, str(arguments.get("sha", "")))
        if not meant or (len(meant) > 1 and "number" in arguments):
            raise ToolException(f"name the repository in `repo`; there are {repos}")
        answers: dict[str, str] = {}
        mistakes: list[str] = []
        for meant_repo in meant:
            try:
                answers[meant_repo] = await getattr(toolsets[meant_repo], name)(**arguments)
            except mistake as error:
                mistakes.append(f"{meant_repo}: {error}" if len(meant) > 1 else str(error))
        if not answers:
            raise ToolException("; ".join(mistakes))
        if len(answers) == 1:
            return next(iter(answers.values()))
        return "\n\n".join(f"{meant_repo}:\n{text}" for meant_repo, text in answers.items())

    method = getattr(next(iter(toolsets.values())), name)
    schema = create_model(
        f"{name}_in", __base__=_arguments(method.__func__), repo=(str, Field(default=""))
    )
    return StructuredTool(
        name=name,
        description=f"{inspect.getdoc(method)}\n\n`repo` is one of {repos}; a handle needs none.",
        args_schema=schema,
        coroutine=call,
        handle_tool_error=_answer,
    )


def _toolsets_meant(toolsets: Mapping[str, Any], repo: str, sha: str) -> list[str]:
    """Return the repositories of a call: the one that is named, those with the commit, or all."""
    named = (repo or EvidenceId.cited(sha).repo).lower()
    if named:
        return [other for other in toolsets if f"/{other.lower()}".endswith(f"/{named}")]
    if sha:
        return [other for other, toolset in toolsets.items() if toolset.knows(sha)]
    return list(toolsets)


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
    """Return the schema of a tool's arguments.

    It is cached, because making it takes longer than most calls of the tool.
    """
    schema = StructuredTool.from_function(
        coroutine=MethodType(function, object()), name=function.__name__
    ).args_schema
    assert isinstance(schema, type)
    assert issubclass(schema, BaseModel)
    return schema
