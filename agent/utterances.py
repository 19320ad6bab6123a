"""What a model is asked to say: sentences in the languages that are wanted, citing handles from a closed list."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from agent.settings import Language


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
def statements_in(languages: tuple[Language, ...], most: int, handles: tuple[str, ...] = ()) -> type[BaseModel]:
    """Make the shape of an answer in these languages; it asks for citations where there is something to choose from.

    Nobody writes what will not be printed: a small model takes as long for that as for the rest.
    """
    fields: dict[str, Any] = {lang: (str, Field(description="one sentence")) for lang in languages}
    if handles:
        fields["cites"] = (list[str], handles_field(handles, "the commits that the sentence speaks of"))
    one = create_model("Statement", **fields)
    several: Any = Field(default_factory=list, json_schema_extra={"maxItems": most})
    return create_model("Statements", statements=(list[one], several))


def read_statements(answer: BaseModel) -> list[Statement]:
    """Take the sentences out of an answer of such a shape."""
    return Statements.model_validate(answer.model_dump()).statements
