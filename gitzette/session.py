"""A conversation under way: where it looks, what its commands do, and sources that do not grow old."""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TextIO

from agent.asking.reply import Reply
from agent.errors import EXIT_ABSTAINED, EXIT_DONE, AppError, UsageError
from agent.ids import RepoId
from agent.markdown import visible
from agent.settings import RepoSpec
from agent.web import Web
from gitzette.asking import checked, thread_name
from gitzette.console import Console, print_markdown
from gitzette.exhibits import Exhibits
from gitzette.replies import ReplyPage
from gitzette.when import bound_of
from graphs.ask_context import AskContext
from graphs.conversing import Conversations

_ALL = "all"
_FRESH = timedelta(minutes=5)
_HELP = """\
Ask in English or Chinese. A line that ends with a backslash goes on; \"\"\" opens a text of several lines.
/sources          what the last answer cites, with links
/open N [PAGE]    the evidence behind citation N: a commit with its patch, a thread with its text
/repo [NAME|all]  look at one repository only, or at all of them again
/since [DAY|all]  look from this day on
/thread [NAME]    which conversation this is, or go over to another one
/help             this list
/quit             end; so does Ctrl-D, and Ctrl-C stops the present question
"""


class Sources:
    """Keeps memory and sources open, and opens them anew when what they know has grown old.

    The moment of a question is the one at which they were opened: nothing that landed later can be missed and then
    be taken for read.
    """

    def __init__(
        self,
        opening: Callable[[datetime], AbstractAsyncContextManager[AskContext]],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._opening = opening
        self._clock = clock
        self._stack = AsyncExitStack()
        self._deps: AskContext | None = None

    async def deps(self) -> AskContext:
        """Give what questions need, no older than a few minutes."""
        now = self._clock()
        if self._deps is None or now - self._deps.now > _FRESH:
            await self.close()
            self._deps = await self._stack.enter_async_context(self._opening(now))
        return self._deps

    async def close(self) -> None:
        """Close them."""
        self._deps = None
        await self._stack.aclose()


@dataclass
class Session:
    """One conversation under way: where it looks, and what its commands do."""

    console: Console
    conversations: Conversations
    sources: Sources
    thread: str
    whole: tuple[RepoSpec, ...]
    """All repositories of the conversation."""
    tz: str
    web: Web
    since: str | None = None
    only: RepoSpec | None = None
    """The one repository to look at."""
    asked: bool = False
    status: int = EXIT_DONE
    out: TextIO = field(default_factory=lambda: sys.stdout)

    @property
    def replies(self) -> ReplyPage:
        """Give what writes the replies."""
        return ReplyPage(self.web, self.tz)

    async def answer(self, question: str) -> None:
        """Answer one question, piece by piece."""
        try:
            await self._answer(checked(question))
        except AppError as error:
            self.status = error.exit_code
            raise

    async def _answer(self, question: str) -> None:
        deps = await self.sources.deps()
        bound = bound_of(self.since, None, self.tz, deps.now)
        context = deps.for_question((self.only,) if self.only else self.whole, bound)
        said: list[str] = []
        async for event in self.conversations.ask(self.thread, question, context):
            self.asked = True
            if isinstance(event, Reply):
                event = self.replies.written(event)
                rest = [part for part in event.answer.split("\n\n") if part.strip() not in said]
                text = self._exhibits(deps).numbered("\n\n".join(rest), event.cites)
                self._write(text if self.console.interactive else event.answer)
                self.status = EXIT_ABSTAINED if event.abstained else EXIT_DONE
            elif self.console.interactive and "claim" in event:
                said.append(self.replies.sentence(event["claim"], event["lang"]).strip())
                self._write(said[-1])
            elif self.console.interactive and event.get("evidence"):
                self.console.step(self.whole[0].name, f"{len(event['evidence'])} pieces of evidence found")
        self.say("\n")

    def _write(self, markdown: str) -> None:
        self.console.clear()
        print_markdown(markdown, self.out)
        self.out.flush()

    def say(self, text: str) -> None:
        """Show a piece at once."""
        self.console.clear()
        self.out.write(text)
        self.out.flush()

    async def greet(self) -> None:
        """Say to a person at a terminal where this is, and how to go on."""
        turns = (await self.conversations.standing(self.thread)).turns
        last = f"; the last one: {visible(turns[-1])[:80]}" if turns else ""
        self.say(
            f"{', '.join(spec.name for spec in self.whole)}; {_counted(turns)} so far{last}\n/help lists the commands\n"
        )

    async def help(self) -> None:
        """Say which commands there are."""
        self.say(_HELP)

    async def cited(self) -> None:
        """List what the last answer cites."""
        cites = await self._cites()
        for line in self._exhibits(await self.sources.deps()).listed(cites):
            self.say(line)
        if not cites:
            self.say("nothing is cited yet\n")

    async def open(self, number: str = "", page: str = "1") -> None:
        """Show the evidence behind a citation."""
        cites = await self._cites()
        if not number.isdecimal() or not page.isdecimal() or not 1 <= int(number) <= len(cites):
            many = f"from 1 to {len(cites)}" if cites else "once an answer cites something"
            raise UsageError(f"/open takes the number of a citation, {many}; /sources lists them")
        exhibits = self._exhibits(await self.sources.deps())
        for line in await exhibits.opened(cites[int(number) - 1], int(page)):
            self.say(line)

    async def repo(self, name: str = "") -> None:
        """Narrow to one repository, or go back to all."""
        if name == _ALL:
            self.only = None
        elif name:
            fitting = [spec for spec in self.whole if name.lower() in _names(spec.name)]
            if len(fitting) != 1:
                known = ", ".join(spec.name for spec in self.whole)
                raise UsageError(f"{name!r} is not one of {known}; begin with --repo to have others")
            self.only = fitting[0]
        self.say(f"looking at {', '.join(spec.name for spec in ((self.only,) if self.only else self.whole))}\n")

    async def look_from(self, day: str = "") -> None:
        """Bound the questions from a day on."""
        if day:
            bound_of(None if day == _ALL else day, None, self.tz, datetime.now(UTC))
            self.since = None if day == _ALL else day
        self.say(f"looking {f'from {self.since} on' if self.since else 'at all that is known'}\n")

    async def go_over(self, name: str = "") -> None:
        """Go over to another conversation, or say which one this is."""
        if name:
            await self.conversations.standing(thread_name(name))
            self.thread = name
        turns = (await self.conversations.standing(self.thread)).turns
        self.say(f"thread {self.thread}, {_counted(turns)} so far\n")

    def _exhibits(self, deps: AskContext) -> Exhibits:
        return Exhibits(deps, self.whole, self.web, self.tz)

    async def _cites(self) -> tuple[str, ...]:
        return (await self.conversations.standing(self.thread)).sources


def _counted(turns: Sequence[str]) -> str:
    return f"{len(turns)} {'question' if len(turns) == 1 else 'questions'}"


def _names(repo: RepoId) -> tuple[str, str]:
    return repo.lower(), repo.lower().partition("/")[2]
