"""The tools of a question: what a model may look up in memory and sources; everything shown becomes citable."""

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from agent.asking.sheaf import Sheaf
from agent.card import Card
from agent.domain import Comment
from agent.errors import AppError, NotFound, UsageError
from agent.evidence import CommitEvidence
from agent.settings import RepoSpec
from agent.window import Window, midnight
from graphs.stocking import Stock
from memory.catalogue import Needle
from tools.toolset import Recall, ToolError
from tools.toolset.pages import diff_pages

_FOUND = 8
_LISTED = 20
_BEGINNING = date(2000, 1, 1)


@dataclass
class QuestionTools:
    """Looks things up for one question."""

    stock: Stock
    specs: tuple[RepoSpec, ...]
    tz: str
    now: datetime
    sheaf: Sheaf
    recall: Recall | None = None

    @property
    def tools(self) -> tuple[Callable[..., Awaitable[str]], ...]:
        """Everything that can be called, by the names of the functions."""
        return (self.search_commits, self.get_commit, self.search_threads, self.get_thread, self.previous_reports)

    async def search_commits(self, words: str, repo: str = "", since: str = "", until: str = "") -> str:
        """Find landed commits by words, identifiers, flags or paths; since and until are days such as 2026-03-01."""
        window = self._window(since, until)
        needles = [Needle((word,), needed=False) for word in _words(words)]
        exact = [Needle((word,)) for word in _words(words)]
        repos = [spec.name for spec in self._specs(repo)]
        cards = self.stock.cards.search(exact, repos, window, _LISTED)
        cards = cards or self.stock.cards.search(needles, repos, window, _FOUND)
        shown = await self._show(cards[:_FOUND])
        more = [f"also: {card.sha[:10]} of {card.repo}: {card.title}" for card in cards[_FOUND:]]
        return "\n".join([*shown, *more]) or "no commit speaks of that"

    async def get_commit(self, commit: str, page: int = 1) -> str:
        """Show one commit with its facts and its diff; name it by handle or hash."""
        card = await self._card(commit)
        desk = await self.stock.desks.open(self._specs(card.repo)[0])
        changes = [change async for change in desk.code.changes([card.sha])]
        if not changes:
            raise ToolError(f"{commit!r} cannot be read")
        told = self.sheaf.add_commit(card.evidence(changes[0]), card)
        pages = diff_pages(changes[0])
        if not 1 <= page <= len(pages):
            raise ToolError(f"there are {len(pages)} pages; ask for one of them")
        return f"{told}\npage {page} of {len(pages)}\n{pages[page - 1]}"

    async def search_threads(self, words: str, repo: str = "") -> str:
        """Find issues and pull requests by words."""
        needles = [Needle((word,), needed=False) for word in _words(words)]
        found = self.stock.threads.search(needles, [spec.name for spec in self._specs(repo)], _FOUND)
        return "\n".join(self.sheaf.add_thread(one) for one in found) or "no thread speaks of that"

    async def get_thread(self, number: int, repo: str = "") -> str:
        """Show an issue or a pull request with its newest comments."""
        shown = [text for spec in self._specs(repo) if (text := await self._thread(spec, number))]
        if not shown:
            raise ToolError(f"#{number} cannot be shown; search_threads finds others")
        return "\n".join(shown)

    async def previous_reports(self, words: str) -> str:
        """Search what earlier reports said, by words, identifiers or Chinese text."""
        lines = self.recall.search(words) if self.recall is not None else ()
        return "\n".join(lines) or "nothing earlier says that"

    async def _thread(self, spec: RepoSpec, number: int) -> str | None:
        threads = (await self.stock.desks.open(spec)).threads
        comments: tuple[Comment, ...] = ()
        thread = self.stock.threads.get(spec.name, number)
        # What was read before is better than nothing where nobody answers now.
        with suppress(AppError):
            thread = await threads.issue(number)
            comments = tuple(await threads.comments(number))
        return self.sheaf.add_thread(thread, comments) if thread is not None else None

    async def _show(self, cards: Sequence[Card]) -> list[str]:
        """Read commits again and put them to what may be cited."""
        read: dict[str, CommitEvidence] = {}
        for spec in self.specs:
            own = {card.sha: card for card in cards if card.repo == spec.name}
            if own:
                desk = await self.stock.desks.open(spec)
                async for change in desk.code.changes(list(own)):
                    read[change.commit.id] = own[change.commit.sha].evidence(change)
        return [self.sheaf.add_commit(read[card.id], card) for card in cards if card.id in read]

    async def _card(self, name: str) -> Card:
        meant = self.sheaf.resolve(name)
        if meant is not None and meant in self.sheaf.found.cards:
            return self.sheaf.found.cards[meant]
        sha = name.rpartition("@")[2].strip("[]` ").lower()
        if not re.fullmatch(r"[0-9a-f]{7,40}", sha):
            raise ToolError(f"{name!r} is neither a handle that was shown nor a hash; search_commits finds commits")
        for spec in self.specs:
            if not self.stock.cards.by_hash(sha, [spec.name]):
                try:
                    full = await (await self.stock.desks.open(spec)).code.resolve(sha)
                except NotFound:
                    continue
                await self.stock.read(spec, [full.sha])
        found = self.stock.cards.by_hash(sha, [spec.name for spec in self.specs])
        if len(found) != 1:
            raise ToolError(f"{name!r} {'fits several commits' if found else 'is no commit here'}")
        return found[0]

    def _specs(self, repo: str) -> list[RepoSpec]:
        wanted = repo.strip().lower()
        named = [spec for spec in self.specs if wanted in ("", spec.name.lower(), spec.name.lower().partition("/")[2])]
        if not named:
            raise ToolError(f"{repo!r} is not at hand; there is {', '.join(spec.name for spec in self.specs)}")
        return named

    def _window(self, since: str, until: str) -> Window | None:
        if not since and not until:
            return None
        try:
            first = datetime.fromisoformat(since).date() if since else _BEGINNING
            last = datetime.fromisoformat(until).date() if until else self.now.date()
            return Window(start=midnight(first, self.tz), end=midnight(last + timedelta(days=1), self.tz), tz=self.tz)
        except (ValueError, OverflowError, UsageError) as error:
            raise ToolError("since and until are days such as 2026-03-01, the first before the last") from error


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,;]+", text) if word][:12]
