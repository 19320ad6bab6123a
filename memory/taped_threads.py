"""A source of threads whose every answer is on the run's tape before it is used."""

from collections.abc import Awaitable, Callable, Collection, Sequence

from pydantic import TypeAdapter

from agent.domain import Comment, Commit, Issue, PullRequest, Threads
from agent.ids import RepoId
from agent.sources import ThreadSource
from agent.window import Window
from memory.shapes import Plain, ThreadsShape
from memory.tape import Call, Tape

_THREADS = ThreadsShape()
_THREAD: Plain[Issue | PullRequest] = Plain("thread", TypeAdapter(Issue | PullRequest), lambda thread: thread.id)
_COMMENTS = Plain("comments", TypeAdapter(tuple[Comment, ...]))


class TapedThreads:
    """A `ThreadSource` that answers from the tape, and asks the real one for what is not there."""

    def __init__(self, tape: Tape, repo: RepoId, origin: str, source: Callable[[], Awaitable[ThreadSource]]) -> None:
        self.repo = repo
        self._tape = tape
        self._origin = origin
        self._source = source

    async def threads(self, window: Window, commits: Sequence[Commit], *, known_open: Collection[int] = ()) -> Threads:
        """Read what the window's threads say, and which pull request brought each of these commits."""

        async def live() -> Threads:
            return await (await self._source()).threads(window, commits, known_open=known_open)

        asked = [window.model_dump(mode="json"), [commit.sha for commit in commits], sorted(known_open)]
        return await self._tape.fetch(Call("threads.threads", self.repo, asked, self._origin), _THREADS, live)

    async def issue(self, number: int) -> Issue | PullRequest:
        """Read one issue or pull request by its number."""

        async def live() -> Issue | PullRequest:
            return await (await self._source()).issue(number)

        return await self._tape.fetch(Call("threads.issue", self.repo, number, self._origin), _THREAD, live)

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments below one issue or pull request, oldest first."""

        async def live() -> tuple[Comment, ...]:
            return await (await self._source()).comments(number)

        return await self._tape.fetch(Call("threads.comments", self.repo, number, self._origin), _COMMENTS, live)
