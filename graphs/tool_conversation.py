"""Conversations in which a model calls tools, until it has seen enough or has had its turns."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolInvocationError

from agent.domain.errors import UpstreamError
from agent.model_capabilities import Job
from agent.prompt_sizes import ShowEvidence
from agent.prompt_templates import fenced, prompt
from agent.token_estimates import message_tokens
from graphs.run_context import RunContext
from tools.chat.requests_and_replies import Topic, trimmed
from tools.chat.tool_schemas import tool_text
from tools.toolset import ToolError

_MAX_CALLS = 4  # Tools that are called in one turn
_PACKET_SHARE = 0.6  # Of a question, for the packet; the rest is for what the tools show
_MAX_CALL_TEXT = 200  # Characters of a call that are shown above its answer
_ERROR = "Error: "
_ENOUGH = "enough"  # The tool with which a model says that it need not be asked again


def _enough() -> str:
    """Say that nothing more has to be looked up after the calls of this turn."""
    return "noted"


ENOUGH_TOOL = StructuredTool.from_function(_enough, name=_ENOUGH)


async def call_tools(
    offered: Sequence[BaseTool], messages: Sequence[AnyMessage]
) -> list[AnyMessage]:
    """Call the tools that the last message asks for, and return their answers."""
    node = ToolNode(offered, handle_tool_errors=explain_mistake)
    update = await node.ainvoke({"messages": messages})
    answers: list[AnyMessage] = update["messages"]
    return answers


def explain_mistake(error: ToolError | ToolInvocationError) -> str:
    """Return what the model did wrong; an outage is not its mistake."""
    return f"{_ERROR}{error}"


def wants_tools(messages: Sequence[AnyMessage], turns: float = inf) -> bool:
    """Return True if the model asked for tools and may still do so."""
    if not messages:
        return False
    last = messages[-1]
    answers = sum(isinstance(message, AIMessage) for message in messages)
    return isinstance(last, AIMessage) and bool(last.tool_calls) and answers <= turns


def may_ask_again(messages: Sequence[AnyMessage], turns: int) -> bool:
    """Return True if a model has something new to read and may still ask for more."""
    if not messages:
        return True
    answers = [message for message in messages if isinstance(message, AIMessage)]
    if not isinstance(messages[-1], ToolMessage) or len(answers) >= turns:
        return False
    return not any(call["name"] == _ENOUGH for call in answers[-1].tool_calls)


class LookQuestion(NamedTuple):
    """A request to a model that may look further, without the conversation so far."""

    job: Job
    account: str
    prompt: str  # The file in agent/prompts
    about: str
    show: ShowEvidence
    values: Mapping[str, str] = {}  # Of the prompt, beside the evidence
    max_calls: int = _MAX_CALLS
    answers_before: int | None = None  # Where others ask for the same account at the same time


async def next_message(
    question: LookQuestion,
    messages: Sequence[AnyMessage],
    offered: Sequence[BaseTool],
    context: RunContext,
) -> AIMessage:
    """Return the calls of tools that a model asks for, or its word that it has seen enough."""
    limit = await context.question_limit(question.job, question.account)
    tool_texts = [tool_text(tool) for tool in offered]
    frame = prompt(question.prompt, {**question.values, "evidence": ""})
    frame_tokens = message_tokens((limit.system, frame, *tool_texts))
    evidence_tokens = int((limit.tokens - frame_tokens) * _PACKET_SHARE)
    evidence = fenced(limit.fit(question.show, evidence_tokens), context.mark)
    text = prompt(question.prompt, {**question.values, "evidence": evidence})
    opening: list[AnyMessage] = [SystemMessage(limit.system), HumanMessage(text)]
    turn = 1 + sum(isinstance(message, AIMessage) for message in messages)
    topic = Topic(
        f"{question.prompt} {question.about}, turn {turn}", answers_before=question.answers_before
    )
    model = (
        context.require_models()
        .get(question.job, question.account)
        .bind_tools(offered, topic=topic)
    )
    tool_tokens = message_tokens(tuple(tool_texts))
    shown = [_fenced_answer(message, context.mark) for message in messages]
    answer = await model.ainvoke(trimmed([*opening, *shown], limit.tokens - tool_tokens))
    look_ups = [call for call in answer.tool_calls if call["name"] != _ENOUGH]
    says_enough = [call for call in answer.tool_calls if call["name"] == _ENOUGH][:1]
    few_calls = look_ups[: question.max_calls]
    if few_calls:
        few_calls += says_enough
    return AIMessage(content=answer.content, tool_calls=few_calls, id=answer.id)


def _fenced_answer(message: AnyMessage, mark: str) -> AnyMessage:
    """Return what a tool showed as text of others; what a model did wrong is said by code."""
    if not isinstance(message, ToolMessage) or message.status == "error":
        return message
    return message.model_copy(update={"content": fenced(str(message.text), mark)})


class LookLimit(NamedTuple):
    """How often a model may ask for tools, and how many it may call in all."""

    turns: int
    look_ups: int


class LookConversation(NamedTuple):
    """What a model and the tools said, and the error that ended it early, if there was one."""

    messages: list[AnyMessage]
    error: UpstreamError | None = None


async def conversation(
    question: LookQuestion, offered: Sequence[BaseTool], limit: LookLimit, context: RunContext
) -> LookConversation:
    """Have a model call tools until it has seen enough; an error loses nothing that was shown."""
    calls_left = limit.look_ups
    messages: list[AnyMessage] = []
    try:
        while calls_left > 0 and may_ask_again(messages, limit.turns):
            question = question._replace(max_calls=calls_left)
            answer = await next_message(question, messages, offered, context)
            messages.append(answer)
            if answer.tool_calls:
                messages += await call_tools(offered, messages)
                calls_left -= sum(call["name"] != _ENOUGH for call in answer.tool_calls)
    except UpstreamError as error:
        return LookConversation(messages, error)
    return LookConversation(messages)


class ToolAnswer(NamedTuple):
    """What a tool showed, and the call that asked for it."""

    call: ToolCall
    text: str

    @property
    def call_text(self) -> str:
        """The tool and its arguments, in one line."""
        arguments = ", ".join(f"{name}={value}" for name, value in self.call["args"].items())
        return " ".join(f"{self.call['name']} {arguments}".split())[:_MAX_CALL_TEXT]


def tool_answers(messages: Sequence[AnyMessage]) -> Iterator[ToolAnswer]:
    """Yield what the tools showed in a conversation, without mistakes."""
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            calls |= {str(call["id"]): call for call in message.tool_calls}
        elif isinstance(message, ToolMessage) and message.status != "error":
            text = str(message.text)
            call = calls[message.tool_call_id]
            if call["name"] != _ENOUGH and not text.startswith(_ERROR):
                yield ToolAnswer(call, text)
