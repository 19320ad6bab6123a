"""Finding out what the server of a model can do: three small questions, once."""

from typing import Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from agent.capabilities import DEFAULT_CONTEXT, WAYS, Capabilities, Way
from agent.model import ModelError
from graphs.chat_endpoint import ChatEndpoint
from graphs.model_messages import Question, Reply

_PARAMETERS = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
_LOOK = {"name": "look_up", "description": "Look up one colour.", "parameters": _PARAMETERS}


class Colour(BaseModel):
    """The answer to the first question."""

    colour: Literal["red", "green"]


async def probe(endpoint: ChatEndpoint, context: int | None) -> Capabilities:
    """Try the ways of asking, the best first; a model that answers in no way is a ModelError."""
    called = await _tried(
        endpoint,
        "words",
        Question(
            messages=_said("Call look_up for red, and call it for green, both at once."),
            tools=[{"type": "function", "function": _LOOK}],
        ),
    )
    calls = len(called.calls) if called else 0
    leaf = Question(messages=_said("Which colour is a leaf: red or green?"), shape=Colour)
    found = Capabilities(
        tools=calls > 0, parallel=calls > 1, context=context or DEFAULT_CONTEXT, told=context is not None
    )
    for way in WAYS:
        known = found.model_copy(update={"way": way})
        if way in known.ways and await _tried(endpoint, way, leaf):
            return known.model_copy(update={"pace": endpoint.client.pace})
    raise ModelError(f"{endpoint.name} gave no answer in any way that was tried")


async def _tried(endpoint: ChatEndpoint, way: Way, question: Question) -> Reply | None:
    """Ask in one way; None where that cannot be done. An outage is no answer to the question."""
    try:
        return await endpoint.ask_by(way, question)
    except ModelError as error:
        if error.retryable:
            raise
        return None


def _said(text: str) -> list[BaseMessage]:
    return [SystemMessage("You answer exactly as you are asked to."), HumanMessage(text)]
