"""Scripted models inside the process: what a run asks of its models, without HTTP between them."""

import itertools
import json
from collections.abc import Awaitable, Callable

from langchain_core.messages import convert_to_openai_messages

from agent.domain.accounts import Spent
from agent.models import JOBS, Job, tokens_of
from evals.model_server.talk import Asked, Script
from graphs.models import Models
from tools.chat.messages import Question, RecordedChatModel, Reply, ToolRequest

Fetch = Callable[[Question], Awaitable[Reply]]
_CONTEXT = 65_536


class ScriptedModels(Models):
    """The models of a run: one reads and writes, another one judges; nothing is recorded and nothing costs."""

    def __init__(self, name: str, writer: Fetch, judge: Fetch) -> None:
        self.name = name
        self.names = dict.fromkeys(JOBS, name) | {"judging": f"judge of the {name}"}
        self._fetches: dict[Job, Fetch] = {"reading": writer, "writing": writer, "judging": judge}

    def get(self, job: Job, account: str) -> RecordedChatModel:
        """Give the model for a job."""
        return RecordedChatModel(model_name=self.names[job], fetch=self._fetches[job])

    def take(self, account: str) -> Spent:
        """Count nothing."""
        return Spent()

    async def context(self, job: Job) -> int:
        """Give the tokens of the model's window."""
        return _CONTEXT

    async def has_tools(self, job: Job) -> bool:
        """Take tools."""
        return True

    def prepare(self) -> None:
        """Have nothing to find out."""


def by_script(script: Script) -> Fetch:
    """Answer questions by a script."""
    numbers = itertools.count()

    async def fetch(question: Question) -> Reply:
        messages = convert_to_openai_messages(list(question.messages))
        said = script(Asked(next(numbers), {"messages": messages, "tools": list(question.tools)}))
        calls = tuple(ToolRequest(call.name, json.loads(call.arguments)) for call in said.calls)
        return Reply(text=said.text, calls=calls, spent=Spent(calls=1, received=tokens_of(said.text)))

    return fetch
