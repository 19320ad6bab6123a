"""The commands `ask` and `chat`: from a question to a cited answer, once or line after line."""

import argparse
import asyncio
import io
import re
import secrets
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.errors import EXIT_ABSTAINED, EXIT_DONE, AppError, UsageError
from agent.ports import Progress
from agent.questions_and_replies import Reply
from agent.settings.values import RepoSpec, Settings
from gitzette.fleet.edition_plans import model_limit
from gitzette.home_folder import home_of
from gitzette.reply_pages import ReplyPage, reply_json
from gitzette.settings_from_arguments import bound_of, settings_for, specs_of
from gitzette.terminal_output import as_json, print_markdown, progress, say
from gitzette.wiring import open_services, writers_of
from graphs.ask_context import AskContext
from graphs.ask_conversations import Event, answered, open_conversations
from memory.recorder import QUESTIONS
from tools.chat.budget import Cap
from tools.search_index_filling import WindowReader

MAX_QUESTION = 4_000  # Characters
_THREAD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,63}", re.ASCII)


@dataclass(frozen=True)
class _Limits:
    """Within which questions are answered, as the command line gives it."""

    since: str | None = None
    until: str | None = None
    lang: Language | None = None


def _limits_of(args: argparse.Namespace) -> _Limits:
    return _Limits(args.since, args.until, args.lang)


def ask(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Answer one question, or without any keep a conversation.

    Return 4 if there is no evidence for an answer.
    """
    if not args.question and not args.json:
        return chat(args, environ)
    question = checked(" ".join(args.question))
    thread = thread_name(args.thread) if args.thread is not None else None
    settings = settings_for(args, environ)
    reply = asyncio.run(_answer(question, thread, settings, environ, _limits_of(args)))
    if args.json:
        data = reply_json(reply)
        if thread:
            data["thread"] = thread
        sys.stdout.write(as_json(data))
    else:
        print_markdown(reply.answer)
    return _exit_status(reply)


def _exit_status(reply: Reply) -> int:
    return EXIT_ABSTAINED if reply.abstained else EXIT_DONE


def chat(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Answer one line of input after the other in the same thread.

    The status is that of the last question, unless a person at a terminal saw all answers.
    """
    settings = settings_for(args, environ)
    specs_of(settings)
    limits = _limits_of(args)
    # A wrong bound is reported before anybody types a question.
    bound_of(limits.since, limits.until, settings.tz, datetime.now(UTC))
    new_thread = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    thread = thread_name(args.thread) if args.thread is not None else new_thread
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    status = EXIT_DONE
    for line in _lines(is_terminal):
        if not line.strip():
            continue
        try:
            reply = asyncio.run(_answer(checked(line), thread, settings, environ, limits))
            print_markdown(f"{reply.answer}\n")
            sys.stdout.flush()
            status = _exit_status(reply)
        except KeyboardInterrupt:
            if not is_terminal:
                raise
            say("stopped; the conversation goes on")
        except AppError as error:
            say(error)
            status = error.exit_code
    say(f"go on with: gitzette chat --thread {thread}")
    return EXIT_DONE if is_terminal else status


def _lines(is_terminal: bool) -> Iterator[str]:
    """Yield lines until the input ends, or somebody at a terminal types /quit."""
    if not is_terminal:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        yield from sys.stdin
        return
    import readline  # noqa: F401 -- lets the user edit the line

    with suppress(EOFError):
        while (line := input("gitzette> ")).strip() != "/quit":
            yield line


def checked(question: str) -> str:
    """Return a question as valid UTF-8; raise a `UsageError` if it is empty or too long."""
    question = question.encode("utf-8", errors="replace").decode("utf-8").strip()
    if not question:
        raise UsageError(
            'there is no question; ask one, as in: gitzette ask "what changed in the scheduler?"'
        )
    if len(question) > MAX_QUESTION:
        raise UsageError(
            f"the question has {len(question)} characters; ask in at most {MAX_QUESTION}"
        )
    return question


def thread_name(text: str) -> str:
    """Return the name of a conversation, if it is a valid one."""
    if not _THREAD.fullmatch(text):
        raise UsageError(
            f"{text[:80]!r} is no name for a thread; use up to 64 letters, digits, dots and dashes"
        )
    return text


async def _answer(
    question: str,
    thread: str | None,
    settings: Settings,
    environ: Mapping[str, str],
    limits: _Limits,
) -> Reply:
    """Return the reply to a single question, or to the next one of a conversation."""
    now = datetime.now(UTC)
    bound = bound_of(limits.since, limits.until, settings.tz, now)
    with progress() as display:
        async with asking_context(settings, environ, specs_of(settings), now, display) as context:
            question_context = replace(context.for_question(bound=bound), lang=limits.lang)
            if thread is None:
                reply = await answered(question, question_context)
            else:
                home = home_of(settings, environ)
                home.mkdir(parents=True, exist_ok=True, mode=0o700)
                async with open_conversations(home, settings.database_address) as conversations:
                    reply = await _last_reply(conversations.ask(thread, question, question_context))
    return ReplyPage(Web(settings.web), settings.tz).written(reply)


async def _last_reply(events: AsyncIterator[Event]) -> Reply:
    """Return the reply with which the events of an answer end."""
    reply = None
    async for event in events:
        if isinstance(event, Reply):
            reply = event
    assert reply is not None, "every answer ends with a reply"
    return reply


@asynccontextmanager
async def asking_context(
    settings: Settings,
    environ: Mapping[str, str],
    specs: tuple[RepoSpec, ...],
    now: datetime,
    display: Progress,
) -> AsyncIterator[AskContext]:
    """Open everything that questions need, and close it afterwards."""
    day = now.date().isoformat()
    async with open_services(settings, environ, now, specs=specs) as services:
        memory = services.memory
        recorder = memory.recorder(f"{QUESTIONS}{day}")
        admit = model_limit(memory.fleet, settings, environ) if settings.database else None
        writers = writers_of(settings, environ, recorder, memory.model_servers, Cap(), admit)
        context = replace(services.context, models=writers.models, mark=writers.mark)
        yield AskContext(
            **{field.name: getattr(context, field.name) for field in fields(context)},
            reader=WindowReader(context.repositories, memory.evidence, display),
            memory=memory.evidence,
            index=memory.search,
            specs=specs,
            now=now,
            tz=settings.tz,
        )
