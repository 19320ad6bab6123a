"""The command `chat`: questions one after the other, with the evidence at hand."""

import argparse
import asyncio
import io
import os
import re
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from agent.asking.reply import Reply
from agent.domain.base import EXIT_ABSTAINED, EXIT_DONE, AppError, InputError, UsageError
from agent.markdown import visible
from agent.settings.values import RepoSpec, Settings
from agent.web import Web
from gitzette.arguments import bound_of, settings_for, specs_of
from gitzette.asking import asking_context, checked, print_markdown, thread_name
from gitzette.cited_evidence import CitedEvidence
from gitzette.progress import progress
from gitzette.replies import ReplyPage
from gitzette.wiring import home_of
from graphs.ask import Standing, open_conversations
from graphs.ask_context import AskContext

_HISTORY_LINES, _PAGE_LINES, _LISTED = 1_000, 60, 50
_LINK = re.compile(r"\[(`[^`\n]+`)\]\((https?://[^)\s]+)\)")
_HELP = """\
Ask in English or Chinese. A line that ends with a backslash goes on.
/sources          what the last answer cites, with links
/open N [PAGE]    the evidence behind citation N: a commit with its patch, a thread with its text
/repo [NAME|all]  look at one repository only, or at all of them again
/since [DAY|all]  look from this day on
/thread [NAME]    which conversation this is, or go over to another one
/help             this list
/quit             end; so does Ctrl-D, and Ctrl-C stops the present question
"""


def chat(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Talk until the input ends; elsewhere than on a terminal the status is that of the last question."""
    settings, now = settings_for(args, environ), datetime.now(UTC)
    bound_of(args.since, None, settings.tz, now)
    name = thread_name(args.thread) if args.thread is not None else f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    talk = Chat(settings, environ, name, args.since, interactive)
    home = home_of(settings, environ)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _history(home) if interactive else nullcontext():
        asyncio.run(talk.greet())
        while (text := talk.typed()) is not None and text.strip() not in ("/quit", "/exit"):
            if text.strip():
                talk.take(text.strip())
    if talk.asked:
        sys.stderr.write(f"gitzette: thread {talk.thread}; go on with: gitzette chat --thread {talk.thread}\n")
    return EXIT_DONE if interactive else talk.status


@contextmanager
def _history(home: Path) -> Iterator[None]:
    """Keep what is typed in a private file; where the file cannot be used, nothing is kept."""
    import readline  # Only here: elsewhere it would change how a line is read.

    file = home / "chat_history"
    with suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_RDONLY, 0o600))
        readline.read_history_file(file)
    try:
        yield
    finally:
        readline.set_history_length(_HISTORY_LINES)
        with suppress(OSError):
            readline.write_history_file(file)
        readline.clear_history()


class Chat:
    """One conversation: where it looks, and what its commands do; sources are opened for each question."""

    def __init__(
        self, settings: Settings, environ: Mapping[str, str], thread: str, since: str | None, interactive: bool
    ) -> None:
        self._settings, self._environ, self._since, self._interactive = settings, environ, since, interactive
        self._whole, self._only = specs_of(settings), cast("RepoSpec | None", None)
        self.thread, self.asked, self.status = thread, False, EXIT_DONE
        self._commands: dict[str, tuple[Callable[..., Awaitable[None]], int]] = {
            "/help": (self._help, 0),
            "/sources": (self._list_sources, 0),
            "/open": (self._open, 2),
            "/repo": (self._narrow, 1),
            "/since": (self._look_from, 1),
            "/thread": (self._go_over, 1),
        }

    async def greet(self) -> None:
        """Say to a person at a terminal where this is; refuse a thread of another version."""
        turns = (await self._standing()).turns
        last = f"; the last one: {visible(turns[-1])[:80]}" if turns else ""
        if self._interactive:
            _say(f"{_names(self._whole)}; {_counted(turns)} so far{last}\n/help lists the commands\n")

    def typed(self) -> str | None:
        """Read a question or command; a line that ends with a backslash goes on with the next."""
        text, prompt = "", "gitzette> "
        while True:
            try:
                line = input(prompt) if self._interactive else sys.stdin.readline()
            except EOFError:
                _say("\n")
                return None
            except KeyboardInterrupt:
                if not self._interactive:
                    raise
                _say("\n(Ctrl-D or /quit ends)\n")
                return ""
            if not line and not self._interactive:
                return text or None
            text += line.rstrip("\r\n")
            if not text.endswith("\\"):
                return text
            text, prompt = f"{text[:-1]}\n", "... "

    def take(self, text: str) -> None:
        """Answer a question or do what a command asks for; an error is one line, and the chat goes on."""
        name, *rest = text.split()
        # A path or an address may begin a question.
        question = not name.startswith("/") or "/" in name[1:]
        try:
            asyncio.run(self._answer(text) if question else self._command(name, rest))
        except KeyboardInterrupt:
            if not self._interactive:
                raise
            _say("\n(stopped; the conversation goes on)\n")
        except AppError as error:
            self.status = error.exit_code if question else self.status
            sys.stderr.write(f"gitzette: {' '.join(str(error).split())}\n")

    async def _command(self, name: str, rest: list[str]) -> None:
        if name not in self._commands:
            raise UsageError(f"there is no command {name[:40]}; /help lists them")
        command, most = self._commands[name]
        if len(rest) > most:
            raise UsageError(f"{name} takes {f'at most {most}' if most else 'nothing'} behind it; /help says what")
        await command(*rest)

    async def _answer(self, question: str) -> None:
        question = checked(question)
        async with (
            self._context() as context,
            open_conversations(
                home_of(self._settings, self._environ), self._settings.database_address
            ) as conversations,
        ):
            bound = bound_of(self._since, None, self._settings.tz, context.now)
            asked = context.for_question((self._only,) if self._only else self._whole, bound)
            reply = [event async for event in conversations.ask(self.thread, question, asked)][-1]
            assert isinstance(reply, Reply)
            reply = ReplyPage(Web(self._settings.web), self._settings.tz).written(reply)
            text = self._numbered(reply, self._cited(context)) if self._interactive else reply.answer
        self.asked = True
        self.status = EXIT_ABSTAINED if reply.abstained else EXIT_DONE
        print_markdown(text)
        _say("\n")

    def _numbered(self, reply: Reply, cited: CitedEvidence) -> str:
        """Write the links of an answer as numbers that can be opened."""
        places = {url: number for number, cite in enumerate(reply.cites, start=1) for url in cited.addresses(cite)}

        def spelled(found: re.Match[str]) -> str:
            return f"{found[1]} [{places[found[2]]}]" if found[2] in places else found[1]

        return _LINK.sub(spelled, reply.answer)

    async def _help(self) -> None:
        _say(_HELP)

    async def _list_sources(self) -> None:
        cites = (await self._standing()).sources
        async with self._context() as context:
            entries = [self._cited(context).entry(cite) for cite in cites[:_LISTED]]
        rows = [f"{number:>3}. {title}\n     {url}\n" for number, (title, url) in enumerate(entries, start=1)]
        rows += [f"     and {len(cites) - _LISTED} more\n"] * (len(cites) > _LISTED)
        _say("".join(rows) or "nothing is cited yet\n")

    async def _open(self, number: str = "", page: str = "1") -> None:
        """Show one page of the evidence behind a citation."""
        cites = (await self._standing()).sources
        if not number.isdecimal() or not page.isdecimal() or not 1 <= int(number) <= len(cites):
            many = f"from 1 to {len(cites)}" if cites else "once an answer cites something"
            raise UsageError(f"/open takes the number of a citation, {many}; /sources lists them")
        async with self._context() as context:
            lines = await self._cited(context).lines(cites[int(number) - 1])
        pages, chosen = -(-len(lines) // _PAGE_LINES), int(page)
        if not 1 <= chosen <= pages:
            raise InputError(f"it has {pages} {'page' if pages == 1 else 'pages'}")
        foot = [f"-- page {page} of {pages}"] if pages > 1 else []
        _say("\n".join([*lines[(chosen - 1) * _PAGE_LINES : chosen * _PAGE_LINES], *foot]) + "\n")

    async def _narrow(self, name: str = "") -> None:
        if name == "all":
            self._only = None
        elif name:
            fitting = [one for one in self._whole if name.lower() in (one.name.lower(), one.name.lower().split("/")[1])]
            if len(fitting) != 1:
                raise UsageError(f"{name!r} is not one of {_names(self._whole)}; begin with --repo to have others")
            self._only = fitting[0]
        _say(f"looking at {_names((self._only,) if self._only else self._whole)}\n")

    async def _look_from(self, day: str = "") -> None:
        if day:
            bound_of(None if day == "all" else day, None, self._settings.tz, datetime.now(UTC))
            self._since = None if day == "all" else day
        _say(f"looking {f'from {self._since} on' if self._since else 'at all that is known'}\n")

    async def _go_over(self, name: str = "") -> None:
        thread = thread_name(name) if name else self.thread
        turns = (await self._standing(thread)).turns
        self.thread = thread
        _say(f"thread {thread}, {_counted(turns)} so far\n")

    async def _standing(self, thread: str = "") -> Standing:
        async with open_conversations(
            home_of(self._settings, self._environ), self._settings.database_address
        ) as conversations:
            return await conversations.standing(thread or self.thread)

    @asynccontextmanager
    async def _context(self) -> AsyncIterator[AskContext]:
        with progress() as display:
            now = datetime.now(UTC)
            async with asking_context(self._settings, self._environ, self._whole, now, display) as context:
                yield context

    def _cited(self, context: AskContext) -> CitedEvidence:
        return CitedEvidence(context, self._whole, Web(self._settings.web), self._settings.tz)


def _names(specs: Sequence[RepoSpec]) -> str:
    return ", ".join(spec.name for spec in specs)


def _counted(turns: Sequence[str]) -> str:
    return f"{len(turns)} {'question' if len(turns) == 1 else 'questions'}"


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
