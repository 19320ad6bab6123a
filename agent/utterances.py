"""What a model is asked to say, and what is made of it: sentences in the languages that are wanted, citing handles."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from agent.claims import Role
from agent.drafts import Draft
from agent.ids import RepoId
from agent.settings import Language
from agent.tongue import speaks

_NAMES: dict[Language, dict[Language, str]] = {
    "en": {"en": "English (field en)", "zh": "Chinese (field zh)"},
    "zh": {"en": "英文（字段 en）", "zh": "中文（字段 zh）"},
}
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"[\u3400-\u9fff]|\w+")
_SAME = 0.85
_UNENDED = (",", "，", "、", ";", "；", ":", "：", "-", "—")
"""Behind these a sentence goes on."""
_BEGINNINGS: dict[Language, dict[str, Any]] = {"zh": {"pattern": '^[\u4e00-\u9fa5][^"\\\\]*$'}}
"""A small model that begins in English goes on in English; a server that keeps to schemas does not let it begin so."""
_STUTTER = re.compile(r"(\S.{5,60})(?:\W*\1){2}", re.DOTALL)
"""The same words three times over, one behind the other."""
_AND: dict[Language, str] = {"en": " and ", "zh": "和"}


class Statement(BaseModel):
    """One sentence as a model writes it, in the languages that were asked for."""

    en: str = ""
    zh: str = ""
    cites: list[str] = Field(default_factory=list)


class Statements(BaseModel):
    """What a model has to say; an empty list is an answer too."""

    statements: list[Statement] = Field(default_factory=list)


def handles_field(handles: Sequence[str], description: str, least: int = 1) -> Any:
    """Describe a list of handles: a server that keeps to schemas cannot let a model name others, nor too few.

    What other servers let through is read all the same, and judged later.
    """
    if not handles:
        return Field(default_factory=list, description=description)
    names = {"type": "string", "enum": list(handles)}
    closed: dict[str, Any] = {"minItems": least, "maxItems": len(handles), "items": names}
    return Field(default_factory=list, description=description, json_schema_extra=closed)


@cache
def statements_in(
    languages: tuple[Language, ...], most: int, handles: tuple[str, ...] = (), least: int = 0
) -> type[BaseModel]:
    """Make the shape of an answer in these languages; it asks for citations where there is something to choose from.

    Nobody writes what will not be printed: a small model takes as long for that as for the rest.
    """
    fields: dict[str, Any] = {
        lang: (str, Field(description="one sentence", json_schema_extra=_BEGINNINGS.get(lang) if least else None))
        for lang in languages
    }
    if handles:
        fields["cites"] = (list[str], handles_field(handles, "the commits that the sentence speaks of"))
    one = create_model("Statement", **fields)
    several: Any = Field(
        default_factory=list, json_schema_extra={"minItems": least, "maxItems": most} if least else {"maxItems": most}
    )
    return create_model("Statements", statements=(list[one], several))


def read_statements(answer: BaseModel) -> dict[int, Statement]:
    """Take the sentences out of such an answer by their places, each once: small models say things twice."""
    kept: dict[int, Statement] = {}
    for place, one in enumerate(Statements.model_validate(answer.model_dump()).statements):
        if not any(_is_same(one, other) for other in kept.values()):
            kept[place] = one
    return kept


def _is_same(one: Statement, other: Statement) -> bool:
    """Tell whether two sentences have nearly all their words in common."""
    words, others = (set(_TOKEN.findall(f"{said.en} {said.zh}".lower())) for said in (one, other))
    return len(words & others) >= _SAME * max(len(words), len(others))


def wanted_languages(languages: Sequence[Language]) -> str:
    """Name the languages to write in, in the language of the prompt, which is the first of them."""
    return _AND[languages[0]].join(_NAMES[languages[0]][lang] for lang in languages)


def is_in(one: Statement, languages: Sequence[Language]) -> bool:
    """Tell whether every language that was asked for is there, whole, and is the language it should be."""
    words = _words(one)
    return all(words[lang] and speaks(words[lang], lang) and _is_whole(words[lang]) for lang in languages)


def _is_whole(text: str) -> bool:
    """Tell a sentence from what a model broke off within a name, a quotation or a bracket, or could not end."""
    pairs = all(text.count(one) == text.count(other) for one, other in ("()", "（）", "“”", "「」"))
    return pairs and text.count("`") % 2 == 0 and not text.rstrip().endswith(_UNENDED) and not _STUTTER.search(text)


def says_more(one: Statement, title: str) -> bool:
    """Tell whether a sentence says anything that the first line of its commit does not say."""
    known = set(_WORD.findall(title.lower()))
    return any(set(_WORD.findall(text.lower())) - known for text in _words(one).values() if text)


def draft_of(
    one: Statement, name: str, role: Role, handles: tuple[str, ...], repo: RepoId, languages: Sequence[Language]
) -> Draft:
    """Make a draft of what was said about these commits; of a whole day it is said what the model cites."""
    cites = tuple(cite.strip("[] ") for cite in one.cites)
    return Draft(
        id=name,
        role=role,
        repo=repo,
        text={lang: _words(one)[lang] for lang in languages if _words(one)[lang]},
        cites=tuple(dict.fromkeys((*cites, *handles))),
        about=handles,
    )


def _words(one: Statement) -> dict[Language, str]:
    return {"en": one.en.strip(), "zh": one.zh.strip()}
