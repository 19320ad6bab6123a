"""The commands `ask` and `chat`: from a question to a cited answer, once or line after line."""

import argparse
import asyncio
import io
import re
import secrets
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import fields, replace
from datetime import UTC, datetime

from agent.domain.base import EXIT_ABSTAINED, EXIT_DONE, AppError, Language, UsageError
from agent.ports import Progress
from agent.questions import Reply
from agent.settings.values import RepoSpec, Settings
from agent.web import Web
from gitzette.arguments import bound_of, settings_for, specs_of
from gitzette.fleet.editions import model_limit
from gitzette.progress import as_json, print_markdown, progress, say
from gitzette.replies import ReplyPage, reply_json
from gitzette.wiring import home_of, open_house, writers_of
from graphs.ask_context import AskContext
from graphs.conversations import answered, open_conversations
from memory.recorder import QUESTIONS
from tools.chat.budget import Cap
from tools.index_for_search import WindowReader

LONGEST = 4_000
_THREAD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,63}", re.ASCII)


def ask(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Answer one question; 4 when the evidence for an answer is not there."""
    question = checked(" ".join(args.question))
    thread = thread_name(args.thread) if args.thread is not None else None
    settings = settings_for(args, environ)
    reply = asyncio.run(
        _answer(question, thread, settings, environ, args.since, args.until, args.lang)
    )
    if args.json:
        sys.stdout.write(as_json(reply_json(reply) | ({"thread": thread} if thread else {})))
    else:
        print_markdown(reply.answer)
    return EXIT_ABSTAINED if reply.abstained else EXIT_DONE


def chat(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Answer line after line in one thread; elsewhere than on a terminal the status is that of the last question."""
    settings = settings_for(args, environ)
    specs_of(settings)
    fresh = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    thread = thread_name(args.thread) if args.thread is not None else fresh
    terminal, status = sys.stdin.isatty() and sys.stdout.isatty(), EXIT_DONE
    for line in filter(str.strip, _lines(terminal)):
        try:
            reply = asyncio.run(_answer(checked(line), thread, settings, environ))
            print_markdown(f"{reply.answer}\n")
            sys.stdout.flush()
            status = EXIT_ABSTAINED if reply.abstained else EXIT_DONE
        except KeyboardInterrupt:
            if not terminal:
                raise
            say("stopped; the conversation goes on")
        except AppError as error:
            say(error)
            status = error.exit_code
    say(f"go on with: gitzette chat --thread {thread}")
    return EXIT_DONE if terminal else status


def _lines(terminal: bool) -> Iterator[str]:
    """Read questions until the input ends, or somebody at a terminal types /quit."""
    if not terminal:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        yield from sys.stdin
        return
    import readline  # noqa: F401 -- it lets a person edit the line

    with suppress(EOFError):
        while (line := input("gitzette> ")).strip() != "/quit":
            yield line


def checked(question: str) -> str:
    """Refuse what is no question; what has no place in UTF-8 becomes a question mark."""
    question = question.encode("utf-8", errors="replace").decode("utf-8").strip()
    if not question:
        raise UsageError(
            'there is no question; ask one, as in: gitzette ask "what changed in the scheduler?"'
        )
    if len(question) > LONGEST:
        raise UsageError(f"the question has {len(question)} characters; ask in at most {LONGEST}")
    return question


def thread_name(text: str) -> str:
    """Check the name of a conversation."""
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
    since: str | None = None,
    until: str | None = None,
    lang: Language | None = None,
) -> Reply:
    """Answer a question by itself, or the next one of a conversation."""
    now = datetime.now(UTC)
    bound, home = bound_of(since, until, settings.tz, now), home_of(settings, environ)
    with progress() as display:
        async with asking_context(settings, environ, specs_of(settings), now, display) as context:
            asked = replace(context.for_question(bound=bound), lang=lang)
            if thread is None:
                reply = await answered(question, asked)
            else:
                home.mkdir(parents=True, exist_ok=True, mode=0o700)
                async with open_conversations(home, settings.database_address) as conversations:
                    *_, last = [event async for event in conversations.ask(thread, question, asked)]
                assert isinstance(last, Reply)
                reply = last
    return ReplyPage(Web(settings.web), settings.tz).written(reply)


@asynccontextmanager
async def asking_context(
    settings: Settings,
    environ: Mapping[str, str],
    specs: tuple[RepoSpec, ...],
    now: datetime,
    display: Progress,
) -> AsyncIterator[AskContext]:
    """Open everything that questions need, and close it afterwards."""
    async with open_house(settings, environ, now, specs=specs) as house:
        memory = house.memory
        recorder = memory.recorder(f"{QUESTIONS}{now.date().isoformat()}")
        admit = model_limit(memory.fleet, settings, environ)
        writers = writers_of(settings, environ, recorder, memory.model_servers, Cap(), admit)
        deps = replace(house.deps, models=writers.models, mark=writers.mark)
        yield AskContext(
            **{one.name: getattr(deps, one.name) for one in fields(deps)},
            reader=WindowReader(deps.desks, memory.evidence, display),
            memory=memory.evidence,
            index=memory.search,
            specs=specs,
            now=now,
            tz=settings.tz,
        )
