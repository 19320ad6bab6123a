"""The command `chat`: questions one after the other, with the evidence at hand."""

import argparse
import asyncio
import io
import secrets
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from agent.domain.base import EXIT_ABSTAINED, EXIT_DONE, AppError, UsageError
from agent.markdown import visible
from agent.settings.values import Settings
from agent.web import Web
from gitzette.arguments import settings_for, specs_of
from gitzette.cited_evidence import CitedEvidence
from gitzette.commands.ask import answer_in, asking_context, checked, conversations_of, thread_name
from gitzette.progress import print_markdown, progress, say
from gitzette.replies import ReplyPage
from graphs.ask_context import AskContext

_HELP = """\
Ask in English or Chinese.
/sources   what the last answer cites, with links
/open N    the evidence behind citation N: a commit with its patch, a thread with its text
/help      this list
/quit      end; so does Ctrl-D, and Ctrl-C stops the present question
"""


def chat(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Talk until the input ends; elsewhere than on a terminal the status is that of the last question."""
    settings, now = settings_for(args, environ), datetime.now(UTC)
    name = thread_name(args.thread) if args.thread is not None else f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    talk = Chat(settings, environ, name)
    asyncio.run(talk.greet())
    while (text := talk.typed()) is not None and text not in ("/quit", "/exit"):
        if text:
            talk.take(text)
    if talk.asked:
        say(f"thread {name}; go on with: gitzette chat --thread {name}")
    return EXIT_DONE if talk.interactive else talk.status


class Chat:
    """One conversation: where it looks, and what its commands do; sources are opened for each question."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], thread: str) -> None:
        self._settings, self._environ, self._thread = settings, environ, thread
        self._specs = specs_of(settings)
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self.asked, self.status = False, EXIT_DONE
        if self.interactive:
            import readline  # noqa: F401 -- it lets a person edit the line

    async def greet(self) -> None:
        """Say to a person at a terminal where this is; refuse a thread of another version."""
        async with conversations_of(self._settings, self._environ) as conversations:
            turns = (await conversations.standing(self._thread)).turns
        if self.interactive:
            last = f"; the last question: {visible(turns[-1])[:80]}" if turns else ""
            _print(f"{', '.join(spec.name for spec in self._specs)}{last}\n/help lists the commands\n")

    def typed(self) -> str | None:
        """Read a question or command; None at the end."""
        try:
            line = input("gitzette> ") if self.interactive else sys.stdin.readline()
        except EOFError:
            _print("\n")
            return None
        except KeyboardInterrupt:
            if not self.interactive:
                raise
            _print("\n(Ctrl-D or /quit ends)\n")
            return ""
        return line.strip() if line or self.interactive else None

    def take(self, text: str) -> None:
        """Answer a question or do what a command asks for; an error is one line, and the chat goes on."""
        name, *rest = text.split()
        # A path or an address may begin a question.
        question = not name.startswith("/") or "/" in name[1:]
        try:
            asyncio.run(self._answer(text) if question else self._command(name, " ".join(rest)))
        except KeyboardInterrupt:
            if not self.interactive:
                raise
            _print("\n(stopped; the conversation goes on)\n")
        except AppError as error:
            self.status = error.exit_code if question else self.status
            say(error)

    async def _answer(self, question: str) -> None:
        question = checked(question)
        async with self._context() as context:
            asked = context.for_question()
            reply = await answer_in(self._thread, question, asked, self._settings, self._environ)
        self.asked, self.status = True, EXIT_ABSTAINED if reply.abstained else EXIT_DONE
        print_markdown(ReplyPage(Web(self._settings.web), self._settings.tz).written(reply).answer)
        _print("\n")

    async def _command(self, name: str, rest: str) -> None:
        if name == "/help":
            _print(_HELP)
            return
        if name not in ("/sources", "/open"):
            raise UsageError(f"there is no command {name[:40]}; /help lists them")
        async with conversations_of(self._settings, self._environ) as conversations:
            cites = (await conversations.standing(self._thread)).sources
        if name == "/open" and not (rest.isdecimal() and 1 <= int(rest) <= len(cites)):
            raise UsageError(f"/open takes the number of a citation, from 1 to {len(cites)}; /sources lists them")
        async with self._context() as context:
            cited = CitedEvidence(context, self._specs, Web(self._settings.web), self._settings.tz)
            if name == "/open":
                _print("\n".join(await cited.lines(cites[int(rest) - 1])) + "\n")
                return
            entries = enumerate(map(cited.entry, cites), start=1)
            _print("".join(f"{n:>3}. {title}\n     {url}\n" for n, (title, url) in entries) or "nothing is cited yet\n")

    @asynccontextmanager
    async def _context(self) -> AsyncIterator[AskContext]:
        with progress() as display:
            now = datetime.now(UTC)
            async with asking_context(self._settings, self._environ, self._specs, now, display) as context:
                yield context


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
