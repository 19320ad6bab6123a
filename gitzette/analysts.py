"""Which analyst writes a report: the rules, or a model behind the tape of the run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, SecretStr

from agent.analyst import Analyst, ToolRequest, ToolSpec
from agent.errors import ConfigError
from agent.model import Message, Model, ModelError
from agent.model_analyst import ModelAnalyst
from agent.recipe import Recipe
from agent.rules import RulesAnalyst
from agent.settings import Language, Settings
from memory.fence import fence_seed
from memory.tape import Tape
from memory.taped_model import TapedModel

M = TypeVar("M", bound=BaseModel)


def analyst_of(settings: Settings, environ: Mapping[str, str], tape: Tape | None, home: Path) -> Analyst:
    """Make the analyst that the settings ask for."""
    if settings.analyst == "rules" or tape is None:
        return RulesAnalyst()
    if settings.model is None:
        raise ConfigError("--analyst model needs a model: set GITZETTE_MODEL, and GITZETTE_MODEL_URL for its server")
    # Importing langchain takes longer than most runs of the rules.
    from graphs.models import ChatModel

    key = environ.get("OPENAI_API_KEY", "").strip()
    chat = ChatModel(name=settings.model, url=settings.model_url, key=SecretStr(key) if key else None)
    languages = (settings.lang, *settings.languages)
    return _taped(TapedModel(tape, chat, settings.model_url or ""), languages, fence_seed(home, tape))


def analyst_again(recipe: Recipe, tape: Tape) -> Analyst:
    """Make the analyst of a run that is replayed: a model is not asked, its answers are on the tape."""
    if recipe.analyst == "rules" or recipe.model is None:
        return RulesAnalyst()
    languages = (recipe.lang, *recipe.languages)
    return _taped(TapedModel(tape, SilentModel(recipe.model), ""), languages, fence_seed(None, tape))


def _taped(model: Model, languages: Sequence[Language], seed: str) -> Analyst:
    return ModelAnalyst(model, tuple(dict.fromkeys(languages)), seed)


class SilentModel:
    """Stands in for a model that nobody may ask."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def call_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Sequence[ToolRequest]:
        """Refuse."""
        raise ModelError(f"{self.name} is not asked in a replay")

    async def fill(self, messages: Sequence[Message], shape: type[M]) -> M:
        """Refuse."""
        raise ModelError(f"{self.name} is not asked in a replay")
