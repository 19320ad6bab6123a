"""What a question carries from node to node, what its nodes may touch, and what is found without a model."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, NotRequired, Self

from langchain_core.messages import AnyMessage
from langgraph.channels import UntrackedValue
from langgraph.graph import add_messages
from typing_extensions import TypedDict

from agent.analysts.rules import statement
from agent.analysts.tasks import Sentences
from agent.domain.base import Language, RepoId
from agent.domain.claims import Claim
from agent.domain.commits import Release
from agent.domain.evidence import (
    Card,
    CommitEvidence,
    Dossier,
    Evidence,
    ReleaseEvidence,
    ThreadEvidence,
    belongs,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import Window
from agent.gate.check import refusals
from agent.ports import CloneSource
from agent.questions import (
    THREADS,
    AnswerSection,
    Hit,
    Named,
    Outcome,
    Query,
    ReadSpan,
    Reply,
    Searched,
)
from agent.reports.chapter import checked_claims
from agent.settings.values import RepoSpec
from agent.telling import told_facts as facts_to_tell
from graphs.run_context import RunContext
from memory.evidence import EvidenceStore, WindowSearch
from memory.search import SearchIndex
from tools.index_for_search import Completion, WindowReader
from tools.toolset import Toolset

_PAGE = 3_000  # Tokens of one answer of a tool
_RECENT = timedelta(days=7)  # What is read of a repository where nobody asks for a time


class AskInput(TypedDict):
    """What is asked, and by which version: a thread that another one wrote is not gone on with."""

    question: str
    version: NotRequired[int]


class AskState(AskInput, total=False):
    """A conversation, which is kept, and a question on its way, which is not."""

    messages: Annotated[list[AnyMessage], add_messages]
    cites: list[EvidenceId]  # What the last answer cites
    turns: list[str]
    query: Annotated[Query, UntrackedValue]
    window: Annotated[Window, UntrackedValue]
    hits: Annotated[list[Hit], UntrackedValue]
    searched: Annotated[list[Searched], UntrackedValue]
    handles: Annotated[dict[str, EvidenceId], UntrackedValue]
    sentences: Annotated[Sentences, UntrackedValue]
    nearest: Annotated[list[EvidenceId] | None, UntrackedValue]
    """What comes nearest where the model abstains; None where it answers."""
    trouble: Annotated[str, UntrackedValue]  # Why the model did not answer
    reply: Annotated[Reply, UntrackedValue]


@dataclass(frozen=True, kw_only=True)
class AskContext(RunContext):
    """What a run may touch, the index, and the evidence that was read for a question."""

    reader: WindowReader
    memory: EvidenceStore  # What is known of commits and threads
    index: SearchIndex
    specs: tuple[RepoSpec, ...]
    now: datetime
    tz: str
    bound: Window | None = None  # The time to look at; a question may narrow it
    lang: Language | None = None  # The language of replies; that of the question where None
    found: dict[EvidenceId, Evidence] = field(default_factory=dict)
    """The evidence that was read for this question, by its names."""
    notes: dict[EvidenceId, str] = field(default_factory=dict)
    """What code knows of pieces of evidence beside their text."""
    toolsets: dict[RepoId, Toolset] = field(default_factory=dict)

    def for_question(
        self, specs: tuple[RepoSpec, ...] | None = None, bound: Window | None = None
    ) -> Self:
        """Give the context of another question."""
        return replace(
            self,
            specs=specs or self.specs,
            bound=bound or self.bound,
            found={},
            notes={},
            toolsets={},
        )

    def searched(self, repo: RepoId, window: Window, completion: Completion) -> Searched:
        """Return which parts of a window were read of a repository, and what was not."""
        covered = self.memory.covered(repo, window)
        commits = sum(self.memory.count(repo, part) for part in covered)
        clone_end = completion.clone_end
        if clone_end is not None and clone_end >= self._recent_start(window):
            clone_end = None  # The clone is up to date, or nearly so
        return Searched(
            repo=repo,
            start=window.start,
            end=max(window.start, min(window.end, self.now)),
            tz=window.tz,
            spans=tuple(ReadSpan(start=part.start, end=part.end) for part in covered),
            commits=commits,
            threads=self.memory.has_threads(repo),
            left_out=completion.left_out,
            most=self.reader.most,
            clone_end=clone_end,
        )

    def _recent_start(self, window: Window) -> datetime:
        """Return the start of what a question reads at least: its last days."""
        return max(window.start, min(window.end, self.now) - _RECENT)

    async def load(self, names: Iterable[EvidenceId], window: Window | None) -> None:
        """Read evidence that is not read yet; what is not of the window stays unread."""
        wanted = self.memory.all(name for name in names if name not in self.found)
        for spec in self.specs:
            cards = {
                one.sha: one
                for one in wanted.values()
                if isinstance(one, Card) and one.repo == spec.name
            }
            if cards:
                code = (await self.desks.open(spec)).code
                self._add(
                    [
                        cards[one.commit.sha].evidence(one)
                        async for one in code.changes(list(cards))
                    ],
                    window,
                )
        said = [one for one in wanted.values() if not isinstance(one, Card)]
        releases = (ReleaseEvidence(release=one) for one in said if isinstance(one, Release))
        self._add(
            (
                *releases,
                *(ThreadEvidence(thread=one) for one in said if not isinstance(one, Release)),
            ),
            window,
        )

    async def load_tags(self, names: Iterable[EvidenceId]) -> list[EvidenceId]:
        """Find the first tag that contains each of these commits, and note it."""
        first: list[EvidenceId] = []
        for spec, name in (
            (spec, name)
            for name in names
            for spec in self.specs
            if name.is_commit and name.repo == spec.name
        ):
            code = (await self.desks.open(spec)).code
            if isinstance(code, CloneSource) and (tags := await code.tags_with(name.sha)):
                self.notes[name] = f"The first tag that contains it is {tags[0]}."
                first.append(EvidenceId.tag(spec.name, tags[0]))
        return first

    async def take_shown(self, window: Window | None) -> None:
        """Take over what the tools have shown, threads with their comments."""
        for toolset in self.toolsets.values():
            self._add(toolset.threads_read.values(), window)
            await self.load(sorted(toolset.seen), window)

    def _add(self, pieces: Iterable[Evidence], window: Window | None) -> None:
        self.found.update((one.id, one) for one in pieces if belongs(one, window))

    async def open_tools(
        self, window: Window, handles: Mapping[str, EvidenceId]
    ) -> dict[RepoId, Toolset]:
        """Open the tools of all repositories over a window, once for each question."""
        recall = WindowSearch(self.index, self.memory, self.recall.report, window)
        for spec in (spec for spec in self.specs if spec.name not in self.toolsets):
            desk = await self.desks.open(spec)
            commits = [row.commit for row in (await desk.code.landed(window)).rows]
            landed: dict[str, str] = {commit.id: commit.sha for commit in commits}
            short = {handle: landed[name] for handle, name in handles.items() if name in landed}
            tools = Toolset(
                desk.code, desk.threads, commits, {}, recall, page_tokens=_PAGE, handles=short
            )
            self.toolsets[spec.name] = tools
        return self.toolsets


_ALL, _LEAST, _BEST = 50_000, 20, 20
_FACTS = 3  # Facts that are told of each commit


def ranked(query: Query, repos: Sequence[RepoId], context: AskContext, most: int) -> list[Hit]:
    """Rank what fits a question; where that is little, the newest of the window come last."""
    hits = context.index.search(query.words, query.named, repos, query.window, most)
    if len(hits) < _LEAST:
        found = {hit.id for hit in hits}
        rest = (hit for hit in context.index.entries(repos, query.window) if hit.id not in found)
        hits += _newest(rest)[: _LEAST - len(hits)]
    return hits


def named_sections(
    query: Query, repos: Sequence[RepoId], context: AskContext
) -> list[AnswerSection]:
    """Find everything that is named outright, each name by itself; what looks like a name may be none."""
    sections = []
    for one in query.named:
        found = context.index.search("", [one], repos, query.window, _ALL)
        hits = _newest(hit for hit in found if hit.named)
        if hits or one.kind != "name" or "_" in one.text or one.text.startswith("--"):
            sections.append(AnswerSection(what=(_shown(one),), hits=hits))
    return sections


def filtered_section(
    query: Query, repos: Sequence[RepoId], context: AskContext
) -> list[AnswerSection]:
    """Find everything that fits all qualifiers and has everything that is named beside them."""
    names = {one.text for one in query.named}
    if kinds := [THREADS[kind] for kind in query.wanted("is") if kind in THREADS]:
        entries = [hit for hit in context.index.entries(repos, query.window) if hit.kind in kinds]
        hits = [
            hit
            for hit in entries
            if all(one in hit.author.lower() for one in query.wanted("author"))
        ]
    else:
        fitting = [
            card for card in context.memory.listed(repos, query.window, _ALL) if query.fits(card)
        ]
        hits = [
            Hit(id=card.id, kind="commit", opened=f"{card.at:%Y-%m-%dT%H:%M:%SZ}")
            for card in fitting
        ]
    if names and not query.wanted("in"):
        having = context.index.search("", query.named, repos, query.window, _ALL)
        kept = {hit.id for hit in having if names <= set(hit.named)}
        hits = [hit for hit in hits if hit.id in kept]
    return [
        AnswerSection(
            what=(*map(":".join, query.filters), *map(_shown, query.named)), hits=_newest(hits)
        )
    ]


def _shown(one: Named) -> str:
    where = one.repo or ""
    return {"thread": f"{where}#{one.text}", "commit": f"{where}@{one.text}".lstrip("@")}.get(
        one.kind, one.text
    )


def _newest(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    return tuple(
        sorted(sorted(hits, key=lambda hit: hit.id), key=lambda hit: hit.opened, reverse=True)
    )


async def told_facts(query: Query, names: Sequence[EvidenceId], context: AskContext) -> list[Claim]:
    """Tell the facts of commits, first those about what is named; each is held to the diff."""
    await context.load(names, query.window)
    wanted = [one.text.lstrip("-") for one in query.named if one.kind == "name"]
    dossier = Dossier(found=context.found, seen=frozenset(context.found))
    told: list[Claim] = []
    for one in (context.found.get(name) for name in names):
        if isinstance(one, CommitEvidence):
            facts = sorted(
                facts_to_tell(one.facts),
                key=lambda fact: not any(word in fact.name for word in wanted),
            )
            told += [statement(fact, one) for fact in facts[:_FACTS]]
    passed, _ = checked_claims(told, (), (), dossier, refusals)
    return [claim.model_copy(update={"id": f"f{place}"}) for place, claim in enumerate(passed)]


async def reply_of(state: AskState, context: AskContext, *, asked: bool) -> Reply:
    """Choose what is published; what a question names outright is shown, whatever a model passes over."""
    query, hits, repos = state["query"], state["hits"], [one.repo for one in state["searched"]]
    claims = list(state["sentences"].published)
    said = [cite for claim in claims for cite in claim.cites]
    outcome: Outcome = "filtered" if query.is_filtered else "looked up"
    if state["trouble"]:
        outcome = "failed"
    elif asked:
        outcome = (
            "abstained" if state["nearest"] is not None else "answered" if claims else "refused"
        )
    look = filtered_section if query.is_filtered else named_sections
    sections = [
        one for one in look(query, repos, context) if not {*said} & {hit.id for hit in one.hits}
    ]
    told = list(dict.fromkeys(hit.id for section in sections for hit in section.hits[:_BEST]))
    facts = await told_facts(query, [name for name in told if not name.is_thread][:10], context)
    shown = tuple(dict.fromkeys((*said, *(state["nearest"] or []))))
    return Reply(
        outcome=outcome,
        lang=query.lang,
        window=query.window,
        claims=(*claims, *facts),
        cites=tuple(dict.fromkeys((*shown, *told))),
        shown=shown,
        sections=tuple(sections),
        evidence=tuple(hits),
        known=context.memory.all((*shown, *told, *(hit.id for hit in hits[: 2 * _BEST]))),
        searched=tuple(state["searched"]),
        failures=tuple(context.memory.problems(repos, query.window)),
        dropped=len(state["sentences"].failed),
        trouble=state["trouble"],
        has_model=context.models is not None,
    )
