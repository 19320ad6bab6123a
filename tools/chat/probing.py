"""Finding out what the server of a model can do: three small questions, once."""

from typing import Any, Literal

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from agent.capabilities import DEFAULT_CONTEXT, WAYS, Capabilities, Way
from agent.model import ModelError
from tools.chat.endpoint import ChatEndpoint
from tools.chat.messages import Question, Reply

_PARAMETERS = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
_FUNCTION = {"name": "look_up", "description": "Look up one colour.", "parameters": _PARAMETERS}
_LOOK = {"type": "function", "function": _FUNCTION}


class Colour(BaseModel):
    """The answer to the first question."""

    colour: Literal["red", "green"]


async def probe(endpoint: ChatEndpoint, context: int | None) -> Capabilities:
    """Try the ways of asking, the best first; a model that answers in no way is a ModelError."""
    look = _question("Call look_up for red, and call it for green, both at once.", tools=[_LOOK])
    leaf = _question("Which colour is a leaf: red or green?", response_format=Colour)
    called = await _tried(endpoint, "words", look)
    calls = len(called.calls) if called else 0
    length = {"context": context or DEFAULT_CONTEXT, "told": context is not None}
    found = Capabilities(tools=calls > 0, parallel=calls > 1).model_copy(update=length)
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


def _question(text: str, **options: Any) -> Question:
    return Question(messages=[SystemMessage("You answer exactly as you are asked to."), HumanMessage(text)], **options)
