"""The languages of reports, as data: `agent/words/<language>.toml` has the words of each and says how it is written."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from agent.domain.base import LANGUAGES, Frozen, Language

HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile("[A-Za-z]")


class Writing(Frozen):
    """How a language is named and written: the table `language` of its words."""

    name: str
    asked_as: str  # As a model is asked for it
    script: Literal["latin", "han"]
    locale: str  # As chat services name it
    units: Mapping[str, tuple[str, ...]]  # How units are spelled, by their symbols
    magnitudes: Mapping[str, tuple[str, ...]]  # Words for powers of ten


@cache
def catalogue(lang: Language) -> dict[str, Any]:
    """Return the words of a language; all files have the same keys."""
    file = files("agent").joinpath("words", f"{lang}.toml")
    return tomllib.loads(file.read_text("utf-8"))


@cache
def writing_of(lang: Language) -> Writing:
    """Return how a language is written."""
    return Writing.model_validate(catalogue(lang)["language"])


def language_of(text: str) -> Language:
    """Return the first language that the script of a text shows, else the first of all."""
    if HAN.search(text) is None:
        return LANGUAGES[0]
    return next(lang for lang in LANGUAGES if writing_of(lang).script == "han")


def is_in_script(text: str, lang: Language) -> bool:
    """Return False if a text cannot be in this language: Chinese has Han characters, others few."""
    han = len(HAN.findall(text))
    if writing_of(lang).script == "han":
        return han > 0
    return han * 2 <= len(_LATIN.findall(text))
