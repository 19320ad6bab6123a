"""The recorded answers of a model for the demo, kept by what each question is about.

An answer is found by its topic, not by the bytes of the question, so that correcting a prompt or
the docstring of a tool leaves the recording as it is. Short names in an answer (`c1`, `s2`) are
kept as the things that they stand for.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from agent.domain.account import Spent
from agent.domain.claims import Refused
from agent.domain.window import Window
from agent.judging.rulings import Rulings
from agent.model_capabilities import Capabilities, Way
from agent.model_errors import ModelError
from agent.settings.values import SourceChoice
from agent.token_estimates import tokens_of
from tools.chat.budget import Stopwatch
from tools.chat.requests_and_replies import (
    AskServer,
    ChatReply,
    ChatRequest,
    Handles,
    OnPiece,
    ToolRequest,
)

ANSWERS = Path(__file__).with_name("data") / "demo_answers.json"
CAPABILITIES = Capabilities(context=120_000, told=True)
"""What the recorded model could do; it shapes what is asked."""
_MAX_NAMED = 20  # Things to record again that one line on a terminal names


class Recording(BaseModel):
    """Everything that was recorded."""

    window: str = ""  # The key of the window that the recorded report is of
    answers: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """By topic: the object that was asked for, or the text and tool calls of a turn with tools."""
    refused: list[str] = Field(default_factory=list)
    """The sentences that the gate or the judge refused at the time: these refusals are expected."""

    @classmethod
    def load(cls, file: Path = ANSWERS) -> "Recording":
        """Read a recording; where there is no file, nothing was recorded."""
        if not file.exists():
            return cls()
        return cls.model_validate_json(file.read_bytes())

    def covers(self, window: Window, source: SourceChoice) -> bool:
        """Return True for runs that ask the recorded questions: they read the same threads."""
        return window.key == self.window and source != "git"

    def dump(self) -> str:
        """Return the recording as JSON, the same text for the same answers."""
        data = self.model_dump(mode="json")
        return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


@dataclass(frozen=True)
class Staleness:
    """The differences between a recording and the questions of a run."""

    missing: tuple[str, ...] = ()  # Topics without an answer, or with one that does not fit
    unused: tuple[str, ...] = ()  # Topics that nobody asks about
    refused: tuple[str, ...] = ()  # Sentences that are refused now, each with its subject

    def __bool__(self) -> bool:
        return bool(self.missing or self.unused or self.refused)

    @property
    def details(self) -> list[str]:
        """Everything that has to be recorded again or removed, one thing a line."""
        details = [f"no answer that fits: {topic}" for topic in self.missing]
        details += [f"refused now: {sentence}" for sentence in self.refused]
        details += [f"nobody asks for: {topic}" for topic in self.unused]
        return details

    def __str__(self) -> str:
        details = self.details
        listed_details = "; ".join(details[:_MAX_NAMED])
        more = f"; and {len(details) - _MAX_NAMED} more" if len(details) > _MAX_NAMED else ""
        return (
            f"{ANSWERS.name} is stale, so parts of the analysis are missing: {listed_details}{more}."
            " Record it again: python scripts/record_demo.py URL"
        )


class RecordedAnswers:
    """Answers questions from a recording, and keeps account of what was asked."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._hashes: dict[str, list[str]] = {}  # The questions about each topic, in order
        self._used: set[str] = set()
        self._missing: dict[str, None] = {}

    async def learn(self, ask: AskServer) -> Capabilities:
        """Return what the recorded model could do, the same on every machine."""
        del ask
        return CAPABILITIES

    @property
    def at_once(self) -> int | None:
        """Recorded answers take no time, and none has to wait for another."""
        return None

    async def attempt(
        self,
        request: ChatRequest,
        way: Way,
        watch: Stopwatch,
        on_piece: OnPiece | None = None,
    ) -> ChatReply:
        """Return the recorded answer; note a topic that has none, and raise a `ModelError`."""
        del way, watch, on_piece
        topic = self.topic_of(request)
        answer = self.recording.answers.get(topic)
        if answer is not None:
            self._used.add(topic)
            reply = _reply(answer, request)
            if reply is not None:
                for name in unknown_names(answer, handles_of(request)):
                    self._missing[f"{topic}, which speaks of {name}"] = None
                return reply
        self._missing[topic] = None
        raise ModelError(f"no recorded answer fits: {topic}")

    def topic_of(self, request: ChatRequest) -> str:
        """Return the name under which the answer to a request is kept.

        A judge is asked about a subject several times, of other sentences each time, and its
        rulings are kept together. Other requests of the same topic are numbered.
        """
        assert request.topic is not None, "every request of a run says what it is about"
        name = request.topic.name
        if request.response_format is Rulings:
            return name
        hashes = self._hashes.setdefault(name, [])
        if request.hash not in hashes:
            hashes.append(request.hash)
        number = hashes.index(request.hash) + 1
        return name if number == 1 else f"{name} ({number})"

    def staleness(self, refused: Iterable[Refused]) -> Staleness:
        """Compare the recording with a run that is over, and with the sentences it refused."""
        expected = set(self.recording.refused)
        unexpected: dict[str, None] = {}
        for refusal in refused:
            text = sentence_of(refusal)
            if text not in expected:
                unexpected[f"{refusal.task}: {text!r}: {refusal.reasons[0].reason}"] = None
        unused = self.recording.answers.keys() - self._used
        return Staleness(tuple(self._missing), tuple(sorted(unused)), tuple(unexpected))


def sentence_of(refusal: Refused) -> str:
    """Return a refused sentence in all its languages."""
    return " / ".join(refusal.claim.text.values())


def lasting(reply: ChatReply, request: ChatRequest) -> dict[str, Any]:
    """Return an answer as it is recorded: with lasting names in the place of short ones."""
    if request.response_format is None:
        calls = [{"tool": call.tool, "arguments": dict(call.arguments)} for call in reply.calls]
        answer = {"text": reply.text, "calls": calls}
    else:
        answer = json.loads(reply.text)
    handles = handles_of(request)
    renamed: dict[str, Any] = _renamed(answer, handles.fields, handles.names)
    return renamed


def _reply(answer: Mapping[str, Any], request: ChatRequest) -> ChatReply | None:
    """Return a recorded answer with the short names of a request; None if it misfits the schema.

    Tokens are estimated, since the wording of the request may have changed.
    """
    handles = handles_of(request)
    short_names = {name: handle for handle, name in handles.names.items()}
    answer = _renamed(answer, handles.fields, short_names)
    shape = request.response_format
    if shape is None:
        calls = tuple(ToolRequest(call["tool"], call["arguments"]) for call in answer["calls"])
        received = tokens_of(json.dumps(answer, ensure_ascii=False))
        spent = Spent(calls=1, sent=request.tokens, received=received)
        return ChatReply(text=answer["text"], calls=calls, spent=spent)
    if shape is Rulings:
        rulings = [ruling for ruling in answer["rulings"] if ruling["id"] in handles.names]
        answer = {"rulings": rulings}
    try:
        shape.model_validate(answer)
    except ValidationError:
        return None
    text = json.dumps(answer, ensure_ascii=False)
    return ChatReply(text=text, spent=Spent(calls=1, sent=request.tokens, received=tokens_of(text)))


def unknown_names(answer: Any, handles: Handles) -> Iterator[str]:
    """Yield what an answer chooses or rests on and its request does not offer any more."""
    if isinstance(answer, list):
        for item in answer:
            yield from unknown_names(item, handles)
    if not isinstance(answer, Mapping):
        return
    for key, value in answer.items():
        if key in handles.fields and isinstance(value, list):
            yield from (name for name in value if name not in handles.names.values())
        else:
            yield from unknown_names(value, handles)


def handles_of(request: ChatRequest) -> Handles:
    """Return the short names that a request gives to things, if any."""
    if request.topic is None or request.topic.handles is None:
        return Handles("", {})
    return request.topic.handles


def _renamed(value: Any, fields: tuple[str, ...], names: Mapping[str, str]) -> Any:
    """Replace names in some fields of nested data, wherever they occur."""
    if isinstance(value, list):
        return [_renamed(item, fields, names) for item in value]
    if not isinstance(value, Mapping):
        return value
    renamed: dict[str, Any] = {}
    for key, item in value.items():
        if key not in fields:
            renamed[key] = _renamed(item, fields, names)
        elif isinstance(item, list):
            renamed[key] = [_renamed_name(name, names) for name in item]
        else:
            renamed[key] = _renamed_name(item, names)
    return renamed


def _renamed_name(name: Any, names: Mapping[str, str]) -> Any:
    """Replace one name; models put short ones into brackets or backticks."""
    if not isinstance(name, str):
        return name
    return names.get(name) or names.get(name.strip("[]`. "), name)
