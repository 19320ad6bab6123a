"""The command `mcp`: reports, answers and the toolset for programs, over stdin and stdout."""

import argparse
import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from inspect import Parameter
from string import Template
from typing import Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.errors import EXIT_DONE, AppError, InputError, UsageError
from agent.domain.references import repo_id
from agent.domain.window import Window
from agent.markdown import visible
from agent.settings.values import RepoSpec, Settings
from gitzette import own_version
from gitzette.commands.ask import asking_context, checked
from gitzette.commands.audit import check
from gitzette.commands.facts import facts_text, read_commit
from gitzette.file_publisher import bring_reports
from gitzette.fleet.edition_plans import shown_edition
from gitzette.home_folder import memory_of
from gitzette.output_folder import PublishedReports
from gitzette.render.page_composition import report_page
from gitzette.reply_pages import ReplyPage
from gitzette.settings_from_arguments import bound_of, settings_for, specs_of
from gitzette.terminal_output import QuietProgress
from gitzette.wiring import open_services
from graphs.ask_conversations import answered
from tools.toolset import TOOL_NAMES, Toolset
from tools.toolset.pages import lines_as_pages

_PAGE_TOKENS = 2_500
_MAX_REPORT = 1_000_000  # Characters of a report to be audited
_TOOLSET_ARGUMENTS = ("repo", "since", "until")
_TEXTS = files("gitzette").joinpath("templates", "mcp.txt").read_text("utf-8")
_INSTRUCTIONS, _MANUAL = _TEXTS.split("\n---\n")
Lang = Literal[""] | Language
Tool = Callable[..., Awaitable[str]]


def serve_mcp(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Serve until the other side ends, or until interrupted."""
    edition, settings = shown_edition(settings_for(args, environ), args.edition)
    tools = Tools(settings, environ, edition)
    server = OneLineServer(
        "gitzette",
        version=own_version(),
        instructions=Template(_INSTRUCTIONS).substitute(tools=", ".join(TOOL_NAMES)),
        log_level="ERROR",
        subscriptions=False,
    )
    functions: list[Tool] = [tools.ask, tools.audit, tools.facts, tools.get_report]
    for name in TOOL_NAMES:
        functions.append(tools.reading(getattr(Toolset, name)))
    hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True)
    for function in functions:
        description = inspect.getdoc(function)
        server.add_tool(
            function, description=description, annotations=hints, structured_output=False
        )
    asyncio.run(server.run_stdio_async())
    return EXIT_DONE


class OneLineServer(MCPServer[Any]):
    """Reports errors of the user in one line, where the library takes several."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                message = _validation_message(cause)
            elif isinstance(cause, AppError):
                message = str(cause)
            else:
                raise
            raise ToolError(f"Error executing tool {name}: {' '.join(message.split())}") from cause


def _validation_message(error: ValidationError) -> str:
    messages = []
    for details in error.errors():
        location = ".".join(map(str, details["loc"]))
        messages.append(f"{location}: {details['msg']}")
    return "; ".join(messages)


@dataclass(frozen=True)
class Tools:
    """The tools, each a method whose docstring is its manual.

    Every answer is text of at most one page.
    """

    settings: Settings
    environ: Mapping[str, str]
    edition: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Calls run one at a time: otherwise they would wait for each other's git and database."""

    def reading(self, method: Tool) -> Tool:
        """Return a method of the toolset as a function that opens its toolset itself.

        It takes three more arguments: the repository and the bounds of the window.
        """

        async def call(
            *, repo: str = "", since: str = "", until: str = "", **arguments: object
        ) -> str:
            async with self.lock, self._toolset(repo, since, until) as toolset:
                return await method(toolset, **arguments)

        signature = inspect.signature(method)
        _self, *parameters = signature.parameters.values()
        for name in _TOOLSET_ARGUMENTS:
            parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default="", annotation=str))
        call.__name__ = method.__name__
        call.__doc__ = f"{inspect.getdoc(method)}\n\n{_MANUAL}"
        vars(call)["__signature__"] = signature.replace(parameters=parameters)
        return call

    @asynccontextmanager
    async def _toolset(self, repo: str, since: str, until: str) -> AsyncIterator[Toolset]:
        """Open a repository for one call; the next call may be days later."""
        now = datetime.now(UTC)
        spec = self._spec(repo)
        window = Window.between(since, until, self.settings.tz, now)
        async with open_services(self.settings, self.environ, now) as services:
            services.memory.reports.rebuild(self.settings.out / "reports")
            sources = await services.context.repositories.open(spec)
            landed = await sources.code.landed(window)
            commits = [row.commit for row in landed.rows]
            yield Toolset(sources.code, sources.threads, commits, {}, services.context.recall)

    def _spec(self, repo: str) -> RepoSpec:
        """Return a repository of the configuration: a program cannot have others read."""
        specs = specs_of(self.settings)
        configured = ", ".join(spec.name for spec in specs)
        if not repo and len(specs) > 1:
            raise UsageError(f"name the repository; known are {configured}")
        name = repo_id(repo or specs[0].name).lower()
        for spec in specs:
            if spec.name.lower() == name:
                return spec
        raise InputError(f"{visible(repo)[:80]} is not configured; known are {configured}")

    def _published(self) -> PublishedReports:
        if self.settings.database:
            with memory_of(self.settings, self.environ) as memory:
                bring_reports(memory.fleet, self.settings, self.edition)
        return PublishedReports(self.settings.out)

    async def ask(
        self, question: str, repo: str = "", since: str = "", until: str = "", page: int = 1
    ) -> str:
        """Answer a question about recent changes, in its language; every statement cites the commit it is from.

        `repo` narrows to one repository; `since` and `until` (days such as 2026-02-04) bound what is looked at.
        Qualifiers such as is:revert, author:NAME and path:FOLDER filter. Where nothing answers, the answer says so
        and gives the nearest evidence. The last line lists what is cited.
        """
        settings = self.settings
        now = datetime.now(UTC)
        question = checked(question)
        bound = bound_of(since or None, until or None, settings.tz, now)
        specs = (self._spec(repo),) if repo else specs_of(settings)
        async with (
            self.lock,
            asking_context(settings, self.environ, specs, now, QuietProgress()) as context,
        ):
            reply = await answered(question, context.for_question(bound=bound))
        reply = ReplyPage(Web(settings.web), settings.tz).written(reply)
        cites = ", ".join(reply.cites) or "nothing"
        return page_of(f"{reply.answer.rstrip()}\n\nCites: {cites}\n", page)

    async def audit(self, text: str, page: int = 1) -> str:
        """Check the text of anybody's report (Markdown) against the commits, issues and numbers it speaks of.

        Gives what is wrong with its line and what would be right, then what could not be checked.
        """
        if not text.strip():
            raise UsageError("there is no text; give the whole report as Markdown")
        if len(text) > _MAX_REPORT:
            raise UsageError(f"the text has {len(text)} characters; give at most {_MAX_REPORT}")
        async with self.lock:
            audited = await check(text, "report.md", self.settings, self.environ, QuietProgress())
        return page_of(audited.text("report"), page)

    async def get_report(self, date: str = "", lang: Lang = "", page: int = 1) -> str:
        """Read a published report as Markdown, by pages: that of a day such as 2026-02-04, the newest if left out."""
        settings = self.settings
        report = self._published().report(date)
        text = report_page(report, lang or settings.lang, Web(settings.web), settings.layout)
        return page_of(text, page)

    async def facts(self, sha: str, repo: str = "", page: int = 1) -> str:
        """Tell what one commit changes for users, each fact with the lines of the diff that show it.

        `sha` is a full or abbreviated hash, or the commit's address; `repo` (owner/name) is needed
        only where several repositories have that commit.
        """
        specs = (self._spec(repo),) if repo else specs_of(self.settings)
        async with self.lock:
            commit_facts = await read_commit(self.settings, self.environ, specs, sha)
        return page_of(facts_text(commit_facts), page)


def page_of(text: str, page: int) -> str:
    """Return one page of a text, with a line about how to get the next one."""
    pages = lines_as_pages(text.splitlines(), _PAGE_TOKENS)
    if not 1 <= page <= len(pages):
        raise UsageError(f"there is no page {page}; pages go from 1 to {len(pages)}")
    if len(pages) == 1:
        return pages[0]
    hint = "this was the last one"
    if page < len(pages):
        hint = f"call again with page={page + 1} for the next one"
    return f"{pages[page - 1].rstrip()}\n\n(page {page} of {len(pages)}; {hint})\n"
