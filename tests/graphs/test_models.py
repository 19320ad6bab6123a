"""The models of a run over real HTTP: every answer is recorded, found again, and paid within the budget."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from pydantic import BaseModel, TypeAdapter

from agent.domain.account import Price, Spent
from agent.domain.errors import StorageError
from agent.model_capabilities import Capabilities, Job, Way
from agent.model_errors import ModelError
from evals.model_server.requests_and_answers import ModelRequest, Saying, ToolCall
from evals.model_server.server import ModelServer, Mood
from graphs.models import REPLY_FORM, Models
from memory.protocols import Database
from memory.recorded_answers import Artefact, JsonCodec
from memory.recorder import Call, CallRecorder
from memory.store import database_in_memory
from tools.chat.budget import Cap, RunBudget, Stopwatch
from tools.chat.model import Retries
from tools.chat.openai_compatible_server import ChatServer
from tools.chat.requests_and_replies import AskServer, ChatReply, ChatRequest, OnPiece

NAMES: dict[Job, str] = {"reading": "oracle-1", "writing": "oracle-1", "judging": "oracle-1"}
PRICES = {"oracle-1": Price(input=1_000_000, output=1_000_000)}
REPO = "octo/engine"


class Answer(BaseModel):
    text: str


def get_diff(sha: str) -> str:
    """Show a diff."""
    return sha


@pytest.fixture
def db() -> Iterator[Database]:
    with closing(database_in_memory()) as database:
        yield database


def script(request: ModelRequest) -> Saying:
    """Say something else each time."""
    usage = {"prompt_tokens": 20, "completion_tokens": 8}
    if request.tools:
        return Saying(calls=(ToolCall("get_diff", f'{{"sha": "{request.number}"}}'),), usage=usage)
    return Saying(text=f'{{"text": "answer {request.number}"}}', usage=usage)


def models(
    db: Database, run: str, server: ModelServer, *, budget: RunBudget | None = None, tries: int = 1
) -> Models:
    capabilities = Capabilities(context=32_768)
    shared: dict[str, Any] = {"url": server.url, "key": None, "capabilities": capabilities}
    servers = {name: ChatServer(name=name, **shared) for name in NAMES.values()}
    return Models(
        CallRecorder(db, run),
        NAMES,
        servers,
        # The port differs from server to server, the address that stands for it must not.
        "https://m.example",
        budget=budget or RunBudget(prices=PRICES),
        retries=Retries(tries=tries, first_pause=0.01),
    )


def replay(db: Database, run: str) -> Models:
    return Models(CallRecorder(db, run, play_only=True), NAMES, budget=RunBudget(prices=PRICES))


async def answer_to(
    run: Models, words: str = "why 中", account: str = REPO
) -> tuple[str, AIMessage]:
    """Ask for an object and for a tool, and answer the tool."""
    chat = run.get("writing", account)
    answer = await chat.with_structured_output(Answer).ainvoke(words)
    tool_call = await chat.bind_tools([get_diff]).ainvoke(words)
    tool_message = ToolMessage("the diff", tool_call_id=tool_call.tool_calls[0]["id"])
    return answer.text, await chat.bind_tools([get_diff]).ainvoke(
        [HumanMessage(words), tool_call, tool_message]
    )


async def test_equal_questions_have_equal_answers_in_every_run_and_cost_the_same(
    db: Database,
) -> None:
    with ModelServer(script) as server:
        first = models(db, "r1", server)
        answer = await answer_to(first)
        spent = first.take(REPO)
        assert spent == Spent(calls=3, sent=60, received=24, cost=84, currency="USD")
        assert first.take(REPO) == Spent()
        for run in ("r1", "r2"):
            again = models(db, run, server)
            assert await answer_to(again) == answer
            assert again.take(REPO) == spent
        assert len(server.asked) == 3
        assert (await answer_to(models(db, "r2", server), "else"))[0] != answer[0]
        assert len(server.asked) == 6


async def test_a_replay_asks_nobody_and_says_the_same(db: Database) -> None:
    with ModelServer(script) as server:
        run = models(db, "r1", server)
        answer = await answer_to(run)
        context = await run.context("writing")
        tools = await run.has_tools("reading")
    again = replay(db, "r1")
    assert await answer_to(again) == answer
    assert (
        (await again.context("writing"), await again.has_tools("reading"))
        == (context, tools)
        == (32_768, True)
    )
    with pytest.raises(StorageError, match="cannot be replayed"):
        await answer_to(again, "else")


async def test_a_model_that_failed_is_asked_again_and_its_failure_is_replayed_as_one(
    db: Database,
) -> None:
    with ModelServer(script, lambda _: Mood("down", 0.0)) as server:
        with pytest.raises(ModelError, match="HTTP 503"):
            await answer_to(models(db, "r1", server))
        with pytest.raises(ModelError, match="HTTP 503"):
            await answer_to(replay(db, "r1"))
        assert len(server.asked) == 1
    with ModelServer(script) as server:
        assert (await answer_to(models(db, "r2", server)))[0] == "answer 0"


class Rambling:
    """Answers every question with an object that nobody asked for."""

    async def learn(self, ask: AskServer) -> Capabilities:
        del ask
        return Capabilities(context=32_768)

    at_once = None

    async def attempt(
        self,
        request: ChatRequest,
        way: Way,
        watch: Stopwatch,
        on_piece: OnPiece | None = None,
    ) -> ChatReply:
        del request, way, watch, on_piece
        return RAMBLING


RAMBLING = ChatReply(text='{"words": "another shape"}', spent=Spent(calls=1, sent=20, received=8))


async def test_an_answer_that_fails_its_schema_is_asked_for_again_by_the_next_run(
    db: Database,
) -> None:
    rambling = dict.fromkeys(NAMES.values(), Rambling())
    first = Models(CallRecorder(db, "r1"), NAMES, rambling, "https://m.example")
    with pytest.raises(ModelError) as failed:
        await answer_to(first)
    with ModelServer(script) as server:
        assert (await answer_to(models(db, "r2", server)))[0] == "answer 0"
        assert (await answer_to(models(db, "r3", server)))[0] == "answer 0"
        assert len(server.asked) == 3
    with pytest.raises(ModelError) as replayed:
        await answer_to(replay(db, "r1"))
    assert str(replayed.value) == str(failed.value)


async def test_an_unchecked_answer_that_was_recorded_before_is_asked_for_again_and_no_more(
    db: Database,
) -> None:
    """Another version of the program may have recorded what this one cannot use."""
    request = ChatRequest(messages=[HumanMessage("why 中")], response_format=Answer)
    codec = JsonCodec("model reply", TypeAdapter(ChatReply))
    call = Call("model.ask", "oracle-1", request.hash, "https://m.example", REPLY_FORM)
    CallRecorder(db, "r1").record([(call, codec.encode(RAMBLING))])
    with ModelServer(script) as server:
        for run in ("r2", "r2", "r3"):
            assert (await answer_to(models(db, run, server)))[0] == "answer 0"
        assert len(server.asked) == 3
    with pytest.raises(ModelError, match="does not match the schema"):
        await answer_to(replay(db, "r1"))


async def test_an_answer_that_an_earlier_version_recorded_is_not_paid_for_again(
    db: Database,
) -> None:
    request = ChatRequest(messages=[HumanMessage("why 中")])
    call = Call("model.ask", "oracle-1", request.hash, "https://m.example", "6498547326df3638")
    body = '{"text": "because", "calls": [], "spent": {"calls": 1, "sent": 20, "received": 8}}'
    CallRecorder(db, "r1").record([(call, [Artefact("model reply", body.encode())])])
    with ModelServer(script) as server:
        answer = await models(db, "r2", server).get("writing", REPO).ainvoke("why 中")
        assert len(server.asked) == 0
    assert answer.text == "because"


async def insist(chat: Any, words: str) -> None:
    for number in range(8):
        await chat.ainvoke(f"{words} {number}")


@pytest.mark.parametrize(
    ("cap", "why"),
    [
        (Cap(calls=2), "2 calls"),
        (Cap(tokens=120), "120 tokens"),
        (Cap(cost=50), "a cost of 50"),
        (Cap(seconds=0), "0 seconds"),
    ],
)
async def test_a_run_that_used_up_its_budget_asks_no_more_and_says_which_limit_it_was(
    db: Database, cap: Cap, why: str
) -> None:
    budgets = (RunBudget(run=cap, prices=PRICES), RunBudget(account=cap, prices=PRICES))
    for number, budget in enumerate(budgets):
        with ModelServer(script) as server:
            run = models(db, f"r{number}", server, budget=budget)
            chat = run.get("writing", REPO).with_structured_output(Answer)
            with pytest.raises(ModelError, match=f"has used its {why}"):
                await insist(chat, str(number))
            assert len(server.asked) <= 4


async def test_what_takes_longer_than_the_time_that_is_left_is_ended(db: Database) -> None:
    with ModelServer(script, lambda _: Mood("silent", 30.0)) as server:
        late = models(db, "r1", server, budget=RunBudget(run=Cap(seconds=0.3)))
        with pytest.raises(ModelError, match="still answering when the time"):
            await answer_to(late)


async def test_a_model_that_fails_three_times_in_a_row_is_left_alone(db: Database) -> None:
    with ModelServer(script, lambda _: Mood("down")) as server:
        run = models(db, "r1", server)
        for number in range(6):
            with pytest.raises(ModelError):
                await answer_to(run, str(number))
        assert len(server.asked) == 3
