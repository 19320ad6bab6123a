"""The command `chat`: questions one after the other, with the evidence at hand."""

import argparse
import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, ExitStack
from datetime import UTC, datetime
from typing import Any

from agent.errors import EXIT_DONE, AppError, UsageError
from agent.web import Web
from gitzette.asking import asking_context, thread_name
from gitzette.configured import settings_for
from gitzette.console import entry, open_console
from gitzette.running import specs_of
from gitzette.session import Session, Sources
from gitzette.when import bound_of
from gitzette.wiring import home_of
from graphs.conversing import open_conversations

_PROMPT = "gitzette> "


def chat(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Talk until the input ends; elsewhere than on a terminal the status is that of the last question."""
    settings = settings_for(args, environ)
    specs = specs_of(settings)
    now = datetime.now(UTC)
    thread = thread_name(args.thread) if args.thread is not None else _fresh_name(now)
    bound_of(args.since, None, settings.tz, now)
    with ExitStack() as stack:
        console = stack.enter_context(open_console(home_of(settings, environ)))
        runner = stack.enter_context(asyncio.Runner())
        sources = Sources(lambda moment: asking_context(settings, environ, specs, moment, console))
        stack.callback(lambda: runner.run(sources.close()))
        opened = AsyncExitStack()
        stack.callback(lambda: runner.run(opened.aclose()))
        runner.run(sources.deps())
        conversations = runner.run(opened.enter_async_context(open_conversations(home_of(settings, environ))))
        runner.run(conversations.standing(thread))
        session = Session(
            console, conversations, sources, thread, specs, settings.tz, Web(settings.web), since=args.since
        )
        return _Talk(session, runner.run).go_on()


def _fresh_name(now: datetime) -> str:
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


class _Talk:
    """Takes what is typed to what it asks for, until there is no more."""

    def __init__(self, session: Session, run: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._session = session
        self._run = run
        self._commands: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
            "/help": session.help,
            "/sources": session.cited,
            "/open": session.open,
            "/repo": session.repo,
            "/since": session.look_from,
            "/thread": session.go_over,
        }

    def go_on(self) -> int:
        """Read and answer."""
        session = self._session
        if session.console.interactive:
            self._run(session.greet())
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
                if not self._session.console.interactive:
                    raise
                self._session.say("\n(Ctrl-D or /quit ends)\n")

    def _take(self, text: str) -> None:
        try:
            self._run(self._told(text))
        except KeyboardInterrupt:
            if not self._session.console.interactive:
                raise
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
