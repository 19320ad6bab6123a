"""What models are asked for: sentences with citations and anchors, summaries and rulings, in the report's languages."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from agent.domain.base import Language
from agent.gate.safety import LONGEST

MOST_SENTENCES, MOST_ANSWERED = 5, 10
NAMES: dict[Language, str] = {"en": "English", "zh": "Chinese (简体中文，全角标点)"}
Opinion = Literal["stated", "inferred", "unsupported", "contradicted"]


class Choice(BaseModel):
    """Which commits are worth explaining, the most important first."""

    read: list[str] = Field(default_factory=list)


class Sentence(BaseModel):
    """One sentence of analysis; the words in each language are fields of the subclass."""

    advice: bool = Field(default=False, description="true where the sentence tells the reader what to do")
    cites: list[str] = Field(default_factory=list, description="handles of the evidence, such as c or #12")
    anchor: str = Field(default="", description="words or diff lines copied verbatim from the evidence")
    old: str = Field(default="", description="a value that was there before, verbatim from a removed line, or empty")
    new: str = Field(default="", description="a value that is there now, verbatim from an added line, or empty")


class Summary(BaseModel):
    """One sentence that rests on sentences which were published already."""

    rests_on: list[str] = Field(default_factory=list, description="handles of the sentences it rests on, such as c1.2")


class Ruling(BaseModel):
    """What a judge makes of one sentence: the proof first, then what it covers, then the verdict."""

    id: str
    quote: str = Field(default="", description="the words or diff lines of the evidence, verbatim, that decide")
    covers: str = Field(default="", description="the words of the sentence that the quote covers")
    verdict: Opinion = "unsupported"


class Rulings(BaseModel):
    """What a judge makes of a batch."""

    rulings: list[Ruling] = Field(default_factory=list)


@cache
def analysis_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Give the shape in which a commit is explained: a headline and sentences, in each language."""
    sentence = create_model("AnalysisSentence", __base__=Sentence, **_words(languages))
    shape: dict[str, Any] = {f"headline_{lang}": (str, "") for lang in languages}
    # A server that keeps to schemas ends there; what others write beyond is left out, and not the whole answer.
    most: dict[str, Any] = {"maxItems": MOST_SENTENCES}
    shape["sentences"] = (list[sentence], Field(default_factory=list, json_schema_extra=most))
    return create_model("Analysis", **shape)


@cache
def repair_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Give the shape in which refused sentences are said anew, each under its number."""
    fields: dict[str, Any] = {"id": (str, ""), **_words(languages)}
    sentence = create_model("RepairedSentence", __base__=Sentence, **fields)
    shape: dict[str, Any] = {"sentences": (list[sentence], Field(default_factory=list))}
    return create_model("Repair", **shape)


@cache
def answer_shape(lang: Language) -> type[BaseModel]:
    """Give the shape in which a question is answered: sentences, or that nothing answers it, and what comes nearest."""
    sentence = create_model("AnswerSentence", __base__=Sentence, **_words((lang,)))
    nothing = "true where nothing that was read answers the question, or it takes for granted what is not so"
    near = "handles of what comes nearest, where nothing answers"
    shape: dict[str, Any] = {
        "abstains": (bool, Field(default=False, description=nothing)),
        "sentences": (list[sentence], Field(default_factory=list, json_schema_extra={"maxItems": MOST_ANSWERED})),
        "nearest": (list[str], Field(default_factory=list, description=near)),
    }
    return create_model("Answer", **shape)


@cache
def summary_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Give the shape in which a day is summed up."""
    sentence = create_model("SummarySentence", __base__=Summary, **_words(languages))
    shape: dict[str, Any] = {"sentences": (list[sentence], Field(default_factory=list))}
    return create_model("DaySummary", **shape)


def _words(languages: Sequence[Language]) -> dict[str, Any]:
    return {lang: (str, Field(default="", description=f"the sentence in {NAMES[lang]}")) for lang in languages}


def words_of(said: BaseModel, languages: Sequence[Language], prefix: str = "") -> dict[Language, str]:
    """Give what was written in each language; without all of them there is no sentence."""
    # Nothing is read beyond the length at which the gate refuses a sentence anyway.
    found: dict[Language, str] = {
        lang: " ".join(str(getattr(said, f"{prefix}{lang}")).split())[: LONGEST + 1] for lang in languages
    }
    return found if all(found.values()) else {}


def asked_languages(languages: Sequence[Language]) -> str:
    """Name the languages as a prompt does."""
    return " and ".join(NAMES[lang] for lang in languages)
