"""The toolset of the daily run for programs: each tool with the repository and the window that it reads."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from inspect import Parameter

from agent.errors import InputError, UsageError
from agent.ids import repo_id
from agent.markdown import visible
from agent.settings import RepoSpec, Settings
from agent.window import Window
from gitzette.arguments import specs_of
from gitzette.progress import QuietProgress
from gitzette.wiring import open_house
from tools.toolset import TOOL_NAMES, Toolset

Tool = Callable[..., Awaitable[str]]
_WHERE = ("repo", "since", "until")
_MANUAL = """

`repo` (owner/name) may be left out where there is only one. The window goes from `since` to `until` (days such as
2026-02-04, the latter not included); it is the last seven days where they are left out.
"""


class RepositoryTools:
    """Opens a configured repository for each call: what a program asks for next may be days later."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], one_at_a_time: asyncio.Lock) -> None:
        self._settings = settings
        self._environ = environ
        self._one = one_at_a_time

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of the toolset, each with three more arguments."""
        return tuple(self._placed(getattr(Toolset, name)) for name in TOOL_NAMES)

    def _placed(self, method: Tool) -> Tool:
        """Let a method of the toolset be called without one: it is made for the repository and window named."""

        async def call(*, repo: str = "", since: str = "", until: str = "", **arguments: object) -> str:
            async with self._one, self._opened(repo, since, until) as toolset:
                return await method(toolset, **arguments)

        signature = inspect.signature(method)
        _, *own = signature.parameters.values()
        where = [Parameter(name, Parameter.KEYWORD_ONLY, default="", annotation=str) for name in _WHERE]
        call.__name__ = method.__name__
        call.__doc__ = f"{inspect.getdoc(method)}{_MANUAL}"
        vars(call)["__signature__"] = signature.replace(parameters=[*own, *where])
        return call

    @asynccontextmanager
    async def _opened(self, repo: str, since: str, until: str) -> AsyncIterator[Toolset]:
        settings, now = self._settings, datetime.now(UTC)
        spec, window = named_spec(settings, repo), Window.between(since, until, settings.tz, now)
        async with open_house(settings, self._environ, QuietProgress(), now) as house:
            house.memory.reports.rebuild(settings.out / "reports")
            desk = await house.deps.desks.open(spec)
            commits = [row.commit for row in (await desk.code.landed(window)).rows]
            yield Toolset(desk.code, desk.threads, commits, {}, house.deps.recall)


def named_spec(settings: Settings, repo: str) -> RepoSpec:
    """Find a repository of the configuration: a program cannot make us read others."""
    specs = specs_of(settings)
    names = ", ".join(spec.name for spec in specs)
    if not repo:
        if len(specs) != 1:
            raise UsageError(f"name the repository; known are {names}")
        return specs[0]
    name = repo_id(repo).lower()
    for spec in specs:
        if spec.name.lower() == name:
            return spec
    raise InputError(f"{visible(repo)[:80]} is not configured; known are {names}")
