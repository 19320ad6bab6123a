"""Scripted honest models: a writer that repeats what the evidence plainly says, and a judge that admits only that."""

import json
import re
from collections.abc import Callable, Iterable, Sequence

from evals.model_server.probes import probed
from evals.model_server.prompts import Prompt, Told, answerable, borne_out, prompt_of
from evals.model_server.talk import Asked, Saying, ToolCall

_HANDLE = re.compile(r"^\[(c\d+)\]", re.MULTILINE)
_MOST = re.compile(r"at most (\d+),")


def honest(asked: Asked) -> Saying:
    """Answer whatever Gitzette asks, truly and shortly."""
    if (answer := probed(asked)) is not None:
        return answer
    prompt = prompt_of(asked)
    if prompt.kind == "choose":
        most = _MOST.search(asked.user)
        return given({"read": _HANDLE.findall(prompt.evidence)[: int(most[1]) if most else 1]}, asked)
    if prompt.kind == "read":
        return _reading(asked, prompt)
    if prompt.kind == "write":
        return given(written(borne_out(prompt.evidence)), asked)
    if prompt.kind == "day":
        return given({"sentences": [resting(one) for one in borne_out(prompt.evidence)[:3]]}, asked)
    if prompt.kind == "judge":
        return judged(asked, lambda words: is_borne_out(words, prompt.evidence))
    if prompt.kind == "repair":
        # It said nothing but what it was shown; what is refused it gives up.
        return given({"sentences": []}, asked)
    if prompt.kind == "answer":
        told = answerable(asked)
        return given({"abstains": not told, "nearest": [], "sentences": [sentence(one) for one in told]}, asked)
    return given({}, asked)


def given(answer: dict[str, object], asked: Asked) -> Saying:
    """Answer with data, in the way that was asked for."""
    text = json.dumps(answer, ensure_ascii=False)
    return Saying(calls=(ToolCall(asked.tools[0], text),)) if asked.tools else Saying(text=text)


def _reading(asked: Asked, prompt: Prompt) -> Saying:
    """Look at one diff, then note that nothing is open."""
    handles = _HANDLE.findall(prompt.evidence)
    if asked.has_tool_answers or not handles:
        return Saying(text="Nothing is open.")
    return Saying(calls=(ToolCall("get_diff", json.dumps({"sha": handles[0]})),))


def written(told: Sequence[Told]) -> dict[str, object]:
    """Put sentences about a commit into the shape of an analysis: the first one is the headline."""
    head = {"headline_en": told[0].en, "headline_zh": told[0].zh} if told else {}
    return {**head, "sentences": [sentence(one) for one in told[1:]]}


def sentence(one: Told) -> dict[str, object]:
    """Put one sentence into its shape."""
    return {"en": one.en, "zh": one.zh, "cites": list(one.cites), "anchor": one.anchor}


def resting(one: Told) -> dict[str, object]:
    """Put one sentence of a summary into its shape."""
    return {"en": one.en, "zh": one.zh, "rests_on": list(one.cites)}


def is_borne_out(words: str, evidence: str) -> str:
    """Give the line of the evidence that says a sentence; nothing where none plainly does."""
    return next((one.proof for one in borne_out(evidence) if words in one.forms or words == one.proof), "")


def judged(asked: Asked, proof: Callable[[str], str]) -> Saying:
    """Rule on each sentence: stated where there is a proof, else unsupported."""
    rulings: Iterable[dict[str, str]] = (
        {"id": name, "quote": line, "covers": words, "verdict": "stated" if line else "unsupported"}
        for name, words in prompt_of(asked).sentences().items()
        for line in (proof(words),)
    )
    return given({"rulings": list(rulings)}, asked)
