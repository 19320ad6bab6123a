"""Questions as a graph (retrieve, read with tools, answer, check, judge, repair, reply), alone or in a conversation."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
)
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.analysts.sentences import NAMES, answer_shape, cited
from agent.analysts.subjects import AnswerSubject
from agent.analysts.tasks import Draft, Sentences, evidence_handles
from agent.domain.base import InputError, RepoId
from agent.domain.evidence import Dossier
from agent.domain.evidence_id import EvidenceId
from agent.ports import Step
from agent.prompting import (
    ContextExceeded,
    ModelError,
    answer_tokens,
    fenced,
    message_tokens,
    prompt,
    tokens_of,
)
from agent.questions import Hit, Query, Reply, Searched, query_of
from agent.settings.values import RepoSpec
from agent.sizing import EvidencePrompt
from graphs.ask_context import AskContext, AskInput, AskState, ranked, reply_of
from graphs.checkpoints import open_checkpoints
from graphs.reading import called, wants_tools
from graphs.sentence_steps import SentenceSteps
from tools.chat.messages import trimmed
from tools.index_for_search import Completion
from tools.toolset import tools_of

VERSION = (
    2  # Of the state that is kept; a thread that was written by another one is not gone on with
)
_BEST, _TURNS, _RANKED, _TAGGED = 20, 5, 60, 5
_TROUBLE_CHARACTERS = 200  # That a reply shows of a model's error
_SMALLER_SHARES = (0.7, 0.5)  # Of the evidence, shown where a server finds the question too long
_KEPT, _KEPT_ID = 200, "kept-"  # Questions and citations of a thread that are kept


def build(checkpointer: Any = None) -> CompiledStateGraph[AskState, AskContext, AskInput, AskState]:
    """Wire the way of a question; with a checkpointer a thread goes on from its last turn."""
    graph = StateGraph(AskState, context_schema=AskContext, input_schema=AskInput)
    for node in (retrieve, read, tools, answer, reply):
        graph.add_node(node.__name__, node)
    SentenceSteps(subjects).add_to(graph, "reply")
    graph.add_edge(START, "retrieve")
    graph.add_conditional_edges(
        "retrieve", lambda state: "read" if _own(state) else "reply", ["read", "reply"]
    )
    graph.add_conditional_edges(
        "read",
        lambda state: "tools" if wants_tools(_own(state), _TURNS) else "answer",
        ["tools", "answer"],
    )
    graph.add_edge("tools", "read")
    graph.add_edge("answer", "check")
    graph.add_edge("reply", END)
    return graph.compile(checkpointer=checkpointer, name="ask")


async def retrieve(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Search what is known, read what is missing of the window, and search again."""
    context = runtime.context
    query = query_of(state["question"], context.bound, context.tz, context.now, context.lang)
    specs = [spec for spec in context.specs if query.wants(spec.name)] or list(context.specs)
    repos = [spec.name for spec in specs]
    _search(query, repos, runtime, _BEST)
    completions = {spec.name: await _read_missing(spec, query, context) for spec in specs}
    hits = _search(query, repos, runtime, _RANKED)
    window = query.window or context.memory.whole(repos, context.now, context.tz)
    searched = [context.searched(repo, window, completions[repo]) for repo in repos]
    update: dict[str, Any] = {
        "query": query,
        "window": window,
        "hits": hits,
        "searched": searched,
        "handles": {},
        "sentences": Sentences(),
        "nearest": None,
        "trouble": "",
        # A question that was cut short may have left messages.
        "messages": [RemoveMessage(str(message.id)) for message in _own(state)],
    }
    if context.models is None or query.is_filtered:
        return update
    update["handles"] = await _handles(query, hits, state, context)
    try:
        opening = await _opening(query, {**state, **update}, context)
    except ModelError as error:
        update["trouble"] = " ".join(str(error).split())[:_TROUBLE_CHARACTERS]
        return update
    update["messages"] = [*update["messages"], opening]
    return update


async def _read_missing(spec: RepoSpec, query: Query, context: AskContext) -> Completion:
    """Read what a question needs of a repository and nobody has read yet."""
    unread = query.window or context.memory.unread(spec.name, context.now, context.tz)
    completion = await context.reader.complete(spec, unread)
    if query.window is None:
        references = [ref for ref in query.named if ref.repo in (None, spec.name)]
        await context.reader.fetch(spec, references)
    return completion


def _search(
    query: Query, repos: Sequence[RepoId], runtime: Runtime[AskContext], limit: int
) -> list[Hit]:
    """Return the ranked hits, and stream the best of them to whoever waits for the answer."""
    hits = ranked(query, repos, runtime.context, limit)
    best = runtime.context.memory.all(hit.id for hit in hits[:_BEST])
    runtime.stream_writer({"evidence": best, "lang": query.lang})
    return hits


async def _handles(
    query: Query, hits: list[Hit], state: AskState, context: AskContext
) -> dict[str, EvidenceId]:
    """Read the best evidence, the tags of its commits, and what was cited before."""
    commits = [hit.id for hit in hits if hit.kind == "commit"]
    tags = await context.load_tags(commits[:_TAGGED])
    fitting = [hit.id for hit in hits[:_BEST] if hit.fits]
    # A checkpoint holds ids as plain text.
    cited_before = [EvidenceId(cite) for cite in (state.get("cites") or [])[:_BEST]]
    best = [*fitting, *tags, *cited_before, *(hit.id for hit in hits[:_BEST])]
    await context.load(best, query.window)
    return evidence_handles(best, context.found)


async def _opening(
    query: Query, state: Any, context: AskContext, share: float = 1.0
) -> HumanMessage:
    """Return the question with the best evidence, and how to look further if tools can be called.

    The evidence takes this share of the tokens that everything else leaves for it.
    """
    scope = "; ".join(map(_scope_text, state["searched"]))
    subject = (await subjects(state, context))["answer"]
    form = EvidencePrompt(
        name="ask_question",
        values={"question": fenced(query.text, context.mark), "scope": scope},
        shape=answer_shape(query.lang),
    )
    can_look_further = await context.can_call_tools()
    more = prompt("ask_read", {"scope": scope}) if can_look_further else ""
    ending = prompt("ask_answer", {"language": NAMES[query.lang], "more": ""})
    earlier = [str(one.text) for one in state.get("messages") or [] if one not in _own(state)]
    limit = await context.question_limit("writing", _account(state))
    tokens = limit.evidence_tokens(form) - message_tokens((more, ending, *earlier))
    names = [reference.text for reference in query.named]
    evidence = limit.fit(lambda budget: subject.overview(names, budget), int(tokens * share))
    text = form.filled(fenced(evidence or "(nothing)", context.mark))
    return HumanMessage(f"{text}\n{more}", id=uuid4().hex)


def _scope_text(searched: Searched) -> str:
    """Return a repository with the days that were read.

    Without the time of day: the same question of the same day is answered from the record.
    """
    if not searched.spans:
        return f"{searched.repo}, {searched.days_asked(clock=False)}, of which nothing was read"
    return f"{searched.repo}, {searched.days_read(clock=False)}"


async def subjects(state: AskState, context: AskContext) -> dict[str, AnswerSubject]:
    """Give what the answer is about: everything that was read for the question."""
    query, found, repos = state["query"], context.found, [one.repo for one in state["searched"]]
    subject = AnswerSubject(
        repo=repos[0],
        account=_account(state),
        languages=(query.lang,),
        dossier=Dossier(
            found=found,
            window=query.window,
            repos=frozenset(repos),
            seen=frozenset(found),
            notes=context.notes,
        ),
        shown={handle: found[name] for handle, name in state["handles"].items()},
        notes=context.notes,
    )
    return {"answer": subject}


def _account(state: AskState) -> str:
    told = f"{len(state.get('turns') or [])} {state['question']} {state['searched'][0].end}"
    return f"question {hashlib.sha256(told.encode()).hexdigest()[:12]}"


async def read(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Let the model look up what is open; its messages and the tools' answers stand before the question."""
    context, models = runtime.context, runtime.context.asked
    try:
        if not await context.can_call_tools():
            return {}
        offered = tools_of(await context.open_tools(state["window"], state["handles"]))
        heard = trimmed(_heard(state, context.mark), await models.context("reading") * 2 // 3)
        return {
            "messages": [
                await models.get("reading", _account(state)).bind_tools(offered).ainvoke(heard)
            ]
        }
    except ModelError:
        # Whoever is away is asked again for the answer.
        return {}


def _heard(state: AskState, mark: str) -> list[AnyMessage]:
    """Give the conversation behind what models are told before everything else; open calls of tools are left out."""
    repos = " and ".join(one.repo for one in state["searched"])
    kept = state["messages"][:-1] if wants_tools(state["messages"]) else state["messages"]
    return [SystemMessage(prompt("system", {"repo": repos, "mark": mark})), *kept]


def _own(state: AskState) -> list[AnyMessage]:
    """Give the messages of this question; the others were kept of earlier ones."""
    return [one for one in state.get("messages") or [] if not str(one.id).startswith(_KEPT_ID)]


async def tools(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Call what the model asked for."""
    runtime.stream_writer(Step(state["searched"][0].repo, "looking further"))
    opened = await runtime.context.open_tools(state["window"], state["handles"])
    return await called(tools_of(opened), state["messages"])


async def answer(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Have the model answer in sentences with citations and anchors, or abstain."""
    context, query, shown = runtime.context, state["query"], state["handles"].values()
    runtime.stream_writer(Step(state["searched"][0].repo, "answering"))
    await context.take_shown(query.window)
    handles = evidence_handles([*shown, *context.found], context.found)
    listed = [f"{handle} is {name}" for handle, name in handles.items() if name not in shown]
    more = f" What you looked up has handles too: {'; '.join(listed)}." if listed else ""
    told = prompt("ask_answer", {"language": NAMES[query.lang], "more": more})
    try:
        said = await _answered(state, told, context)
    except ModelError as error:
        return {"trouble": " ".join(str(error).split())[:_TROUBLE_CHARACTERS]}
    # A tool may have listed what it has not shown: it is read now, for the gate and the judge.
    named = [one for told in (said.nearest, *(one.cites for one in said.sentences)) for one in told]
    repos = [spec.name for spec in context.specs]
    await context.load(
        [name for one in named for name in context.memory.named(one, repos)], query.window
    )
    handles = evidence_handles([*handles.values(), *context.found], context.found)
    near = [name for one in said.nearest if (name := cited(one, handles)) in context.found]
    subject = (await subjects({**state, "handles": handles}, context))["answer"]
    drafts = [Draft(task="answer", claim=claim) for claim in subject.claims(said)]
    nearest = near if said.abstains or not drafts else None
    return {"handles": handles, "sentences": Sentences.written(drafts), "nearest": nearest}


async def _answered(state: AskState, instruction: str, context: AskContext) -> Any:
    """Ask for the answer; where the server counts more tokens than we do, with less evidence."""
    shape = answer_shape(state["query"].lang)
    model = context.asked.get("writing", _account(state)).with_structured_output(shape)
    room = await context.asked.context("writing") * 2 // 3
    messages = _heard(state, context.mark)
    for share in _SMALLER_SHARES:
        try:
            return await model.ainvoke(trimmed(_with_instruction(messages, instruction), room))
        except ContextExceeded:
            opening = await _opening(state["query"], state, context, share)
            messages = [one for one in messages if one not in _own(state)] + [opening]
    return await model.ainvoke(trimmed(_with_instruction(messages, instruction), room))


def _with_instruction(messages: Sequence[AnyMessage], instruction: str) -> list[AnyMessage]:
    """Append what is to be done now; some servers take no two messages of a user in a row."""
    *before, last = messages
    if last.type == "human":
        return [*before, HumanMessage(f"{last.text}\n{instruction}")]
    return [*messages, HumanMessage(instruction)]


async def reply(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Put the reply together; of this question the conversation keeps what was asked and answered."""
    given = await reply_of(state, runtime.context, asked=bool(_own(state)))
    gone = [RemoveMessage(str(one.id)) for one in _own(state)]
    question, said = (f"{_KEPT_ID}{uuid4().hex}" for _ in range(2))
    return {
        "reply": given,
        "version": VERSION,
        "messages": [
            *gone,
            HumanMessage(state["question"], id=question),
            AIMessage(given.said, id=said),
        ],
        "cites": list(given.cites or (hit.id for hit in given.evidence[:_BEST]))[:_KEPT],
        "turns": [*state.get("turns", []), state["question"][:300]][-_KEPT:],
    }


Event = dict[str, Any] | Reply
"""What a question gives as it goes: `evidence` that was found, each judged `claim`, and the reply at the end."""


@dataclass(frozen=True)
class Standing:
    """Where a conversation stands after its last answer."""

    turns: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # What the last answer cites


async def stream(
    graph: Any, question: str, context: AskContext, config: RunnableConfig | None = None
) -> AsyncIterator[Event]:
    """Run a question; yield what is found, each sentence once it is judged, then the reply.

    While the answer is written, the display shows how long it is; its words are not judged yet.
    """
    # One checkpoint for each answer: a question that was not answered leaves nothing to go on with.
    options: dict[str, Any] = {"durability": "exit"} if config else {}
    modes = ["custom", "values", "messages"]
    graph_input = {"question": question, "version": VERSION}
    progress = _AnswerProgress(context)
    reply = None
    yielded_claims: set[str] = set()
    async for mode, part in graph.astream(
        graph_input, config, context=context, stream_mode=modes, **options
    ):
        if mode == "messages":
            message, metadata = part
            if metadata["langgraph_node"] == answer.__name__:
                await progress.add(message.text)
        elif isinstance(part, Step):
            progress.step = part
            context.reader.progress.step(part.repo, part.what, part.done, part.total)
        elif mode == "custom":
            yield part
        elif "sentences" in part:
            reply = part.get("reply")
            for claim in part["sentences"].published:
                # A repaired sentence stands among those that were yielded before.
                if claim.id in yielded_claims:
                    continue
                yielded_claims.add(claim.id)
                yield {
                    "claim": claim,
                    "lang": part["query"].lang,
                    "abstains": part["nearest"] is not None,
                }
    if reply is not None:
        yield reply


class _AnswerProgress:
    """Shows how many tokens of an answer are written, of those that it may have."""

    def __init__(self, context: AskContext) -> None:
        self.step: Step | None = None  # The last one that was shown
        self._context = context
        self._written = ""
        self._max_tokens = 0

    async def add(self, piece: str) -> None:
        """Count a piece of the answer."""
        if self.step is None:
            return
        if not self._max_tokens:
            self._max_tokens = answer_tokens(await self._context.asked.context("writing"))
        self._written += piece
        # A full count would say that the answer is complete, which its server decides.
        tokens = min(tokens_of(self._written), self._max_tokens - 1)
        display = self._context.reader.progress
        display.step(self.step.repo, self.step.what, tokens, self._max_tokens)


async def answered(question: str, context: AskContext) -> Reply:
    """Answer one question outside any thread."""
    reply = [event async for event in stream(build(), question, context)][-1]
    assert isinstance(reply, Reply)
    return reply


class Conversations:
    """All threads of a home folder or a database."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._saver = saver
        self._graph = build(saver)

    async def standing(self, thread: str) -> Standing:
        """Find where a thread stands; a new one is empty, and one of another version is refused and left as it is."""
        kept = await self._saver.aget_tuple(_config(thread))
        if kept is None:
            return Standing()
        values = kept.checkpoint["channel_values"]
        if values.get("version") != VERSION:
            raise InputError(
                f"thread {thread} was written by another version of gitzette; go on with that version, "
                "or begin another thread under a new name"
            )
        return Standing(
            turns=tuple(values.get("turns", ())), sources=tuple(values.get("cites", ()))
        )

    async def ask(self, thread: str, question: str, context: AskContext) -> AsyncIterator[Event]:
        """Answer the next question of a thread as it goes; cut short, the thread stays with its last answer."""
        await self.standing(thread)
        async for event in stream(self._graph, question, context, _config(thread)):
            yield event


@asynccontextmanager
async def open_conversations(
    home: Path, database: str | None = None
) -> AsyncIterator[Conversations]:
    """Open the conversations below a home folder, in a private file of their own, or those of a database."""
    async with open_checkpoints(database or home / "threads.db", precious=True) as saver:
        yield Conversations(saver)


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}
