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
from agent.prompting import ModelError, rambles, tokens_of
from tools.github.address import trust

_STORM = 40  # After so many tool calls in one answer the stream is ended
_SOME = 6  # Tokens from which on the pace of a stream is measured
_UNWATCHED = RunnableConfig(callbacks=[])
"""Whoever streams a graph is shown recorded answers, not the pieces of every attempt."""


class Unsupported(ModelError):
    """The server does not take a question that is put like this; put otherwise it may."""


class ChatClient:
    """Asks over a stream that is ended when it leads nowhere; every failure is a ModelError."""

    def __init__(
        self, *, name: str, url: str | None, key: SecretStr | None, timeout: float
    ) -> None:
        """Ask the model `name` at `url`; `timeout` is for one answer from its first to its last word."""
        self.pace: float | None = None  # Tokens a second of the last answer, once it had begun
        self._name = name
        self._timeout = timeout
        self._hosted = url is None
        self._streams = True
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
            **_clients(url),
        )

    @property
    def usual_context(self) -> int | None:
        """The context that the library knows for a model of OpenAI's; None for any other server."""
        return (self._chat.profile or {}).get("max_input_tokens") if self._hosted else None

    async def send(
        self,
        messages: Sequence[BaseMessage],
        options: dict[str, Any],
        body: dict[str, Any],
        most: int,
    ) -> AIMessageChunk:
        """Give a complete answer of about `most` tokens; `body` goes into the request as it is."""
        # OpenAI's own models want another name for the limit, which the library knows; other servers want this one.
        limit = {"max_tokens": most}
        limited = limit | {"extra_body": body} if self._hosted else {"extra_body": limit | body}
        async with self._translated():
            whole = (
                await self._streamed(messages, options | limited, most) if self._streams else None
            )
            if whole is None:
                answer = await self._chat.ainvoke(list(messages), _UNWATCHED, **options, **limited)
                whole = AIMessageChunk(**answer.model_dump(exclude={"type"}))
                self._streams = False
            # Offered tools, a model may say nothing: it has enough.
            return self._complete(whole, silent="tools" in options and "tool_choice" not in options)

    async def _streamed(
        self, messages: Sequence[BaseMessage], options: dict[str, Any], most: int
    ) -> AIMessageChunk | None:
        """Join the pieces; None where the server sent none. End a stream that repeats itself or grows too long."""
        chunks: list[AIMessageChunk] = []
        text, calls, began = "", 0, time.monotonic()
        stream = cast(
            "AsyncGenerator[AIMessageChunk]",
            self._chat.astream(list(messages), _UNWATCHED, **options),
        )
        try:
            # Left to the collector of garbage, a stream that is ended early would be closed after the run.
            async with aclosing(stream):
                async for chunk in stream:
                    began = began if text else time.monotonic()
                    chunks.append(chunk)
                    calls += sum(bool(call["name"]) for call in chunk.tool_call_chunks)
                    if calls > _STORM:
                        break
                    text += str(chunk.text) + "".join(
                        call["args"] or "" for call in chunk.tool_call_chunks
                    )
                    if rambles(text) or tokens_of(text) > 2 * most:
                        raise ModelError(f"{self._name} repeats itself without end")
        except ValueError:
            if chunks:
                raise
        self._measure(tokens_of(text), time.monotonic() - began)
        # Joined once: to join piece by piece parses all arguments of tools anew each time.
        return chunks[0] + chunks[1:] if chunks else None

    def _measure(self, tokens: int, seconds: float) -> None:
        """Remember the pace; a word or two say nothing of it."""
        if tokens >= _SOME and seconds > 0:
            self.pace = tokens / seconds

    def _complete(self, answer: AIMessageChunk, *, silent: bool) -> AIMessageChunk:
        if refusal := answer.additional_kwargs.get("refusal"):
            raise ModelError(f"{self._name} refuses: {str(refusal)[:120]!r}")
        if answer.response_metadata.get("finish_reason") == "content_filter":
            raise ModelError(f"{self._name} refuses: its provider filtered the answer")
        if "finish_reason" not in answer.response_metadata and not answer.tool_calls:
            raise ModelError(f"{self._name} broke off in the middle of an answer", retryable=True)
        if (
            not silent
            and not answer.text
            and not answer.tool_calls
            and not answer.invalid_tool_calls
        ):
            raise ModelError(f"{self._name} gave an empty answer, or refuses one", retryable=True)
        return answer

    @asynccontextmanager
    async def _translated(self) -> AsyncIterator[None]:
        """Limit the time of one answer, and turn errors of the libraries into ModelError."""
        try:
            with warnings.catch_warnings():
                # The library warns of what it then raises.
                warnings.simplefilter("ignore")
                async with asyncio.timeout(self._timeout):
                    yield
        except (TimeoutError, openai.APITimeoutError) as error:
            raise ModelError(
                f"{self._name} did not answer in {self._timeout:g} s", retryable=True
            ) from error
        except (openai.APIConnectionError, httpx2.TransportError) as error:
            raise ModelError(
                f"{self._name} cannot be reached, or broke off", retryable=True
            ) from error
        except openai.APIStatusError as error:
            raise self._status(error) from error
        except (openai.OpenAIError, ValueError, TypeError, LookupError) as error:
            raise ModelError(
                f"{self._name} gave an answer that cannot be read: {type(error).__name__}"
            ) from error

    def _status(self, error: openai.APIStatusError) -> ModelError:
        """Tell what can get better from what cannot, and from what the server does not know."""
        status = error.status_code
        if status in (401, 403):
            return ModelError(f"{self._name} refuses the key (HTTP {status})")
        if status in (400, 404, 415, 422, 501):
            return Unsupported(f"{self._name} answered HTTP {status}")
        told = ModelError(
            f"{self._name} answered HTTP {status}",
            retryable=status in (408, 409, 429) or status >= 500,
        )
        wished = error.response.headers.get("retry-after", "")
        # The other form, a date, is rare; then the pause is ours.
        told.retry_after = float(wished) if wished.replace(".", "", 1).isdecimal() else None
        return told


@cache
def _clients(url: str | None) -> dict[str, Any]:
    """Make HTTP clients for a server without TLS, once: the library would load all certificates first, and twice."""
    if url is None or not url.lower().startswith("http:"):
        return {}
    return {
        "http_client": openai.DefaultHttpxClient(verify=trust(url)),
        # A connection that is kept belongs to the loop in which it was made; the next question may have another one.
        "http_async_client": openai.DefaultAsyncHttpxClient(
            verify=trust(url), limits=httpx2.Limits(max_keepalive_connections=0)
        ),
    }


_SECONDS = 5.0


async def list_models(
    url: str, key: str | None, *, seconds: float = _SECONDS
) -> dict[str, int | None]:
    """Ask which models a server offers, and how many tokens each takes where that is told."""
    place = f"{url.rstrip('/')}/models"
    try:
        http = openai.DefaultAsyncHttpxClient(verify=trust(url), timeout=seconds)
        async with openai.AsyncOpenAI(
            base_url=url, api_key=key or "none", max_retries=0, http_client=http
        ) as client:
            return {
                model.id: _context(model.model_extra or {})
                for model in (await client.models.list()).data
            }
    except openai.APITimeoutError as error:
        raise UpstreamError(
            f"{place} does not answer within {seconds:g} s", retryable=True
        ) from error
    except openai.APIStatusError as error:
        refused = error.status_code in (401, 403)
        why = (
            f" refuses the key (HTTP {error.status_code})"
            if refused
            else f": HTTP {error.status_code}"
        )
        raise UpstreamError(f"{place}{why}", retryable=error.status_code >= 500) from error
    except openai.APIConnectionError as error:
        raise UpstreamError(f"{place}: {error.__cause__ or error}", retryable=True) from error
    # A header or an address that cannot be sent, an answer that is no list.
    except (openai.OpenAIError, httpx2.InvalidURL, ValueError, TypeError, AttributeError) as error:
        raise UpstreamError(
            f"{place} does not answer with a list of models", retryable=False
        ) from error


async def context_of(url: str, key: str | None, name: str) -> int | None:
    """Ask how many tokens a model takes; None where the server does not say, or has no list."""
    try:
        return (await list_models(url, key)).get(name)
    except UpstreamError:
        return None


def _context(told: Mapping[str, Any]) -> int | None:
    """Find how many tokens a model takes; servers name it in their own ways: vLLM, OpenRouter, Groq, llama.cpp."""
    meta = told.get("meta")
    every = {**told, **meta} if isinstance(meta, dict) else told
    named = (
        every.get(name)
        for name in ("max_model_len", "context_length", "context_window", "n_ctx", "n_ctx_train")
    )
    return next((size for size in named if isinstance(size, int) and size > 0), None)
