"""What a question carries from node to node, and what its nodes may touch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, NotRequired, Self

from langchain_core.messages import AnyMessage
from langgraph.channels import UntrackedValue
from langgraph.graph import add_messages
from typing_extensions import TypedDict

from agent.analysts.tasks import Sentences
from agent.asking.query import Hit, Query
from agent.asking.reply import Reply, Searched
from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.evidence import Evidence, belongs, said_evidence
from agent.domain.window import Window
from agent.editions.card import Card
from agent.settings.values import RepoSpec
from agent.sources import CloneSource
from graphs.run_context import RunContext
from memory.evidence import EvidenceStore
from memory.search import SearchIndex
from memory.statements import WindowSearch
from tools.index_for_search import WindowReader
from tools.toolset import Toolset

_PAGE = 3_000
"""Tokens of one answer of a tool."""


class AskInput(TypedDict):
    """What is asked, and by which version: a thread that another one wrote is not gone on with."""

    question: str
    version: NotRequired[int]


class AskState(AskInput, total=False):
    """A conversation, which is kept, and a question on its way, which is not."""

    messages: Annotated[list[AnyMessage], add_messages]
    cites: list[EvidenceId]
    """What the last answer cites."""
    turns: list[str]
    query: Annotated[Query, UntrackedValue]
    window: Annotated[Window, UntrackedValue]
    hits: Annotated[list[Hit], UntrackedValue]
    searched: Annotated[list[Searched], UntrackedValue]
    handles: Annotated[dict[str, EvidenceId], UntrackedValue]
    sentences: Annotated[Sentences, UntrackedValue]
    nearest: Annotated[list[EvidenceId] | None, UntrackedValue]
    """What comes nearest where the model abstains; None where it answers."""
    trouble: Annotated[str, UntrackedValue]
    """Why the model did not answer."""
    reply: Annotated[Reply, UntrackedValue]


@dataclass(frozen=True, kw_only=True)
class AskContext(RunContext):
    """What a run may touch, the index, and the evidence that was read for a question."""

    reader: WindowReader
    memory: EvidenceStore
    """What is known of commits and threads."""
    index: SearchIndex
    specs: tuple[RepoSpec, ...]
    now: datetime
    tz: str
    bound: Window | None = None
    """The time to look at; a question may narrow it."""
    lang: Language | None = None
    """The language of replies; that of the question where None."""
    found: dict[EvidenceId, Evidence] = field(default_factory=dict)
    """The evidence that was read for this question, by its names."""
    notes: dict[EvidenceId, str] = field(default_factory=dict)
    """What code knows of pieces of evidence beside their text."""
    toolsets: dict[RepoId, Toolset] = field(default_factory=dict)

    def for_question(self, specs: tuple[RepoSpec, ...] | None = None, bound: Window | None = None) -> Self:
        """Give the context of another question."""
        return replace(self, specs=specs or self.specs, bound=bound or self.bound, found={}, notes={}, toolsets={})

    def searched(self, repo: RepoId, window: Window, left_out: int) -> Searched:
        """Tell where was looked."""
        return Searched(
            repo=repo,
            start=window.start,
            end=max(window.start, min(window.end, self.now)),
            tz=window.tz,
            commits=self.memory.count(repo, window),
            threads=self.memory.has_threads(repo),
            left_out=left_out,
            most=self.reader.most,
        )

    async def load(self, names: Iterable[EvidenceId], window: Window | None) -> None:
        """Read evidence that is not read yet; what is not of the window stays unread."""
        wanted = self.memory.all(name for name in names if name not in self.found)
        for spec in self.specs:
            cards = {one.sha: one for one in wanted.values() if isinstance(one, Card) and one.repo == spec.name}
            if cards:
                code = (await self.desks.open(spec)).code
                self._add([cards[one.commit.sha].evidence(one) async for one in code.changes(list(cards))], window)
        self._add((said_evidence(one) for one in wanted.values() if not isinstance(one, Card)), window)

    async def load_tags(self, names: Iterable[EvidenceId]) -> list[EvidenceId]:
        """Find the first tag that contains each of these commits, and note it."""
        first: list[EvidenceId] = []
        for spec, name in ((spec, name) for name in names for spec in self.specs if name.startswith(f"{spec.name}@")):
            code = (await self.desks.open(spec)).code
            if isinstance(code, CloneSource) and (tags := await code.tags_with(name.partition("@")[2])):
                self.notes[name] = f"The first tag that contains it is {tags[0]}."
                first.append(f"{spec.name}@{tags[0]}")
        return first

    async def take_shown(self, window: Window | None) -> None:
        """Take over what the tools have shown, threads with their comments."""
        for toolset in self.toolsets.values():
            self._add(toolset.threads_read.values(), window)
            await self.load(sorted(toolset.seen), window)

    def _add(self, pieces: Iterable[Evidence], window: Window | None) -> None:
        self.found.update((one.id, one) for one in pieces if belongs(one, window))

    async def open_tools(self, window: Window, handles: Mapping[str, EvidenceId]) -> dict[RepoId, Toolset]:
        """Open the tools of all repositories over a window, once for each question."""
        recall = WindowSearch(self.index, self.memory, self.recall.report, window)
        for spec in (spec for spec in self.specs if spec.name not in self.toolsets):
            desk = await self.desks.open(spec)
            commits = [row.commit for row in (await desk.code.landed(window)).rows]
            landed: dict[str, str] = {commit.id: commit.sha for commit in commits}
            short = {handle: landed[name] for handle, name in handles.items() if name in landed}
            tools = Toolset(desk.code, desk.threads, commits, {}, recall, page_tokens=_PAGE, handles=short)
            self.toolsets[spec.name] = tools
        return self.toolsets
