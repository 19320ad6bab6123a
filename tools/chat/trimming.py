"""Conversations that outgrow a model's window: the oldest answers of tools go first, and the model is told."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, ToolMessage

from agent.tokens import tokens_of

_LEFT_OUT = "(left out for lack of room; call the tool again if you need it)"


def trimmed(messages: Sequence[AnyMessage], room: int) -> list[AnyMessage]:
    """Leave out the oldest answers of tools where the conversation grows beyond the model's window, and say so."""
    kept = list(messages)
    sizes = [tokens_of(str(one.content)) for one in kept]
    for place, one in enumerate(kept):
        if sum(sizes) <= room:
            break
        if isinstance(one, ToolMessage):
            kept[place] = one.model_copy(update={"content": _LEFT_OUT})
            sizes[place] = tokens_of(_LEFT_OUT)
    return kept
