"""The chat model that every graph uses: ChatOpenAI behind record, budget, retries and a queue.

A request goes through these steps, all of them in this module:

    ainvoke, astream
      answer        from the record of this or an earlier run; else ask, and record the reply
      _ask          within the budget: calls, tokens, money and time
      _ask_server   in the best way that the server knows, else in the next
      ask_in_way    with retries (tenacity)
      server.attempt   after waiting for a turn, by ChatOpenAI    (tools/chat/openai_compatible_server.py)
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import BaseModel, Field, SkipValidation
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from agent.domain.account import job_of, subject_of
from agent.model_capabilities import Capabilities, Way, answer_tokens
from agent.model_errors import ContextExceeded, ModelError, Unsupported
from tools.chat.budget import RunBudget, Stopwatch
from tools.chat.requests_and_replies import AskServer, ChatReply, ChatRequest, OnPiece, answer_id
from tools.chat.tool_schemas import Tool, openai_tool

_MAX_PAUSE = 20.0  # Seconds between two attempts

M = TypeVar("M", bound=BaseModel)


class AnswerServer(Protocol):
    """A live source of answers: `ChatServer`, a file of recorded answers, or a script."""

    async def learn(self, ask: AskServer) -> Capabilities:
        """Return what can be asked; `ask` puts a request to the server in one way."""

    @property
    def at_once(self) -> int | None:
        """The number of requests that are answered at once; None while unknown."""

    async def attempt(
        self,
        request: ChatRequest,
        way: Way,
        watch: Stopwatch,
        on_piece: OnPiece | None = None,
    ) -> ChatReply:
        """Make one attempt at an answer, or raise ModelError.

        The watch runs while the server works on it, and pieces are handed on as they come in.
        """


class AnswerRecord(Protocol):
    """Keeps the replies of one model, so that none is paid for twice."""

    async def fetch(
        self, request: ChatRequest, ask: Callable[[], Awaitable[ChatReply]]
    ) -> ChatReply:
        """Return the recorded reply, or call `ask` and record its reply or its error."""


class Retries(NamedTuple):
    """The number of attempts at a request that fails for a reason that may pass."""

    tries: int = 3
    first_pause: float = 1.0  # Seconds; each further pause is twice as long


class RecordedChatModel(BaseChatModel):
    """A chat model: equal requests have equal answers, ids included; failures are ModelError.

    Use `ainvoke`, `astream`, `bind_tools` and `with_structured_output` as with any other chat
    model. Without a record and a budget it asks its server every time.
    """

    model_name: str
    account: str = ""  # Who pays for it: a repository, or a question
    # The collaborators are shared by the models of a run, and hold connections and keys: they are
    # kept out of traces.
    server: SkipValidation[AnswerServer | None] = Field(default=None, exclude=True, repr=False)
    """None in a replay, which asks nobody."""
    record: SkipValidation[AnswerRecord | None] = Field(default=None, exclude=True, repr=False)
    budget: SkipValidation[RunBudget] = Field(default_factory=RunBudget, exclude=True, repr=False)
    retries: Retries = Field(default=Retries(), exclude=True, repr=False)
    on_answer: Callable[[int, int, float], None] | None = Field(
        default=None, exclude=True, repr=False
    )
    """Called for live answers: tokens sent and received, seconds that the server worked."""
    cache: bool = False  # The record is the cache

    @property
    def _llm_type(self) -> str:
        return "recorded"

    # ------------------------------------------------------------ LangChain's interface

    def bind_tools(
        self, tools: Sequence[Tool], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Offer tools.

        `tool_choice` is None or "auto", "any" or "required", or the name of the tool to be called.
        """
        offered = [openai_tool(tool) for tool in tools]
        if tool_choice in (None, "auto"):
            return self.bind(tools=offered, **kwargs)
        if tool_choice not in ("any", "required"):
            # Some servers ignore the name of a tool; none can miss the only tool.
            offered = [tool for tool in offered if tool["function"]["name"] == tool_choice]
            if not offered:
                raise ValueError(f"there is no tool {tool_choice!r} to choose")
        return self.bind(tools=offered, tool_choice="required", **kwargs)

    def with_structured_output(  # type: ignore[override]
        self, schema: type[M], **kwargs: Any
    ) -> Runnable[LanguageModelInput, M]:
        """Return answers as validated objects of `schema`, however the server is asked for them."""

        async def read(message: AIMessage) -> M:
            try:
                return schema.model_validate(json.loads(str(message.text)))
            except (ValueError, RecursionError) as error:
                raise self._schema_error() from error

        return self.bind(response_format=schema, **kwargs) | RunnableLambda(read)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Answer as a whole; callbacks get the pieces as they come in.

        A TypeError is raised for options that a `ChatRequest` does not have: they would shape the
        answer without being recorded.
        """
        request = ChatRequest(messages=messages, stop=stop, **kwargs)
        request_id = self._request_id(request)
        pieces = None
        if run_manager is not None and run_manager.handlers:
            pieces = _callback_pieces(run_manager, answer_id(request_id))
        reply = await self.answer(request, pieces)
        return ChatResult(generations=[ChatGeneration(message=reply.message(request_id))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Yield an answer as it comes in; joined, the chunks are the message that is recorded.

        Tool calls, structured output and recorded answers are yielded whole, because they are
        checked first.
        """
        request = ChatRequest(messages=messages, stop=stop, **kwargs)
        request_id = self._request_id(request)
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        pieces = None
        if request.response_format is None:
            pieces = Pieces(lambda piece, _: queue.put(piece), can_restart=False)
        task = asyncio.create_task(self._answer_then_end(request, pieces, queue))
        streamed = ""
        try:
            while (piece := await queue.get()) is not None:
                streamed += piece
                yield _chunk(piece, answer_id(request_id))
            reply = await task
        finally:
            # The consumer may stop listening; then the server need not go on.
            task.cancel()
            with suppress(asyncio.CancelledError, ModelError):
                await task
        yield ChatGenerationChunk(message=reply.closing_chunk(request_id, streamed))

    async def _answer_then_end(
        self, request: ChatRequest, pieces: "Pieces | None", queue: asyncio.Queue[str | None]
    ) -> ChatReply:
        """Answer, and put None into the queue when no more pieces will come."""
        try:
            return await self.answer(request, pieces)
        finally:
            queue.put_nowait(None)

    def _should_stream(self, **kwargs: Any) -> bool:
        """Return True for `astream` alone, not for an `ainvoke` that somebody watches.

        Pieces that were yielded cannot be taken back, so a stream that breaks off is not tried
        again. Whether `ainvoke` is tried again must not depend on who watches; watchers get its
        pieces by callbacks.
        """
        return bool(kwargs.get("stream")) and bool(kwargs.get("async_api"))

    def _should_use_protocol_streaming(self, **kwargs: Any) -> bool:
        del kwargs
        return False

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError(
            "use ainvoke or astream: the record of a run belongs to its event loop"
        )

    # ------------------------------------------------------------ from record to server

    async def answer(self, request: ChatRequest, pieces: "Pieces | None" = None) -> ChatReply:
        """Return the recorded reply to a request, or ask for one and record it."""

        async def ask() -> ChatReply:
            return await self._ask(request, pieces)

        job = job_of(request.topic.prompt) if request.topic else ""
        subject = subject_of(request.topic.name) if request.topic else ""
        before = request.topic.answers_before if request.topic else None
        if before is None:
            before = self.budget.answers_before(self.account, subject)
        reply = await (self.record.fetch(request, ask) if self.record else ask())
        self.budget.charge(self.model_name, self.account, reply.spent, job, subject, before)
        return reply

    async def capabilities(self) -> Capabilities:
        """Return what the server can do, which is found out once."""
        return await self._live_server().learn(self.ask_in_way)

    async def _ask(self, request: ChatRequest, pieces: "Pieces | None") -> ChatReply:
        """Ask within what may still be spent of calls, tokens, money and time.

        An answer that does not match its schema is an error, so that no other run takes it over.
        """
        self.budget.begin_call(self.model_name, self.account, request.tokens)
        watch = self.budget.watch(self.account)
        try:
            async with asyncio.timeout(self.budget.seconds_left()):
                reply = await self._ask_server(request, watch, pieces)
        except TimeoutError as error:
            message = f"{self.model_name} was still answering when the time for it was over"
            raise ModelError(message) from error
        except ModelError as error:
            self.budget.fail_call(
                self.model_name, self.account, request.tokens, is_outage=error.retryable
            )
            raise
        self.budget.end_call(self.model_name, self.account, reply.spent)
        if self.on_answer is not None:
            self.on_answer(reply.spent.sent, reply.spent.received, watch.seconds)
        if not request.accepts(reply):
            raise self._schema_error()
        return reply

    async def _ask_server(
        self, request: ChatRequest, watch: Stopwatch, pieces: "Pieces | None"
    ) -> ChatReply:
        """Ask in the best way that the server is known to have; if it refuses that, in the next."""
        capabilities = await self.capabilities()
        context = capabilities.context
        if request.tools and not capabilities.tools:
            raise ModelError(f"{self.model_name} cannot call tools")
        if request.tokens + answer_tokens(context) > context:
            raise ContextExceeded(
                f"{self.model_name} has room for {context} tokens;"
                f" about {request.tokens} would be sent"
            )
        # Without a schema there is only one way to ask.
        ways = capabilities.ways if request.response_format else capabilities.ways[:1]
        refusal = ModelError("it has none")
        for way in ways:
            try:
                return await self.ask_in_way(request, way, watch, pieces)
            except Unsupported as error:
                refusal = error
        raise ModelError(f"{self.model_name} refuses every way of asking: {refusal}") from refusal

    async def ask_in_way(
        self,
        request: ChatRequest,
        way: Way,
        watch: Stopwatch | None = None,
        pieces: "Pieces | None" = None,
    ) -> ChatReply:
        """Ask in one way, by schema, by tool or in words, and try again what may get better."""
        server = self._live_server()
        stopwatch = watch or Stopwatch()

        async def attempt() -> ChatReply:
            on_piece = pieces.start_attempt() if pieces else None
            return await server.attempt(request, way, stopwatch, on_piece)

        def may_try_again(error: BaseException) -> bool:
            is_temporary = isinstance(error, ModelError) and error.retryable
            return is_temporary and (pieces is None or pieces.can_restart)

        retrying = AsyncRetrying(
            stop=stop_after_attempt(self.retries.tries),
            wait=self._pause,
            retry=retry_if_exception(may_try_again),
            reraise=True,
        )
        return await retrying(attempt)

    def _pause(self, state: RetryCallState) -> float:
        """Return the seconds until the next attempt.

        That is what the server asks for, else longer each time; the jitter keeps requests that
        failed together from coming back together.
        """
        error = state.outcome.exception() if state.outcome else None
        seconds: float = self.retries.first_pause * 2 ** (state.attempt_number - 1)
        if isinstance(error, ModelError) and error.retry_after:
            seconds = error.retry_after
        jitter = random.uniform(0.8, 1.2)  # noqa: S311 -- nothing secret
        return min(seconds, _MAX_PAUSE) * jitter

    def _live_server(self) -> AnswerServer:
        if self.server is None:
            raise ModelError(f"{self.model_name} is not asked in a replay")
        return self.server

    def _request_id(self, request: ChatRequest) -> str:
        return f"{self.model_name} {request.hash}"

    def _schema_error(self) -> ModelError:
        return ModelError(f"{self.model_name} returned an answer that does not match the schema")


class Pieces:
    """Hands on the pieces of an answer, and knows from which attempt they come."""

    def __init__(
        self, hand_on: Callable[[str, int], Awaitable[None]], *, can_restart: bool
    ) -> None:
        """Call `hand_on` with each piece and the number of attempts that broke off before it.

        `can_restart` says whether the receiver can do without the pieces of a broken attempt.
        """
        self._hand_on = hand_on
        self._always_restarts = can_restart
        self._broken_attempts = 0
        self._has_pieces = False  # Of the present attempt

    @property
    def can_restart(self) -> bool:
        """True if another attempt may follow."""
        return self._always_restarts or not self._has_pieces

    def start_attempt(self) -> OnPiece:
        """Return what takes the pieces of a new attempt."""
        self._broken_attempts += self._has_pieces
        self._has_pieces = False
        return self._add

    async def _add(self, piece: str) -> None:
        self._has_pieces = True
        await self._hand_on(piece, self._broken_attempts)


def _callback_pieces(run_manager: AsyncCallbackManagerForLLMRun, message_id: str) -> Pieces:
    """Hand pieces to callbacks; those of a second attempt belong to a message with another id."""

    async def hand_on(piece: str, broken_attempts: int) -> None:
        attempt_id = f"{message_id}-{broken_attempts}" if broken_attempts else message_id
        await run_manager.on_llm_new_token(piece, chunk=_chunk(piece, attempt_id))

    return Pieces(hand_on, can_restart=True)


def _chunk(piece: str, message_id: str) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=piece, id=message_id))
