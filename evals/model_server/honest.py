"""A scripted honest model: it reads what comes first, and repeats in its own field what the facts say."""

import json
import re

from evals.model_server.probes import probed
from evals.model_server.talk import Asked, Saying, ToolCall

_FACT = re.compile(r"^- (?!none)[\w-]+: (.+)$", re.MULTILINE)
_LINE = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
_HANDLE = re.compile(r"\[(c\d+)\]")
_READ = 6
_SILENT = ("Chinese", "中文", "It was refused", "the main thing of one line")


def honest(asked: Asked) -> Saying:
    """Answer whatever Gitzette asks, truly and shortly."""
    if (answer := probed(asked)) is not None:
        return answer
    if "get_diff" in asked.tools:
        return _reading(asked)
    if "search_commits" in asked.tools:
        return Saying()
    if "Choose at least one of" in asked.user:
        return _given({"read": list(dict.fromkeys(_HANDLE.findall(asked.user)))[:_READ]}, asked)
    if '"supported"' in asked.user:
        return _given({"reason": "The facts say so.", "supported": True}, asked)
    if "What the program would answer" in asked.user:
        return _given({"decision": "confirm", "shows": [], "statements": []}, asked)
    return _given({"statements": _statements(asked.user)}, asked)


def _given(answer: dict[str, object], asked: Asked) -> Saying:
    text = json.dumps(answer, ensure_ascii=False)
    return Saying(calls=(ToolCall(asked.tools[0], text),)) if asked.tools else Saying(text=text)


def _reading(asked: Asked) -> Saying:
    if "What you have read so far" in asked.user:
        return Saying()
    handles = list(dict.fromkeys(_HANDLE.findall(asked.user)))[:_READ]
    return Saying(calls=tuple(ToolCall("get_diff", json.dumps({"sha": one})) for one in handles))


def _statements(prompt: str) -> list[dict[str, object]]:
    """Repeat the first fact, or every line; in Chinese it knows nothing to say."""
    shown = prompt.partition("<<")[2]
    lines = _LINE.findall(shown) if "one sentence a line" in prompt else _FACT.findall(prompt)[:1]
    handle = _HANDLE.search(prompt)
    if handle is None or any(sign in prompt for sign in _SILENT):
        return []
    return [{"en": line, "zh": "", "cites": [handle[1]]} for line in lines]
