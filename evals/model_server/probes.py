"""How a capable model answers when it is probed."""

import json

from evals.model_server.talk import Asked, Saying, ToolCall


def probed(asked: Asked) -> Saying | None:
    """Answer the questions by which a server is tried; None to any other."""
    if asked.tools == ["look_up"]:
        return Saying(calls=tuple(ToolCall("look_up", json.dumps({"colour": one})) for one in ("red", "green")))
    if "Which colour is a leaf" not in asked.user:
        return None
    green = json.dumps({"colour": "green"})
    return Saying(calls=(ToolCall(asked.tools[0], green),)) if asked.tools else Saying(text=green)
