"""The command `ask`: from a question to a cited answer."""

import argparse
import asyncio
import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime

from agent.domain.base import EXIT_ABSTAINED, EXIT_DONE, UsageError
from agent.ports import Progress
from agent.questions import Reply
from agent.settings.spending import Cap
from agent.settings.values import RepoSpec, Settings
from agent.web import Web
from gitzette.arguments import bound_of, settings_for, specs_of
from gitzette.fleet.editions import model_limit
from gitzette.progress import as_json, print_markdown, progress
from gitzette.replies import ReplyPage, reply_json
from gitzette.wiring import home_of, open_house, writers_of
from graphs.ask import Conversations, answered, open_conversations
from graphs.ask_context import AskContext
from memory.recorder import QUESTIONS
from tools.index_for_search import WindowReader

LONGEST = 4_000
_THREAD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,63}", re.ASCII)


def ask(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Answer one question; 4 when the evidence for an answer is not there."""
    question = checked(" ".join(args.question))
    thread = thread_name(args.thread) if args.thread is not None else None
    settings = settings_for(args, environ)
    reply = asyncio.run(_once(question, thread, args, settings, environ))
    reply = ReplyPage(Web(settings.web), settings.tz).written(reply)
    if args.json:
        sys.stdout.write(as_json(reply_json(reply) | ({"thread": thread} if thread else {})))
    else:
        print_markdown(reply.answer)
    return EXIT_ABSTAINED if reply.abstained else EXIT_DONE


def checked(question: str) -> str:
    """Refuse what is no question; what has no place in UTF-8 becomes a question mark."""
    question = question.encode("utf-8", errors="replace").decode("utf-8")
    if not question.strip():
        raise UsageError('there is no question; ask one, as in: gitzette ask "what changed in the scheduler?"')
    if len(question) > LONGEST:
        raise UsageError(f"the question has {len(question)} characters; ask in at most {LONGEST}")
    return question


def thread_name(text: str) -> str:
    """Check the name of a conversation."""
    if not _THREAD.fullmatch(text):
        raise UsageError(f"{text[:80]!r} is no name for a thread; use up to 64 letters, digits, dots and dashes")
    return text


async def _once(
    question: str, thread: str | None, args: argparse.Namespace, settings: Settings, environ: Mapping[str, str]
) -> Reply:
    now = datetime.now(UTC)
    bound = bound_of(args.since, args.until, settings.tz, now)
    with progress() as display:
        async with asking_context(settings, environ, specs_of(settings), now, display) as context:
            asked = replace(context.for_question(bound=bound), lang=args.lang)
            if thread is None:
                return await answered(question, asked)
            return await answer_in(thread, question, asked, settings, environ)


async def answer_in(
    thread: str, question: str, asked: AskContext, settings: Settings, environ: Mapping[str, str]
) -> Reply:
    """Answer the next question of a conversation."""
    async with conversations_of(settings, environ) as conversations:
        reply = [event async for event in conversations.ask(thread, question, asked)][-1]
    assert isinstance(reply, Reply)
    return reply


def conversations_of(settings: Settings, environ: Mapping[str, str]) -> AbstractAsyncContextManager[Conversations]:
    """Open the conversations that are kept beside the memory."""
    home = home_of(settings, environ)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return open_conversations(home, settings.database_address)


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
