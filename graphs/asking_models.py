"""How steps of a run put their questions to a model: a prompt from a file, an answer in a shape."""

from collections.abc import Mapping
from typing import TypeVar

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from agent.analysts.packet import BUDGET
from agent.model import Job
from agent.prompting import prompt
from graphs.desk import Deps
from graphs.models import Models

M = TypeVar("M", bound=BaseModel)
_PROMPT = 1_600
"""Tokens of a prompt beside the evidence: rules, sentences, schema."""
_LEAST, _SMALL = 1_000, 12_000


def models_of(deps: Deps) -> Models:
    """Give the models of a run that has some."""
    assert deps.models is not None, "only a run with a model gets here"
    return deps.models


async def ask(deps: Deps, job: Job, account: str, name: str, values: Mapping[str, str], shape: type[M]) -> M:
    """Fill a prompt, ask the model for a job, and give the answer in its shape."""
    scope = account if "/" in account else "several repositories"
    system = prompt("system", {"repo": scope, "mark": deps.mark})
    messages = [SystemMessage(system), HumanMessage(prompt(name, values))]
    answer = await models_of(deps).get(job, account).with_structured_output(shape).ainvoke(messages)
    assert isinstance(answer, shape)
    return answer


async def is_small(deps: Deps) -> bool:
    """Tell whether a model has so little room that it loses its way in several steps."""
    return await models_of(deps).context("reading") < _SMALL


async def can_call_tools(deps: Deps) -> bool:
    """Tell whether the model that reads finds its way with tools."""
    return not await is_small(deps) and await models_of(deps).has_tools("reading")


async def packet_room(deps: Deps) -> int:
    """Give the tokens of evidence that fit into every question about a commit, beside the answer."""
    models = models_of(deps)
    context = min(await models.context("writing"), await models.context("judging"))
    return max(_LEAST, min(BUDGET, context - min(4_000, context // 4) - _PROMPT))
