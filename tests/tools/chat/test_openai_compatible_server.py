"""Chat models against a server that misbehaves over real HTTP: each fault ends in an answer or in words."""

import asyncio
import json
import time
import warnings

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import BaseModel, Field, SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agent.model_capabilities import Capabilities
from agent.model_errors import ContextExceeded, ModelError
from evals.loopback import Loopback
from evals.model_server.honest import probed
from evals.model_server.requests_and_answers import ModelRequest, Saying, ToolCall
from evals.model_server.server import KINDS, ModelServer, Mood, Pace
from tools.chat.model import RecordedChatModel, Retries
from tools.chat.openai_compatible_server import ChatServer, probe, rambles
from tools.chat.requests_and_replies import ChatRequest


class Statement(BaseModel):
    en: str


class Statements(BaseModel):
    statements: list[Statement] = Field(default_factory=list)


KEY = "sk-canary-0123456789"
RIGHT = json.dumps({"statements": [{"en": "The limit is lowered.", "zh": "", "cites": ["c1"]}]})
ASKED: list[BaseMessage] = [SystemMessage("Be short."), HumanMessage("What changed?")]
ANSWERS = {
    "slow": "did not answer in 0.4 s",
    "silent": "did not answer in 0.4 s",
    "reset": "cannot be reached, or broke off",
    "broken_off": "cannot be reached, or broke off",
    "half_stream": "broke off in the middle of an answer",
    "garbage": "cannot be read",
    "html": "cannot be read",
    "limited": "HTTP 429",
    "down": "HTTP 503",
    "failing": "HTTP 500",
    "gateway": "HTTP 502",
    "busy": "HTTP 408",
    "bad_request": "refuses every way of asking",
    "locked": "refuses the key",
    "empty": "gave an empty answer, or refuses one",
    "no_choices": "cannot be read",
    "cut_off": "was cut off",
    "refusal": "refuses",
    "filtered": "its provider filtered the answer",
    "repetition": "repeats itself without end",
    "prose": "not in the shape that was asked for",
    "other_shape": "not in the shape that was asked for",
}
"""What is said of a fault where an answer in a shape was asked for; those that are missing do no harm there."""
WAITED_FOR = {"slow", "silent"}
"""What is over only when no longer waited for; with anything else a busy machine has all the time it needs."""
CALLS = {
    "unknown_tool": None,
    "wrong_types": None,
    "storm": None,
    "same_again": None,
    "broken_arguments": "arguments that cannot be read",
    "cut_off": "arguments that cannot be read",
    "repetition": "repeats itself without end",
}


def script(request: ModelRequest) -> Saying:
    if (answer := probed(request)) is not None:
        return answer
    if request.tools == ["answer"]:
        return Saying(calls=(ToolCall("answer", RIGHT),))
    return (
        Saying(calls=(ToolCall("get_diff", '{"sha": "c1"}'),))
        if request.tools
        else Saying(text=RIGHT)
    )


def serving(kind: str = "", *, times: int = 1_000, without: tuple[str, ...] = ()) -> ModelServer:
    mood = Mood(kind, 30.0) if kind else None
    return ModelServer(
        script, lambda request: mood if request.number < times else None, without=without
    )


def get_diff(sha: str) -> str:
    """Show a diff."""
    return sha


def live_model(
    server: ModelServer,
    *,
    timeout: float = 60,
    tries: int = 2,
    capabilities: Capabilities | None = None,
) -> RecordedChatModel:
    """Return a model that asks the server every time."""
    chat_server = ChatServer(
        name="scripted",
        url=server.url,
        key=SecretStr(KEY),
        timeout=timeout,
        capabilities=capabilities,
    )
    retries = Retries(tries=tries, first_pause=0.01)
    return RecordedChatModel(model_name="scripted", server=chat_server, retries=retries)


async def probed_capabilities(server: ModelServer) -> Capabilities:
    model = live_model(server)
    assert isinstance(model.server, ChatServer)
    return await probe(model.server, model.ask_in_way, 32_768)


async def write(model: RecordedChatModel, messages: list[BaseMessage] = ASKED) -> Statements:
    return await model.with_structured_output(Statements).ainvoke(messages)


async def choose(model: RecordedChatModel) -> AIMessage:
    return await model.bind_tools([get_diff]).ainvoke(ASKED)


async def test_requests_at_the_same_time_leave_the_warnings_of_the_process_as_they_were() -> None:
    with serving() as server:
        model = live_model(server)
        before = list(warnings.filters)
        await asyncio.gather(*(write(model) for _ in range(3)))
        assert list(warnings.filters) == before


@pytest.mark.parametrize("kind", KINDS)
async def test_every_fault_of_an_answer_is_told_in_words_without_the_key(kind: str) -> None:
    with serving(kind) as server:
        began = time.monotonic()
        try:
            model = live_model(server, timeout=0.4 if kind in WAITED_FOR else 60)
            outcome = str((await write(model)).statements)
        except ModelError as error:
            outcome = str(error)
        assert time.monotonic() - began < 30
    assert ANSWERS.get(kind, "Statement(") in outcome
    assert KEY not in outcome


@pytest.mark.parametrize(
    ("kind", "next_step"),
    [
        ("reset", "`gitzette doctor` asks it"),
        ("slow", "a slow server needs a greater answer_seconds"),
        ("locked", "check OPENAI_API_KEY"),
        ("down", "answered HTTP 503"),
    ],
)
async def test_errors_name_the_model_and_the_next_step_and_neither_address_nor_secrets(
    kind: str, next_step: str
) -> None:
    with serving(kind) as server:
        address = server.url.removeprefix("http://")
        model = RecordedChatModel(
            model_name="scripted",
            server=ChatServer(
                name="scripted",
                url=f"http://someone:{KEY}@{address}?key={KEY}",
                key=SecretStr(KEY),
                timeout=0.4 if kind in WAITED_FOR else 60,
            ),
            retries=Retries(tries=1),
        )
        with pytest.raises(ModelError) as raised:
            await model.answer(ChatRequest(messages=ASKED))
    assert str(raised.value).startswith("scripted ")
    assert address not in str(raised.value), "reports quote it"
    assert next_step in str(raised.value)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(("kind", "outcome"), CALLS.items())
async def test_wrong_calls_of_tools_are_cut_short_or_told_in_words(
    kind: str, outcome: str | None
) -> None:
    with serving(kind) as server:
        if outcome is not None:
            with pytest.raises(ModelError, match=outcome):
                await choose(live_model(server))
        else:
            assert 0 < len((await choose(live_model(server))).tool_calls) <= 12


@pytest.mark.parametrize(
    "kind", ["limited", "failing", "reset", "broken_off", "empty", "silent", "half_stream"]
)
async def test_what_can_get_better_is_tried_again(kind: str) -> None:
    with serving(kind, times=1) as server:
        answer = await write(live_model(server, timeout=2 if kind in WAITED_FOR else 60))
        assert answer.statements[0].en == "The limit is lowered."
        assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("without", "way", "tools"),
    [
        ((), "schema", True),
        (("schema",), "tool", True),
        (("schema", "tools"), "words", False),
        (("stream",), "schema", True),
        (("usage",), "schema", True),
    ],
)
async def test_what_a_server_lacks_is_found_out_and_done_without(
    without: tuple[str, ...], way: str, tools: bool
) -> None:
    with serving(without=without) as server:
        capabilities = await probed_capabilities(server)
        assert (
            capabilities.way,
            capabilities.tools,
            capabilities.parallel,
            capabilities.context,
        ) == (
            way,
            tools,
            tools,
            32_768,
        )
        model = live_model(server, capabilities=capabilities)
        answer = await model.answer(ChatRequest(messages=ASKED, response_format=Statements))
        assert Statements.model_validate_json(answer.text).statements
        assert answer.spent.sent > 0
        assert answer.spent.received > 0


@pytest.mark.parametrize(("faulty", "way"), [(("schema",), "tool"), (("schema", "tool"), "words")])
async def test_a_server_that_answers_500_to_what_it_does_not_know_is_asked_in_another_way(
    faulty: tuple[str, ...], way: str
) -> None:
    def mood(request: ModelRequest) -> Mood | None:
        by_schema = request.schema is not None and "schema" in faulty
        by_tool = request.tools == ["answer"] and "tool" in faulty
        return Mood("failing") if by_schema or by_tool else None

    with ModelServer(script, mood) as server:
        capabilities = await probed_capabilities(server)
        assert capabilities.way == way
        model = live_model(server, capabilities=capabilities)
        assert (await write(model)).statements[0].en == "The limit is lowered."
    with serving("failing") as server, pytest.raises(ModelError, match="HTTP 500"):
        await probed_capabilities(server)


async def test_calls_have_the_same_ids_each_time_and_their_answers_are_sent_back() -> None:
    with serving() as server:
        first = await choose(live_model(server))
        again = await choose(live_model(server))
        assert (first.id, first.tool_calls) == (again.id, again.tool_calls)
        (call,) = first.tool_calls
        assert len(call["id"] or "") == 9
        tool_message = ToolMessage("the diff", tool_call_id=call["id"], name="get_diff")
        await live_model(server).bind_tools([get_diff]).ainvoke([*ASKED, first, tool_message])
        *_, request, answered = server.asked[2].body["messages"]
    assert request["tool_calls"][0]["id"] == answered["tool_call_id"] == call["id"]


async def test_a_server_that_reads_slowly_is_noticed_and_asked_shorter_questions() -> None:
    with ModelServer(script, pace=Pace(reads=100, writes=12)) as server:
        slow = await probed_capabilities(server)
    assert slow.reading_pace == 128
    assert slow.question_tokens(answer_seconds=300) == 12_800
    with ModelServer(script, pace=Pace(reads=100_000, writes=12)) as server:
        fast = await probed_capabilities(server)
    assert fast.reading_pace is None
    assert fast.question_tokens(answer_seconds=300) == 28_768


async def test_reading_a_long_question_takes_nothing_from_the_time_of_the_answer() -> None:
    answer = json.dumps({"statements": [{"en": "The limit is lowered. " * 4}]})
    with ModelServer(lambda _: Saying(text=answer), pace=Pace(reads=2.5, writes=16)) as server:
        written = await write(live_model(server, timeout=3, tries=1))
        assert len(server.asked) == 1
    assert written.statements[0].en.startswith("The limit is lowered.")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "context_length_exceeded", "message": "too long"}),
        (400, {"type": "exceed_context_size_error", "message": "the request is too large"}),
        (400, {"message": "This model's maximum context length is 8192 tokens."}),
        (422, {"message": "The input (9000 tokens) is longer than the model's context length"}),
        (413, {"message": "request too large"}),
    ],
)
async def test_a_question_that_is_too_long_for_the_server_is_told_apart_from_what_it_cannot_do(
    status: int, error: dict[str, str]
) -> None:
    async def refuse(_: Request) -> Response:
        return JSONResponse({"error": error}, status)

    loopback = Loopback()
    loopback.start(Starlette(routes=[Route("/{_:path}", refuse, methods=["POST"])]))
    server = ChatServer(name="scripted", url=f"{loopback.url}/v1", key=None)
    model = RecordedChatModel(model_name="scripted", server=server, retries=Retries(tries=1))
    with pytest.raises(ContextExceeded, match="finds the question too long"):
        await write(model)
    loopback.stop()


def test_endless_repetition_is_seen_and_a_long_text_is_not_taken_for_it() -> None:
    assert rambles("It is: " + "and faster, " * 80)
    assert rambles("x" * 700)
    assert not rambles(
        " ".join(f"line {number} changes value {number * 7}" for number in range(200))
    )
