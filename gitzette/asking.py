"""The command `ask`: from a question to a cited answer."""

import argparse
import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agent.asking.reply import Reply, as_json
from agent.asking.understanding import language_of
from agent.desks import Desk, Desks, Progress
from agent.errors import EXIT_ABSTAINED, EXIT_DONE, InputError, UpstreamError, UsageError
from agent.settings import RepoSpec, Settings
from agent.web import Web
from agent.window import Window
from gitzette.analysts import answerer_of
from gitzette.configured import settings_for
from gitzette.progress import progress
from gitzette.running import specs_of
from gitzette.when import bound_of
from gitzette.wiring import home_of, open_house
from graphs import ask as asking
from graphs.conversing import open_conversations
from graphs.stocking import Stock
from memory.retention import QUESTIONS

LONGEST = 4_000
_THREAD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,63}", re.ASCII)


def ask(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Answer one question; 4 when the evidence for an answer is not there."""
    question = checked(" ".join(args.question))
    thread = thread_name(args.thread) if args.thread is not None else None
    settings = settings_for(args, environ)
    now = datetime.now(UTC)
    bound = bound_of(args.since, args.until, settings.tz, now)
    with progress() as display:
        reply = asyncio.run(_once(question, settings, environ, now, display, bound, thread))
    if args.json:
        data = as_json(reply, language_of(question)) | ({"thread": thread} if thread else {})
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    else:
        sys.stdout.write(reply.answer)
    return EXIT_ABSTAINED if reply.abstained else EXIT_DONE


def checked(question: str) -> str:
    """Refuse what is no question; what has no place in UTF-8 becomes a question mark."""
    question = question.encode("utf-8", errors="replace").decode("utf-8")
    if not question.strip():
        raise UsageError(
            'there is no question; ask one, as in: gitzette ask "what changed in the scheduler this week?"'
        )
    if len(question) > LONGEST:
        raise UsageError(f"the question has {len(question)} characters; ask in at most {LONGEST}")
    return question


def thread_name(text: str) -> str:
    """Check the name of a conversation."""
    if not _THREAD.fullmatch(text):
        raise UsageError(
            f"{text[:80]!r} is no name for a thread; use up to 64 letters, digits, dots and dashes, as in: release-2.1"
        )
    return text


async def _once(
    question: str,
    settings: Settings,
    environ: Mapping[str, str],
    now: datetime,
    display: Progress,
    bound: Window | None,
    thread: str | None,
) -> Reply:
    async with asking_deps(settings, environ, specs_of(settings), now, display) as deps:
        bounded = replace(deps, bound=bound)
        if thread is None:
            return await answered(question, bounded)
        async with open_conversations(home_of(settings, environ)) as conversations:
            async for _ in conversations.ask(thread, question, bounded):
                pass
            return replied(bounded)


async def answered(question: str, deps: asking.AskDeps) -> Reply:
    """Run the graph for one question outside any thread."""
    await asking.build().ainvoke({"question": question}, context=deps)
    return replied(deps)


def replied(deps: asking.AskDeps) -> Reply:
    """Take the answer that a question left behind."""
    if deps.bench.reply is None:
        raise RuntimeError("the graph ended without a reply")
    return deps.bench.reply


@asynccontextmanager
async def asking_deps(
    settings: Settings,
    environ: Mapping[str, str],
    specs: tuple[RepoSpec, ...],
    now: datetime,
    display: Progress,
) -> AsyncIterator[asking.AskDeps]:
    """Open everything that questions need, and close it afterwards."""
    async with open_house(settings, environ, display, now, specs=specs) as house:
        memory = house.memory
        stock = Stock(_Reachable(house.deps.desks), memory.catalogue, memory.threads, display)
        recorder = memory.recorder(f"{QUESTIONS}{now.date().isoformat()}")
        answerer = answerer_of(settings, environ, recorder, home_of(settings, environ), memory.servers)
        yield asking.AskDeps(
            stock=stock,
            specs=specs,
            now=now,
            tz=settings.tz,
            web=Web(settings.web),
            answerer=answerer,
            recall=memory.recall,
        )


@dataclass(frozen=True)
class _Reachable:
    """Opens sources; for a repository that cannot be opened it says what to do."""

    desks: Desks

    async def open(self, spec: RepoSpec) -> Desk:
        try:
            return await self.desks.open(spec)
        except UpstreamError as error:
            raise InputError(
                f"{spec.name} cannot be read ({error}); check its name and the network, "
                f"or give a clone of it: --repo {spec.name}=PATH"
            ) from error
