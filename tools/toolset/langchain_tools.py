"""Methods as LangChain tools: the name, the docstring and the arguments are those of the method."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from types import FunctionType, MethodType
from typing import Any, Protocol

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field, create_model

from agent.domain.evidence_id import EvidenceId
from tools.toolset.pages import several_commits

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


class RepositoryTools(Protocol):
    """The tools of one repository, and the commits that its agent may name."""

    def of_handle(self, name: str) -> EvidenceId | None:
        """Return what a handle stands for, in whichever repository; None if it is no handle."""
        ...

    def matching(self, name: str) -> list[EvidenceId]:
        """Return the commits that a handle, a hash or an id may mean."""
        ...

    async def has_tag(self, name: str) -> bool:
        """Return True if a name is that of a tag."""
        ...


def tools_over(
    toolsets: Mapping[str, RepositoryTools], names: Sequence[str], mistake: type[Exception]
) -> list[BaseTool]:
    """Return the tools of several repositories as one set, whose tools take the repository."""
    return [_tool_over(toolsets, name, mistake) for name in names]


def _tool_over(
    toolsets: Mapping[str, RepositoryTools], name: str, mistake: type[Exception]
) -> BaseTool:
    repos = ", ".join(toolsets)

    async def call(repo: str = "", **arguments: Any) -> str:
        meant_repos = await _repos_meant(toolsets, repo, str(arguments.get("sha", "")))
        if not meant_repos or (len(meant_repos) > 1 and "number" in arguments):
            raise ToolException(f"name the repository in `repo`; there are {repos}")
        answers: dict[str, str] = {}
        mistakes: list[str] = []
        for meant_repo in meant_repos:
            try:
                answers[meant_repo] = await getattr(toolsets[meant_repo], name)(**arguments)
            except mistake as error:
                mistakes.append(f"{meant_repo}: {error}" if len(meant_repos) > 1 else str(error))
        if not answers:
            raise ToolException("; ".join(dict.fromkeys(mistakes)))
        if len(answers) == 1:
            return next(iter(answers.values()))
        return "\n\n".join(f"{meant_repo}:\n{text}" for meant_repo, text in answers.items())

    method = getattr(next(iter(toolsets.values())), name)
    return StructuredTool(
        name=name,
        description=f"{inspect.getdoc(method)}\n\n`repo` is one of {repos}; a handle needs none.",
        args_schema=_arguments_with_repo(method.__func__),
        coroutine=call,
        handle_tool_error=_answer,
    )


async def _repos_meant(toolsets: Mapping[str, RepositoryTools], repo: str, sha: str) -> list[str]:
    """Return the repositories of a call.

    That is the repository of a handle, the one that is named, or the only one with the commit or
    the tag; all of them if no commit is named.
    """
    handle_id = next(iter(toolsets.values())).of_handle(sha)
    repo_name = (repo or EvidenceId.cited(sha).repo).lower()
    if handle_id is not None:
        repo_name = handle_id.repo.lower()
    if repo_name:
        return [other for other in toolsets if f"/{other.lower()}".endswith(f"/{repo_name}")]
    if not sha.strip():
        return list(toolsets)
    candidates: list[EvidenceId] = []
    for toolset in toolsets.values():
        candidates += toolset.matching(sha)
    if len(candidates) > 1:
        raise ToolException(f"{several_commits(sha, candidates)}; give one of these")
    if candidates:
        return [str(candidates[0].repo)]
    tagged = [other for other, toolset in toolsets.items() if await toolset.has_tag(sha)]
    if len(tagged) > 1:
        raise ToolException(f"{sha!r} is a tag of {' and '.join(tagged)}; name one in `repo`")
    if not tagged:
        raise ToolException(f"{sha!r} is not a commit of this window in any repository")
    return tagged


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


@cache
def _arguments_with_repo(function: FunctionType) -> type[BaseModel]:
    """Return the schema of a tool's arguments and of the repository that it is called for."""
    name = f"{function.__name__}_in"
    return create_model(name, __base__=_arguments(function), repo=(str, Field(default="")))
