"""Conversations of `ask`: questions one after the other, of which a thread keeps what was asked and answered."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.domain.claims import Claim
from agent.domain.errors import InputError
from agent.domain.evidence_id import EvidenceId
from agent.model_capabilities import answer_tokens
from agent.ports import Step
from agent.questions_and_replies import Reply
from agent.token_estimates import tokens_of
from agent.writing.tasks import Sentences
from graphs import ask as ask_graph
from graphs.ask_context import AskContext
from graphs.ask_state import AskInput
from graphs.checkpoints import open_checkpoints

T = TypeVar("T")
VERSION = 2  # Of what a thread keeps; a thread of another version is refused
_MAX_KEPT = 200  # Questions and citations of a thread
_MAX_QUESTION = 300  # Characters of a question that the list of a thread's questions shows
_MAX_CITES = 20  # Pieces of evidence that the next question rests on where an answer cites none
_KEPT_ID = "kept-"  # How the ids of the messages begin that a thread keeps


def _latest(_: T, value: T) -> T:
    return value


class QuestionInput(TypedDict):
    """The next question of a thread, and the version that asks it."""

    question: str
    version: int


class TurnOutput(TypedDict):
    """The part of a question that its thread keeps, and the reply, which it does not keep."""

    messages: Annotated[list[AnyMessage], add_messages]
    cites: Annotated[list[EvidenceId], _latest]  # What the answers cite, the last one's first
    last_cites: Annotated[list[EvidenceId], _latest]  # What the last answer cites
    recent_cites: Annotated[list[EvidenceId], _latest]  # What the last two answers cite
    turns: Annotated[list[str], _latest]  # What was asked so far
    version: int
    reply: Annotated[Reply, UntrackedValue]


class Conversation(QuestionInput, TurnOutput):
    """The state of a thread."""


ConversationGraph = CompiledStateGraph[Conversation, AskContext, QuestionInput, Conversation]


def build(checkpoints: BaseCheckpointSaver[Any] | None = None) -> ConversationGraph:
    """Wire a thread: each question runs through a graph of its own, whose steps are not kept."""
    return _wired().compile(checkpointer=checkpoints, name="conversation")


@cache
def _wired() -> StateGraph[Conversation, AskContext, QuestionInput, Conversation]:
    """Return the steps of a thread, whose types LangGraph inspects once in a process."""
    question = ask_graph.build(checkpoints=False)

    async def ask(state: Conversation, runtime: Runtime[AskContext]) -> TurnOutput:
        """Answer a question after those before it."""
        request = AskInput(
            question=state["question"],
            history=_history(state["messages"]),
            # A checkpoint holds ids as plain text.
            earlier_cites=[EvidenceId.cited(cite) for cite in state["cites"]],
            recent_cites=[EvidenceId.cited(cite) for cite in state["recent_cites"]],
            turn=len(state["turns"]),
        )
        answered = await question.ainvoke(request, context=runtime.context)
        reply: Reply = answered["reply"]
        cites = _cites_of(reply)
        all_cites = list(dict.fromkeys((*cites, *request["earlier_cites"])))
        turns = [*state["turns"], state["question"][:_MAX_QUESTION]]
        return {
            "messages": [
                HumanMessage(state["question"], id=f"{_KEPT_ID}{uuid4().hex}"),
                AIMessage(reply.said, id=f"{_KEPT_ID}{uuid4().hex}"),
            ],
            "cites": all_cites[:_MAX_KEPT],
            "last_cites": cites,
            "recent_cites": list(dict.fromkeys((*cites, *state["last_cites"]))),
            "turns": turns[-_MAX_KEPT:],
            "version": VERSION,
            "reply": reply,
        }

    graph = StateGraph(Conversation, context_schema=AskContext, input_schema=QuestionInput)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    return graph


def _cites_of(reply: Reply) -> list[EvidenceId]:
    """Return what the next question may go on with: what is cited, or else what fits best."""
    best = [hit.id for hit in reply.evidence[:_MAX_CITES]]
    if reply.outcome == "looked up":
        return list(dict.fromkeys((*best, *reply.cites)))
    return list(reply.cites) or best


def _history(messages: list[AnyMessage]) -> list[AnyMessage]:
    """Return what was asked and answered; a question that was cut short may have left more."""
    return [message for message in messages if str(message.id).startswith(_KEPT_ID)]


Event = dict[str, Any] | Reply
"""What a question yields as it goes: `evidence` that was found, each judged `claim`, then the reply."""


async def stream(
    graph: ConversationGraph,
    question: str,
    context: AskContext,
    config: RunnableConfig | None = None,
) -> AsyncIterator[Event]:
    """Run a question; yield what is found, each sentence once it is judged, then the reply.

    While the answer is written, the display shows how long it is; its words are not judged yet.
    """
    # One checkpoint for each answer: a question that was not answered leaves nothing to go on with.
    options: dict[str, Any] = {"durability": "exit"} if config else {}
    progress = _AnswerProgress(context)
    reply: Reply | None = None
    yielded_claims: set[str] = set()
    async for subgraph, mode, part in graph.astream(
        QuestionInput(question=question, version=VERSION),
        config,
        context=context,
        stream_mode=["custom", "values", "messages"],
        subgraphs=True,
        **options,
    ):
        if mode == "messages":
            message, metadata = part
            if metadata["langgraph_node"] == ask_graph.answer.__name__:
                await progress.add(message.text)
        elif isinstance(part, Step):
            progress.step = part
            context.reader.progress.step(part.repo, part.what, part.done, part.total)
        elif mode == "custom":
            yield part
        elif not subgraph:
            reply = part.get("reply")
        elif "sentences" in part:
            for claim in _new_claims(part["sentences"], yielded_claims):
                abstains = part["nearest"] is not None
                yield {"claim": claim, "lang": part["query"].lang, "abstains": abstains}
    if reply is not None:
        yield reply


def _new_claims(sentences: Sentences, yielded: set[str]) -> Iterator[Claim]:
    """Yield published claims that were not yielded before; a repaired one stands among those."""
    for claim in sentences.published:
        if claim.id not in yielded:
            yielded.add(claim.id)
            yield claim


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
            self._max_tokens = answer_tokens(
                await self._context.require_models().context("writing")
            )
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


@dataclass(frozen=True)
class Standing:
    """The state of a conversation after its last answer."""

    turns: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # What the answers cite, the last one's first


class Conversations:
    """All threads of a home folder or a database."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._saver = saver
        self._graph = build(saver)

    async def standing(self, thread: str) -> Standing:
        """Return where a thread stands; a new one is empty.

        A thread of another version is refused, and stays as it is.
        """
        checkpoint = await self._saver.aget_tuple(_config(thread))
        if checkpoint is None:
            return Standing()
        values = checkpoint.checkpoint["channel_values"]
        if values.get("version") != VERSION:
            raise InputError(
                f"thread {thread} was written by another version of gitzette;"
                " go on with that version, or begin another thread under a new name"
            )
        turns = tuple(values.get("turns", ()))
        return Standing(turns=turns, sources=tuple(values.get("cites", ())))

    async def ask(self, thread: str, question: str, context: AskContext) -> AsyncIterator[Event]:
        """Answer the next question of a thread; cut short, the thread stays with its last answer."""
        await self.standing(thread)
        async for event in stream(self._graph, question, context, _config(thread)):
            yield event


@asynccontextmanager
async def open_conversations(
    home: Path, database: str | None = None
) -> AsyncIterator[Conversations]:
    """Open the conversations of a database, or those below a home folder in a private file."""
    async with open_checkpoints(database or home / "threads.db", precious=True) as saver:
        yield Conversations(saver)


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}
