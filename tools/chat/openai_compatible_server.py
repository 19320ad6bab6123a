"""Support for OpenAI-compatible servers beyond langchain-openai.

`ChatServer` makes one attempt at an answer with `ChatOpenAI`: it waits for its turn, sends the
request in one of three ways, ends streams that lead nowhere, and raises ModelError for every
failure. Below it, in this order: errors of the libraries, ways to ask for structured output,
probing what a server can do, and the list of models that a server offers.
"""

import asyncio
import json
import math
import time
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, cast
from urllib.parse import urlsplit, urlunsplit

import httpx2
import openai
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr, ValidationError

from agent.domain.errors import UpstreamError
from agent.json_answers import json_in, json_request, schema_of
from agent.model_capabilities import DEFAULT_CONTEXT, WAYS, Capabilities, Way, answer_tokens
from agent.model_errors import ContextExceeded, ModelError, Unsupported
from agent.token_estimates import tokens_of
from tools.chat.budget import Stopwatch
from tools.chat.concurrency import Concurrency
from tools.chat.requests_and_replies import (
    AskServer,
    ChatReply,
    ChatRequest,
    OnPiece,
    ToolRequest,
    as_utf8,
    calls_in,
    spent_on,
    with_words,
)
from tools.github.server_address import trust

_MAX_STREAMED_CALLS = 40  # After so many tool calls in one answer the stream is ended
_MIN_MEASURED_TOKENS = 6  # Shorter answers do not show the pace of a server
_LIST_SECONDS = 5.0  # For the list of a server's models
_MAX_REPEATED = 200  # Characters of a piece that is repeated
_MIN_REPETITION = 600
"""Characters of nothing but repetition; a table or a list of braces repeats less."""
_UNWATCHED = RunnableConfig(callbacks=[])
"""Callbacks belong to our wrapper: those of `ChatOpenAI` would report every attempt as a model run."""

Learn = Callable[["ChatServer", AskServer], Awaitable[Capabilities]]
"""Returns what a server can do: from memory, or by asking it."""


class ChatServer:
    """One model at one address; all chat models of a run with that name share it."""

    def __init__(
        self,
        *,
        name: str,
        url: str | None,
        key: SecretStr | None,
        timeout: float = 300.0,
        capabilities: Capabilities | None = None,
        learn: Learn | None = None,
        admit: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Ask the model `name` at `url`; without a URL, at OpenAI.

        `timeout` applies until an answer begins, and again from its first to its last word: a slow
        server needs time to read a long request before it can begin. `learn` finds out what the
        server can do; `admit` waits for a limit that is shared with other machines.
        """
        self.name = name
        self.pace: float | None = None  # Tokens a second of the last answer, once it had begun
        self.first_word_seconds: float | None = None  # Until the last answer began
        self._timeout = timeout
        self._is_hosted = url is None
        self._can_stream = True
        self._capabilities = capabilities or Capabilities()
        self._learn = learn
        self._learn_lock = asyncio.Lock()
        self._admit = admit
        self._concurrency = Concurrency(patience=timeout)
        # It warns of what it then raises. Filters belong to the process, so this one stays.
        warnings.filterwarnings("ignore", module="langchain_openai")
        self._chat = ChatOpenAI(
            model=name,
            base_url=url,
            # A server on this machine usually accepts any key, but not the lack of one.
            api_key=key or SecretStr("none"),
            temperature=0,
            timeout=timeout,
            # A server that reads a long request is silent for as long as it reads.
            stream_chunk_timeout=timeout,
            stream_usage=True,
            # Our wrapper retries: it counts what is sent and knows how much time is left.
            max_retries=0,
            **_http_clients(url),
        )

    @property
    def at_once(self) -> int | None:
        """The number of requests that the server answers at once; None while unknown."""
        return self._concurrency.at_once

    @property
    def usual_context(self) -> int | None:
        """The context that langchain-openai knows for a model of OpenAI; None for other servers."""
        if not self._is_hosted:
            return None
        return (self._chat.profile or {}).get("max_input_tokens")

    async def learn(self, ask: AskServer) -> Capabilities:
        """Find out what the server can do, once; `ask` is used for probing."""
        async with self._learn_lock:
            if self._learn is not None:
                self._capabilities = await self._learn(self, ask)
                self._learn = None
        return self._capabilities

    async def attempt(
        self, request: ChatRequest, way: Way, watch: Stopwatch, on_piece: OnPiece | None = None
    ) -> ChatReply:
        """Wait for a turn, then ask once; the watch runs while the server works."""
        sent = _sent_request(request, way)
        async with self._concurrency.turn(request.tokens, request.beginning) as turn:
            if self._admit is not None:
                await self._admit()
            seconds_before = watch.seconds
            watch.start()
            try:
                answer = await self._send(sent, on_piece)
            except AnswerTimeout:
                self._concurrency.timed_out(turn)
                raise
            except ModelError as error:
                if error.retryable:
                    self._concurrency.refused()
                raise
            finally:
                watch.stop()
            spent = spent_on(answer, request.tokens)
            seconds = watch.seconds - seconds_before
            self._concurrency.answered(turn, request.tokens, spent.received, seconds)
        if request.response_format is not None:
            data = _structured_data(self.name, answer, request.response_format)
            return ChatReply(text=as_utf8(json.dumps(data, ensure_ascii=False)), spent=spent)
        calls = _tool_calls(self.name, answer, request)
        return ChatReply(text=as_utf8(str(answer.text)), calls=calls, spent=spent)

    async def _send(self, sent: "_SentRequest", on_piece: OnPiece | None) -> AIMessageChunk:
        """Return a complete answer; every failure is a ModelError."""
        max_tokens = answer_tokens(self._capabilities.context)
        options = self._options(sent, max_tokens)
        async with self._translated() as deadline:
            answer = None
            if self._can_stream:
                answer = await self._streamed(sent, options, max_tokens, deadline, on_piece)
            if answer is None:
                message = await self._chat.ainvoke(sent.messages, _UNWATCHED, **options)
                answer = AIMessageChunk(**message.model_dump(exclude={"type"}))
                self._can_stream = False
            # A model that is offered tools may say nothing: it has read enough.
            may_be_silent = bool(sent.tools) and sent.tool_choice is None
            _check_complete(self.name, answer, may_be_silent=may_be_silent)
            return answer

    def _options(self, sent: "_SentRequest", max_tokens: int) -> dict[str, Any]:
        """Return what ChatOpenAI is called with.

        Options that are bound to it (`bind_tools`) would bring the callbacks of the caller along.
        """
        options: dict[str, Any] = {}
        body: dict[str, Any] = {}
        # langchain-openai turns tools into what OpenAI's newer API takes; other servers get them
        # as they are, in the body: the client walks through the schema of every option.
        tool_options = options if self._is_hosted else body
        if sent.tools:
            tool_options["tools"] = sent.tools
        if sent.tool_choice:
            tool_options["tool_choice"] = sent.tool_choice
        if sent.stop:
            options["stop"] = sent.stop
        # OpenAI's newer models have another name for this limit, which langchain-openai knows;
        # other servers know only this one.
        if self._is_hosted:
            options["max_tokens"] = max_tokens
        else:
            body["max_tokens"] = max_tokens
        if sent.json_schema is not None:
            # In the body, not as `response_format`: langchain-openai would parse the answer and
            # raise for one that is cut off or odd, where we can still use it or say what it is.
            body["response_format"] = {"type": "json_schema", "json_schema": sent.json_schema}
        options["extra_body"] = body
        return options

    async def _streamed(
        self,
        sent: "_SentRequest",
        options: dict[str, Any],
        max_tokens: int,
        deadline: asyncio.Timeout,
        on_piece: OnPiece | None,
    ) -> AIMessageChunk | None:
        """Join the pieces of a stream; return None if the server sent none.

        A stream that repeats itself or grows too long is ended.
        """
        chunks: list[AIMessageChunk] = []
        text = ""
        call_count = 0
        sent_at = time.monotonic()
        first_word_at = sent_at
        stream = self._chat.astream(sent.messages, _UNWATCHED, **options)
        try:
            # Left to the garbage collector, a stream that is ended early would be closed after
            # the run.
            async with aclosing(cast("AsyncGenerator[AIMessageChunk]", stream)) as pieces:
                async for chunk in pieces:
                    chunks.append(chunk)
                    call_count += sum(bool(call["name"]) for call in chunk.tool_call_chunks)
                    if call_count > _MAX_STREAMED_CALLS:
                        break
                    piece = _chunk_text(chunk)
                    if not piece:
                        continue
                    if not text:
                        first_word_at = time.monotonic()
                        if deadline.expired():
                            # The words arrived in the moment in which the time was over.
                            break
                        deadline.reschedule(asyncio.get_running_loop().time() + self._timeout)
                    text += piece
                    if rambles(text) or tokens_of(text) > 2 * max_tokens:
                        raise ModelError(f"{self.name} repeats itself without end")
                    visible_text = piece if sent.is_structured else as_utf8(str(chunk.text))
                    if on_piece is not None and visible_text:
                        await on_piece(visible_text)
        except ValueError:
            # This is how langchain-openai reports a stream without a single piece.
            if chunks:
                raise
        self._measure(tokens_of(text), first_word_at - sent_at, time.monotonic() - first_word_at)
        # Joined once: joining piece by piece would parse all tool arguments anew each time.
        return chunks[0] + chunks[1:] if chunks else None

    def _measure(self, tokens: int, waiting_seconds: float, writing_seconds: float) -> None:
        """Remember the pace of an answer, unless it is too short to show one."""
        if tokens >= _MIN_MEASURED_TOKENS and writing_seconds > 0:
            self.pace = tokens / writing_seconds
            self.first_word_seconds = waiting_seconds

    @asynccontextmanager
    async def _translated(self) -> AsyncIterator[asyncio.Timeout]:
        """Limit the time of one answer, and turn errors of the libraries into ModelError."""
        try:
            async with asyncio.timeout(self._timeout) as deadline:
                yield deadline
        except (TimeoutError, openai.APITimeoutError) as error:
            message = (
                f"{self.name} did not answer in {self._timeout:g} s; "
                "a slow server needs a greater answer_seconds"
            )
            raise AnswerTimeout(message) from error
        except (openai.APIConnectionError, httpx2.TransportError) as error:
            message = (
                f"{self.name} cannot be reached, or broke off; "
                "see whether it runs, `gitzette doctor` asks it"
            )
            raise ModelError(message, retryable=True) from error
        except openai.APIStatusError as error:
            raise _status_error(self.name, error) from error
        except ContextOverflowError as error:
            raise ContextExceeded(f"{self.name} finds the question too long") from error
        except (openai.OpenAIError, ValueError, TypeError, LookupError) as error:
            message = f"{self.name} gave an answer that cannot be read: {type(error).__name__}"
            raise ModelError(message) from error


def rambles(text: str) -> bool:
    """Return True if the end of a text is one short piece over and over."""
    if len(text) < _MIN_REPETITION:
        return False
    sizes = range(1, _MAX_REPEATED + 1)
    return any(text.endswith(text[-size:] * (_MIN_REPETITION // size)) for size in sizes)


def _shown_address(url: str | None) -> str:
    """Return an address as errors show it: without user, password and query, which may be secret."""
    if url is None:
        return "OpenAI"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "an address that cannot be read"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


@cache
def _http_clients(url: str | None) -> dict[str, Any]:
    """Return clients for a server without TLS; by default certificates would be loaded, twice."""
    if url is None or not url.lower().startswith("http:"):
        return {}
    return {
        "http_client": openai.DefaultHttpxClient(verify=trust(url)),
        # A kept connection belongs to its event loop; the next request may have another one.
        "http_async_client": openai.DefaultAsyncHttpxClient(
            verify=trust(url), limits=httpx2.Limits(max_keepalive_connections=0)
        ),
    }


# ---------------------------------------------------------------- errors

_TOO_LONG_CODES = (
    "context_length_exceeded",
    "exceed_context_size_error",
    "string_above_max_length",
)
_TOO_LONG_PHRASES = (
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "input token count",
    "too many tokens",
)
"""How vLLM, SGLang, llama.cpp and hosted services say that a request exceeds the context."""


class AnswerTimeout(ModelError):
    """The server did not begin or finish an answer in time."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True)


class ServerFault(ModelError):
    """The server answered HTTP 500: an outage, or its way to refuse what it does not know."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True)


def _status_error(name: str, error: openai.APIStatusError) -> ModelError:
    """Return the error for an HTTP status, and whether trying again can help.

    Its words may be published, so they name the model and never the address of its server.
    """
    status = error.status_code
    message = f"{name} answered HTTP {status}"
    if status in (401, 403):
        return ModelError(f"{name} refuses the key (HTTP {status}); check OPENAI_API_KEY")
    if _is_too_long(error):
        return ContextExceeded(f"{name} finds the question too long (HTTP {status})")
    if status in (400, 404, 415, 422, 501):
        return Unsupported(message)
    if status == 500:
        return _with_retry_after(ServerFault(message), error)
    is_temporary = status in (408, 409, 429) or status > 500
    return _with_retry_after(ModelError(message, retryable=is_temporary), error)


def _with_retry_after(failure: ModelError, error: openai.APIStatusError) -> ModelError:
    """Add the pause that the server asks for; a date, the other form, is rare and left out."""
    seconds = error.response.headers.get("retry-after", "")
    if seconds.replace(".", "", 1).isdecimal():
        failure.retry_after = float(seconds)
    return failure


def _is_too_long(error: openai.APIStatusError) -> bool:
    """Return True if a server refuses a request because it does not fit into its context."""
    if isinstance(error, ContextOverflowError) or error.status_code == 413:
        return True
    if error.code in _TOO_LONG_CODES or error.type in _TOO_LONG_CODES:
        return True
    message = error.message.lower()
    return error.status_code < 500 and any(phrase in message for phrase in _TOO_LONG_PHRASES)


def _check_complete(name: str, answer: AIMessageChunk, *, may_be_silent: bool) -> None:
    """Raise ModelError for an answer that is refused, filtered, broken off or empty."""
    if refusal := answer.additional_kwargs.get("refusal"):
        raise ModelError(f"{name} refuses: {str(refusal)[:120]!r}")
    if answer.response_metadata.get("finish_reason") == "content_filter":
        raise ModelError(f"{name} refuses: its provider filtered the answer")
    if "finish_reason" not in answer.response_metadata and not answer.tool_calls:
        raise ModelError(f"{name} broke off in the middle of an answer", retryable=True)
    is_empty = not (answer.text or answer.tool_calls or answer.invalid_tool_calls)
    if is_empty and not may_be_silent:
        raise ModelError(f"{name} gave an empty answer, or refuses one", retryable=True)


# ---------------------------------------------------------------- structured output and tools

_ANSWER_TOOL = "answer"  # Its arguments are the answer where a server knows no schema


@dataclass(frozen=True, kw_only=True)
class _SentRequest:
    """A request in the form in which a server gets it."""

    messages: list[BaseMessage]
    tools: list[Mapping[str, Any]]
    tool_choice: str | None
    stop: list[str] | None
    json_schema: Mapping[str, Any] | None = None
    is_structured: bool = False


def _sent_request(request: ChatRequest, way: Way) -> _SentRequest:
    """Return a request made in one way: by schema, by a tool to be called, or in words."""
    sent = _SentRequest(
        messages=list(request.messages),
        tools=list(request.tools),
        tool_choice=request.tool_choice,
        stop=list(request.stop) if request.stop else None,
        is_structured=request.response_format is not None,
    )
    shape = request.response_format
    if shape is None:
        return sent
    schema = schema_of(shape)
    if way == "schema":
        return replace(sent, json_schema={"name": shape.__name__, "schema": schema, "strict": True})
    if way == "tool":
        function = {"name": _ANSWER_TOOL, "description": "Give the answer.", "parameters": schema}
        tool = {"type": "function", "function": function}
        # Not the name of the tool: some servers ignore it, and none can miss the only tool.
        return replace(sent, tools=[tool], tool_choice="required")
    return replace(sent, messages=with_words(request.messages, json_request(shape)))


def _structured_data(name: str, answer: AIMessageChunk, shape: type[BaseModel]) -> dict[str, Any]:
    """Return the data of an answer, whether it was written as text or as arguments of a tool."""
    try:
        calls = list(calls_in(answer))
        data = dict(calls[0].arguments) if calls else json_in(str(answer.text), shape)
        shape.model_validate(data)
    except (ValidationError, ValueError, RecursionError) as error:
        is_cut = answer.response_metadata.get("finish_reason") == "length"
        fault = "was cut off" if is_cut else "is not in the shape that was asked for"
        raise ModelError(f"{name} gave an answer that {fault}") from error
    return data


def _tool_calls(name: str, answer: AIMessageChunk, request: ChatRequest) -> tuple[ToolRequest, ...]:
    """Return the tool calls of an answer; raise ModelError if none of them can be made."""
    calls = tuple(calls_in(answer))
    offered = {tool["function"]["name"] for tool in request.tools}
    if answer.tool_call_chunks and not calls:
        raise ModelError(f"{name} called a tool with arguments that cannot be read")
    if calls and not any(call.tool in offered for call in calls):
        raise ModelError(f"{name} called tools that do not exist: {calls[0].tool[:40]!r}")
    return calls


def _chunk_text(chunk: AIMessageChunk) -> str:
    """Return what a piece of an answer says, in words and in arguments of tools."""
    arguments = [call["args"] or "" for call in chunk.tool_call_chunks]
    return str(chunk.text) + "".join(arguments)


# ---------------------------------------------------------------- probing

_SLOW_PACE = 15.0
"""Tokens a second that a hosted service writes at least; what is slower may be a small machine."""
_FAST_READING = 200.0  # Tokens a second from which on no request takes long to read
_PARAMETERS = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
}
_LOOK_UP = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Look up one colour.",
        "parameters": _PARAMETERS,
    },
}
_LOOK_UP_TWICE = "Call look_up for red, and call it for green, both at once."
_LEAF = "Which colour is a leaf: red or green?"
_FILLER = "A garden has many plants, and each of them has leaves. "
_FILLER_COUNT = 30
"""About 500 tokens: long enough to separate the time of reading from all other time."""


class Colour(BaseModel):
    """The answer to a probing question."""

    colour: Literal["red", "green"]


async def probe(server: ChatServer, ask: AskServer, context: int | None) -> Capabilities:
    """Try the ways of asking, the best first; raise ModelError if none gets an answer."""
    reply = await _tried(ask, "words", _probing_request(_LOOK_UP_TWICE, tools=[_LOOK_UP]))
    call_count = len(reply.calls) if reply else 0
    tried = Capabilities(
        tools=call_count > 0,
        parallel=call_count > 1,
        context=context or DEFAULT_CONTEXT,
        told=context is not None,
    )
    failure = ModelError(f"{server.name} gave no answer in any way that was tried")
    for way in WAYS:
        capabilities = tried.model_copy(update={"way": way})
        if way not in capabilities.ways:
            continue
        try:
            reply = await _tried(ask, way, _probing_request(_LEAF, response_format=Colour))
        except ServerFault as error:
            # Some servers answer so instead of saying that they know no schema.
            failure = error
            continue
        if reply is None:
            continue
        reading_pace = None
        pace = server.pace
        if pace is not None and pace < _SLOW_PACE:
            reading_pace = await _reading_pace(server, ask, way)
        return capabilities.model_copy(update={"pace": pace, "reading_pace": reading_pace})
    raise failure


async def _reading_pace(server: ChatServer, ask: AskServer, way: Way) -> float | None:
    """Measure how fast a server reads, with a longer request; None if it reads fast enough.

    The pace is rounded to a power of two, so that requests sized by it stay the same after another
    measurement.
    """
    text = f"{_FILLER * _FILLER_COUNT}\n{_LEAF}"
    request = _probing_request(text, response_format=Colour)
    if await _tried(ask, way, request) is None:
        return None
    seconds = server.first_word_seconds
    if not seconds or request.tokens / seconds >= _FAST_READING:
        return None
    return 2.0 ** math.floor(math.log2(request.tokens / seconds))


async def _tried(ask: AskServer, way: Way, request: ChatRequest) -> ChatReply | None:
    """Return the reply, or None if the server cannot be asked like this; raise for an outage."""
    try:
        return await ask(request, way)
    except ModelError as error:
        if error.retryable:
            raise
        return None


def _probing_request(
    text: str,
    *,
    tools: list[Mapping[str, Any]] | None = None,
    response_format: type[BaseModel] | None = None,
) -> ChatRequest:
    system = SystemMessage("You answer exactly as you are asked to.")
    return ChatRequest(
        messages=[system, HumanMessage(text)], tools=tools or (), response_format=response_format
    )


# ---------------------------------------------------------------- the list of models

_CONTEXT_FIELDS = ("max_model_len", "context_length", "context_window", "n_ctx", "n_ctx_train")
"""How vLLM, OpenRouter, Groq and llama.cpp name the context of a model in their lists."""


async def list_models(
    url: str, key: str | None, *, seconds: float = _LIST_SECONDS
) -> dict[str, int | None]:
    """Fetch the models that a server offers, with the context of each where that is reported."""
    address = f"{_shown_address(url).rstrip('/')}/models"
    try:
        http = openai.DefaultAsyncHttpxClient(verify=trust(url), timeout=seconds)
        async with openai.AsyncOpenAI(
            base_url=url, api_key=key or "none", max_retries=0, http_client=http
        ) as client:
            models = (await client.models.list()).data
            return {model.id: _context(model.model_extra or {}) for model in models}
    except openai.APITimeoutError as error:
        message = f"{address} does not answer within {seconds:g} s"
        raise UpstreamError(message, retryable=True) from error
    except openai.APIStatusError as error:
        status = error.status_code
        reason = f": HTTP {status}"
        if status in (401, 403):
            reason = f" refuses the key (HTTP {status}); check OPENAI_API_KEY"
        raise UpstreamError(f"{address}{reason}", retryable=status >= 500) from error
    except openai.APIConnectionError as error:
        message = f"{address}: {error.__cause__ or error}; see whether the server runs"
        raise UpstreamError(message, retryable=True) from error
    # A header or an address that cannot be sent, an answer that is no list.
    except (openai.OpenAIError, httpx2.InvalidURL, ValueError, TypeError, AttributeError) as error:
        message = f"{address} does not answer with a list of models"
        raise UpstreamError(message, retryable=False) from error


async def context_of(url: str, key: str | None, name: str) -> int | None:
    """Fetch the context of a model; None if the server does not report it, or has no list."""
    try:
        return (await list_models(url, key)).get(name)
    except UpstreamError:
        return None


def _context(model: Mapping[str, Any]) -> int | None:
    """Return the tokens that a model takes, by any of the names that servers have for it."""
    meta = model.get("meta")
    fields = {**model, **meta} if isinstance(meta, dict) else model
    for name in _CONTEXT_FIELDS:
        size = fields.get(name)
        if isinstance(size, int) and size > 0:
            return size
    return None
