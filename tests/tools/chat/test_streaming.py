"""Answers that are watched while they are written: by `astream`, and by those who watch a graph."""

from collections.abc import Iterator
from contextlib import aclosing, closing
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, SecretStr

from agent.domain.account import Spent
from agent.model_capabilities import JOBS, Capabilities
from agent.model_errors import ModelError
from evals.model_server.requests_and_answers import ModelRequest, Saying, ToolCall
from evals.model_server.server import ModelServer, Mood
from graphs.models import Models
from memory.protocols import Database
from memory.recorder import CallRecorder
from memory.store import database_in_memory
from tools.chat.budget import RunBudget
from tools.chat.model import RecordedChatModel, Retries
from tools.chat.openai_compatible_server import ChatServer

KEY = "sk-canary-0123456789"
WORDS = "The router keeps twelve routes. " * 12
REPO = "octo/engine"


class Summary(BaseModel):
    text: str


def get_diff(sha: str) -> str:
    """Show a diff."""
    return sha


def script(request: ModelRequest) -> Saying:
    if request.tools:
        calls = (ToolCall("get_diff", '{"sha": "c1"}'), ToolCall("get_diff", '{"sha": "c2"}'))
        return Saying(text="Let me look at both of them before I say anything more.", calls=calls)
    if request.schema:
        return Saying(text=f'{{"text": "summary {request.number}"}}')
    return Saying(text=f"{request.number}: {WORDS}")


@pytest.fixture
def db() -> Iterator[Database]:
    with closing(database_in_memory()) as database:
        yield database


def models(db: Database, run: str, server: ModelServer, budget: RunBudget | None = None) -> Models:
    chat_server = ChatServer(
        name="oracle-1",
        url=server.url,
        key=SecretStr(KEY),
        capabilities=Capabilities(context=32_768),
    )
    return Models(
        CallRecorder(db, run),
        dict.fromkeys(JOBS, "oracle-1"),
        {"oracle-1": chat_server},
        "https://m.example",
        budget=budget,
        retries=Retries(tries=3, first_pause=0.01),
    )


def model(db: Database, run: str, server: ModelServer) -> RecordedChatModel:
    return models(db, run, server).get("writing", REPO)


async def pieces_of(chat: Any, words: str) -> list[AIMessageChunk]:
    return [chunk async for chunk in chat.astream(words)]


async def collect(chat: RecordedChatModel, chunks: list[AIMessageChunk]) -> None:
    """Put the pieces into a list, those before an error too."""
    async for chunk in chat.astream("why"):
        chunks.append(chunk)


def joined(chunks: list[AIMessageChunk]) -> AIMessageChunk:
    message = chunks[0] + chunks[1:]
    assert isinstance(message, AIMessageChunk)
    return message


async def test_a_streamed_answer_comes_in_pieces_and_is_recorded_and_paid_once(
    db: Database,
) -> None:
    with ModelServer(script) as server:
        run = models(db, "r1", server)
        chunks = await pieces_of(run.get("writing", REPO), "why")
        spent = run.take(REPO)
        assert len([chunk for chunk in chunks if chunk.text]) > 2
        streamed = joined(chunks)
        for name in ("r1", "r2"):
            again = models(db, name, server)
            answer = await again.get("writing", REPO).ainvoke("why")
            assert (streamed.text, streamed.id) == (answer.text, answer.id)
            assert streamed.usage_metadata == answer.usage_metadata
            assert again.take(REPO) == spent != Spent()
        assert joined(await pieces_of(model(db, "r2", server), "why")).text == streamed.text
        assert len(server.asked) == 1
    replayed = Models(CallRecorder(db, "r1", play_only=True), dict.fromkeys(JOBS, "oracle-1"))
    assert joined(await pieces_of(replayed.get("writing", REPO), "why")).text == streamed.text


async def test_streamed_tool_calls_are_those_that_are_recorded(db: Database) -> None:
    with ModelServer(script) as server:
        chunks = await pieces_of(model(db, "r1", server).bind_tools([get_diff]), "look")
        answer = await model(db, "r2", server).bind_tools([get_diff]).ainvoke("look")
        assert len(server.asked) == 1
    streamed = joined(chunks)
    assert streamed.text == answer.text == "Let me look at both of them before I say anything more."
    assert streamed.tool_calls == answer.tool_calls
    assert [call["args"] for call in streamed.tool_calls] == [{"sha": "c1"}, {"sha": "c2"}]


async def test_structured_output_can_be_streamed_and_is_checked_first(db: Database) -> None:
    with ModelServer(script) as server:
        chat = model(db, "r1", server).with_structured_output(Summary)
        assert [part async for part in chat.astream("sum up")] == [Summary(text="summary 0")]
        assert await chat.ainvoke("sum up") == Summary(text="summary 0")
    with ModelServer(script, lambda _: Mood("other_shape")) as server:
        chat = model(db, "r1", server).with_structured_output(Summary)
        with pytest.raises(ModelError, match="not in the shape"):
            [part async for part in chat.astream("sum up again")]


async def test_a_stream_that_breaks_off_is_an_error_and_the_next_run_asks_again(
    db: Database,
) -> None:
    with ModelServer(
        script, lambda request: Mood("broken_off") if request.number < 1 else None
    ) as s:
        chunks: list[AIMessageChunk] = []
        with pytest.raises(ModelError, match="broke off"):
            await collect(model(db, "r1", s), chunks)
        assert len(s.asked) == 1, "pieces that were yielded cannot be taken back"
        assert joined(chunks).text.startswith("0: The router")
        assert joined(await pieces_of(model(db, "r2", s), "why")).text == f"1: {WORDS}"


async def test_a_server_that_is_down_at_first_is_asked_again_before_anything_is_streamed(
    db: Database,
) -> None:
    with ModelServer(
        script, lambda request: Mood("down") if request.number < 1 else None
    ) as server:
        assert joined(await pieces_of(model(db, "r1", server), "why")).text == f"1: {WORDS}"


async def test_a_client_that_stops_listening_ends_the_request_and_nothing_is_recorded(
    db: Database,
) -> None:
    with ModelServer(script) as server:
        async with aclosing(model(db, "r1", server).astream("why")) as stream:  # type: ignore[type-var]
            assert (await anext(stream)).text
        assert joined(await pieces_of(model(db, "r1", server), "why")).text == f"1: {WORDS}"


def graph_of(chat: RecordedChatModel) -> CompiledStateGraph[Any, Any, Any, Any]:
    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    return StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").compile()


async def watched(chat: RecordedChatModel) -> dict[str, list[str]]:
    """Return the pieces that a watcher of a graph sees, by the id of their message."""
    seen: dict[str, list[str]] = {}
    question = {"messages": [("user", "why")]}
    stream: Any = graph_of(chat).astream(question, stream_mode="messages")
    async for message, _ in stream:
        seen.setdefault(message.id, []).append(message.text)
    return seen


async def test_a_watcher_of_a_graph_sees_an_answer_as_it_is_written(db: Database) -> None:
    with ModelServer(script) as server:
        (pieces,) = (await watched(model(db, "r1", server))).values()
        assert len(pieces) > 2
        assert "".join(pieces) == f"0: {WORDS}"
        (recorded,) = (await watched(model(db, "r2", server))).values()
        assert recorded == [f"0: {WORDS}"]


async def test_an_answer_that_is_watched_is_tried_again_like_any_other(db: Database) -> None:
    with ModelServer(
        script, lambda request: Mood("broken_off") if request.number < 1 else None
    ) as s:
        broken, message = (await watched(model(db, "r1", s))).values()
        assert "".join(message) == f"1: {WORDS}"
        assert "".join(message) != "".join(broken)
        answer = await model(db, "r2", s).ainvoke("why")
        assert answer.text == f"1: {WORDS}"


async def test_a_model_shows_its_key_in_no_form(db: Database) -> None:
    with ModelServer(script) as server:
        chat = model(db, "r1", server)
        await chat.ainvoke("why")
        for text in (repr(chat), str(chat.asdict()), chat.model_dump_json(), str(chat.to_json())):
            assert KEY not in text
