"""Finding out what the server of a model can do: three small questions, once."""

from typing import Literal

from pydantic import BaseModel

from agent.analyst import ToolSpec
from agent.capabilities import DEFAULT_CONTEXT, WAYS, Capabilities, Way
from agent.model import Message, ModelError
from graphs.models import ChatModel

_SYSTEM = Message("system", "You answer exactly as you are asked to.")
_LOOK = ToolSpec(
    "look_up",
    "Look up one colour.",
    {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]},
)


class Colour(BaseModel):
    """The answer to the first question."""

    colour: Literal["red", "green"]


async def probe(chat: ChatModel, context: int | None) -> Capabilities:
    """Try the ways of asking, the best first; a model that answers in no way is a ModelError."""
    room = {"context": context or DEFAULT_CONTEXT, "told": context is not None}
    tools, parallel = await _tools(chat)
    for way in WAYS:
        known = Capabilities(way=way, tools=tools, parallel=parallel).model_copy(update=room)
        if way in known.ways and await _answers(chat, way, known):
            return known.model_copy(update={"pace": chat.pace})
    raise ModelError(f"{chat.name} gave no answer in any way that was tried")


async def _tools(chat: ChatModel) -> tuple[bool, bool]:
    chat.capabilities = Capabilities()
    asked = Message("user", "Call look_up for red, and call it for green, both at once.")
    try:
        calls = (await chat.choose([_SYSTEM, asked], [_LOOK])).value
    except ModelError as error:
        if error.retryable:
            raise
        return False, False
    return bool(calls), len(calls) > 1


async def _answers(chat: ChatModel, way: Way, known: Capabilities) -> bool:
    chat.capabilities = known
    try:
        await chat.answer_by(way, [_SYSTEM, Message("user", "Which colour is a leaf: red or green?")], Colour)
    except ModelError as error:
        if error.retryable:
            raise
        return False
    return True
