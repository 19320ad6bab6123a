"""The command `ask`: from a question to a cited answer."""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from agent.asking.reply import Reply, as_json
from agent.asking.understanding import language_of
from agent.errors import EXIT_ABSTAINED, EXIT_DONE, UsageError
from agent.settings import RepoSpec, Settings
from agent.web import Web
from gitzette.configured import settings_for
from gitzette.progress import progress
from gitzette.running import specs_of
from gitzette.wiring import open_house
from graphs import ask as asking
from graphs.desk import Progress
from graphs.stocking import Stock

LONGEST = 4_000


def ask(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Answer one question; 4 when the evidence for an answer is not there."""
    question = checked(" ".join(args.question))
    settings = settings_for(args, environ)
    now = datetime.now(UTC)
    with progress() as display:
        reply = asyncio.run(_once(question, settings, environ, specs_of(settings), now, display))
    if args.json:
        data = as_json(reply, language_of(question))
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    else:
        sys.stdout.write(reply.answer)
    return EXIT_ABSTAINED if reply.abstained else EXIT_DONE


def checked(question: str) -> str:
    """Refuse what is no question."""
    if not question.strip():
        raise UsageError('there is no question; ask one, as in: gitzette ask "what changed in the scheduler this week?"')
    if len(question) > LONGEST:
        raise UsageError(f"the question has {len(question)} characters; ask in at most {LONGEST}")
    return question


async def _once(
    question: str,
    settings: Settings,
    environ: Mapping[str, str],
    specs: tuple[RepoSpec, ...],
    now: datetime,
    display: Progress,
) -> Reply:
    async with asking_deps(settings, environ, specs, now, display) as deps:
        return await answered(question, deps)


async def answered(question: str, deps: asking.AskDeps) -> Reply:
    """Run the graph for one question outside any thread."""
    await asking.build().ainvoke({"question": question}, context=deps)
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
        stock = Stock(house.deps.desks, memory.catalogue, memory.threads, display)
        yield asking.AskDeps(stock=stock, specs=specs, now=now, tz=settings.tz, web=Web(settings.web))
