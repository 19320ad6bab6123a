"""Which analyst writes a report and which answers a question: the rules, or models whose answers the run records."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, SecretStr

from agent.analyst import Analyst, ToolRequest, ToolSpec
from agent.capabilities import Capabilities
from agent.errors import AppError, ConfigError
from agent.model import JOBS, Answered, Endpoint, Job, Message, ModelError
from agent.recipe import Recipe
from agent.rules import RulesAnalyst
from agent.settings import Budget, Language, Settings
from agent.spending import Cap, Purse
from memory.call_recorder import CallRecorder
from memory.fence import fence_seed
from memory.servers import Servers
from memory.taped_model import TapedModels

if TYPE_CHECKING:
    from agent.asking.model_answer import ModelAnswerer
    from graphs.models import ChatModel, Learn

M = TypeVar("M", bound=BaseModel)


def analyst_of(
    settings: Settings, environ: Mapping[str, str], recorder: CallRecorder | None, home: Path, servers: Servers
) -> Analyst:
    """Make the analyst that the settings ask for."""
    if settings.analyst == "rules" or recorder is None:
        return RulesAnalyst()
    models = models_of(settings, environ, recorder, servers)
    return _writing(models, settings, fence_seed(home, recorder))


def answerer_of(
    settings: Settings, environ: Mapping[str, str], recorder: CallRecorder, home: Path, servers: Servers
) -> "ModelAnswerer | None":
    """Make what explains answers; None where the rules answer alone."""
    if settings.analyst == "rules":
        return None
    from agent.asking.model_answer import ModelAnswerer

    models = models_of(settings, environ, recorder, servers, run=Cap())
    return ModelAnswerer(models, fence_seed(home, recorder))


def analyst_again(recipe: Recipe, recorder: CallRecorder) -> Analyst:
    """Make the analyst of a run that is replayed: no model is asked, its answers are recorded."""
    if recipe.analyst == "rules" or recipe.model is None:
        return RulesAnalyst()
    names = _names(recipe, recipe.model)
    silent: dict[Job, Endpoint] = {job: SilentModel(names[job]) for job in JOBS}
    return _writing(TapedModels(recorder, silent, "", prices=recipe.prices), recipe, fence_seed(None, recorder))


def _writing(models: TapedModels, source: Settings | Recipe, seed: str) -> Analyst:
    """Make the analyst that has models write; the rules do not wait for what only it needs."""
    from agent.model_analyst import ModelAnalyst

    languages = _languages(source.lang, source.languages)
    return ModelAnalyst(models, languages, seed, judging=source.model_judging is not None)


def models_of(
    settings: Settings, environ: Mapping[str, str], recorder: CallRecorder, servers: Servers, run: Cap | None = None
) -> TapedModels:
    """Open the endpoints of the models that do the jobs, behind the recorder and within the budget.

    `run` limits all accounts together otherwise than the budget does: a conversation has no end.
    """
    chats = chats_of(settings, environ, servers)
    endpoints: dict[Job, Endpoint] = {job: chats[job] for job in JOBS}
    return TapedModels(
        recorder, endpoints, settings.model_url or "", purse=_purse(settings.budget, run), prices=settings.prices
    )


def chats_of(settings: Settings, environ: Mapping[str, str], servers: Servers) -> "dict[Job, ChatModel]":
    """Make a client for each job; jobs of the same model share one."""
    if settings.model is None:
        raise ConfigError("--analyst model needs a model: set GITZETTE_MODEL, and GITZETTE_MODEL_URL for its server")
    # Importing langchain takes longer than most runs of the rules.
    from graphs.models import ChatModel

    text = environ.get("OPENAI_API_KEY", "").strip()
    key = SecretStr(text) if text else None
    names = _names(settings, settings.model)
    made = {
        name: ChatModel(
            name=name,
            url=settings.model_url,
            key=key,
            timeout=settings.budget.answer_seconds,
            first_pause=settings.budget.retry_seconds,
            learn=_learner(settings.model_url, key, servers),
        )
        for name in dict.fromkeys(names.values())
    }
    return {job: made[name] for job, name in names.items()}


def _learner(url: str | None, key: SecretStr | None, servers: Servers) -> "Learn":
    """Look into memory first; what a server can do is found out once."""

    async def learn(chat: "ChatModel") -> Capabilities:
        place = url or ""
        if known := servers.get(place, chat.name):
            return known
        from graphs.probing import probe
        from tools.models import context_of

        try:
            context = await context_of(url, key.get_secret_value() if key else None, chat.name) if url else None
            found = await probe(chat, context)
        except AppError:
            # Whoever asks now will be told what is wrong.
            return Capabilities()
        servers.put(place, chat.name, found)
        return found

    return learn


def _names(source: Settings | Recipe, model: str) -> dict[Job, str]:
    return {
        "reading": source.model_reading or model,
        "writing": source.model_writing or model,
        "judging": source.model_judging or model,
    }


def _purse(budget: Budget, run: Cap | None) -> Purse:
    return Purse(
        run=run
        or Cap(
            calls=budget.model_calls,
            tokens=budget.model_tokens,
            seconds=budget.model_seconds,
            cost=budget.model_cost,
        ),
        each=Cap(calls=budget.repo_model_calls, tokens=budget.repo_model_tokens, seconds=budget.repo_model_seconds),
    )


def _languages(first: Language, others: Sequence[Language]) -> tuple[Language, ...]:
    return tuple(dict.fromkeys((first, *others)))


class SilentModel:
    """Stands in for a model that nobody may ask."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def room(self) -> int:
        """Refuse."""
        raise self._refusal()

    async def choose(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Answered[tuple[ToolRequest, ...]]:
        """Refuse."""
        raise self._refusal()

    async def answer(self, messages: Sequence[Message], shape: type[M]) -> Answered[M]:
        """Refuse."""
        raise self._refusal()

    def _refusal(self) -> ModelError:
        return ModelError(f"{self.name} is not asked in a replay")
