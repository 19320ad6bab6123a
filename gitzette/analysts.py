"""Which analyst writes a report and which answers a question: the rules, or models whose answers are recorded."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import SecretStr

from agent.domain.base import AppError, ConfigError, Language
from agent.models import Capabilities, Job, boundary
from agent.settings.spending import Cap, Purse
from agent.settings.values import Budget, Recipe, Settings
from memory.recorder import CallRecorder
from memory.store import ModelServers

Admit = Callable[[], Awaitable[None]]
"""Waits until a shared limit allows one more request."""

if TYPE_CHECKING:
    from graphs.models import Answers, Models
    from tools.chat.endpoint import ChatEndpoint, Learn


@dataclass(frozen=True)
class Writers:
    """Who writes a report: models, or nobody but code; in which languages, and how texts of others are fenced."""

    models: "Models | None" = None
    languages: tuple[Language, ...] = ()
    mark: str = ""


def writers_of(
    settings: Settings,
    environ: Mapping[str, str],
    recorder: CallRecorder | None,
    servers: ModelServers,
    limit: Cap | None = None,
    admit: Admit | None = None,
    answers: "Answers | None" = None,
) -> Writers:
    """Open the models that the settings ask for, behind the record of the run and within the budget.

    `limit` holds for all accounts together in place of the budget's: a conversation has no end. Given `answers`, no
    server is asked: those of the demonstration are kept by the hash of the question, so that nothing in it is secret.
    """
    languages: tuple[Language, ...] = ("en", "zh") if answers else _languages(settings.lang, settings.languages)
    if settings.analyst == "rules" or recorder is None:
        return Writers(languages=languages)
    names = _names(settings, settings.model or "")
    endpoints = dict.fromkeys(names.values(), answers) if answers else endpoints_of(settings, environ, servers, admit)
    # Importing langchain takes longer than most runs of the rules.
    from graphs.models import Models

    purse = _purse(settings.budget, limit)
    models = Models(recorder, names, endpoints, settings.model_url or "", purse=purse, prices=settings.prices)
    return Writers(models, languages, boundary("demonstration" if answers else recorder.fence_seed()))


def writers_again(recipe: Recipe, recorder: CallRecorder) -> Writers:
    """Give the writers of a run that is replayed: a model is not asked, its answers are on record."""
    languages = _languages(recipe.lang, recipe.languages)
    if recipe.analyst == "rules" or recipe.model is None:
        return Writers(languages=languages)
    from graphs.models import Models

    models = Models(recorder, _names(recipe, recipe.model), prices=recipe.prices)
    return Writers(models, languages, boundary(recorder.fence_seed()))


def endpoints_of(
    settings: Settings, environ: Mapping[str, str], servers: ModelServers, admit: Admit | None = None
) -> "dict[str, ChatEndpoint]":
    """Make a client for each model, by name; jobs of the same model share one."""
    if settings.model is None:
        raise ConfigError("--analyst model needs a model: set GITZETTE_MODEL, and GITZETTE_MODEL_URL for its server")
    from tools.chat.endpoint import ChatEndpoint

    text = environ.get("OPENAI_API_KEY", "").strip()
    key = SecretStr(text) if text else None
    return {
        name: ChatEndpoint(
            name=name,
            url=settings.model_url,
            key=key,
            timeout=settings.budget.answer_seconds,
            first_pause=settings.budget.retry_seconds,
            learn=_learner(settings, key, servers),
            admit=admit,
        )
        for name in _names(settings, settings.model).values()
    }


def _learner(settings: Settings, key: SecretStr | None, servers: ModelServers) -> "Learn":
    """Look into memory first; what a server can do is found out once. What the settings say of a window holds."""
    url, said = settings.model_url, settings.model_context

    async def learn(endpoint: "ChatEndpoint") -> Capabilities:
        place = url or ""
        if known := servers.get(place, endpoint.name):
            return known.model_copy(update={"context": said}) if said else known
        from tools.chat.endpoint import probe
        from tools.chat.offers import context_of

        try:
            told = await context_of(url, key.get_secret_value() if key else None, endpoint.name) if url else None
            found = await probe(endpoint, said or told or endpoint.client.usual_context)
        except AppError:
            # Whoever asks now will be told what is wrong.
            return Capabilities()
        servers.put(place, endpoint.name, found)
        return found

    return learn


def _names(source: Settings | Recipe, model: str) -> dict[Job, str]:
    return {
        "reading": source.model_reading or model,
        "writing": source.model_writing or model,
        "judging": source.model_judging or model,
    }


def _purse(budget: Budget, limit: Cap | None) -> Purse:
    whole = Cap(
        calls=budget.model_calls, tokens=budget.model_tokens, seconds=budget.model_seconds, cost=budget.model_cost
    )
    each = Cap(calls=budget.repo_model_calls, tokens=budget.repo_model_tokens, seconds=budget.repo_model_seconds)
    return Purse(run=limit or whole, each=each)


def _languages(first: Language, others: Sequence[Language]) -> tuple[Language, ...]:
    return tuple(dict.fromkeys((first, *others)))
