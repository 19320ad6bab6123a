"""The words that readers see: one file a language, `agent/words/en.toml` and `agent/words/zh.toml`."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from agent.domain.base import Language


@cache
def catalogue(lang: Language) -> dict[str, Any]:
    """Read the words of a language; both files have the same keys."""
    return tomllib.loads(files("agent").joinpath("words", f"{lang}.toml").read_text("utf-8"))
