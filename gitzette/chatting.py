"""The command `chat`: questions one after the other, with the evidence at hand."""

import argparse
import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TextIO

from agent.errors import EXIT_ABSTAINED, EXIT_DONE, AppError, UsageError
from agent.ids import RepoId
from agent.settings import RepoSpec, Settings
from agent.window import Window
from gitzette.asking import asking_deps, checked, replied, thread_name
from gitzette.configured import settings_for
from gitzette.console import Console, entry, open_console
from gitzette.exhibits import Exhibits
from gitzette.running import specs_of
from gitzette.when import bound_of
from gitzette.wiring import home_of
from graphs.ask import AskDeps, Bench
from graphs.conversing import Conversations, open_conversations

_PROMPT = "gitzette> "
_ALL = "all"
_HELP = """\
Ask in English or Chinese. A line that ends with a backslash goes on; \"\"\" opens a text of several lines.
/sources          what the last answer cites, with links
/open N [PAGE]    the evidence behind citation N: a commit with its patch, a thread with its text
/repo [NAME|all]  look at one repository only, or at all of them again
/since [DAY|all]  look from this day on where a question names no time
/thread [NAME]    which conversation this is, or go over to another one
/help             this list
/quit             end; so does Ctrl-D, and Ctrl-C stops the present question
"""


def chat(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Talk until the input ends; elsewhere than on a terminal the status is that of the last question."""
    settings = settings_for(args, environ)
    specs = specs_of(settings)
    now = datetime.now(UTC)
    thread = thread_name(args.thread) if args.thread is not None else _fresh_name(now)
    bound = bound_of(args.since, None, settings.tz, now)
    with ExitStack() as stack:
        console = stack.enter_context(open_console(home_of(settings, environ)))
        runner = stack.enter_context(asyncio.Runner())
        opened = AsyncExitStack()
        stack.callback(lambda: runner.run(opened.aclose()))
        session = runner.run(_opened(opened, console, settings, environ, specs, thread))
        session.bound = bound
        return _Talk(session, runner.run).go_on()


def _fresh_name(now: datetime) -> str:
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


async def _opened(
    stack: AsyncExitStack,
    console: Console,
    settings: Settings,
    environ: Mapping[str, str],
    specs: tuple[RepoSpec, ...],
    thread: str,
) -> "Session":
    deps = await stack.enter_async_context(asking_deps(settings, environ, specs, datetime.now(UTC), console))
    conversations = await stack.enter_async_context(open_conversations(home_of(settings, environ)))
    await conversations.standing(thread)
    exhibits = Exhibits(deps.stock, specs, deps.web, deps.tz)
    return Session(console, conversations, deps, exhibits, thread, specs)


@dataclass
class Session:
    """One conversation under way: where it looks, and what its commands do."""

    console: Console
    conversations: Conversations
    deps: AskDeps
    exhibits: Exhibits
    thread: str
    specs: tuple[RepoSpec, ...]
    bound: Window | None = None
    asked: int = 0
    status: int = EXIT_DONE
    out: TextIO = field(default_factory=lambda: sys.stdout)

    async def answer(self, question: str) -> None:
        """Answer one question, piece by piece."""
        self.status = UsageError.exit_code
        question = checked(question)
        deps = replace(self.deps, specs=self.specs, bound=self.bound, now=datetime.now(UTC), bench=Bench())
        async for piece in self.conversations.ask(self.thread, question, deps):
            self.asked += not self.asked
            self.say(self.exhibits.numbered(piece, replied(deps).cites) if self.console.interactive else piece)
        self.say("\n")
        self.status = EXIT_ABSTAINED if replied(deps).abstained else EXIT_DONE

    def say(self, text: str) -> None:
        """Show a piece at once."""
        self.console.clear()
        self.out.write(text)
        self.out.flush()

    async def help(self) -> None:
        """Say which commands there are."""
        self.say(_HELP)

    async def sources(self) -> None:
        """List what the last answer cites."""
        cites = await self._cites()
        for line in self.exhibits.listed(cites):
            self.say(line)
        if not cites:
            self.say("nothing is cited yet\n")

    async def open(self, number: str = "", page: str = "1") -> None:
        """Show the evidence behind a citation."""
        cites = await self._cites()
        if not number.isdecimal() or not page.isdecimal() or not 1 <= int(number) <= len(cites):
            many = f"from 1 to {len(cites)}" if cites else "once an answer cites something"
            raise UsageError(f"/open takes the number of a citation, {many}; /sources lists them")
        for line in await self.exhibits.opened(cites[int(number) - 1], int(page)):
            self.say(line)

    async def repo(self, name: str = "") -> None:
        """Narrow to one repository, or go back to all."""
        whole = self.deps.specs
        if name == _ALL:
            self.specs = whole
        elif name:
            fitting = [spec for spec in whole if name.lower() in _names(spec.name)]
            if len(fitting) != 1:
                known = ", ".join(spec.name for spec in whole)
                raise UsageError(f"{name!r} is not one of {known}; begin with --repo to have others")
            self.specs = (fitting[0],)
        self.say(f"looking at {', '.join(spec.name for spec in self.specs)}\n")

    async def since(self, day: str = "") -> None:
        """Bound the questions that name no time."""
        if day:
            now = datetime.now(UTC)
            self.bound = None if day == _ALL else bound_of(day, None, self.deps.tz, now)
            await self.conversations.forget_time(self.thread)
        start = (
            f"from {day if day and day != _ALL else f'{self.bound.start:%Y-%m-%d %H:%M} UTC'} on" if self.bound else ""
        )
        self.say(f"looking {start or 'at all that is known'}, where a question names no time\n")

    async def go_over(self, name: str = "") -> None:
        """Go over to another conversation, or say which one this is."""
        if name:
            await self.conversations.standing(thread_name(name))
            self.thread = name
        turns = (await self.conversations.standing(self.thread)).turns
        self.say(f"thread {self.thread}, {len(turns)} {'question' if len(turns) == 1 else 'questions'} so far\n")

    async def _cites(self) -> tuple[str, ...]:
        return (await self.conversations.standing(self.thread)).sources


def _names(repo: RepoId) -> tuple[str, str]:
    return repo.lower(), repo.lower().partition("/")[2]


class _Talk:
    """Takes what is typed to what it asks for, until there is no more."""

    def __init__(self, session: Session, run: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._session = session
        self._run = run
        self._commands: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
            "/help": session.help,
            "/sources": session.sources,
            "/open": session.open,
            "/repo": session.repo,
            "/since": session.since,
            "/thread": session.go_over,
        }

    def go_on(self) -> int:
        """Read and answer."""
        session = self._session
        while (text := self._typed()) is not None:
            if text.strip() in ("/quit", "/exit"):
                break
            if text.strip():
                self._take(text.strip())
        if session.console.interactive:
            session.say("\n")
        if session.asked:
            _tell(f"thread {session.thread}; go on with: gitzette chat --thread {session.thread}")
        return EXIT_DONE if session.console.interactive else session.status

    def _typed(self) -> str | None:
        while True:
            try:
                return entry(self._session.console, _PROMPT)
            except KeyboardInterrupt:
                self._session.say("\n(Ctrl-D or /quit ends)\n")

    def _take(self, text: str) -> None:
        try:
            self._run(self._told(text))
        except KeyboardInterrupt:
            self._session.say("\n(stopped; the conversation goes on)\n")
        except AppError as error:
            self._session.console.clear()
            _tell(" ".join(str(error).split()))

    async def _told(self, text: str) -> None:
        name, *rest = text.split()
        if not name.startswith("/") or "/" in name[1:]:
            # A path or an address may begin a question.
            await self._session.answer(text)
        elif name not in self._commands:
            raise UsageError(f"there is no command {name[:40]}; /help lists them")
        else:
            await self._called(name, rest)

    async def _called(self, name: str, rest: list[str]) -> None:
        most = {"/open": 2, "/repo": 1, "/since": 1, "/thread": 1}.get(name, 0)
        if len(rest) > most:
            raise UsageError(f"{name} takes {'nothing' if not most else f'at most {most}'} behind it; /help says what")
        command: Callable[..., Awaitable[None]] = self._commands[name]
        await command(*rest)


def _tell(message: str) -> None:
    sys.stderr.write(f"gitzette: {message}\n")
    sys.stderr.flush()
