"""One attempt to get an answer from an OpenAI-compatible server: the only module that knows langchain-openai."""

import asyncio
import time
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import cache
from typing import Any, cast

import httpx2
import openai
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from agent.domain.base import UpstreamError
from agent.prompting import ContextExceeded, ModelError, rambles, tokens_of
from tools.github.address import trust

_MAX_TOOL_CALLS = 40  # After so many tool calls in one answer the stream is ended
_MIN_MEASURED = 6  # Tokens of a stream from which on its pace is measured
_LIST_SECONDS = 5.0  # For the list of a server's models
_UNWATCHED = RunnableConfig(callbacks=[])
"""Whoever streams a graph is shown recorded answers, not the pieces of every attempt."""
_TOO_LONG_CODES = (
    "context_length_exceeded",
    "exceed_context_size_error",
    "string_above_max_length",
)
_TOO_LONG_WORDS = (
    *("context length", "context size", "context window", "maximum context"),
    *("prompt is too long", "input is too long", "input token count", "too many tokens"),
)
"""How OpenAI, vLLM, SGLang, llama.cpp and hosted services say that a question does not fit."""
_CONTEXT_NAMES = ("max_model_len", "context_length", "context_window", "n_ctx", "n_ctx_train")
"""How vLLM, OpenRouter, Groq and llama.cpp name the context of a model in their lists."""


class Unsupported(ModelError):
    """The server does not take a question that is put like this; put otherwise it may."""


class AnswerTimeout(ModelError):
    """The server did not begin or finish an answer in time."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True)


class ChatClient:
    """Asks over a stream that is ended when it leads nowhere; every failure is a ModelError."""

    def __init__(
        self, *, name: str, url: str | None, key: SecretStr | None, timeout: float
    ) -> None:
        """Ask the model `name` at `url`.

        `timeout` is for the first word of an answer, and again from its first to its last word:
        a slow server needs time to read a long question before it can begin.
        """
        self.pace: float | None = None  # Tokens a second of the last answer, once it had begun
        self.first_word_seconds: float | None = None  # Until the last answer began
        self._name = name
        self._timeout = timeout
        self._is_hosted = url is None
        self._can_stream = True
        self._chat = ChatOpenAI(
            model=name,
            base_url=url,
            api_key=key or SecretStr("none"),
            temperature=0,
            timeout=timeout,
            # A server that reads a long question is silent for as long as it reads.
            stream_chunk_timeout=timeout,
            stream_usage=True,
            # Retries are made by the endpoint, where what is sent is counted and time is limited.
            max_retries=0,
            **_http_clients(url),
        )

    @property
    def usual_context(self) -> int | None:
        """The context that the library knows for a model of OpenAI's; None for any other server."""
        if not self._is_hosted:
            return None
        return (self._chat.profile or {}).get("max_input_tokens")

    async def send(
        self,
        messages: Sequence[BaseMessage],
        options: dict[str, Any],
        body: dict[str, Any],
        max_tokens: int,
    ) -> AIMessageChunk:
        """Return a complete answer; `body` goes into the request as it is."""
        # OpenAI's own models want another name for the limit, which the library knows; other
        # servers want this one.
        limit = {"max_tokens": max_tokens}
        if self._is_hosted:
            options = {**options, **limit, "extra_body": body}
        else:
            options = {**options, "extra_body": {**limit, **body}}
        async with self._translated() as deadline:
            answer = None
            if self._can_stream:
                answer = await self._streamed(messages, options, max_tokens, deadline)
            if answer is None:
                message = await self._chat.ainvoke(list(messages), _UNWATCHED, **options)
                answer = AIMessageChunk(**message.model_dump(exclude={"type"}))
                self._can_stream = False
            # Offered tools, a model may say nothing: it has enough.
            may_be_silent = "tools" in options and "tool_choice" not in options
            return self._complete(answer, may_be_silent=may_be_silent)

    async def _streamed(
        self,
        messages: Sequence[BaseMessage],
        options: dict[str, Any],
        max_tokens: int,
        deadline: asyncio.Timeout,
    ) -> AIMessageChunk | None:
        """Join the pieces of a stream; None where the server sent none.

        A stream that repeats itself or grows too long is ended.
        """
        chunks: list[AIMessageChunk] = []
        text = ""
        call_count = 0
        sent_at = time.monotonic()
        first_word_at = sent_at
        stream = cast(
            "AsyncGenerator[AIMessageChunk]",
            self._chat.astream(list(messages), _UNWATCHED, **options),
        )
        try:
            # Left to the garbage collector, a stream that is ended early would be closed after
            # the run.
            async with aclosing(stream):
                async for chunk in stream:
                    chunks.append(chunk)
                    call_count += sum(bool(call["name"]) for call in chunk.tool_call_chunks)
                    if call_count > _MAX_TOOL_CALLS:
                        break
                    piece = _text_of(chunk)
                    if piece and not text:
                        first_word_at = time.monotonic()
                        deadline.reschedule(asyncio.get_running_loop().time() + self._timeout)
                    text += piece
                    if rambles(text) or tokens_of(text) > 2 * max_tokens:
                        raise ModelError(f"{self._name} repeats itself without end")
        except ValueError:
            if chunks:
                raise
        self._measure(tokens_of(text), first_word_at - sent_at, time.monotonic() - first_word_at)
        # Joined once: to join piece by piece parses all arguments of tools anew each time.
        return chunks[0] + chunks[1:] if chunks else None

    def _measure(self, tokens: int, waiting: float, writing: float) -> None:
        """Remember the pace; a word or two say nothing of it."""
        if tokens >= _MIN_MEASURED and writing > 0:
            self.pace = tokens / writing
            self.first_word_seconds = waiting

    def _complete(self, answer: AIMessageChunk, *, may_be_silent: bool) -> AIMessageChunk:
        """Return an answer that ended as it should; raise ModelError for any other."""
        if refusal := answer.additional_kwargs.get("refusal"):
            raise ModelError(f"{self._name} refuses: {str(refusal)[:120]!r}")
        finish = answer.response_metadata.get("finish_reason")
        if finish == "content_filter":
            raise ModelError(f"{self._name} refuses: its provider filtered the answer")
        if "finish_reason" not in answer.response_metadata and not answer.tool_calls:
            raise ModelError(f"{self._name} broke off in the middle of an answer", retryable=True)
        is_empty = not (answer.text or answer.tool_calls or answer.invalid_tool_calls)
        if is_empty and not may_be_silent:
            raise ModelError(f"{self._name} gave an empty answer, or refuses one", retryable=True)
        return answer

    @asynccontextmanager
    async def _translated(self) -> AsyncIterator[asyncio.Timeout]:
        """Limit the time of one answer, and turn errors of the libraries into ModelError."""
        try:
            with warnings.catch_warnings():
                # The library warns of what it then raises.
                warnings.simplefilter("ignore")
                async with asyncio.timeout(self._timeout) as deadline:
                    yield deadline
        except (TimeoutError, openai.APITimeoutError) as error:
            message = f"{self._name} did not answer in {self._timeout:g} s"
            raise AnswerTimeout(message) from error
        except (openai.APIConnectionError, httpx2.TransportError) as error:
            message = f"{self._name} cannot be reached, or broke off"
            raise ModelError(message, retryable=True) from error
        except openai.APIStatusError as error:
            raise self._status_error(error) from error
        except (openai.OpenAIError, ValueError, TypeError, LookupError) as error:
            message = f"{self._name} gave an answer that cannot be read: {type(error).__name__}"
            raise ModelError(message) from error

    def _status_error(self, error: openai.APIStatusError) -> ModelError:
        """Return the error for a status: what can get better, and what the server does not know."""
        status = error.status_code
        if status in (401, 403):
            return ModelError(f"{self._name} refuses the key (HTTP {status})")
        if _is_too_long(error):
            return ContextExceeded(f"{self._name} finds the question too long (HTTP {status})")
        if status in (400, 404, 415, 422, 501):
            return Unsupported(f"{self._name} answered HTTP {status}")
        retryable = status in (408, 409, 429) or status >= 500
        answered = ModelError(f"{self._name} answered HTTP {status}", retryable=retryable)
        wished = error.response.headers.get("retry-after", "")
        # The other form, a date, is rare; then the pause is ours.
        if wished.replace(".", "", 1).isdecimal():
            answered.retry_after = float(wished)
        return answered


def _text_of(chunk: AIMessageChunk) -> str:
    """Return what a piece of an answer says, in words and in arguments of tools."""
    arguments = [call["args"] or "" for call in chunk.tool_call_chunks]
    return str(chunk.text) + "".join(arguments)


def _is_too_long(error: openai.APIStatusError) -> bool:
    """Return True if a server refuses a question because it does not fit into its context."""
    if error.status_code == 413 or error.code in _TOO_LONG_CODES or error.type in _TOO_LONG_CODES:
        return True
    message = error.message.lower()
    return error.status_code < 500 and any(words in message for words in _TOO_LONG_WORDS)


@cache
def _http_clients(url: str | None) -> dict[str, Any]:
    """Return HTTP clients for a server without TLS: the library would load all certificates, twice."""
    if url is None or not url.lower().startswith("http:"):
        return {}
    return {
        "http_client": openai.DefaultHttpxClient(verify=trust(url)),
        # A kept connection belongs to its event loop; the next question may have another one.
        "http_async_client": openai.DefaultAsyncHttpxClient(
            verify=trust(url), limits=httpx2.Limits(max_keepalive_connections=0)
        ),
    }


async def list_models(
    url: str, key: str | None, *, seconds: float = _LIST_SECONDS
) -> dict[str, int | None]:
    """Fetch the models that a server offers, with the context of each where that is reported."""
    address = f"{url.rstrip('/')}/models"
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
            reason = f" refuses the key (HTTP {status})"
        raise UpstreamError(f"{address}{reason}", retryable=status >= 500) from error
    except openai.APIConnectionError as error:
        raise UpstreamError(f"{address}: {error.__cause__ or error}", retryable=True) from error
    # A header or an address that cannot be sent, an answer that is no list.
    except (openai.OpenAIError, httpx2.InvalidURL, ValueError, TypeError, AttributeError) as error:
        message = f"{address} does not answer with a list of models"
        raise UpstreamError(message, retryable=False) from error


async def context_of(url: str, key: str | None, name: str) -> int | None:
    """Fetch the context of a model; None where the server does not report it, or has no list."""
    try:
        return (await list_models(url, key)).get(name)
    except UpstreamError:
        return None


def _context(model: Mapping[str, Any]) -> int | None:
    """Return the tokens that a model takes, by any of the names that servers have for it."""
    meta = model.get("meta")
    fields = {**model, **meta} if isinstance(meta, dict) else model
    for name in _CONTEXT_NAMES:
        size = fields.get(name)
        if isinstance(size, int) and size > 0:
            return size
    return None
