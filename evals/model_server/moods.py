"""What servers and models do wrong, each over real HTTP."""

import json
from dataclasses import dataclass, replace

from evals.model_server.talk import Asked, Saying, ToolCall

WIRE = ("slow", "silent", "reset", "broken_off", "half_stream", "garbage", "html")
"""What goes wrong on the way."""
STATUS = {"limited": 429, "down": 503, "failing": 500, "gateway": 502, "busy": 408, "bad_request": 400, "locked": 401}
"""What a server refuses."""
WORDS = (
    "empty",
    "no_choices",
    "cut_off",
    "refusal",
    "filtered",
    "wrong_language",
    "repetition",
    "prose",
    "fenced",
    "other_shape",
    "thinking_aloud",
)
"""What a model says instead of an answer."""
CALLS = ("storm", "unknown_tool", "wrong_types", "broken_arguments", "same_again")
"""What a model does with tools."""
KINDS = (*WIRE, *STATUS, *WORDS, *CALLS)

_OTHER_TONGUE = "Это изменение улучшает производительность системы. "
_AGAIN = "and it is faster, "


@dataclass(frozen=True)
class Mood:
    """One way to misbehave; `seconds` is for those that take time."""

    kind: str
    seconds: float = 0.0


def spoiled(saying: Saying, asked: Asked, kind: str) -> Saying:
    """Say something else than what would be right."""
    if kind in CALLS:
        return replace(saying, calls=_calls(saying, asked, kind), text="") if asked.tools else saying
    text = saying.text
    if kind == "empty":
        return replace(saying, text="", calls=())
    if kind == "cut_off":
        calls = tuple(replace(call, arguments=call.arguments[: len(call.arguments) // 2]) for call in saying.calls)
        return replace(saying, text=text[: len(text) * 2 // 3], calls=calls, finish="length")
    if kind == "refusal":
        return Saying(refusal="I cannot help with that.")
    if kind == "filtered":
        return Saying(finish="content_filter")
    if kind == "wrong_language":
        return replace(saying, text=_in_another_tongue(text))
    if kind == "repetition":
        return Saying(text='{"sentences": [{"en": "' + _AGAIN * 4_000, finish="length")
    if kind == "prose":
        return Saying(text="Sure! Here is a summary of the changes that you asked for. Everything got better.")
    if kind == "fenced":
        return replace(saying, text=f"Here it is:\n```json\n{text}\n```\nAnything else?") if text else saying
    if kind == "other_shape":
        return Saying(
            text=json.dumps({"sentences": "one", "statements": "one", "read": 7, "rulings": {"s1": "stated"}})
        )
    if kind == "thinking_aloud":
        return replace(saying, text=f"<think>\nLet me see {{ hm }}.\n</think>\n{text}") if text else saying
    return saying


def _calls(saying: Saying, asked: Asked, kind: str) -> tuple[ToolCall, ...]:
    first = asked.tools[0]
    if kind == "storm":
        return tuple(ToolCall(first, json.dumps({"page": page, "words": f"w{page}"})) for page in range(1, 400))
    if kind == "unknown_tool":
        return (ToolCall("delete_repository", '{"name": "all"}'), *saying.calls)
    if kind == "wrong_types":
        return tuple(ToolCall(name, json.dumps({"sha": [1], "page": "many", "number": {}})) for name in asked.tools[:4])
    if kind == "broken_arguments":
        return (ToolCall(first, '{"sha": "c1'),)
    return tuple(ToolCall(name, "{}") for name in asked.tools[:1]) * 3


def _in_another_tongue(text: str) -> str:
    try:
        data = json.loads(text)
    except ValueError:
        return _OTHER_TONGUE * 4
    for said in (data.get("sentences") or data.get("statements") or []) if isinstance(data, dict) else []:
        for field in ("en", "zh", "text"):
            if said.get(field):
                said[field] = _OTHER_TONGUE
    return json.dumps(data, ensure_ascii=False)
